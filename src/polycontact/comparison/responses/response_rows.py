"""The tables of a comparison of responses as texts, for terminal and page alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.comparison.responses.run_figures import Cost, cost_of, load_of, loaded_contacts, moving_bodies
from polycontact.report.document.markup import number

if TYPE_CHECKING:
    from polycontact.comparison.responses.response_comparison import ResponseComparison

MOST_CONTACTS = 12
"""Contacts whose loads are listed, those that carried most; further ones are in the JSON object."""


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
        if cost is None or cost.worst_residual is None:
            continue
        rows.append(
            (
                each.label,
                str(cost.impacts),
                str(cost.problems),
                "–" if cost.mean_sweeps is None else number(cost.mean_sweeps, 3),
                str(cost.most_sweeps),
                str(cost.unsolved),
                f"{cost.worst_residual:.1e}",
                number(cost.held_time or 0.0, 3) if each.label.startswith("impulses") else "–",
            )
        )
    header = ["response", "impacts", "problems", "sweeps, mean", "most", "unsolved", "largest residual, m/s", "held, s"]
    note = (
        "Problems of complementarity, one a step with contact; held: time during which impulses left it to multipliers."
    )
    return [TextTable("Solver of rigid contact", header, rows, note)] if rows else []


def _energies(comparison: ResponseComparison) -> list[TextTable]:
    rows = []
    for each in comparison.runs:
        cost = cost_of(each)
        if cost is not None:
            added = "–" if cost.energy_added is None else number(cost.energy_added, 3)
            values = (number(cost.contact_loss, 3), number(cost.friction_loss, 3), added)
            rows.append((each.label, *values, number(cost.balance_error, 2)))
    header = [
        "response",
        "lost along normals, J",
        "lost to friction, J",
        "added by impacts, J",
        "error of the balance, J",
    ]
    return [TextTable("Energy", header, rows)] if rows else []


def _ends(comparison: ResponseComparison) -> list[TextTable]:
    runs = list(comparison.runs)
    bodies = moving_bodies(runs)
    rows = [(each.label, *(_vector(each, name) for name in bodies)) for each in runs if each.trajectory is not None]
    header = ["response", *(f"{name}, m/s" for name in bodies)]
    return [TextTable("Velocities at the end", header, rows)] if rows and bodies else []


def _vector(made: ResponseRun, body: str) -> str:
    v = made.recorded.body(body).velocity[-1]
    size = max(float(np.abs(v).max()), 1e-6)
    return ", ".join(number(round(float(x) / size, 6) * size + 0.0, 3) for x in np.where(np.abs(v) < 5e-7, 0.0, v))


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
    header = ["contact", "response", f"peak {what}, N", "mean, N", "median while it pushes, N", "at the end, N"]
    note = "Forces of the samples. Impacts of the family of impulses have no duration and are not among them."
    if len(peaks) > len(kept):
        note += f" Of {len(peaks)} contacts those that carried most."
    return [TextTable("Forces of contacts", [*header, "pushes, % of the time"], rows, note)] if rows else []
