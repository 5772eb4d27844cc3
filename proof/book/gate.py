"""All closed forms that `polycontact verify` checks, in full."""

from __future__ import annotations

from itertools import groupby

from polycontact.report.document.markup import Section, fold
from polycontact.verification import all_cases
from polycontact.verification.case import Outcome
from proof.book.book_page import BookPage, Check, Effort
from proof.book.page_parts import number_table, prose, short


def gate(effort: Effort) -> BookPage:
    """The page; with ``quick`` too all cases are run: they take some seconds."""
    outcomes = all_cases.run_verification()
    checks = tuple(_check(each) for each in outcomes)
    sections = [Section("problem", "The problem", prose(STORY.format(n=len(outcomes))))]
    for group, some in groupby(outcomes, key=lambda each: each.group):
        found = list(some)
        off = sum(not each.ok for each in found)
        words = f"{len(found)} cases, " + (f"{off} not met" if off else "all met")
        sections.append(
            Section(group.replace(" ", "-"), group.capitalize(), fold(words, _table(found), is_open=bool(off)))
        )
    worst = max((each.share_of_limit for each in outcomes), default=0.0)
    n_off = sum(not each.ok for each in outcomes)
    figure = f"{len(outcomes) - n_off} of {len(outcomes)} met; worst error is {short(worst, 2)} of its limit"
    return BookPage(tuple(sections), checks, figure)


STORY = (
    "{n} numbers of contacts with a closed form: forces, torques, areas, volumes, numbers of patches, with any base, "
    "for every law and layer. These are the cases of the test suite and of the command. The error is "
    "relative to what is expected, or to the scale of the case where that is zero."
)


def _check(outcome: Outcome) -> Check:
    """The limit that the case is nearest to; a rate that is not reached counts, however small the error."""
    if not outcome.ok and outcome.relative_error <= outcome.limit and outcome.rate_limit is not None:
        return Check(f"{outcome.name}: rate", outcome.rate or 0.0, outcome.rate_limit, at_least=True)
    return Check(outcome.name, outcome.relative_error, outcome.limit)


def _table(outcomes: list[Outcome]) -> str:
    rows = [
        [
            each.name,
            f"{each.expected:.5g} {each.unit}".removesuffix(" 1"),
            each.relative_error,
            each.limit,
            "" if each.rate is None else f"{each.rate:.2f}",
            "ok" if each.ok else "FAIL",
        ]
        for each in outcomes
    ]
    return number_table(("case", "expected", "error", "limit", "rate", ""), rows, digits=2)
