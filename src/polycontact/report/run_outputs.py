"""What is made of a run with one call: a report, a picture or a film, tables and series for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from polycontact.errors import SimulationError
from polycontact.replacing import replacing
from polycontact.report.output_files import FILMS, PAGES, STILLS, check_target
from polycontact.simulation.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from polycontact.report.export.export_folder import Exported
    from polycontact.simulation.run_result import Run

AnyRun: TypeAlias = "Run | Trajectory | str | os.PathLike[str]"
"""A run that was made, its trajectory, or the file that it was recorded in."""


def save_report(
    runs: AnyRun | Sequence[AnyRun],
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    units: str | None = None,
    playback: bool = True,
    pictures: bool = True,
    size_limit: float | None = 10.0,
) -> Path:
    """Write a report of a run, or of several that are compared, as one HTML page; returns its path.

    The page has the system, costs, plots, contacts and, unless left out, still ``pictures`` and the 3D ``playback``.
    ``title``: by default the name of the scenario; ``units`` of charts and tables, such as "mm,kN,MPa"; by default SI
    units with prefixes. ``size_limit`` (MB): playbacks have fewer frames, or are left out, where the page would be
    larger, and the page says so; None for no limit.
    """
    from polycontact.report.document.named_runs import name_runs, open_runs
    from polycontact.report.document.report_page import write_report

    given: list[AnyRun] = list(runs) if isinstance(runs, list | tuple) else [cast("AnyRun", runs)]
    paths = [Path(each) for each in given if isinstance(each, str | os.PathLike)]
    check_target(Path(path), PAGES, "a report", *paths)
    named = open_runs(paths) if len(paths) == len(given) else name_runs([trajectory_of(each) for each in given])
    write_report(
        path, named, title=title, units=units, with_playback=playback, pictures=pictures, size_limit=size_limit
    )
    return Path(path)


def save_picture(
    run: AnyRun,
    path: str | os.PathLike[str],
    *,
    time: float | None = None,
    fps: float | None = None,
    speed: float | None = None,
    start: float | None = None,
    end: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **look: Any,
) -> Path:
    """Draw a run to a picture (.png, .jpg, .webp) or a film (.gif, .mp4); returns its path. No display is needed.

    A picture shows the sample nearest to ``time`` (s), by default the last. A film has ``fps`` frames a second (20) and
    shows the run from ``start`` to ``end`` (s), ``speed`` simulated seconds in each second, by default so that it plays
    5 to 10 s. Other options: ``camera`` ("iso", "front", "back", "left", "right", "top", or "azimuth,elevation" in
    degrees), ``zoom`` (name of a pairing to show from near), ``size`` (width, height) in pixels, ``colour_by``
    ("pressure", "depth", "slip" of patches; of a run with maps "greatest_pressure", "contact_time", "sliding",
    "friction_energy", "wear" or "dent" of bodies; or "none"), ``theme`` ("light" or "dark"), ``limit`` (end of the
    colour bar; Pa, m or m/s), ``forces``, ``transparent`` (names of bodies), ``opacity`` and ``ground``.
    """
    target = Path(path)
    check_target(target, (*STILLS, *FILMS), "a picture or film")
    is_film = target.suffix.lower() in FILMS
    if is_film and time is not None:
        raise SimulationError("time is of a picture; a film has start and end")
    course: dict[str, Any] = {"speed": speed, "start": start, "end": end}
    for name, value in {"fps": fps, **course}.items():
        if not is_film and value is not None:
            raise SimulationError(f"{name} is of a film (.gif, .mp4); leave it out for a picture")
    trajectory = trajectory_of(run)
    trajectory.state_at_end()  # refuses a run without samples
    if is_film:
        from polycontact.report.picture.film import write_film

        write_film(trajectory, target, progress=progress, fps=20.0 if fps is None else fps, **course, **look)
        return target
    from polycontact.report.picture.render import render

    image = render(trajectory, float(trajectory.time[-1]) if time is None else time, **look)
    try:
        with replacing(target) as part:
            image.save(part)
    except OSError as error:
        raise SimulationError(
            f"{target}: cannot be written: {error.strerror or error}; choose another place"
        ) from error
    return target


def export_run(
    run: AnyRun,
    folder: str | os.PathLike[str],
    *,
    csv: bool = True,
    vtk: bool = True,
    fps: float | None = None,
    units: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Exported:
    """Write a run to a folder, which is made where it does not exist: tables (CSV), series for ParaView (VTK).

    ``csv``: samples.csv, peaks.csv, events.csv and, where the run kept maps of its surfaces, maps.csv (SI units), in
    ``units`` such as "mm,kN,MPa", by default SI units. ``vtk``: bodies.pvd and patches.pvd with pressure, depth and
    slip of the contact patches in SI units, ``fps`` instants for each simulated second (by default 150 to 300 in all).
    """
    from polycontact.report.export.export_folder import export_run

    if Path(folder).exists() and not Path(folder).is_dir():
        raise SimulationError(f"{folder}: this is a file; name a folder to export to")
    return export_run(trajectory_of(run), folder, csv=csv, vtk=vtk, fps=fps, units=units, progress=progress)


def trajectory_of(run: AnyRun) -> Trajectory:
    """The trajectory of a run in any of its forms."""
    if isinstance(run, str | os.PathLike):
        return Trajectory.open(run)
    trajectory = getattr(run, "trajectory", run)
    if not isinstance(trajectory, Trajectory):
        raise SimulationError(f"this is a {type(run).__name__}; give a run, its trajectory or the path of its file")
    return trajectory
