"""Commands that measure polycontact itself: verify, bench, demo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, console, fail, print_json
from polycontact.cli.progress_bar import progress_bar
from polycontact.cli.usage_errors import whole_number
from polycontact.errors import PolycontactError, SurfaceError

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.verification.case import Outcome


@app.command
def bench(
    *,
    json: JsonOption = False,
    quick: JsonOption = False,
    triangles: Annotated[list[int] | None, Parameter(converter=whole_number)] = None,
    part: list[Literal["contact", "simulation"]] | None = None,
    accuracy: JsonOption = False,
) -> int:
    """Measure evaluations and simulations beside the peers installed (coal, python-fcl, MuJoCo), with targets.

    With --accuracy the errors of forces at equal triangle counts instead, beside manifold3d's exact overlap and Drake's
    hydroelastic contact where they are installed.

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
    accuracy
        Measure errors instead of times: round bodies on a plate, against the forces of the smooth bodies.
    """
    from polycontact.benchmark import print_benchmark, run_benchmark, settings_for

    if accuracy:
        if triangles or part:
            words = "--accuracy has its own meshes; leave out --triangles and --part"
            return fail(PolycontactError(words), json, BAD_INPUT)
        return _bench_accuracy(quick, json)
    try:
        settings = settings_for(
            quick, None if triangles is None else tuple(triangles), None if part is None else tuple(part)
        )
    except SurfaceError as error:
        return fail(error, json, BAD_INPUT)
    result = run_benchmark(settings, lambda step: _tell("bench", step))
    if json:
        print_json(result.to_dict())
    else:
        print_benchmark(console(), result)
    return WELL


def _bench_accuracy(quick: bool, json: bool) -> int:
    """Errors at equal triangle counts, on coarse to fine meshes."""
    from polycontact.benchmark.accuracy import measure_accuracy
    from polycontact.benchmark.accuracy_table import print_accuracy

    result = measure_accuracy((2, 3) if quick else (2, 3, 4, 5), lambda step: _tell("bench", step))
    if json:
        print_json(result.to_dict())
    else:
        print_accuracy(console(), result)
    return WELL


def _tell(command: str, text: str) -> None:
    """Say on stderr what comes next."""
    print(f"polycontact {command}: {text}", file=sys.stderr, flush=True)


@app.command
def verify(
    *,
    json: JsonOption = False,
    details: JsonOption = False,
    book: Path | None = None,
    quick: JsonOption = False,
    page: list[str] | None = None,
) -> int:
    """Compare contacts with their closed forms: value, error and convergence rate of each.

    One line a group of closed forms; those that are not met are listed in full. With --book the verification book is
    made instead: a folder of HTML pages, a page a problem, with what is exact, what came out, and how the error falls.

    Parameters
    ----------
    json
        Print one JSON object instead of a table.
    details
        List every closed form: what is expected, what came out, how far off it is and may be, and the rate.
    book
        Folder for the pages of the verification book; index.html is the first one.
    quick
        With --book: coarser meshes and fewer pairs of bodies; some seconds, rough figures.
    page
        With --book: only this page; give it several times for several pages.
    """
    from polycontact.verification.show import outcome_record

    if book is not None:
        if details:
            words = "--details is for the table, and the book has all details; leave it out"
            return fail(PolycontactError(words), json, BAD_INPUT)
        return _make_book(book, quick, page, json)
    if quick or page:
        words = f"{'--quick' if quick else '--page'} belongs to the book; add --book with a folder, or leave it out"
        return fail(PolycontactError(words), json, BAD_INPUT)
    outcomes = _verify()
    if json:
        print_json(outcome_record(outcomes))
    else:
        _print_outcomes(console(), outcomes, details=details)
    return WELL if all(outcome.ok for outcome in outcomes) else DOES_NOT_HOLD


def _make_book(folder: Path, quick: bool, pages: list[str] | None, json: bool) -> int:
    """Make the verification book, page by page, and say what came out."""
    from polycontact.verification.book.book_table import book_record, print_book
    from polycontact.verification.book.making import make_book

    try:
        made = make_book(folder, quick=quick, pages=pages, say=lambda text: _tell("verify", text))
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    if json:
        print_json(book_record(made))
    else:
        print_book(console(), made)
    return WELL if made.ok else DOES_NOT_HOLD


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


def _print_outcomes(console: Console, outcomes: Sequence[Outcome], *, details: bool = False) -> None:
    """A line a group, or with ``details`` a line a case; cases that are off in full; and the verdict."""
    from polycontact.verification.show import group_table, outcome_table, summary

    off = [each for each in outcomes if not each.ok]
    console.print(outcome_table(outcomes) if details else group_table(outcomes))
    if off and not details:
        console.print()
        console.print(outcome_table(off))
    console.print(summary(outcomes), style="bold red" if off else "bold green")
