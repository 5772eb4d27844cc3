"""Forces in joints, loops and force elements, and what drives the joints: a table of peaks, and curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.report.document.markup import chart, fold, heading, number, paragraph, table
from polycontact.report.document.motion import MAX_SHOWN_AT_FIRST, union
from polycontact.report.document.named_runs import ReportRun
from polycontact.report.document.panels import Curve, Panel, View
from polycontact.report.view.display_units import FORCE, TORQUE, Quantity
from polycontact.simulation.recording.histories import ReactionHistory
from polycontact.simulation.recording.records import JointRecord
from polycontact.simulation.recording.run_peaks import JointPeaks, Peak
from polycontact.simulation.recording.sample_quantities import effort_unit
from polycontact.unit_choice import SI, UnitChoice

MOST_ROWS = 12
"""Joints in the table that are not folded away."""

NOISE = 1e-9
"""Loads below this part of the greatest are rounding."""

Array = NDArray[np.float64]


def reaction_panel(runs: list[ReportRun]) -> Panel | None:
    """Forces and torques in joints and loops; None where none were recorded or nothing but free bodies is there."""
    items = union([_names(run) for run in runs])
    if not items:
        return None
    views = (
        _view(runs, items, "Force and torque", (("force", FORCE, _force), ("torque", TORQUE, _torque))),
        _components(runs, items, "Force components", FORCE, lambda each: each.force),
        _components(runs, items, "Torque components", TORQUE, lambda each: each.torque),
    )
    order = sorted(range(len(items)), key=lambda i: -_greatest(runs, items[i]))
    most = MAX_SHOWN_AT_FIRST if len(runs) == 1 else 2
    return Panel("reactions", items, tuple(sorted(order[:most])), views)


def drive_panel(runs: list[ReportRun]) -> Panel | None:
    """Efforts of prescribed motions and motors; None where nothing is driven."""
    items = union([tuple(joint.name for joint in _driven(run)) for run in runs])
    curves: list[tuple[int, str, str, str, Array]] = []
    for r, run in enumerate(runs):
        for joint in _driven(run):
            efforts = run.trajectory.drive(joint.name)
            for k, speed in enumerate(joint.speeds):
                curves.append((r, joint.name, effort_unit(speed), speed.replace("_", " "), efforts[:, k]))
    if not curves:
        return None
    return Panel(
        "drives", items, tuple(range(min(MAX_SHOWN_AT_FIRST, len(items)))), (_by_unit("Drives", items, curves),)
    )


def force_panel(runs: list[ReportRun]) -> Panel | None:
    """Forces of springs, stops, motors, couplers and what is applied; None where there are none."""
    recorded = [run for run in runs if run.trajectory.has_reactions]
    items = union([tuple(each.name for each in run.trajectory.description.forces) for run in recorded])
    curves: list[tuple[int, str, str, str, Array]] = []
    for r, run in enumerate(runs):
        for each in run.trajectory.description.forces if run.trajectory.has_reactions else ():
            values = run.trajectory.force(each.name)
            curves += [(r, each.name, each.unit_of(k), name, values[:, k]) for k, name in enumerate(each.numbers)]
    if not curves:
        return None
    size = {name: max(float(np.abs(each[4]).max()) for each in curves if each[1] == name) for name in items}
    order = sorted(range(len(items)), key=lambda i: -size[items[i]])
    return Panel("forces", items, tuple(sorted(order[:MAX_SHOWN_AT_FIRST])), (_by_unit("Forces", items, curves),))


def describe_reactions(runs: list[ReportRun], shown: set[str], units: UnitChoice = SI) -> str:
    """The section, with the charts that there are."""
    if not shown & {"reactions", "drives", "forces"}:
        return paragraph("No forces in joints are recorded, or there are no joints.")
    parts = []
    if "reactions" in shown:
        note = (
            "Of the parent on the child, at the joint's marker on the child, with all that acts along the joint's "
            "coordinates; of body a on body b of a loop. World axes."
        )
        parts += [heading("Joints and loops"), paragraph(note, "note"), _peak_table(runs, units), chart("reactions")]
    if "drives" in shown:
        note = "Torque or force along each coordinate that a prescribed motion or a motor drives."
        parts += [heading("Drives"), paragraph(note, "note"), _drive_table(runs, units), chart("drives")]
    if "forces" in shown:
        note = (
            "A tension pulls. Efforts act on the child along the joint's coordinate. Applied forces: world axes; "
            "bushings: on body b, in the axes of frame a."
        )
        table_of_peaks = _force_table(runs, units)
        parts += [heading("Springs, stops, motors and loads"), paragraph(note, "note"), table_of_peaks, chart("forces")]
    return "".join(parts)


def _peak_table(runs: list[ReportRun], units: UnitChoice) -> str:
    """Greatest force and torque of each joint and loop, the most loaded first."""
    names = union([_names(run) for run in runs])
    several = len(runs) > 1
    found = [(run, name, _peaks(run, name)) for run in runs for name in names if name in _names(run)]
    found.sort(key=lambda each: -each[2].force.value)
    greatest = JointPeaks(
        *(max(loads, key=lambda peak: peak.value) for loads in zip(*(each[2] for each in found), strict=True))
    )
    force = FORCE.unit_for(greatest.force.value, units)
    torque = TORQUE.unit_for(greatest.torque.value, units)
    rows = [
        (
            name,
            *([run.label] if several else []),
            *_told(peaks.force, greatest.force.value, force[0]),
            *_told(peaks.torque, greatest.torque.value, torque[0]),
        )
        for run, name, peaks in found
    ]
    header = ["joint", *(["run"] if several else []), f"greatest force, {force[1]}", "at, s"]
    header += [f"greatest torque, {torque[1]}", "at, s"]
    first = 2 if several else 1
    shown = table(header, rows[:MOST_ROWS], numbers_from=first)
    if len(rows) > MOST_ROWS:
        shown += fold(f"{len(rows) - MOST_ROWS} more, less loaded", table(header, rows[MOST_ROWS:], numbers_from=first))
    return shown


class _Row(NamedTuple):
    """A greatest load: of which part and run, what it is, its peak and the SI unit."""

    part: str
    run: str
    load: str
    peak: Peak
    unit: str


def _drive_table(runs: list[ReportRun], units: UnitChoice) -> str:
    """Greatest effort of each driven coordinate."""
    return _load_table(
        [
            _Row(joint.name, run.label, _effort(joint, speed), peak, effort_unit(speed))
            for run in runs
            for joint in _driven(run)
            for speed, peak in run.trajectory.peaks.drives.get(joint.name, {}).items()
        ],
        len(runs) > 1,
        units,
    )


def _effort(joint: JointRecord, speed: str) -> str:
    """What drives a coordinate: a torque or a force, and along which speed where the joint has several."""
    kind = "torque" if effort_unit(speed) == "N m" else "force"
    return kind if len(joint.speeds) == 1 else f"{kind} along {speed.replace('_', ' ')}"


def _force_table(runs: list[ReportRun], units: UnitChoice) -> str:
    """Greatest loads of force elements and couplers."""
    return _load_table(
        [
            _Row(each.name, run.label, load.name, peaks[load.name], each.unit_of(load.columns.start))
            for run in runs
            for each in run.trajectory.description.forces
            if (peaks := run.trajectory.peaks.forces.get(each.name))
            for load in each.loads
        ],
        len(runs) > 1,
        units,
    )


def _load_table(rows: list[_Row], several: bool, units: UnitChoice) -> str:
    """Loads with their units and times, the greatest of each unit first; nothing where none were recorded."""
    if not rows:
        return ""
    cells = []
    for unit, quantity in (("N", FORCE), ("N m", TORQUE)):
        own = sorted((each for each in rows if each.unit == unit), key=lambda each: -each.peak.value)
        for each in own:
            factor, told = quantity.unit_for(own[0].peak.value, units)
            value, at = _told(each.peak, own[0].peak.value, factor)
            cells.append((each.part, *([each.run] if several else []), each.load, value, told, at))
    header = ("of", *(["run"] if several else []), "load", "greatest", "unit", "at, s")
    first = 3 if several else 2
    shown = table(header, cells[:MOST_ROWS], numbers_from=first)
    if len(cells) > MOST_ROWS:
        shown += fold(f"{len(cells) - MOST_ROWS} more", table(header, cells[MOST_ROWS:], numbers_from=first))
    return shown


def _peaks(run: ReportRun, name: str) -> JointPeaks:
    """Peaks of a joint or a loop as found in every step; where none were recorded, as in its samples."""
    found = run.trajectory.peaks.joints.get(name)
    if found is not None:
        return found
    reaction, time = run.trajectory.reaction(name), run.trajectory.time
    sizes = (_force(reaction), _torque(reaction))
    return JointPeaks(*(Peak(float(each.max()), float(time[int(np.argmax(each))])) for each in sizes))


def _told(peak: Peak, greatest: float, factor: float) -> tuple[str, str]:
    """Value in its unit, and time; nothing where the load is rounding beside the greatest."""
    return (number(peak.value * factor, 4), number(peak.time)) if peak.value > NOISE * greatest else ("0", "–")


def _names(run: ReportRun) -> tuple[str, ...]:
    """Joints and loops with a recorded reaction."""
    return run.trajectory.reacting if run.trajectory.has_reactions else ()


def _driven(run: ReportRun) -> list[JointRecord]:
    joints = run.trajectory.description.joints if run.trajectory.has_reactions else ()
    return [joint for joint in joints if joint.driven]


def _greatest(runs: list[ReportRun], name: str) -> float:
    return max(_peaks(run, name).force.value for run in runs if name in _names(run))


def _force(reaction: ReactionHistory) -> Array:
    return np.asarray(np.linalg.norm(reaction.force, axis=1))


def _torque(reaction: ReactionHistory) -> Array:
    return np.asarray(np.linalg.norm(reaction.torque, axis=1))


def _view(
    runs: list[ReportRun],
    items: tuple[str, ...],
    title: str,
    sizes: Sequence[tuple[str, Quantity, Callable[[ReactionHistory], Array]]],
) -> View:
    """A row for each size of the reactions."""
    rows, curves = [], []
    for row, (name, quantity, read) in enumerate(sizes):
        values = [(r, item, read(run.trajectory.reaction(item))) for r, run in enumerate(runs) for item in _names(run)]
        factor, unit = quantity.unit_for(max(float(np.abs(each).max()) for _, _, each in values))
        rows.append(f"{name}, {unit}")
        curves += [Curve(r, items.index(item), row, factor * each) for r, item, each in values]
    return View(title, tuple(rows), tuple(curves))


def _components(
    runs: list[ReportRun],
    items: tuple[str, ...],
    title: str,
    quantity: Quantity,
    read: Callable[[ReactionHistory], Array],
) -> View:
    """A row for each world axis."""
    values = [(r, item, read(run.trajectory.reaction(item))) for r, run in enumerate(runs) for item in _names(run)]
    factor, unit = quantity.unit_for(max(float(np.abs(each).max()) for _, _, each in values))
    curves = tuple(Curve(r, items.index(item), k, factor * each[:, k]) for r, item, each in values for k in range(3))
    return View(title, tuple(f"{axis}, {unit}" for axis in "xyz"), curves)


def _by_unit(title: str, items: tuple[str, ...], curves: list[tuple[int, str, str, str, Array]]) -> View:
    """A row for each of the units N and N m, in which each is read most easily."""
    quantities = {"N": ("force", FORCE), "N m": ("torque", TORQUE)}
    units = [unit for unit in quantities if any(each[2] == unit for each in curves)]
    rows, drawn = [], []
    for row, unit in enumerate(units):
        own = [each for each in curves if each[2] == unit]
        name, quantity = quantities[unit]
        factor, told = quantity.unit_for(max(float(np.abs(each[4]).max()) for each in own))
        rows.append(f"{name}, {told}")
        drawn += [Curve(r, items.index(item), row, factor * values, part) for r, item, _, part, values in own]
    return View(title, tuple(rows), tuple(drawn))
