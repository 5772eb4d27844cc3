"""`identify`: a scenario, parameters with ranges and measured curves in; estimates with intervals out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError, IdentificationWarning, level_of_the_caller
from polycontact.identification.differences import Steps
from polycontact.identification.fit_parameter import FitParameter
from polycontact.identification.identification_result import Identification
from polycontact.identification.identified import SearchOutcome, build_result, doubtful_units
from polycontact.identification.identify_input import (
    Subject,
    check_options,
    checked_curves,
    checked_parameters,
    start_point,
)
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.residuals import Residuals, estimated_deviations, first_deviations
from polycontact.identification.scenario_trials import TrialFailedError, TrialStoppedError, prepare_trials
from polycontact.identification.search import Refined, Search, spread_points
from polycontact.identification.search_log import IdentifyProgress, SearchEndedError, SearchLog
from polycontact.identification.trial_pool import Trial, TrialPool
from polycontact.identification.trial_record import TrialRecord, subject_of
from polycontact.scenario.parsing import Scenario

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""Relative steps at which a refinement ends: far below any interval, above the noise of runs."""

STARTS = 8
"""Points of the start design for each parameter."""

MAX_DEVIATION_ROUNDS = 4
"""Times that standard deviations of several curves are estimated anew."""

SETTLED_CHANGE = 0.1
"""Change of an estimated standard deviation below which it stays."""


def identify(
    scenario: Subject,
    parameters: FitParameter | Sequence[FitParameter],
    measured: MeasuredCurve | Sequence[MeasuredCurve],
    *,
    starts: int | None = None,
    refined: int = 2,
    workers: int = 1,
    seed: int = 0,
    max_runs: int = 2000,
    record: str | os.PathLike[str] | None = None,
    progress: Callable[[IdentifyProgress], None] | None = None,
) -> Identification:
    """Find the values of parameters with which runs of a scenario come closest to measured curves.

    - ``scenario``: a scenario, its file or its built-in name; or a function that takes a dictionary of values by key
      and returns an array for each curve, in SI units at its times.
    - ``starts``: points spread over the ranges (8 for each parameter where None), of which the best ``refined`` are
      refined; 0: only from the start values. ``seed``: of the points.
    - ``workers``: processes that run trials at once; the result is the same bits.
    - ``max_runs``: after so many runs the best so far is returned.
    - ``record``: text file in which trials are kept; the same call again goes on where an earlier one stopped, whatever
      stopped it, and gives the same bits.
    - ``progress``: called after each run with an `IdentifyProgress`.

    Trial runs have tolerances of 1e-7 (relative) and 1e-9, or the scenario's where these are smaller. All input is
    checked before the first run. Ctrl-C returns the best so far, if there is one, with status "stopped". ``notes`` of
    the result list possible problems; a warning says so if the data do not determine a parameter.
    """
    curves = checked_curves(measured)
    check_options(starts, refined, workers, seed, max_runs)
    subject, space, units = checked_parameters(scenario, parameters)
    n_points = sum(len(each) for each in curves)
    if n_points <= len(space):
        raise IdentificationError(f"{n_points} measured points for {len(space)} parameters; there must be more points")
    n_starts = STARTS * len(space) if starts is None else starts
    if max_runs <= n_starts:
        raise IdentificationError(f"max_runs {max_runs}: the start design alone has {n_starts + 1} runs; allow more")
    if progress is not None and not callable(progress):
        raise IdentificationError(f"progress {progress!r}; give a function that takes an IdentifyProgress, or None")
    begin = start_point(subject, space)
    trial, tolerance = _trials(subject, curves, space.named(begin))
    log = SearchLog(max_runs, progress)
    steps = Steps.for_tolerance(tolerance)
    with ExitStack() as kept:
        known = None if record is None else kept.enter_context(TrialRecord(record, subject_of(trial)))
        pool = kept.enter_context(TrialPool(trial, workers, log.note, known))
        search = Search(pool, space, Residuals(curves, first_deviations(curves)), log, steps)
        outcome = _searched(search, begin, n_starts, refined, seed)
        if not isinstance(subject, Scenario):
            _warn_of_units(curves, log.first_curves)
        return build_result(subject, space, units, search, outcome)


