"""What the runs cost and how well energy is kept, side by side, with the columns of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polycontact.report.document.markup import fold, number, paragraph, table
from polycontact.report.document.named_runs import ReportRun
from polycontact.report.paper_tables import MACHINE, PAPER_END, PAPER_TABLES, PaperColumn

Show = Callable[[Any], str]

ROWS: tuple[tuple[str, str, Show], ...] = (
    ("integrator", "integrator", str),
    ("simulated time, s", "simulated_time", number),
    ("steps", "steps", str),
    ("mean step, ms", "mean_step", lambda value: number(1e3 * value, 3)),
    ("evaluations of the equations of motion", "evaluations", str),
    ("… of these for Jacobians", "jacobian_evaluations", str),
    ("Jacobians", "jacobians", lambda value: str(value) if value else "–"),
    ("rejected steps", "rejected_steps", str),
    ("steps shortened before contact", "limited_steps", str),
    ("restarts", "restarts", str),
    ("absolute tolerance by", "atol_from", lambda value: value or "–"),
    ("stiff since, s", "stiff_since", number),
    ("samples", "samples", str),
    ("continued at, s", "continued_at", lambda value: ", ".join(number(each) for each in value) or "–"),
    ("CPU time, s", "cpu_seconds", lambda value: number(value, 3)),
    ("real-time factor (CPU s per simulated s)", "real_time_factor", lambda value: number(value, 3)),
    ("CPU time of an evaluation, µs", "time_per_evaluation", lambda value: number(1e6 * value, 3)),
)
"""Title, name in the statistics of a run, and how the value is shown."""

OFTEN_EMPTY = ("continued_at", "stiff_since", "atol_from")
"""What stands in the table only where a run has it."""

CONTINUED = (
    "Where a run is continued the integrator begins anew: it knows the state, but not its earlier steps. From then on "
    "the motion is as accurate as that of a run in one go, and differs from it by about the errors of both."
)


def compare_cost(runs: list[ReportRun]) -> str:
    """The table of costs, with the paper's columns where all runs are of one of its scenarios."""
    names = {run.scenario for run in runs}
    paper = PAPER_TABLES.get(names.pop(), ()) if len(names) == 1 else ()
    statistics = [run.trajectory.statistics for run in runs]
    rows = [
        (
            title,
            *(_show(each, key, show) for each in statistics),
            *(_paper_cell(column, key) for column in paper),
        )
        for title, key, show in ROWS
        if any(_has(each, key) for each in statistics) or (paper and key == "integrator")
    ]
    rows += _energy_rows(statistics, len(paper))
    rows.append(("status", *(f"{run.trajectory.status}" for run in runs), *("" for _ in paper)))
    header = ("", *(run.label for run in runs), *(f"paper: {column.integrator}" for column in paper))
    parts = [table(header, rows, faint_from=1 + len(runs) if paper else None)]
    if paper:
        name = runs[0].scenario
        parts.append(
            paragraph(
                f"Paper: G. Hippmann (2003), {PAPER_END[name]:g} s on a {MACHINE}. Our evaluations include those of "
                "Jacobians.",
                "note",
            )
        )
    parts += [paragraph(f"{run.label}: {run.trajectory.message}", "note") for run in runs if run.trajectory.message]
    parts += [paragraph(f"{run.label}: warning: {_warning(run)}", "note") for run in runs if _warning(run)]
    if any(each.get("continued_at") for each in statistics):
        parts.append(paragraph(CONTINUED, "note"))
    return "".join(parts) + _profiles(runs)


def _has(statistics: dict[str, Any], key: str) -> bool:
    """Whether a row is worth showing; most runs are not continued, and few notice stiffness."""
    return key in statistics and (key not in OFTEN_EMPTY or statistics[key] not in (None, [], (), ""))


def _warning(run: ReportRun) -> str:
    """What the run said of its energy and its tolerance at its end; nothing in runs that are older than that."""
    said = (run.trajectory.statistics.get(name, "") for name in ("energy_warning", "tolerance_warning"))
    return "; ".join(filter(None, map(str, said)))


def _energy_rows(statistics: list[dict[str, Any]], n_paper: int) -> list[tuple[str, ...]]:
    rows = []
    for title, key in (
        ("greatest error of the energy balance", "worst_balance"),
        ("greatest residual work of contacts", "worst_residual"),
    ):
        cells = []
        for each in statistics:
            ledger = each.get("ledger") or {}
            turnover = ledger.get("turnover") or 0.0
            share = f" ({number(100 * ledger[key] / turnover, 2)} %)" if key in ledger and turnover else ""
            cells.append(f"{number(ledger[key], 3)} J{share}" if key in ledger else "–")
        if any(cell != "–" for cell in cells):
            rows.append((f"{title} (share of the turnover)", *cells, *("–" for _ in range(n_paper))))
    return rows


def _show(statistics: dict[str, Any], key: str, show: Show) -> str:
    value = statistics.get(key)
    return "–" if value is None else show(value)


def _paper_cell(column: PaperColumn, key: str) -> str:
    values = {
        "integrator": column.integrator,
        "mean_step": number(1e3 * column.mean_step, 3),
        "evaluations": str(column.evaluations),
        "jacobians": "–" if column.jacobians is None else str(column.jacobians),
        "cpu_seconds": number(column.cpu_seconds, 3),
        "real_time_factor": number(column.real_time_factor, 3),
    }
    return values.get(key, "–")


def _profiles(runs: list[ReportRun]) -> str:
    """Where the time went, of runs that were profiled."""
    parts = []
    for run in runs:
        profile = run.trajectory.statistics.get("profile")
        if not profile:
            continue
        total = sum(profile.values()) or 1.0
        rows = [(name, number(each, 3), f"{100 * each / total:.0f}") for name, each in profile.items()]
        parts.append(fold(f"Where the time of {run.label} went", table(("", "CPU time, s", "share, %"), rows)))
    return "".join(parts)
