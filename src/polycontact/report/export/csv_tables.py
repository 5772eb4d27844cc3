"""Tables of a run: the time series, the contact events and the names that numbers in other files stand for."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from polycontact.replacing import replacing
from polycontact.simulation.recording.run_peaks import ContactPeaks, JointPeaks, RunPeaks
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.unit_choice import SI, UnitChoice


def write_tables(trajectory: Trajectory, folder: Path, units: UnitChoice = SI) -> list[Path]:
    """Write ``samples.csv``, ``peaks.csv`` and, where there are any, ``events.csv``; returns their paths."""
    paths = [folder / "samples.csv"]
    trajectory.to_csv(paths[0], units=units)
    time, second = units.title("time [s]")
    paths.append(folder / "peaks.csv")
    write_rows(paths[-1], ("name", "load", "greatest", "unit", time), _peak_rows(trajectory.peaks, units))
    if trajectory.events:
        paths.append(folder / "events.csv")
        rows = [(repr(second * event.time), event.pairing, event.kind) for event in trajectory.events]
        write_rows(paths[-1], (time, "pairing", "contact"), rows)
    return paths


def _peak_rows(peaks: RunPeaks, units: UnitChoice) -> list[tuple[str, ...]]:
    """The greatest loads of contacts and joints, one a row."""
    of_loads = (("force", "N"), ("pressure", "Pa"), ("depth", "m"), ("torque", "N m"))
    shown = {load: units.shown(unit) for load, unit in of_loads}
    second = units.shown("s")[1]
    named: list[tuple[str, ContactPeaks | JointPeaks]] = [*peaks.contacts.items(), *peaks.joints.items()]
    return [
        (name, load, repr(shown[load][1] * peak.value), shown[load][0], repr(second * peak.time))
        for name, each in named
        for load, peak in each._asdict().items()
    ]


def write_names(trajectory: Trajectory, folder: Path) -> Path:
    """Write ``names.csv``: bodies and pairings by the numbers that the VTK files have."""
    path = folder / "names.csv"
    rows = [("body", str(i), name) for i, name in enumerate(trajectory.bodies)]
    rows += [("pairing", str(i), name) for i, name in enumerate(trajectory.pairings)]
    write_rows(path, ("kind", "number", "name"), rows)
    return path


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table as comma separated values in UTF-8."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
