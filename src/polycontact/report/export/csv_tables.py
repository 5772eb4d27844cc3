"""Tables of a run: the time series, the contact events and the names that numbers in other files stand for."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from polycontact.replacing import replacing
from polycontact.simulation.recording.run_peaks import Peak
from polycontact.simulation.recording.sample_quantities import effort_unit
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.unit_choice import SI, UnitChoice


def write_tables(trajectory: Trajectory, folder: Path, units: UnitChoice = SI) -> list[Path]:
    """Write ``samples.csv``, ``peaks.csv`` and, where there are any, ``maps.csv`` (SI units) and ``events.csv``."""
    paths = [folder / "samples.csv"]
    trajectory.to_csv(paths[0], units=units)
    time, second = units.title("time [s]")
    paths.append(folder / "peaks.csv")
    write_rows(paths[-1], ("name", "load", "greatest", "unit", time), _peak_rows(trajectory, units))
    if trajectory.has_maps:
        paths.append(folder / "maps.csv")
        trajectory.maps.to_csv(paths[-1])
    if trajectory.events:
        paths.append(folder / "events.csv")
        rows = [(repr(second * event.time), event.pairing, event.kind) for event in trajectory.events]
        write_rows(paths[-1], (time, "pairing", "contact"), rows)
    return paths


def _peak_rows(trajectory: Trajectory, units: UnitChoice) -> list[tuple[str, ...]]:
    """The greatest loads of contacts, joints, loops, drives and force elements, one a row."""
    peaks, second = trajectory.peaks, units.shown("s")[1]
    rows: list[tuple[str, ...]] = []

    def add(name: str, load: str, unit: str, peak: Peak) -> None:
        told, factor = units.shown(unit)
        rows.append((name, load, repr(factor * peak.value), told, repr(second * peak.time)))

    for name, of_contact in peaks.contacts.items():
        for load, peak, unit in zip(of_contact._fields, of_contact, ("N", "Pa", "m"), strict=True):
            if unit != "Pa" or not trajectory.pairing(name).finds_points:  # points have no pressure
                add(name, load, unit, peak)
    for name, of_joint in peaks.joints.items():
        for load, peak, unit in zip(of_joint._fields, of_joint, ("N", "N m"), strict=True):
            add(name, load, unit, peak)
    for name, efforts in peaks.drives.items():
        for speed, peak in efforts.items():
            add(name, f"drive of {speed}", effort_unit(speed), peak)
    for record in trajectory.description.forces:
        for each in record.loads if record.name in peaks.forces else ():
            add(record.name, each.name, record.unit_of(each.columns.start), peaks.forces[record.name][each.name])
    return rows


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
