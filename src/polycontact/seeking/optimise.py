"""`optimise`: the values of keys, within ranges, with which a result of a scenario is least or greatest.

points spread over the ranges ─► the best of them followed downhill ─► the best run of all

Points, coordinates and differences are those of an identification; runs are made as those of a study. Downhill goes
sequential quadratic programming (Kraft 1988, SLSQP of scipy), which heeds ranges and conditions, with derivatives from
differences of runs that go side by side.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import ScenarioError, StudyError
from polycontact.identification.differences import Steps, central
from polycontact.identification.fit_parameter import FitParameter, ParameterSpace
from polycontact.identification.scenario_trials import ATOL, RTOL
from polycontact.identification.search import spread_points
from polycontact.scenario.changed_values import value_at
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.seeking.condition import Condition, Said, parse_conditions
from polycontact.seeking.optimum import Optimum, OptimumRun
from polycontact.simulation.responses.response import MultiplierResponse, response_of
from polycontact.studies.one_run import WELL
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.results import Result
from polycontact.studies.run_series import RunSeries, RunSettings
from polycontact.studies.study_plan import parse_results
from polycontact.studies.study_progress import StudyProgress

Array = NDArray[np.float64]

STARTS: Final = 8
"""Points of the start design for each parameter, as of an identification."""

ITERATIONS: Final = 40
"""Steps of a descent at most."""

GAIN: Final = 1e-6
"""Gain, as a part of the spread of the start design, below which a descent ends."""

BOUND_SHARE: Final = 1e-3
"""A value nearer to an end of its range than this part of it lies at that end."""

SAME_SHARE: Final = 0.05
"""Two descents that end farther apart than this part of the ranges found different points."""

ROOM: Final = 1e-6
"""By how much of its size a condition may be missed where a descent ends on it."""


class _EndedError(Exception):
    """No more runs: as many as allowed were made."""


def optimise(
    scenario: Scenario | str | os.PathLike[str],
    parameters: StudyParameter | Sequence[StudyParameter],
    *,
    minimise: str | Callable[..., float] | None = None,
    maximise: str | Callable[..., float] | None = None,
    subject_to: Said | Sequence[Said] = (),
    starts: int | None = None,
    refined: int = 2,
    seed: int = 0,
    max_runs: int = 1000,
    values: Mapping[str, Any] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    tls: Mapping[str, str] | None = None,
    time_limit: float | str | None = None,
    record: str | os.PathLike[str] | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
) -> Optimum:
    """Find values of keys, within ranges, with which a result of a scenario is least or greatest.

    - ``parameters``: keys with their ``range``; ``scale`` "log" where the order of magnitude is not known.
    - ``minimise`` or ``maximise``: a result, as in `study`, or a function of a `Run`.
    - ``subject_to``: conditions that must hold, such as "peak force of A-B < 100 N".
    - ``starts``: points spread over the ranges (8 for each parameter where None), of which the best ``refined`` are
      followed downhill; 0: only from the values that the scenario has. ``seed``: of the points.
    - ``max_runs``: after so many runs the best so far is returned.
    - ``values``, ``workers``, ``cluster``, ``tls``, ``time_limit``, ``progress``: as in `study`. ``record``: text file
      in which runs are kept; the same call again goes on where an earlier one stopped.

    Runs have tolerances of 1e-7 (relative) and 1e-9, or the scenario's where these are smaller, so that differences
    show parameters and not the choice of steps. A run that fails counts as worse than any other. Ctrl-C raises
    KeyboardInterrupt; with a record nothing is lost.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    chosen = chosen.with_values(values) if values else chosen
    asked = _checked_parameters(parameters, chosen)
    _check_counts(starts, refined, seed, max_runs)
    objective, is_least = _objective(minimise, maximise, chosen)
    listed = _listed(subject_to)
    conditions = parse_conditions(listed, chosen)
    settings = RunSettings(workers, cluster, tls, time_limit, 1, record, progress)
    with RunSeries(chosen, (objective, *(each.result for each in conditions)), settings) as series:
        descent = _Descent(series, asked, conditions, 1.0 if is_least else -1.0, _tight(chosen), max_runs)
        n_starts = STARTS * len(asked) if starts is None else starts
        series.expected = min(max_runs, 1 + n_starts + refined * 10 * (2 * len(asked) + 2))
        begin = _begin(chosen, asked, descent.space)
        status, message, ends = _searched(descent, begin, n_starts, refined, seed)
        return _outcome(chosen, objective, is_least, conditions, descent, status, message, ends)


