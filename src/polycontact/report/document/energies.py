"""The panel of energies: where the energy is and went, each energy, and the two sums that can be checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.report.document.motion import union
from polycontact.report.document.named_runs import ReportRun
from polycontact.report.document.panels import Curve, Panel, View
from polycontact.report.ledger_labels import LEDGER_LABELS
from polycontact.report.view.display_units import Quantity

STACK = ("kinetic", "gravity", "springs", "elastic", "contact_damping", "friction", "layers", "damping", "numerical")
CHECKS = ("balance", "residual")
ENERGY = Quantity("energy", "Energy", ((1e-6, "MJ"), (1e-3, "kJ"), (1.0, "J"), (1e3, "mJ")))


def energy_panel(runs: list[ReportRun]) -> Panel | None:
    """The panel; None where no energies were recorded."""
    names = union([run.trajectory.description.energies for run in runs])
    if not names:
        return None
    energies = [run.trajectory.energies for run in runs]
    items = tuple(LEDGER_LABELS.get(name, name) for name in names)
    views = []
    if all(set(STACK) - {"numerical", "layers"} <= set(each) for each in energies):
        views.append(_stack(energies, names))
    factor, unit = ENERGY.unit_for(_greatest(energies, [name for name in names if name not in CHECKS]))
    lines = [
        Curve(r, i, 0, factor * each[name])
        for r, each in enumerate(energies)
        for i, name in enumerate(names)
        if name in each and name not in CHECKS
    ]
    views.append(View("Each energy", (f"energy, {unit}",), tuple(lines)))
    small, small_unit = ENERGY.unit_for(_greatest(energies, CHECKS))
    checks = [
        Curve(r, names.index(name), row, small * each[name])
        for r, each in enumerate(energies)
        for row, name in enumerate(CHECKS)
        if name in each
    ]
    if checks:
        note = (
            "The error of the balance is that of the integration. The residual is what contacts took out besides "
            "elastic energy, damping and friction: forces along the normals of the base have no exact potential."
        )
        rows = tuple(f"{LEDGER_LABELS[name]}, {small_unit}" for name in CHECKS)
        views.append(View("Balance and residual", rows, tuple(checks), note=note))
    used = [i for i in range(len(names)) if _is_used(energies, names[i])]
    return Panel("energies", items, tuple(used), tuple(views))


def _stack(energies: list[dict[str, NDArray[np.float64]]], names: tuple[str, ...]) -> View:
    """What is stored and what is lost, one on top of the other; energies never used are left out."""
    factor, unit = ENERGY.unit_for(_greatest(energies, STACK))
    curves = []
    for r, each in enumerate(energies):
        for name in (name for name in STACK if name in each):
            values = each[name] - (each[name].min(initial=np.inf) if name == "gravity" else 0.0)
            curves.append(Curve(r, names.index(name), 0, factor * values))
        low = each["gravity"].min(initial=np.inf)
        start = sum(float(each[name][0]) for name in STACK if name in each) - low
        total = start + each.get("input", 0.0) + np.zeros(len(each["kinetic"]))
        curves.append(Curve(r, -1, 0, factor * total, "start and input"))
    note = (
        "Gravity counts from its lowest value in the run. What is stored and lost adds up to the energy at the start "
        "and what was put in (dashed), but for the residual work of contacts and the error of the balance."
    )
    return View("Where the energy is", (f"energy, {unit}",), tuple(curves), stacked=True, note=note)


def _greatest(energies: list[dict[str, NDArray[np.float64]]], names: Sequence[str]) -> float:
    """Greatest amount of any of some energies, J."""
    return max((float(np.abs(each[name]).max()) for each in energies for name in names if name in each), default=0.0)


def _is_used(energies: list[dict[str, NDArray[np.float64]]], name: str) -> bool:
    return any(bool(np.any(each[name] != 0.0)) for each in energies if name in each)
