"""Contacts: which pairings carried how much and when, as a table, bars over time and curves; and contact events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.report.document.markup import count, fold, number, paragraph, table
from polycontact.report.document.motion import MAX_SHOWN_AT_FIRST, union
from polycontact.report.document.named_runs import ReportRun
from polycontact.report.document.panels import Curve, Panel, Timeline, View
from polycontact.report.view.display_units import AREA, DEPTH, FORCE, PRESSURE, Quantity
from polycontact.simulation.recording.histories import PairingHistory
from polycontact.simulation.recording.run_peaks import ContactPeaks
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.unit_choice import SI, UnitChoice

MAX_UNFOLDED_LOADS = 10
"""Rows of the table of loads that are not folded away."""

MAX_UNTOUCHED_NAMES = 50
"""Pairings without contact that are named; of more, only their number is told."""

MOST_EVENTS = 2000
"""Events in the table; more are counted only."""


@dataclass(frozen=True, eq=False)
class Load:
    """What a pairing carried in a run: peaks with SI units, impulse N s, share of the time in contact.

    A point has no area and no pressure: zeros.
    """

    run: int
    name: str
    force: float
    at: float
    impulse: float
    area: float
    depth: float
    pressure: float
    touching: float


def find_loads(runs: list[ReportRun]) -> list[Load]:
    """Loads of the pairings of all runs that touched, also between two samples only."""
    found = []
    for r, run in enumerate(runs):
        peaks, trajectory = run.trajectory.peaks.contacts, run.trajectory
        touched = {*trajectory.touched, *peaks}
        for name in trajectory.pairings if touched else ():
            if name in touched:
                found.append(_load(r, trajectory, trajectory.pairing(name), peaks.get(name)))
    return found


def _load(run: int, trajectory: Trajectory, history: PairingHistory, peaks: ContactPeaks | None) -> Load:
    """The load of a pairing; ``peaks``: None where they were not kept, then those of the samples count."""
    time = trajectory.time
    force = np.linalg.norm(history.force, axis=1)
    top = int(np.argmax(force))
    share = 0.0 if history.finds_points else 1.0
    span = float(time[-1] - time[0])
    touching = trajectory.contact_times(history.name).total / span if span > 0 else 0.0
    return Load(
        run,
        history.name,
        float(force[top]) if peaks is None else peaks.force.value,
        float(time[top]) if peaks is None else peaks.force.time,
        float(np.trapezoid(force, time)),
        share * float(history.area.max()),
        float(history.depth.max()) if peaks is None else peaks.depth.value,
        share * (float(history.pressure.max()) if peaks is None else peaks.pressure.value),
        touching,
    )


def ranking(loads: list[Load]) -> tuple[str, ...]:
    """Names of the pairings that touched, the most loaded first."""
    peak: dict[str, float] = {}
    for load in loads:
        if load.depth > 0:
            peak[load.name] = max(peak.get(load.name, 0.0), load.force)
    return tuple(sorted(peak, key=lambda name: -peak[name]))


def load_table(runs: list[ReportRun], loads: list[Load], choice: UnitChoice = SI) -> str:
    """Peaks of the pairings that touched, the most loaded first; those that did not are named below."""
    order = {name: i for i, name in enumerate(ranking(loads))}
    shown = sorted((each for each in loads if each.depth > 0), key=lambda each: (order[each.name], each.run))
    silent = [name for name in union([run.trajectory.pairings for run in runs]) if name not in order]
    units = {
        key: quantity.unit_for(max((getattr(load, key) for load in shown), default=0.0), choice)
        for key, quantity in (("force", FORCE), ("area", AREA), ("depth", DEPTH), ("pressure", PRESSURE))
    }
    several = len(runs) > 1
    columns = [column for column in _columns(units) if column.tells or any(each.area > 0.0 for each in shown)]
    rows = [
        (load.name, *([runs[load.run].label] if several else []), *(each.cell(load) for each in columns))
        for load in shown
    ]
    header = ["pairing", *(["run"] if several else []), *(each.title for each in columns)]
    parts = []
    if rows:
        first = 2 if several else 1
        parts.append(table(header, rows[:MAX_UNFOLDED_LOADS], numbers_from=first))
        if len(rows) > MAX_UNFOLDED_LOADS:
            rest = table(header, rows[MAX_UNFOLDED_LOADS:], numbers_from=first)
            parts.append(fold(f"{len(rows) - MAX_UNFOLDED_LOADS} more, less loaded", rest))
    if silent:
        names = ", ".join(silent) if len(silent) <= MAX_UNTOUCHED_NAMES else f"{len(silent)} other pairings"
        parts.append(paragraph(f"No contact: {names}.", "note"))
    return "".join(parts)


class _Column(NamedTuple):
    """A column of the table of loads; ``tells`` of points too, which have neither area nor pressure."""

    title: str
    cell: Callable[[Load], str]
    tells: bool = True


def _columns(units: Mapping[str, tuple[float, str]]) -> list[_Column]:
    """The columns in their order, with ``units`` (factor and name) of those that have one of their choice."""

    def scaled(key: str, point: str | None = None) -> _Column:
        factor, unit = units[key]

        def cell(load: Load) -> str:
            return point if point is not None and load.area == 0.0 else number(getattr(load, key) * factor, 4)

        return _Column(f"greatest {key}, {unit}", cell, tells=point is None)

    return [
        scaled("force"),
        _Column("at, s", lambda load: number(load.at)),
        _Column("impulse, from the samples, N s", lambda load: number(load.impulse, 3)),
        scaled("area", "point"),
        scaled("depth"),
        scaled("pressure", "–"),
        _Column("in contact, % of the time", lambda load: f"{100 * load.touching:.1f}"),
    ]


def contact_panel(runs: list[ReportRun], loads: list[Load]) -> Panel | None:
    """Force, depth and, where they are not points, area and pressure of the pairings that touched; None if none did."""
    items = ranking(loads)
    if not items:
        return None
    sizes: tuple[tuple[str, Quantity, Callable[[PairingHistory], NDArray[np.float64]]], ...] = (
        ("force", FORCE, lambda history: np.linalg.norm(history.force, axis=1)),
        ("area", AREA, lambda history: history.area),
        ("greatest depth", DEPTH, lambda history: history.depth),
        ("greatest pressure", PRESSURE, lambda history: history.pressure),
    )
    rows: list[str] = []
    curves: list[Curve] = []
    number = {name: i for i, name in enumerate(items)}
    histories = [(r, name, run.trajectory.pairing(name)) for r, run, name in _touching(runs, items)]
    titles = []
    for title, quantity, read in sizes:
        needs_area = quantity in (AREA, PRESSURE)
        values = [(r, name, read(each)) for r, name, each in histories if not (needs_area and each.finds_points)]
        if not values:  # points alone
            continue
        factor, unit = quantity.unit_for(max(float(each.max()) for _, _, each in values))
        curves += [Curve(r, number[name], len(rows), factor * each) for r, name, each in values]
        rows.append(f"{title}, {unit}")
        titles.append(title.removeprefix("greatest "))
    most = MAX_SHOWN_AT_FIRST if len(runs) == 1 else 2
    few = f"Shown at first: the {most} most loaded of {len(items)} pairings that touched." if len(items) > most else ""
    sizes_view = View(", ".join(titles).capitalize(), tuple(rows), tuple(curves), note=few)
    views = (sizes_view, _components(runs, items, few))
    return Panel("contacts", items, tuple(range(min(most, len(items)))), views)


def _components(runs: list[ReportRun], items: tuple[str, ...], few: str) -> View:
    values = [(r, name, run.trajectory.pairing(name).force) for r, run, name in _touching(runs, items)]
    factor, unit = FORCE.unit_for(max(float(np.abs(each).max()) for _, _, each in values))
    number = {name: i for i, name in enumerate(items)}
    curves = tuple(
        Curve(r, number[name], axis, factor * each[:, axis]) for r, name, each in values for axis in range(3)
    )
    note = f"Force on the first body of the pairing, world axes. {few}".strip()
    return View("Force components", tuple(f"{axis}, {unit}" for axis in "xyz"), curves, note=note)


def _touching(runs: list[ReportRun], items: tuple[str, ...]) -> list[tuple[int, ReportRun, str]]:
    known = [frozenset(run.trajectory.pairings) for run in runs]
    return [(r, run, name) for r, run in enumerate(runs) for name in items if name in known[r]]


def contact_timeline(runs: list[ReportRun], loads: list[Load]) -> Timeline:
    """Bars while pairings touch at the samples."""
    rows = ranking(loads)
    number = {name: i for i, name in enumerate(rows)}
    bars = [
        (r, number[name], intervals(run.trajectory.time, run.trajectory.pairing(name).in_contact))
        for r, run, name in _touching(runs, rows)
    ]
    return Timeline("timeline", rows, tuple(bars))


def intervals(time: NDArray[np.float64], on: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Start and end (k, 2) s of the stretches of samples where ``on`` holds."""
    change = np.flatnonzero(np.diff(on.astype(np.int8), prepend=0, append=0))
    starts, ends = change[::2], change[1::2]
    return np.stack((time[starts], time[np.minimum(ends, len(time) - 1)]), axis=1)


def event_table(runs: list[ReportRun]) -> str:
    """Starts and ends of contacts, where the run located them."""
    parts = []
    for run in runs:
        events = run.trajectory.events
        where = f"{run.label}: " if len(runs) > 1 else ""
        if not events:
            text = f"{where}contact events were not located; simulate with --events to find their exact times."
            parts.append(paragraph(text[:1].upper() + text[1:] if not where else text, "note"))
            continue
        rows = [(f"{event.time:.6f}", event.pairing, event.kind) for event in events[:MOST_EVENTS]]
        left = len(events) - len(rows)
        more = paragraph(f"… and {count(left, 'more event')}.", "note") if left else ""
        body = table(("time, s", "pairing", "contact"), rows, numbers_from=9) + more
        parts.append(fold(f"{where}{count(len(events), 'start or end', 'starts and ends')} of contact", body))
    return "".join(parts)