def _searched(descent: _Descent, begin: Array, n_starts: int, refined: int, seed: int) -> tuple[str, str, list[Array]]:
    """Start design and descents: the algorithm on a page."""
    ends: list[Array] = []
    try:
        spread = spread_points(descent.space, n_starts, seed) if n_starts else np.empty((0, len(begin)))
        descent.evaluate([begin, *spread])
        starts = descent.best_points(refined if n_starts else 1)
        if not starts:
            first = next((each.failed for each in descent.history if each.failed), "")
            raise StudyError(f"all {len(descent.history)} runs of the start design failed; the first: {first}")
        descent.scale()
        found = [descent.follow(point) for point in starts]
    except _EndedError as ended:
        return "not converged", str(ended), ends
    ends = [point for point, _, _ in found]
    well = [each for each in found if each[1]]
    return ("converged", well[0][2], ends) if well else ("not converged", found[0][2], ends)


class _Descent:
    """Runs at points, in the coordinates of a `ParameterSpace`: objective (made least) and room of the conditions."""

    def __init__(
        self,
        series: RunSeries,
        parameters: Sequence[StudyParameter],
        conditions: Sequence[Condition],
        sign: float,
        tight: Mapping[str, Any],
        max_runs: int,
    ) -> None:
        self.space = ParameterSpace([_fit(each) for each in parameters])
        self.history: list[OptimumRun] = []
        self.parameters = parameters
        self._series = series
        self._conditions = conditions
        self._sign = sign
        self._tight = dict(tight)
        self._max_runs = max_runs
        self._points: list[Array] = []
        self._known: dict[bytes, Array | None] = {}
        self._spread = np.ones(1 + len(conditions))

    def evaluate(self, points: Sequence[Array]) -> list[Array | None]:
        """Objective and rooms (1 + number of conditions,) at points, divided by their scales; None: the run failed."""
        new = [point for point in points if point.tobytes() not in self._known]
        if self._series.n_runs + len(new) > self._max_runs:
            raise _EndedError(f"the {self._max_runs} runs that are allowed were not enough; raise max_runs")
        named = [self.space.named(point) for point in new]
        rows = self._series.rows([self._tight | self._set(values) for values in named])
        for point, values, row in zip(new, named, rows, strict=True):
            numbers = row.results
            well = row.status in WELL and all(map(math.isfinite, numbers))
            found = None
            if well:
                rooms = [c.room(number) for c, number in zip(self._conditions, numbers[1:], strict=True)]
                found = np.array([self._sign * numbers[0], *rooms])
            failed = "" if well else row.message or "a result has no value"
            feasible = found is not None and self._holds(found)
            self.history.append(OptimumRun(values, numbers[0], tuple(numbers[1:]), feasible, failed))
            self._points.append(np.array(point))
            self._known[point.tobytes()] = found
        return [None if (each := self._known[point.tobytes()]) is None else each / self._spread for point in points]

    def _set(self, values: Mapping[str, float]) -> dict[str, Any]:
        return {key: v for p in self.parameters for key, v in p.set_to(values[p.key]).items()}

    def _holds(self, found: Array) -> bool:
        sizes = np.array([max(abs(each.bound), 1e-12) for each in self._conditions])
        return bool((found[1:] >= -ROOM * sizes).all())

    def best_points(self, n: int) -> list[Array]:
        """The best points so far: first those where all conditions hold, by objective, then by how far they miss."""
        known = [(self._rank(i), i) for i in range(len(self.history)) if not self.history[i].failed]
        return [self._points[i] for _, i in sorted(known)[:n]]

    def best_run(self) -> OptimumRun:
        """The best run so far."""
        known = [(self._rank(i), i) for i in range(len(self.history)) if not self.history[i].failed]
        return self.history[min(known)[1]]

    def _rank(self, i: int) -> tuple[float, float]:
        found = self._known[self._points[i].tobytes()]
        assert found is not None
        if self.history[i].is_feasible:
            return 0.0, float(found[0])
        sizes = np.array([max(abs(each.bound), 1e-12) for each in self._conditions])
        return float(np.maximum(-found[1:] / sizes, 0.0).sum()) + 1.0, float(found[0])

    def scale(self) -> None:
        """Count everything in parts of its spread over the start design."""
        known = np.array([each for each in self._known.values() if each is not None])
        spread = known.max(axis=0) - known.min(axis=0)
        size = np.maximum(np.abs(known).max(axis=0), 1e-300)
        self._spread = np.where(spread > 1e-9 * size, spread, size)

    def follow(self, start: Array) -> tuple[Array, bool, str]:
        """Go downhill from ``start``: where it ended, whether it converged, and scipy's word for it."""
        from scipy.optimize import minimize

        downhill: Any = minimize  # its stubs know no constraints with derivatives
        space = self.space
        constraints = [
            {"type": "ineq", "fun": lambda x, i=i: self._at(x)[i], "jac": lambda x, i=i: self._slopes(x)[i]}
            for i in range(1, 1 + len(self._conditions))
        ]
        found = downhill(
            lambda x: self._at(x)[0],
            start,
            jac=lambda x: self._slopes(x)[0],
            method="SLSQP",
            bounds=list(zip(space.lower, space.upper, strict=True)),
            constraints=constraints,
            options={"maxiter": ITERATIONS, "ftol": GAIN},
        )
        return np.asarray(found.x), bool(found.success), str(found.message)

    def _at(self, point: Array) -> Array:
        point = np.clip(np.array(point, float), self.space.lower, self.space.upper)
        found = self.evaluate([point])[0]
        if found is not None:
            return found
        known = np.array([each for each in self._known.values() if each is not None]) / self._spread
        return np.concatenate(([known[:, 0].max() + 10.0], np.minimum(known[:, 1:].min(axis=0), 0.0) - 10.0))

    def _slopes(self, point: Array) -> Array:
        """Derivatives (1 + number of conditions, np) by central differences."""
        point = np.clip(np.array(point, float), self.space.lower, self.space.upper)
        rtol = float(self._tight.get("simulation.rtol", RTOL))
        step = Steps.for_tolerance(rtol).central
        return central(self.evaluate, self.space, point, self._at(point), step).matrix