def _searched(search: Search, begin: Array, n_starts: int, refined: int, seed: int) -> SearchOutcome:
    """Start design, refinements, standard deviations, derivatives at the end: the algorithm on a page."""
    outcome, log, space = SearchOutcome(), search.log, search.space
    log.expected = 1 + n_starts + search.expect(refined)
    try:
        points = np.vstack((begin[None], spread_points(space, n_starts, seed)))
        best = search.best_of(points, refined if n_starts else 1)
        if not best:
            why = f"; the first: {log.reasons[0]}" if log.reasons else ""
            raise IdentificationError(f"all {log.runs} runs of the start design failed{why}; narrow the ranges")
        log.phase = "search"
        log.expected = log.runs + search.expect(len(best))
        outcome.refined = [search.refine(point, TOLERANCE) for point in best]
        last = _with_settled_deviations(search, min(outcome.refined, key=lambda each: each.cost))
        outcome.status = "converged" if last.converged else "not converged"
        outcome.message = last.message
    except SearchEndedError as ended:
        outcome.message = str(ended)
        log.max_runs = log.runs + 2 * len(space)
    except (KeyboardInterrupt, TrialStoppedError):
        search.abandon()
        outcome.message = "stopped by the user; the best so far, without intervals"
        return outcome
    return _with_derivatives(search, outcome)


def _with_settled_deviations(search: Search, found: Refined) -> Refined:
    """Refine again with standard deviations from the residuals, where several curves must be weighed up."""
    curves, log = search.residuals.curves, search.log
    if len(curves) == 1 or all(each.standard_deviation is not None for each in curves):
        return found
    for _ in range(MAX_DEVIATION_ROUNDS):
        deviations = estimated_deviations(curves, log.best_curves, len(search.space))
        change = np.abs(np.log(np.array(deviations) / np.array(search.residuals.deviations)))
        if (change < SETTLED_CHANGE).all():
            break
        search.weigh(Residuals(curves, deviations))
        found = search.refine(found.point, TOLERANCE)
    return found


def _with_derivatives(search: Search, outcome: SearchOutcome) -> SearchOutcome:
    """Central differences at the best point."""
    log = search.log
    if log.best_point is None:
        return outcome
    log.phase = "intervals"
    log.max_runs = max(log.max_runs, log.runs + 2 * len(search.space) + 1)
    try:
        outcome.residuals, outcome.jacobian = search.jacobian(log.best_point.copy())
    except (KeyboardInterrupt, TrialStoppedError):
        search.abandon()
        outcome.status, outcome.message = "stopped", "stopped by the user before the intervals were known"
    return outcome


def _trials(
    subject: Scenario | Trial, curves: tuple[MeasuredCurve, ...], start: dict[str, float]
) -> tuple[Trial, float]:
    """What is tried, and the relative tolerance of its numbers."""
    if not isinstance(subject, Scenario):
        return subject, 0.0
    try:
        trials, first = prepare_trials(subject, curves, start)
    except TrialFailedError as error:
        told = ", ".join(f"{key} = {value:.4g}" for key, value in start.items())
        raise IdentificationError(f"the first run, with {told}, failed: {error}; give other start values") from error
    except TrialStoppedError as error:
        raise KeyboardInterrupt from error
    _warn_of_units(curves, first)
    return trials, trials.tolerance


def _warn_of_units(curves: Sequence[MeasuredCurve], first: Sequence[Array]) -> None:
    for told in doubtful_units(curves, first):
        warnings.warn(told, IdentificationWarning, stacklevel=level_of_the_caller())
