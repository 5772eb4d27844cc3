"""The tables of a comparison of responses as texts, for terminal and page alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.comparison.responses.run_figures import Cost, cost_of, load_of, loaded_contacts, moving_bodies
from polycontact.report.document.markup import number
from polycontact.simulation.responses.response import ImpulseResponse

if TYPE_CHECKING:
    from polycontact.comparison.responses.response_comparison import ResponseComparison

MOST_CONTACTS = 12
"""Contacts whose loads are listed, those that carried most; further ones are in the JSON object."""


REST_SPEED = 1e-4
"""Velocity (m/s) that is written as zero."""
_REST_TEXT = "0, 0, 0"


class TextTable(NamedTuple):
    """A table of texts; the first column names the row, the others are numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def tables_of(comparison: ResponseComparison) -> list[TextTable]:
    """What the runs cost, how their bodies moved in the end, and what their contacts carried."""
    return [_costs(comparison), *_solved(comparison), *_energies(comparison), *_ends(comparison), *_loads(comparison)]


def remarks_of(comparison: ResponseComparison) -> list[tuple[str, str]]:
    """Runs that did not reach their end, or whose energies deserve a second look, with the reason."""
    told = [(each.label, each.reason) for each in comparison.runs if each.reason]
    return told + [
        (each.label, each.run.energy_warning)
        for each in comparison.runs
        if each.run is not None and each.run.energy_warning
    ]


def _costs(comparison: ResponseComparison) -> TextTable:
    rows = []
    for each in comparison.runs:
        cost = cost_of(each)
        rows.append((each.label, *(("–",) * 5 if cost is None else _cost(cost))))
    header = ["response", "steps", "mean step, ms", "evaluations", "CPU, s", "real-time factor"]
    return TextTable("Cost", header, rows, "CPU time without recording and compilation.")


def _cost(cost: Cost) -> tuple[str, ...]:
    return (
        str(cost.steps),
        number(1e3 * cost.mean_step, 3),
        str(cost.evaluations),
        number(cost.cpu_seconds, 3),
        number(cost.real_time_factor, 3),
    )


def _solved(comparison: ResponseComparison) -> list[TextTable]:
    rows = []
    for each in comparison.runs:
        cost = cost_of(each)
        if cost is None or not cost.problems:
            continue
        rows.append(
            (
                each.label,
                str(cost.problems),
                number(cost.mean_sweeps or 0.0, 3),
                str(cost.most_sweeps),
                str(cost.unsolved),
                f"{cost.worst_residual:.1e}",
            )
        )
    header = ["response", "problems", "sweeps, mean", "most", "unsolved", "largest residual, m/s"]
    note = "Problems of complementarity, one a step with contact."
    return [TextTable("Solver of rigid contact", header, rows, note)] if rows else []


def _energies(comparison: ResponseComparison) -> list[TextTable]:
    rows = []
    for each in comparison.runs:
        cost = cost_of(each)
        if cost is None:
            continue
        told = ("–", "–", "–")
        if isinstance(each.response, ImpulseResponse):
            told = (str(cost.impacts), number(cost.held_time or 0.0, 3), number(cost.energy_added or 0.0, 2))
        lost = (number(cost.contact_loss, 2), number(cost.friction_loss, 2))
        rows.append((each.label, *told, *lost, number(cost.balance_error, 1)))
    header = ["response", "impacts", "held, s", "added, J", "lost, normal, J", "lost, friction, J", "balance, J"]
    note = (
        "Held: time during which impulses left contacts to multipliers, as bodies stayed together. Added: by impacts. "
        "Lost: along normals, to friction. Balance: its greatest error."
    )
    return [TextTable("Energy and impacts", header, rows, note)] if rows else []


def _ends(comparison: ResponseComparison) -> list[TextTable]:
    runs = list(comparison.runs)
    bodies = moving_bodies(runs)
    rows = [(each.label, *(_vector(each, name) for name in bodies)) for each in runs if each.trajectory is not None]
    header = ["response", *(f"{name}, m/s" for name in bodies)]
    moving = any(cell != _REST_TEXT for row in rows for cell in row[1:])
    return [TextTable("Velocities at the end", header, rows)] if moving else []


def _vector(made: ResponseRun, body: str) -> str:
    v = made.recorded.body(body).velocity[-1]
    return ", ".join(number(float(x), 3) for x in np.where(np.abs(v) < REST_SPEED, 0.0, v))


def _loads(comparison: ResponseComparison) -> list[TextTable]:
    runs, study = list(comparison.runs), comparison.study
    normal = None if study is None else study.normal
    found = [
        (name, each.label, load_of(each.trajectory, name, normal))
        for name in loaded_contacts(runs)
        for each in runs
        if each.trajectory is not None
    ]
    peaks: dict[str, float] = {}
    for name, _, load in found:
        peaks[name] = max(peaks.get(name, 0.0), load.peak)
    kept = set(sorted(peaks, key=lambda name: -peaks[name])[:MOST_CONTACTS])
    rows = [
        (
            name,
            label,
            number(load.peak, 4),
            number(load.mean, 4),
            number(load.median, 4),
            number(load.end, 4),
            number(100 * load.touching, 3),
        )
        for name, label, load in found
        if name in kept
    ]
    what = "force" if normal is None else "normal force"
    header = ["contact", "response", f"peak {what}, N", "mean, N", "median in contact, N", "at the end, N"]
    note = "Forces of the samples. Impacts of the family of impulses have no duration and are not among them."
    if len(peaks) > len(kept):
        note += f" Of {len(peaks)} contacts those that carried most."
    return [TextTable("Forces of contacts", [*header, "in contact, %"], rows, note)] if rows else []