def _outcome(
    scenario: Scenario,
    objective: Result,
    is_least: bool,
    conditions: tuple[Condition, ...],
    descent: _Descent,
    status: str,
    message: str,
    ends: Sequence[Array],
) -> Optimum:
    best = descent.best_run()
    notes = []
    failed = [each for each in descent.history if each.failed]
    if failed:
        notes.append(f"{len(failed)} of {len(descent.history)} runs failed; the first: {failed[0].failed}")
    if not best.is_feasible:
        status = "no feasible point"
        missed = [c.told() for c, value in zip(conditions, best.results, strict=True) if not c.room(value) >= 0.0]
        notes.append(f"no run fulfils all conditions; the nearest misses {', '.join(missed)}")
    widths = {p.key: p for p in descent.parameters}
    at_bounds = tuple(key for key, value in best.values.items() if _is_at_end(widths[key], value, descent.space))
    if at_bounds:
        notes.append(f"at an end of its range: {', '.join(at_bounds)}; a wider range may have better values")
    apart = [np.abs(each - ends[0]).max() for each in ends[1:]] if ends else []
    if any(each > SAME_SHARE * float(descent.space.width.max()) for each in apart):
        notes.append("descents from different points ended at different ones: there are several local optima, or noise")
    units = {p.key: p.unit for p in descent.parameters}
    return Optimum(
        scenario,
        objective,
        is_least,
        conditions,
        units,
        status,
        message,
        best,
        descent.history[0],
        at_bounds,
        tuple(descent.history),
        tuple(notes),
        len(descent.history),
        descent._series.recorded,
    )


