"""Export of a run to a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from polycontact.errors import SimulationError
from polycontact.report.export.csv_tables import write_names, write_tables
from polycontact.report.export.vtk_run import Progress, VtkRun
from polycontact.report.view.timeline import choose_samples, frame_rate
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.unit_choice import Units, choose_units

EXPORT_FPS = 30.0
"""Frames for each second of playback, see `playing_speed`: every one is a set of files."""


@dataclass(frozen=True)
class Exported:
    """What was written: ``folder``, number of ``files``, their ``bytes`` together, number of ``frames``."""

    folder: Path
    files: int
    bytes: int
    frames: int


def export_run(
    trajectory: Trajectory,
    folder: str | os.PathLike[str],
    *,
    csv: bool = True,
    vtk: bool = True,
    fps: float | None = None,
    units: Units = None,
    progress: Progress | None = None,
) -> Exported:
    """Write a run to ``folder``, which is made where it does not exist.

    ``csv``: samples.csv with every sample, peaks.csv with the greatest loads, events.csv, and maps.csv where the run
    kept maps of its surfaces, which bodies of VTK then have too; ``vtk``: bodies.pvd and patches.pvd for ParaView, with
    ``fps`` samples for each simulated second (by default 150 to 300 samples, whatever the length of the run), and
    names.csv. ``units``: of the tables, as for `Trajectory.plot`; ParaView gets SI units.
    """
    chosen = choose_units(units)
    trajectory.state_at_end()  # refuses a run without samples
    target = Path(folder)
    rate = frame_rate(trajectory.time, fps, EXPORT_FPS)
    samples = choose_samples(trajectory.time, rate).tolist() if vtk else []
    try:
        target.mkdir(parents=True, exist_ok=True)
        before = {path: path.stat().st_mtime_ns for path in target.rglob("*") if path.is_file()}
        if csv:
            write_tables(trajectory, target, chosen)
        if vtk:
            write_names(trajectory, target)
            with trajectory:
                VtkRun(trajectory, target).write(samples, progress)
    except OSError as error:
        where = error.filename or target
        raise SimulationError(
            f"{where}: cannot be written: {error.strerror}; choose another folder with --output"
        ) from error
    written = [path for path in target.rglob("*") if path.is_file() and before.get(path) != path.stat().st_mtime_ns]
    return Exported(target, len(written), sum(path.stat().st_size for path in written), len(samples))
