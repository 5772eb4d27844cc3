"""The table of a run on the terminal: what it cost, beside the paper's columns, and its energy ledger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from polycontact.report.ledger_labels import LEDGER_LABELS
from polycontact.report.paper_tables import MACHINE, PAPER_END, PAPER_TABLES, PaperColumn
from polycontact.report.view.display_units import DEPTH, FORCE, PRESSURE

if TYPE_CHECKING:
    from polycontact.simulation.ledger import EnergyLedger
    from polycontact.simulation.recording.trajectory import Trajectory
    from polycontact.simulation.run_statistics import RunStatistics

_ROWS = ("mean step", "evaluations", "Jacobians", "CPU time", "real-time factor")
_MOST_PEAKS = 10
"""Contacts in the table of peaks."""


def run_table(name: str, runs: Sequence[RunStatistics]) -> Table:
    """Cost of one or more runs of a scenario, beside what the paper reports for it where they are as long."""
    paper = PAPER_TABLES.get(name, ()) if _as_long_as_the_paper(name, runs) else ()
    table = Table(title=_title(name, runs), title_justify="left", caption_justify="left")
    table.add_column("")
    for run in runs:
        table.add_column(run.integrator, justify="right", style="bold")
    for column in paper:
        table.add_column(f"paper: {column.integrator}", justify="right", style="dim")
    ours = [_our_cells(run) for run in runs]
    theirs = [_paper_cells(column) for column in paper]
    for i, row in enumerate(_ROWS):
        table.add_row(row, *(cells[i] for cells in ours), *(cells[i] for cells in theirs))
    for label, cells in _response_rows(runs):
        table.add_row(label, *cells, *("" for _ in theirs))
    if paper:
        table.caption = f"paper: {PAPER_END[name]} s on a {MACHINE}; evaluations include those of Jacobians in ours"
    return table


def _response_rows(runs: Sequence[RunStatistics]) -> list[tuple[str, list[str]]]:
    """What impulses and multipliers did, where contacts are rigid."""
    told = [run.response or {} for run in runs]
    rows = [
        ("impacts", [str(each.get("impacts") or "–") for each in told]),
        ("contact problems", [str(each.get("problems") or "–") for each in told]),
        ("left unsolved", [str(each.get("unsolved") or "–") for each in told]),
        ("largest residual", [_speed(each["worst_residual"]) if each else "–" for each in told]),
    ]
    return [(label, cells) for label, cells in rows if any(cell != "–" for cell in cells)]


def _speed(value: float) -> str:
    return f"{value:.1e} m/s" if value else "0 m/s"


def _as_long_as_the_paper(name: str, runs: Sequence[RunStatistics]) -> bool:
    end = PAPER_END.get(name)
    return end is not None and all(math.isclose(run.simulated_time, end, rel_tol=1e-6) for run in runs)


def _title(name: str, runs: Sequence[RunStatistics]) -> str:
    return f"{name}, {runs[0].simulated_time:.4g} s simulated" if runs else name


def _our_cells(run: RunStatistics) -> tuple[str, ...]:
    return (
        f"{1e3 * run.mean_step:.2f} ms",
        str(run.evaluations),
        str(run.jacobians) if run.jacobians else "–",
        f"{run.cpu_seconds:.2f} s",
        f"{run.real_time_factor:.2f}",
    )


def _paper_cells(column: PaperColumn) -> tuple[str, ...]:
    return (
        f"{1e3 * column.mean_step:.1f} ms",
        str(column.evaluations),
        "–" if column.jacobians is None else str(column.jacobians),
        f"{column.cpu_seconds:.0f} s",
        f"{column.real_time_factor:g}",
    )


def ledger_table(ledger: EnergyLedger, integrator: str | None = None) -> Table:
    """Where the energy is at the end of a run and where it went, J; ``integrator``: whose run, where there are several.

    What is less than 1e-12 of the turnover is rounding and shown as 0.
    """
    whose = "" if integrator is None else f" of the run with {integrator}"
    table = Table(title=f"energy ledger{whose}, J", title_justify="left")
    table.add_column("")
    table.add_column("start", justify="right")
    table.add_column("end", justify="right")
    from polycontact.simulation.ledger import ROUNDING

    noise = ROUNDING * ledger.turnover

    def shown(energy: float) -> str:
        return "0" if abs(energy) <= noise else f"{energy:.4g}"

    for column, label in LEDGER_LABELS.items():
        values = ledger[column]
        if column in ("numerical", "layers") and not values.any():
            continue  # of runs whose steps lose nothing by themselves and no layer remembers, and that is most of them
        table.add_row(label, shown(values[0]), shown(values[-1]), end_section=column in ("elastic", "input"))
    return table


def peak_table(trajectory: Trajectory) -> Table:
    """Greatest loads of the contacts of a run, the most loaded first; points have no pressure."""
    peaks = trajectory.peaks
    table = Table(title="greatest loads of contacts", title_justify="left", caption_justify="left")
    order = sorted(peaks.contacts, key=lambda name: -peaks.contacts[name].force.value)
    shown = {name: not trajectory.pairing(name).finds_points for name in order[:_MOST_PEAKS]}
    has_areas = any(shown.values())
    for name in ("", "force", "at", *(["pressure"] if has_areas else []), "depth"):
        table.add_column(name, justify="left" if not name else "right")
    for name, is_areal in shown.items():
        force, pressure, depth = peaks.contacts[name]
        pressed = [PRESSURE.text(pressure.value) if is_areal else "–"] if has_areas else []
        table.add_row(name, FORCE.text(force.value), f"{force.time:.4g} s", *pressed, DEPTH.text(depth.value))
    if len(order) > _MOST_PEAKS:
        table.caption = f"and {len(order) - _MOST_PEAKS} more"
    return table


def profile_table(run: RunStatistics) -> Table:
    """Where the time of a run went."""
    assert run.profile is not None
    table = Table(title="profile", title_justify="left")
    for name in ("", "seconds", "share", "µs an evaluation"):
        table.add_column(name, justify="left" if not name else "right")
    total = sum(run.profile.values())
    for name, seconds in run.profile.items():
        table.add_row(
            name, f"{seconds:.3f}", f"{100 * seconds / total:.0f} %", f"{1e6 * seconds / run.evaluations:.1f}"
        )
    return table