def _is_at_end(parameter: StudyParameter, value: float, space: ParameterSpace) -> bool:
    i = space.keys.index(parameter.key)
    everything = np.array([float(each.lower) for each in space.parameters])
    everything[i] = value
    at = float(space.point(everything)[i])
    return bool(min(at - space.lower[i], space.upper[i] - at) < BOUND_SHARE * space.width[i])


def _begin(scenario: Scenario, parameters: Sequence[StudyParameter], space: ParameterSpace) -> Array:
    """The scenario's own values where they lie within the ranges, else the middle."""
    middle = 0.5 * (space.lower + space.upper)
    own = space.values(middle).copy()
    for i, each in enumerate(parameters):
        value = value_at(scenario, each.key)
        low, high = map(float, each.range or ())
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            own[i] = float(value)
    return space.point(own)


def _tight(scenario: Scenario) -> dict[str, Any]:
    """Values of tolerances for runs whose differences must show parameters."""
    given = scenario.settings
    if isinstance(response_of(given.get("response", "compliant")), MultiplierResponse):
        return {}
    found = {
        f"simulation.{name}": min(least, given.get(name, least)) for name, least in (("rtol", RTOL), ("atol", ATOL))
    }
    if given.get("velocity_atol") is not None:
        found["simulation.velocity_atol"] = min(ATOL, given["velocity_atol"])
    return found


def _checked_parameters(given: Any, scenario: Scenario) -> tuple[StudyParameter, ...]:
    listed = (given,) if isinstance(given, StudyParameter) else tuple(given)
    if not listed or not all(isinstance(each, StudyParameter) for each in listed):
        raise StudyError("parameters: give one or more StudyParameter(key, range=(…, …))")
    for each in listed:
        if each.range is None or each.integer:
            raise each.wrong("only ranges of real numbers can be optimised; take a study for values and whole numbers")
    resolved = tuple(each.resolved(scenario) for each in listed)
    keys = [key for each in resolved for key in (each.key, *each.also)]
    if len(set(keys)) < len(keys):
        raise StudyError("parameters: the same key is there twice; leave one out")
    for each in resolved:
        for end in each.extremes():
            try:
                scenario.with_values(each.set_to(end))
            except ScenarioError as error:
                raise each.wrong("; ".join(error.problems)) from error
    return resolved


def _objective(minimise: Any, maximise: Any, scenario: Scenario) -> tuple[Result, bool]:
    if (minimise is None) == (maximise is None):
        raise StudyError("give either minimise or maximise: a result, or a function of a Run")
    (result,) = parse_results([minimise if maximise is None else maximise], scenario, "the scenario")
    return result, maximise is None


def _listed(said: Any) -> list[Said]:
    """Conditions in a row, also where there is just one."""
    is_one = isinstance(said, str) or (isinstance(said, tuple) and len(said) == 3 and callable(said[0]))
    return [said] if is_one else list(said)


def _fit(parameter: StudyParameter) -> FitParameter:
    """A parameter as an identification has it."""
    low, high = map(float, parameter.range or ())
    return FitParameter(parameter.key, low, high, "log" if parameter.scale == "log" else "linear")


def _check_counts(starts: Any, refined: Any, seed: Any, max_runs: Any) -> None:
    for name, value, least in (
        ("starts", 0 if starts is None else starts, 0),
        ("refined", refined, 1),
        ("seed", seed, 0),
        ("max_runs", max_runs, 2),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise StudyError(f"{name} is {value!r}; give a whole number from {least}")
