"""`converge`: a scenario and results in; how far they can be believed out.

aspects that can be refined ─► runs on all their levels, on a pool or a cluster ─► limits ─► verdicts

The tolerances of the run are refined from the given ones on. All else is refined with tolerances one level finer, so
that noise of the steps does not hide what it does; how much noise is left is known from the tolerances.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from polycontact.convergence.aspects import ASPECTS, Aspect, Aspects, find_aspects, hangs_on_samples
from polycontact.convergence.convergence_result import (
    Change,
    Convergence,
    LevelRun,
    ResultConvergence,
    change_of,
)
from polycontact.errors import StudyError
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.studies.one_run import WELL, RunRow
from polycontact.studies.results import Result
from polycontact.studies.run_series import RunSeries, RunSettings
from polycontact.studies.study_plan import Asked, description_of, parse_results
from polycontact.studies.study_progress import StudyProgress

MOST_CONTACTS: Final = 4
"""Contacts whose loads are looked at where no results are named; of more the greatest loads of all."""

NEGLIGIBLE: Final = 0.005
"""Changes of this share of the error that is allowed do not count: too small to tell how they go on."""

MOST_LEVELS: Final = 5
THE_SCENARIO: Final = "the scenario"


def converge(
    scenario: Scenario | str | os.PathLike[str],
    results: Asked | str | None = None,
    *,
    vary: Iterable[str] = tuple(ASPECTS),
    levels: int = 3,
    within: float = 0.05,
    values: Mapping[str, Any] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    tls: Mapping[str, str] | None = None,
    time_limit: float | str | None = None,
    record: str | os.PathLike[str] | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
) -> Convergence:
    """Refine meshes, tolerances and integration of a scenario in turn, and tell how far its results can be believed.

    - ``results``: what is looked at, as in `study`: texts such as "peak force of ball-table", or functions of a `Run`,
      in a row or by name; by default peak force and peak depth of the contacts.
    - ``vary``: what is refined, of "mesh", "tolerances", "integration" (of the pressure over contacts), "samples" (for
      results that hang on them), and "base", which is changed and not refined.
    - ``levels``: from 2 to 5, the given setting among them. Two tell no order; each more makes the runs with the finest
      meshes about four to eight times as long.
    - ``within``: relative error up to which a result counts as right.
    - ``values``: other values for keys of the scenario, in all runs.
    - ``workers``, ``cluster``, ``tls``, ``time_limit``, ``progress``: as in `study`. ``record``: text file in which
      runs are kept; the same call again goes on where an earlier one stopped.

    Each result gets an estimate of what it is with all errors gone, and its uncertainty: Richardson's extrapolation.
    A run that fails ends the row of its levels, and a note says so. Where the given scenario itself cannot be run, or
    nothing can be refined, a `StudyError` is raised.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    chosen = chosen.with_values(values) if values else chosen
    _check(levels, within)
    asked = _asked(chosen, results)
    aspects = find_aspects(chosen, asked, vary, levels)
    settings = RunSettings(workers, cluster, tls, time_limit, 1, record, progress)
    with RunSeries(chosen, asked, settings) as series:
        given, runs, notes = _made(series, aspects, asked)
        return _found(chosen, aspects, asked, given, runs, notes, within, series)


def _made(
    series: RunSeries, aspects: Aspects, asked: Sequence[Result]
) -> tuple[LevelRun, dict[str, tuple[LevelRun, ...]], list[str]]:
    """All runs, at once: the given one, and those of each aspect with tolerances one level finer."""
    finer = _finer_tolerances(aspects)
    points: dict[str, list[dict[str, Any]]] = {
        each.name: [level.values if each.name == "tolerances" else {**finer, **level.values} for level in each.levels]
        for each in aspects.found
    }
    flat = [{}, *(point for row in points.values() for point in row)]
    series.expected = len({repr(sorted(each.items())) for each in flat})
    rows = iter(series.rows(flat))
    given = _level_run("given", {}, next(rows), asked)
    if given.failed:
        raise StudyError(f"the run as given fails, so that there is nothing to compare with: {given.failed}")
    runs: dict[str, tuple[LevelRun, ...]] = {}
    notes = []
    for aspect in aspects.found:
        made = tuple(_level_run(level.label, level.values, next(rows), asked) for level in aspect.levels)
        runs[aspect.name] = made
        notes += [f"{aspect.title}, {each.label}: the run failed: {each.failed}" for each in made if each.failed]
    return given, runs, notes


