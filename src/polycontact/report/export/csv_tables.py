"""Tables of a run: the time series, the contact events and the names that numbers in other files stand for."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from polycontact.simulation.recording.run_peaks import ContactPeaks, JointPeaks, RunPeaks
from polycontact.simulation.recording.trajectory import Trajectory


def write_tables(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Write ``samples.csv``, ``peaks.csv`` and, where there are any, ``events.csv``; returns their paths."""
    paths = [folder / "samples.csv"]
    trajectory.to_csv(paths[0])
    paths.append(folder / "peaks.csv")
    write_rows(paths[-1], ("name", "load", "greatest", "unit", "time [s]"), _peak_rows(trajectory.peaks))
    if trajectory.events:
        paths.append(folder / "events.csv")
        rows = [(repr(event.time), event.pairing, event.kind) for event in trajectory.events]
        write_rows(paths[-1], ("time [s]", "pairing", "contact"), rows)
    return paths


def _peak_rows(peaks: RunPeaks) -> list[tuple[str, ...]]:
    """The greatest loads of contacts and joints, one a row."""
    units = {"force": "N", "pressure": "Pa", "depth": "m", "torque": "N m"}
    named: list[tuple[str, ContactPeaks | JointPeaks]] = [*peaks.contacts.items(), *peaks.joints.items()]
    return [
        (name, load, repr(peak.value), units[load], repr(peak.time))
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
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
