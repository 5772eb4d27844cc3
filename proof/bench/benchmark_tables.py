"""The figures of the benchmark as tables on a console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.bench.benchmark_run import NOTE, BenchmarkResult
from proof.bench.contest import CaseResult
from proof.bench.peers import PEER_NAMES

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 160
"""Columns where the output goes to a file or a pipe."""


def print_benchmark(console: Console, result: BenchmarkResult) -> None:
    """Cases, other costs and targets."""
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    if result.cases:
        _print_cases(console, result)
        console.print(NOTE)
        for name in result.missing:
            console.print(f"{name} is not installed and was left out")
        console.print(f"Clock: {result.clock}, steps of {result.clock_step:.2g} µs; medians.\n")
        _print_costs(console, result)
    if result.threads:
        _print_threads(console, result)
    if result.simulations:
        _print_simulations(console, result)
    _print_targets(console, result)


def _print_cases(console: Console, result: BenchmarkResult) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    peers = [name for name in PEER_NAMES if name not in result.missing]
    table = Table("triangles", "poses", "", title="Evaluation, µs", box=SIMPLE)
    for name in ("polycontact", *(column for peer in peers for column in (peer, "ratio"))):
        table.add_column(name, justify="right")
    for name in ("BV checks", "tri. checks", "lines", "elements", "searches", "same bits"):
        table.add_column(name, justify="right")
    for some in result.cases.values():
        for case in some:
            table.add_row(*_row(case, peers))
        table.add_section()
    console.print(table)


def _row(case: CaseResult, peers: list[str]) -> list[str]:
    cells = [str(case.triangles[0]), case.family.value, case.mode, f"{case.time:.1f}"]
    for name in peers:
        peer = case.peers.get(name)
        cells += ["", ""] if peer is None else [f"{peer.time:.1f}", f"{peer.ratio:.3f}"]
    c = case.counters
    cells += [f"{each:.0f}" for each in (c.bv_checks, c.triangle_checks, c.lines, c.elements)]
    return [*cells, f"{c.tree_searches:.2f}", f"{case.identical}/{case.compared}"]


def _print_costs(console: Console, result: BenchmarkResult) -> None:
    calls, imports, large = result.calls, result.imports, result.large
    if calls is None or imports is None or large is None:
        return
    console.print(
        f"Calls, 950 triangles: wrench {calls.wrench:.1f} µs, evaluate {calls.evaluate:.1f} µs, kinematics "
        f"for it {calls.kinematics:.1f} µs, wrench far apart {calls.far:.2f} µs"
    )
    console.print(f"Import: {imports.package:.3f} s CPU, with the pairing {imports.with_pairing:.2f} s")
    peak = "unknown" if large.peak is None else f"{large.peak:.0f} MB"
    console.print(
        f"{large.triangles} triangles from STL: load {large.load:.1f} s, check {large.check:.1f} s, prepare "
        f"{large.prepare:.1f} s; process {large.total:.1f} s CPU, peak memory {peak}\n"
    )


def _print_threads(console: Console, result: BenchmarkResult) -> None:
    """A nut on its bolt, with both depths."""
    from rich.box import SIMPLE
    from rich.table import Table

    nut, bolt = result.threads[0].triangles
    title = f"Nut on bolt, {nut} and {bolt} triangles: evaluation"
    table = Table("depth", "load", title=title, box=SIMPLE, padding=0)  # within 80 columns
    table.columns[0].min_width = len("base_normal")
    for name in ("step, rad", "µs", "boxes", "pairs", "lines", "searches", "elements", "trees"):
        table.add_column(name, justify="right")
    for cost in result.threads:
        counters = (cost.bv_checks, cost.triangle_checks, cost.lines, cost.searches, cost.elements)
        table.add_row(
            cost.depth,
            cost.load,
            f"{cost.step:g}",
            f"{cost.time:.0f}",
            *(f"{each:.0f}" for each in counters),
            f"{cost.tree_searches:.2f}",
        )
    console.print(table)
    for cost in result.threads:
        if cost.peers:
            times = ", ".join(f"{name} {time:.0f} µs" for name, time in cost.peers.items())
            console.print(f"{cost.load}, pairs that meet and no force: {times}")


def _print_simulations(console: Console, result: BenchmarkResult) -> None:
    """Real-time factors, counters and the split of an evaluation; culling as in the paper's Fig. 3."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table("simulation", title="Simulations: CPU seconds per simulated second", box=SIMPLE)
    for name in (
        "factor",
        "least – most",
        "MuJoCo",
        "ratio",
        "evaluations",
        "steps",
        "Jacobians",
        "µs an eval.",
        "contacts",
        "dynamics",
        "recording",
        "integrator",
        "balance/turnover",
    ):
        table.add_column(name, justify="right")
    for cost in result.simulations:
        peer = ["", ""] if cost.peer is None else [f"{cost.peer:.2f}", f"{cost.real_time_factor / cost.peer:.2f}"]
        table.add_row(
            cost.name,
            f"{cost.real_time_factor:.2f}",
            f"{cost.spread[0]:.2f} – {cost.spread[1]:.2f}",
            *peer,
            str(cost.evaluations),
            str(cost.steps),
            str(cost.jacobians),
            f"{cost.time_per_evaluation:.0f}",
            *(f"{cost.split[part]:.0f}" for part in ("contacts", "dynamics", "recording", "integrator")),
            f"{cost.worst_balance / cost.turnover:.1e}",
        )
    console.print(table)
    for phase in result.rest:
        rates = ", ".join(f"{rate} until {time:g} s" for time, rate in zip(phase.times, phase.rates, strict=True))
        console.print(f"Pedestrian, v_ε = {phase.friction_velocity} m/s, evaluations per simulated second: {rates}")
    if result.culling is not None:
        c = result.culling
        console.print(
            f"Upper leg against car ({c.triangles[0]} and {c.triangles[1]} triangles): {c.pairs} pairs of triangles; "
            f"with the trees {c.bv_checks} checks of boxes and {c.triangle_checks} of triangles, {c.lines} "
            f"intersection lines. Paper, other meshes: 1890336; 1537, 330, 35.\n"
        )


def _print_targets(console: Console, result: BenchmarkResult) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table("target", title="Targets", box=SIMPLE)
    for name in ("figure", "at most", "unit", ""):
        table.add_column(name, justify="left" if name in ("unit", "") else "right")
    words = {True: "met", False: "NOT met", None: "not measured"}
    for target in result.targets:
        value = "" if target.value is None else f"{target.value:.3g}"
        if target.unit == "MB" and target.value is not None:
            value = f"{target.value:.0f}"
        table.add_row(target.name, value, f"{target.limit:g}", target.unit, words[target.met])
    console.print(table)
