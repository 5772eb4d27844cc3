"""`identify`: a scenario, parameters with ranges and measured curves in; estimates with intervals out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError, IdentificationWarning, ScenarioError, level_of_the_caller
from polycontact.identification.determination import Determination, at_bounds, correlated, determine, following
from polycontact.identification.differences import Jacobian, Steps
from polycontact.identification.fit_parameter import FitParameter, ParameterSpace
from polycontact.identification.identification_result import Estimate, FittedCurve, Identification
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.parameter_units import unit_of_parameter
from polycontact.identification.residuals import Residuals, estimated_deviations, first_deviations
from polycontact.identification.scenario_trials import TrialFailedError, TrialStoppedError, prepare_trials
from polycontact.identification.search import Refined, Search
from polycontact.identification.search_log import IdentifyProgress, SearchEndedError, SearchLog
from polycontact.identification.start_design import spread_points
from polycontact.identification.trial_pool import Trial, TrialPool
from polycontact.scenario.changed_values import value_at, with_values
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario

Array = NDArray[np.float64]
Subject = Scenario | str | os.PathLike[str] | Trial

TOLERANCE = 1e-5
"""Relative steps at which a refinement ends: far below any interval, above the noise of runs."""

STARTS = 8
"""Points of the start design for each parameter."""

SAME_POINT = 0.02
"""Part of the ranges within which two refinements have ended at the same point."""

SAME_COST = 1.05
"""Costs within this factor are as good as each other."""

ROUNDS = 4
"""Times that standard deviations of several curves are estimated anew."""

SETTLED = 0.1
"""Change of an estimated standard deviation below which it stays."""

MAX_PARAMETERS = 50
"""Most parameters that are sought at once."""


def identify(
    scenario: Subject,
    parameters: Sequence[FitParameter],
    measured: MeasuredCurve | Sequence[MeasuredCurve],
    *,
    starts: int | None = None,
    refined: int = 2,
    workers: int = 1,
    seed: int = 0,
    max_runs: int = 2000,
    progress: Callable[[IdentifyProgress], None] | None = None,
) -> Identification:
    """Find the values of parameters with which runs of a scenario come closest to measured curves.

    - ``scenario``: a scenario, its file or its built-in name; or a function that takes a dictionary of values by key
      and returns an array for each curve, in SI units at its times.
    - ``starts``: points spread over the ranges (8 for each parameter where None), of which the best ``refined`` are
      refined; 0: only from the start values. ``seed``: of the points.
    - ``workers``: processes that run trials at once; the result is the same bits.
    - ``max_runs``: after so many runs the best so far is returned.
    - ``progress``: called after each run with an `IdentifyProgress`.

    Trial runs have tolerances of 1e-7 (relative) and 1e-9, or the scenario's where these are smaller. All input is
    checked before the first run. Ctrl-C returns the best so far, with status "stopped". What deserves a second look is
    in ``notes`` of the result, and warned of where a parameter is not determined.
    """
    curves = _checked_curves(measured)
    _check_options(starts, refined, workers, seed, max_runs)
    subject, space, units = _checked_parameters(scenario, parameters)
    n_points = sum(len(each) for each in curves)
    if n_points <= len(space):
        raise IdentificationError(f"{n_points} measured points for {len(space)} parameters; there must be more points")
    n_starts = STARTS * len(space) if starts is None else starts
    if max_runs <= n_starts:
        raise IdentificationError(f"max_runs {max_runs}: the start design alone has {n_starts + 1} runs; allow more")
    if progress is not None and not callable(progress):
        raise IdentificationError(f"progress {progress!r}; give a function that takes an IdentifyProgress, or None")
    begin = _start_point(subject, space)
    trial, tolerance = _trials(subject, curves, space.named(begin))
    log = SearchLog(max_runs, progress)
    steps = Steps.for_tolerance(tolerance)
    with TrialPool(trial, workers, log.note) as pool:
        search = Search(pool, space, Residuals(curves, first_deviations(curves)), log, steps)
        outcome = _searched(search, begin, n_starts, refined, seed)
        return _result(subject, space, units, search, outcome)


class _Outcome:
    """How a search went, filled as it goes on so that Ctrl-C leaves what there is."""

    def __init__(self) -> None:
        self.status = "stopped"
        self.message = ""
        self.refined: list[Refined] = []
        self.residuals: Array | None = None
        self.jacobian: Jacobian | None = None


def _searched(search: Search, begin: Array, n_starts: int, refined: int, seed: int) -> _Outcome:
    """Start design, refinements, standard deviations, derivatives at the end: the algorithm on a page."""
    outcome, log, space = _Outcome(), search.log, search.space
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
    for _ in range(ROUNDS):
        deviations = estimated_deviations(curves, log.best_curves, len(search.space))
        change = np.abs(np.log(np.array(deviations) / np.array(search.residuals.deviations)))
        if (change < SETTLED).all():
            break
        search.weigh(Residuals(curves, deviations))
        found = search.refine(found.point, TOLERANCE)
    return found


def _with_derivatives(search: Search, outcome: _Outcome) -> _Outcome:
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


def _result(
    subject: Scenario | Trial, space: ParameterSpace, units: Sequence[str], search: Search, outcome: _Outcome
) -> Identification:
    log, curves = search.log, search.residuals.curves
    point = log.best_point
    if point is None:
        raise IdentificationError("stopped before any run gave a result; nothing was identified")
    known = all(each.standard_deviation is not None for each in curves)
    found = None
    notes = _notes_of_search(search, outcome)
    if outcome.residuals is not None and outcome.jacobian is not None:
        found = determine(space, outcome.residuals, outcome.jacobian.matrix, known_deviations=known)
        point = _best_known(log.best_point, point)
        notes += [*found.notes, *correlated(space, found), *_notes_of_jacobian(space, outcome.jacobian)]
        notes += following(curves, log.best_curves)
    bounds = at_bounds(space, point)
    notes += [
        f"{space.keys[i]} lies at its {side} bound; widen the range, or doubt the model" for i, side in bounds.items()
    ]
    open_ones = () if found is None else (*found.left_open, *(outcome.jacobian.missing if outcome.jacobian else ()))
    estimates = _estimates(space, units, point, found, bounds, open_ones)
    deviations = estimated_deviations(curves, log.best_curves, len(space))
    nothing = np.full((len(space), len(space)), np.nan)
    slopes = space.slopes(point)
    result = Identification(
        estimates,
        nothing if found is None else found.covariance * np.outer(slopes, slopes),
        nothing if found is None else found.correlation,
        tuple(
            FittedCurve(
                c.label, c.quantity, c.unit, c.factor, c.time, c.values, values, sigma, bool(c.standard_deviation)
            )
            for c, values, sigma in zip(curves, log.best_curves, deviations, strict=True)
        ),
        log.best_cost,
        tuple(log.history),
        outcome.status,
        outcome.message,
        log.runs,
        log.failed,
        tuple(notes),
        with_values(subject, space.named(point)) if isinstance(subject, Scenario) else None,
        subject.name if isinstance(subject, Scenario) else getattr(subject, "__name__", "a function"),
    )
    if not result.ok and outcome.status != "stopped":
        told = "; ".join(notes) or outcome.message
        warnings.warn(f"{result.name}: {told}", IdentificationWarning, stacklevel=level_of_the_caller())
    return result


def _best_known(best: Array | None, point: Array) -> Array:
    return point if best is None else best


def _estimates(
    space: ParameterSpace,
    units: Sequence[str],
    point: Array,
    found: Determination | None,
    bounds: dict[int, str],
    left_open: Sequence[int],
) -> tuple[Estimate, ...]:
    values, slopes = space.values(point), space.slopes(point)
    deviations = np.full(len(space), np.nan) if found is None else found.deviations
    half = np.zeros(len(space)) if found is None else found.factor * deviations
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.where(space.is_log, values * np.exp(-half), values - slopes * half)
        high = np.where(space.is_log, values * np.exp(half), values + slopes * half)
    if found is None:
        low = high = np.full(len(space), np.nan)
    return tuple(
        Estimate(
            key,
            units[i],
            float(values[i]),
            float(slopes[i] * deviations[i]),
            float(low[i]),
            float(high[i]),
            space.parameters[i].scale,
            bounds.get(i, ""),
            found is not None and i not in left_open,
        )
        for i, key in enumerate(space.keys)
    )


def _notes_of_search(search: Search, outcome: _Outcome) -> list[str]:
    log, space = search.log, search.space
    notes = []
    if outcome.status == "not converged":
        notes.append(f"the search did not converge: {outcome.message}")
    if log.failed:
        notes.append(f"{log.failed} of {log.runs} runs failed, the first: {log.reasons[0]}")
    if len(outcome.refined) > 1:
        best = min(outcome.refined, key=lambda each: each.cost)
        apart = [
            each
            for each in outcome.refined
            if each.cost <= SAME_COST * best.cost and np.abs((each.point - best.point) / space.width).max() > SAME_POINT
        ]
        for each in apart:
            told = ", ".join(f"{key} = {value:.4g}" for key, value in space.named(each.point).items())
            notes.append(f"another point fits as well: {told}; the data do not tell which is right")
    return notes


def _notes_of_jacobian(space: ParameterSpace, jacobian: Jacobian) -> list[str]:
    notes = [f"{space.keys[i]}: runs beside the estimate failed, so it has no interval" for i in jacobian.missing]
    return notes + [
        f"{space.keys[i]}: the curves change otherwise to one side than to the other; its interval is rough"
        for i in jacobian.bent
    ]


def _checked_curves(measured: MeasuredCurve | Sequence[MeasuredCurve]) -> tuple[MeasuredCurve, ...]:
    curves = (measured,) if isinstance(measured, MeasuredCurve) else tuple(measured)
    if not curves:
        raise IdentificationError("there is no measured curve; give at least one MeasuredCurve")
    for each in curves:
        if not isinstance(each, MeasuredCurve):
            raise IdentificationError(
                f"{type(each).__name__} is no measured curve; give MeasuredCurve(time, values, …)"
            )
    return curves


def _check_options(starts: int | None, refined: int, workers: int, seed: int, max_runs: int) -> None:
    limits = {"refined": (refined, 1, 100), "workers": (workers, 1, 256), "max_runs": (max_runs, 1, 10**7)}
    limits |= {"seed": (seed, 0, 2**63)} | ({} if starts is None else {"starts": (starts, 0, 10**5)})
    for name, (value, low, high) in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
            raise IdentificationError(f"{name} {value!r}; allowed is an integer from {low} to {high}")


def _checked_parameters(
    scenario: Subject, parameters: Sequence[FitParameter]
) -> tuple[Scenario | Trial, ParameterSpace, list[str]]:
    """The scenario, its parameters as numbers, and their units; both ends of each range must be allowed values."""
    if not parameters:
        raise IdentificationError("there is no parameter to identify; give at least one FitParameter")
    if len(parameters) > MAX_PARAMETERS:
        raise IdentificationError(f"{len(parameters)} parameters; allowed are {MAX_PARAMETERS}")
    for each in parameters:
        if not isinstance(each, FitParameter):
            raise IdentificationError(f"{type(each).__name__} is no parameter; give FitParameter(key, lower, upper)")
    keys = [each.key for each in parameters]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise IdentificationError(f"{twice[0]} is given twice; a parameter has one range")
    if isinstance(scenario, str | Path | os.PathLike):
        scenario = load_scenario(scenario)
    if not isinstance(scenario, Scenario):
        if not callable(scenario):
            raise IdentificationError(f"{type(scenario).__name__} is no scenario, nor the name or file of one")
        return scenario, ParameterSpace([each.in_unit("") for each in parameters]), [""] * len(parameters)
    units = [unit_of_parameter(scenario, each.key) for each in parameters]
    space = ParameterSpace([each.in_unit(unit) for each, unit in zip(parameters, units, strict=True)])
    for end in (space.lower, space.upper):
        for key, value in space.named(end).items():
            _check_value(scenario, key, value)
    return scenario, space, units


def _check_value(scenario: Scenario, key: str, value: float) -> None:
    try:
        with_values(scenario, {key: value})
    except ScenarioError as error:
        raise IdentificationError(f"{key}: the range reaches {value:g}, which is not allowed: {error}") from error


def _start_point(scenario: Scenario | Trial, space: ParameterSpace) -> Array:
    """Where the search begins: start values, else those of the scenario, else the middle of the range."""
    point = 0.5 * (space.lower + space.upper)
    for i, each in enumerate(space.parameters):
        value: Any = each.start
        if value is None and isinstance(scenario, Scenario):
            value = value_at(scenario, each.key)
        if isinstance(value, int | float) and not isinstance(value, bool) and each.lower <= value <= each.upper:  # type: ignore[operator]
            values = space.values(point)
            values[i] = float(value)
            point = space.point(values)
    return point


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


ODD_RATIO = 300.0
"""Ratio of measured and simulated sizes from which on a unit may be wrong: mm for m is 1000."""


def _warn_of_units(curves: Sequence[MeasuredCurve], first: Sequence[Array]) -> None:
    for curve, values in zip(curves, first, strict=True):
        sizes = float(np.abs(curve.values).max()), float(np.abs(values).max())
        if min(sizes) > 0.0 and max(sizes) / min(sizes) > ODD_RATIO:
            warnings.warn(
                f"{curve.label}: measured up to {sizes[0]:.3g}, simulated up to {sizes[1]:.3g} (SI units); is its unit "
                f"{curve.unit!r} right?",
                IdentificationWarning,
                stacklevel=level_of_the_caller(),
            )
