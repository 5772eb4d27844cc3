"""Commands that measure polycontact itself: verify, bench, demo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, console, fail, print_json
from polycontact.cli.progress_bar import progress_bar
from polycontact.errors import SurfaceError

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.verification.case import Outcome


@app.command
def bench(
    *,
    json: JsonOption = False,
    quick: JsonOption = False,
    triangles: list[int] | None = None,
    part: list[Literal["contact", "simulation"]] | None = None,
) -> int:
    """Measure evaluations and simulations beside the peers installed (coal, python-fcl, MuJoCo), with targets.

    Parameters
    ----------
    json
        Print one JSON object instead of tables.
    quick
        Measure little: some seconds, rough figures.
    triangles
        About this many triangles; give it several times for several sizes. By default 950, 10000 and 100000.
    part
        Only this part: contact (single evaluations) or simulation (whole runs).
    """
    from polycontact.benchmark import print_benchmark, run_benchmark, settings_for

    try:
        settings = settings_for(
            quick, None if triangles is None else tuple(triangles), None if part is None else tuple(part)
        )
    except SurfaceError as error:
        return fail(error, json, BAD_INPUT)
    result = run_benchmark(settings, lambda step: print(f"polycontact bench: {step}", file=sys.stderr, flush=True))
    if json:
        print_json(result.to_dict())
    else:
        print_benchmark(console(), result)
    return WELL


@app.command
def verify(*, json: JsonOption = False) -> int:
    """Compare contacts with their closed forms: value, error and convergence rate of each.

    Parameters
    ----------
    json
        Print one JSON object instead of a table.
    """
    from polycontact.verification.show import outcome_record

    outcomes = _verify()
    if json:
        print_json(outcome_record(outcomes))
    else:
        _print_outcomes(console(), outcomes)
    return WELL if all(outcome.ok for outcome in outcomes) else DOES_NOT_HOLD


@app.command
def demo() -> int:
    """Run the bubbles and show what they cost beside the paper's table, then the closed forms as `verify` does."""
    from polycontact.cli.scenarios import run

    status = run("bubbles")
    if status != WELL:
        return status
    screen = console()
    screen.print()
    outcomes = _verify()
    _print_outcomes(screen, outcomes)
    return WELL if all(outcome.ok for outcome in outcomes) else DOES_NOT_HOLD


def _verify() -> tuple[Outcome, ...]:
    """Run the verification with a bar on stderr, shown only where that is a terminal."""
    from polycontact.verification.all_cases import run_verification

    with progress_bar("closed forms") as report:
        return run_verification(lambda done, total, _: report(done, total, f"{done} of {total}"))


def _print_outcomes(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Table of the closed forms and the verdict."""
    from polycontact.verification.show import outcome_table, summary

    console.print(outcome_table(outcomes))
    console.print(summary(outcomes), style="bold green" if all(each.ok for each in outcomes) else "bold red")
