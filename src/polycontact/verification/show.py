"""Outcomes as a table for the terminal and as a record for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from polycontact.verification.case import Outcome

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table


WIDTHS = {"expected": 14, "got": 9, "error": 7, "limit": 7, "rate": 8, "": 4}
"""Columns of numbers; what is left of the terminal goes to the name of the case."""


def group_table(outcomes: Sequence[Outcome]) -> Table:
    """One row a group: how many cases, the worst error over what is allowed, and the verdict."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold underline")
    table.add_column("Closed forms", no_wrap=True)
    for name in ("cases", "worst error / limit", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for group, cases in groupby(outcomes, key=lambda each: each.group):
        found = list(cases)
        ok = all(each.ok for each in found)
        worst = max(_share(each) for each in found)
        verdict = "ok" if ok else "FAIL"
        table.add_row(group, str(len(found)), f"{worst:.2g}", verdict, style=None if ok else "bold red")
    return table


def _share(outcome: Outcome) -> float:
    """Error over limit; one that is no number is as bad as can be."""
    share = outcome.share_of_limit
    return share if share == share else math.inf


def outcome_table(outcomes: Sequence[Outcome]) -> Group:
    """One row a case: what is expected, what came out, how far off, how far it may be, and the rate.

    The cases of one contact stand under its name.
    """
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [_rows("Closed forms", [], header=True)]
    for contact, cases in groupby(outcomes, key=lambda each: each.name.partition(", ")[0]):
        parts += [Text(contact, style="bold"), _rows("", list(cases), header=False)]
    return Group(*parts)


def _rows(heading: str, outcomes: Sequence[Outcome], *, header: bool) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), expand=True, show_header=header, header_style="bold underline")
    table.add_column(heading, ratio=1, overflow="fold")
    for name, width in WIDTHS.items():
        table.add_column(name, width=width, justify="right", no_wrap=True)
    for each in outcomes:
        table.add_row(
            f"  {each.name.partition(', ')[2] or each.quantity}",
            f"{each.expected:.5g} {each.unit}".removesuffix(" 1"),
            f"{_without_noise(each):.5g}",
            f"{each.relative_error:.1e}",
            f"{each.limit:.1e}",
            _rate(each),
            "ok" if each.ok else "FAIL",
            style=None if each.ok else "bold red",
        )
    return table


def summary(outcomes: Sequence[Outcome]) -> str:
    """The verdict in one sentence."""
    n_off = sum(not each.ok for each in outcomes)
    if n_off:
        return f"{n_off} of {len(outcomes)} closed forms are NOT met."
    return f"All {len(outcomes)} closed forms are met."


def outcome_record(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All outcomes as one JSON object."""
    return {
        "ok": all(each.ok for each in outcomes),
        "n_cases": len(outcomes),
        "n_off": sum(not each.ok for each in outcomes),
        "cases": [each.to_dict() for each in outcomes],
    }


def _without_noise(outcome: Outcome) -> float:
    """What came out; rounding errors around an expected zero are shown as zero."""
    return 0.0 if outcome.expected == 0.0 and outcome.relative_error <= outcome.limit else outcome.got


def _rate(outcome: Outcome) -> str:
    if outcome.rate is None:
        return "–"
    if outcome.rate_limit is None:
        return f"{outcome.rate:.2f}"
    return f"{outcome.rate:.2f}≥{outcome.rate_limit:g}"