def _finer_tolerances(aspects: Aspects) -> dict[str, Any]:
    """Values with which everything else is refined."""
    tolerances = aspects.named("tolerances")
    return {} if tolerances is None else dict(tolerances.levels[1].values)


def _level_run(label: str, values: Mapping[str, Any], row: RunRow, asked: Sequence[Result]) -> LevelRun:
    numbers = {each.name: number for each, number in zip(asked, row.results, strict=True)}
    return LevelRun(label, values, numbers, "" if row.status in WELL else row.message or row.status, row.cpu_seconds)


def _found(
    scenario: Scenario,
    aspects: Aspects,
    asked: Sequence[Result],
    given: LevelRun,
    runs: Mapping[str, tuple[LevelRun, ...]],
    notes: Sequence[str],
    within: float,
    series: RunSeries,
) -> Convergence:
    told = [*aspects.notes, *notes]
    found = {}
    for result in asked:
        if not math.isfinite(given.results[result.name]):
            told.append(f"{result.name}: the run as given has no such number, so that nothing can be said of it")
            continue
        found[result.name] = _result(result, aspects.found, given, runs, within)
    if not found:
        raise StudyError(f"the run as given has none of the results: {'; '.join(told)}")
    return Convergence(scenario, found, dict(runs), given, within, tuple(told), series.n_runs, series.recorded)


def _result(
    result: Result,
    aspects: Sequence[Aspect],
    given: LevelRun,
    runs: Mapping[str, tuple[LevelRun, ...]],
    within: float,
) -> ResultConvergence:
    """The limits of one result, and their sum."""
    noise = _noise(runs.get("tolerances", ()), result.name)
    changes: dict[str, Change] = {}
    for aspect in aspects:
        if aspect.name == "samples" and not hangs_on_samples(result):
            continue
        negligible = NEGLIGIBLE * within * abs(given.results[result.name])
        own_noise = max(negligible, 0.0 if aspect.name == "tolerances" else noise)
        change = change_of(aspect, runs[aspect.name], result.name, own_noise)
        if change is not None:
            changes[aspect.name] = change
    refined = [each for each in changes.values() if not each.aspect.is_choice]
    value = given.results[result.name]
    return ResultConvergence(
        result.name,
        result.unit,
        value,
        value + sum(each.correction for each in refined),
        sum(each.limit.uncertainty for each in refined),
        within,
        changes,
    )


def _noise(levels: Sequence[LevelRun], name: str) -> float:
    """By how much a run with tolerances one level finer may be off: its difference from the next level."""
    values = [each.results[name] for each in levels if math.isfinite(each.results[name])]
    return abs(values[2] - values[1]) if len(values) > 2 else 0.0


def _asked(scenario: Scenario, results: Asked | str | None) -> tuple[Result, ...]:
    system = description_of(scenario, THE_SCENARIO)
    if results is not None:
        return parse_results([results] if isinstance(results, str) else results, scenario, THE_SCENARIO)
    names = list(dict.fromkeys(each.name for each in system.pairings))
    if not names:
        raise StudyError("the scenario has no contacts; name results, such as 'final position of BODY.z'")
    if len(names) > MOST_CONTACTS:
        return parse_results(["peak force", "peak depth"], scenario)
    return parse_results([f"peak {what} of {name}" for name in names for what in ("force", "depth")], scenario)


def _check(levels: int, within: float) -> None:
    if isinstance(levels, bool) or not isinstance(levels, int) or not 2 <= levels <= MOST_LEVELS:
        raise StudyError(f"levels is {levels!r}; give a whole number from 2 to {MOST_LEVELS}")
    if isinstance(within, bool) or not isinstance(within, int | float) or not 0.0 < within < 1.0:
        raise StudyError(f"within is {within!r}; give a relative error between 0 and 1, such as 0.05")
