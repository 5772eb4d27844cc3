"""`find`: the smallest or largest value of a key with which a condition on the runs of a scenario holds.

both ends and points between ─► where does the answer change? ─► points in that section ─► … ─► checks around it

A section is divided into equal parts, all of whose runs go side by side. Which runs there are does not hang on the
number of workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from polycontact.errors import ScenarioError, StudyError
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.seeking.condition import Condition, Said, parse_conditions
from polycontact.seeking.threshold import Threshold, TriedValue
from polycontact.studies.one_run import WELL
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.run_series import RunSeries, RunSettings
from polycontact.studies.study_progress import StudyProgress

CHECKED_AT: Final = (2.0, 6.0)
"""Distances from the bracket, in its widths, at which the answer is looked at again on both sides."""

MOST_SECTIONS: Final = 64


def find(
    scenario: Scenario | str | os.PathLike[str],
    parameter: StudyParameter,
    such_that: Said,
    *,
    want: Literal["smallest", "largest"] | None = None,
    tolerance: float = 0.01,
    sections: int = 4,
    values: Mapping[str, Any] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    tls: Mapping[str, str] | None = None,
    time_limit: float | str | None = None,
    record: str | os.PathLike[str] | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
) -> Threshold:
    """Find the smallest or the largest value of a key with which a condition holds, within the range of a parameter.

    - ``parameter``: the key with its ``range``, as in studies: ``StudyParameter("bodies.a.mass", range=("1 kg", "9
      kg"))``; ``scale`` "log" and ``integer`` count.
    - ``such_that``: "max position of block.x < 1 mm", or a function of a `Run` with "<" or ">" and a bound.
    - ``want``: which it is; left out, it follows from the side on which the condition holds.
    - ``tolerance``: width of the bracket at the end, as a part of the range, on its scale; whole numbers are
      neighbours then.
    - ``sections``: into how many parts a section is divided at a time, by runs that go side by side; 2 for bisection.
    - ``values``, ``workers``, ``cluster``, ``tls``, ``time_limit``, ``progress``: as in `study`. ``record``: text file
      in which runs are kept; the same call again goes on where an earlier one stopped.

    Where the condition holds at both ends, or at none, a `StudyError` says so. Answers that change more than once, by
    noise or because they are not monotone, are told in ``notes`` with ``is_sound`` False; the bracket then covers
    changes that lie near it, and beyond its ``value`` all that was tried holds.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    chosen = chosen.with_values(values) if values else chosen
    _check(parameter, want, tolerance, sections)
    resolved = parameter.resolved(chosen)
    _check_ends(resolved, chosen)
    (condition,) = parse_conditions([such_that], chosen)
    settings = RunSettings(workers, cluster, tls, time_limit, 1, record, progress)
    with RunSeries(chosen, (condition.result,), settings) as series:
        search = _Search(series, resolved, condition)
        rounds = int(np.ceil(np.log(1.0 / tolerance) / np.log(sections)))
        series.expected = 2 + rounds * (sections - 1) + 2 * len(CHECKED_AT)
        return _found(search, chosen, want, tolerance, sections)


class _Search:
    """Tries values, by their shares of the range; ``tried`` has what came out."""

    def __init__(self, series: RunSeries, parameter: StudyParameter, condition: Condition) -> None:
        self.series = series
        self.parameter = parameter
        self.condition = condition
        self.tried: dict[float, TriedValue] = {}
        self._shares: dict[float, float] = {}

    def share(self, value: float) -> float:
        """Where a value that was tried lies in the range, from 0 to 1."""
        return self._shares[value]

    def ask(self, shares: Sequence[float]) -> bool:
        """Try values; False where all of them were tried before, as whole numbers may be."""
        levels = self.parameter.from_share(np.clip(np.asarray(shares, float), 0.0, 1.0)).tolist()
        new = {float(level): share for level, share in zip(levels, shares, strict=True) if level not in self.tried}
        rows = self.series.rows([self.parameter.set_to(self.parameter.value(value)) for value in new])
        for (value, share), row in zip(new.items(), rows, strict=True):
            holds = self.condition.holds(row.results[0]) if row.status in WELL else None
            failed = "" if holds is not None else row.message or f"{self.condition.result.name} has no value there"
            self.tried[value] = TriedValue(value, row.results[0], holds, failed)
            self._shares[value] = float(np.clip(share, 0.0, 1.0))
        return bool(new)

    def is_narrow(self, low: TriedValue, high: TriedValue, tolerance: float) -> bool:
        """Whether nothing is left to be tried between two values."""
        if self.parameter.integer:
            return high.value - low.value <= 1.0
        return self.share(high.value) - self.share(low.value) <= tolerance

    def answered(self) -> list[TriedValue]:
        """Runs with an answer, by value."""
        return [each for _, each in sorted(self.tried.items()) if each.holds is not None]

    def changes(self) -> list[tuple[TriedValue, TriedValue]]:
        """Neighbours with different answers, by value."""
        known = self.answered()
        return [(a, b) for a, b in pairwise(known) if a.holds != b.holds]


def _found(search: _Search, scenario: Scenario, want: str | None, tolerance: float, sections: int) -> Threshold:
    """The algorithm on a page."""
    search.ask([i / sections for i in range(sections + 1)])
    _refuse_failed_ends(search)
    low, high = _followed(search, want)
    while not search.is_narrow(low, high, tolerance):
        start, stop = search.share(low.value), search.share(high.value)
        if not search.ask([start + (stop - start) * i / sections for i in range(1, sections)]):
            break
        before, (low, high) = (low, high), _followed(search, want)
        if (low, high) == before:  # the runs between them failed
            break
    width = search.share(high.value) - search.share(low.value)
    around = [search.share(low.value) - each * width for each in CHECKED_AT]
    around += [search.share(high.value) + each * width for each in CHECKED_AT]
    search.ask([each for each in around if 0.0 < each < 1.0])
    low, high = _followed(search, want)
    holds_above = bool(high.holds)
    changes = search.changes()
    reach = CHECKED_AT[-1] * width + 1e-9
    near = [
        each
        for each in changes
        if search.share(each[0].value) > search.share(low.value) - reach
        and search.share(each[1].value) < search.share(high.value) + reach
    ]
    bracket = (min(a.value for a, _ in near), max(b.value for _, b in near)) if near else (low.value, high.value)
    bracket = (bracket[0], high.value) if holds_above else (low.value, bracket[1])
    tried = tuple(each for _, each in sorted(search.tried.items()))
    return Threshold(
        scenario,
        search.parameter,
        search.condition,
        bracket,
        holds_above,
        len(changes) == 1,
        tried,
        tuple(_notes(search, changes, near)),
        search.series.n_runs,
        search.series.recorded,
    )


def _followed(search: _Search, want: str | None) -> tuple[TriedValue, TriedValue]:
    """The change of the answer that is followed: beyond it, on the side that holds, all that was tried holds."""
    known, changes = search.answered(), search.changes()
    if not changes:
        _refuse_no_change(search, known)
    first, last = known[0], known[-1]
    if first.holds != last.holds:
        _refuse_other_side(search, want, holds_above=bool(last.holds))
        return changes[-1] if last.holds else changes[0]
    if want is None:
        told = "holds at both ends of the range and not between" if first.holds else "holds only within the range"
        raise StudyError(
            f"{search.parameter.name}: {search.condition.told()} {told} ({_listed(known)}): there are several "
            "thresholds; say which is wanted, the smallest or the largest value, or give a narrower range"
        )
    if first.holds:
        return changes[-1] if want == "smallest" else changes[0]
    return changes[0] if want == "smallest" else changes[-1]


def _refuse_no_change(search: _Search, known: Sequence[TriedValue]) -> None:
    holds = "holds" if known[0].holds else "does not hold"
    raise StudyError(
        f"{search.parameter.name}: {search.condition.told()} {holds} at any value that was tried ({_listed(known)}); "
        f"the threshold lies outside the range, or there is none: give another range"
    )


def _refuse_other_side(search: _Search, want: str | None, *, holds_above: bool) -> None:
    there = "smallest" if holds_above else "largest"
    if want is not None and want != there:
        raise StudyError(
            f"{search.parameter.name}: {search.condition.told()} holds {'above' if holds_above else 'below'} a "
            f"threshold, so that there is a {there} value, but no {want} one; ask for that, or turn the condition"
        )


def _refuse_failed_ends(search: _Search) -> None:
    by_value = [each for _, each in sorted(search.tried.items())]
    for each, end in ((by_value[0], "lower"), (by_value[-1], "upper")):
        if each.holds is None:
            raise StudyError(
                f"{search.parameter.name}: the run at the {end} end, {each.value:g}, has no answer: {each.failed}"
            )


def _notes(
    search: _Search, changes: Sequence[tuple[TriedValue, TriedValue]], near: Sequence[tuple[TriedValue, TriedValue]]
) -> list[str]:
    notes = []
    failed = [each for each in search.tried.values() if each.holds is None]
    if failed:
        notes.append(f"{len(failed)} runs without an answer; the first, at {failed[0].value:.6g}: {failed[0].failed}")
    if len(near) > 1:
        a, b = near[0][0].value, near[-1][1].value
        notes.append(
            f"the answer changes {len(near)} times between {a:.6g} and {b:.6g}: it is noisy there; tighter tolerances "
            "of the run may help, and the bracket is no narrower than that"
        )
    far = [each for each in changes if each not in near]
    if far:
        places = ", ".join(f"between {a.value:.6g} and {b.value:.6g}" for a, b in far[:3])
        notes.append(f"the answer also changes {places}: the condition is not monotone")
    return notes


def _listed(known: Sequence[TriedValue]) -> str:
    return ", ".join(f"{each.value:.4g}: {each.result:.4g}" for each in known[:9])


def _check(parameter: Any, want: Any, tolerance: Any, sections: Any) -> None:
    if not isinstance(parameter, StudyParameter) or parameter.range is None:
        raise StudyError(f"parameter is {parameter!r}; give StudyParameter(key, range=(…, …))")
    if want not in (None, "smallest", "largest"):
        raise StudyError(f"want is {want!r}; give 'smallest' or 'largest', or leave it out")
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 1e-9 <= tolerance <= 0.5:
        raise StudyError(f"tolerance is {tolerance!r}; give a part of the range from 1e-9 to 0.5, such as 0.01")
    if isinstance(sections, bool) or not isinstance(sections, int) or not 2 <= sections <= MOST_SECTIONS:
        raise StudyError(f"sections is {sections!r}; give a whole number from 2 to {MOST_SECTIONS}")


def _check_ends(parameter: StudyParameter, scenario: Scenario) -> None:
    for end in parameter.extremes():
        try:
            scenario.with_values(parameter.set_to(end))
        except ScenarioError as error:
            raise parameter.wrong("; ".join(error.problems)) from error
