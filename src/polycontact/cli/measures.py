"""Commands that measure polycontact itself: verify, demo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, console, fail, print_json
from polycontact.cli.progress_bar import progress_bar
from polycontact.errors import PolycontactError

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.verification.case import Outcome


@app.command(show=False)
def bench(*words: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> int:
    """Say where the benchmark is. This command goes with the next release.

    Parameters
    ----------
    words
        What the benchmark took.
    """
    return _fail_removed_command("polycontact bench", "bench", list(words))


@app.command
def verify(
    *,
    json: JsonOption = False,
    details: JsonOption = False,
    book: Annotated[list[str] | None, Parameter(show=False, consume_multiple=True, allow_leading_hyphen=True)] = None,
) -> int:
    """Compare contacts with their closed forms: value, error and convergence rate of each.

    One line a group of closed forms; those that are not met are listed in full.

    Parameters
    ----------
    json
        Print one JSON object instead of a table.
    details
        List every closed form: what is expected, what came out, how far off it is and may be, and the rate.
    book
        The verification book is made in the repository; this option goes with the next release.
    """
    from polycontact.verification.show import outcome_record

    if book is not None:
        return _fail_removed_command("verify --book", "book", book)
    outcomes = _verify()
    if json:
        print_json(outcome_record(outcomes))
    else:
        _print_outcomes(console(), outcomes, details=details)
    return WELL if all(outcome.ok for outcome in outcomes) else DOES_NOT_HOLD


def _fail_removed_command(command: str, job: str, words: list[str]) -> int:
    """Fail with a message that names the repository's job which replaces the command."""
    told = " ".join(["python3 dev.py", job, *words])
    text = f"{command} is not installed any more; it is a job in polycontact's repository; there, run {told}"
    return fail(PolycontactError(text), "--json" in words, BAD_INPUT)


@app.command
def demo() -> int:
    """Run the bubbles and show what they cost beside the paper's table, then the closed forms as verify does."""
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
