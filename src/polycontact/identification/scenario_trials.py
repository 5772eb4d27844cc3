"""Runs of a scenario with trial values: what they give at the measured times, or why they failed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError, IntegrationError, PolycontactError
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.run_quantity import RunQuantity, find_quantity
from polycontact.scenario.changed_values import with_values
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.simulation.run_options import run_option, without_unused
from polycontact.simulation.run_result import Progress
from polycontact.simulation.simulate import simulate

Array = NDArray[np.float64]

RTOL, ATOL = 1e-7, 1e-9
"""Tolerances of trial runs, unless the scenario has smaller ones: differences of two runs must show parameters, not
the choice of steps."""

WORK_LIMIT = 50
"""Evaluations of a trial, as a multiple of those of the first run, after which it counts as failed."""

LEAST_LIMIT = 100_000
"""Evaluations that a trial may always have."""


class TrialFailedError(Exception):
    """A run with trial values that gave no curves, and why."""


class TrialStoppedError(Exception):
    """Ctrl-C, or a request to end, has reached a run."""


@dataclass(frozen=True)
class ScenarioTrials:
    """Runs of a ``scenario`` with other values; called with them it returns an array for each curve, SI units.

    ``times``: when samples are taken, s; ``places``: for each curve where its points are among them. ``work_limit``:
    evaluations after which a run counts as failed, None: never.
    """

    scenario: Scenario
    quantities: tuple[RunQuantity, ...]
    times: Array
    places: tuple[NDArray[np.intp], ...]
    settings: Mapping[str, Any]
    work_limit: int | None = None

    def __call__(self, values: Mapping[str, float]) -> list[Array]:
        """The curves of a run; `TrialFailedError` where it does not reach its end."""
        run = _run(self.scenario, values, self.times, self.settings, self.work_limit)
        return [each.values(run.trajectory)[at] for each, at in zip(self.quantities, self.places, strict=True)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the scenario as its text, which other processes read again."""
        source = (self.scenario.source, str(self.scenario.folder), self.scenario.file)
        return _trials_of_text, (source, self.quantities, self.times, self.places, self.work_limit)

    @property
    def tolerance(self) -> float:
        """Relative tolerance of the runs, that of a run's default where the response has none."""
        return float(self.settings.get("rtol", run_option("rtol").about.default))


def _trials_of_text(
    source: tuple[str, str, str],
    quantities: tuple[RunQuantity, ...],
    times: Array,
    places: tuple[NDArray[np.intp], ...],
    work_limit: int | None,
) -> ScenarioTrials:
    text, folder, file = source
    scenario = parse_scenario(text, folder, file=file)
    settings = trial_settings(scenario) | {"end_time": float(times[-1])}
    return ScenarioTrials(scenario, quantities, times, places, settings, work_limit)


def prepare_trials(
    scenario: Scenario, curves: Sequence[MeasuredCurve], start: Mapping[str, float]
) -> tuple[ScenarioTrials, list[Array]]:
    """Check curves against the scenario, run it once with the ``start`` values; trials, and the first run's curves."""
    settings = trial_settings(scenario)
    end_time = float(scenario.settings["end_time"])
    for curve in curves:
        if curve.time[-1] > end_time * (1.0 + 1e-12):
            raise IdentificationError(
                f"{curve.label}: measured until {curve.time[-1]:g} s, but {scenario.name} ends at {end_time:g} s; "
                f"raise simulation.end_time, shift the times with time_shift or cut the curve with between"
            )
    short = _run(scenario, start, np.array([0.0]), settings | {"end_time": 1e-9 * end_time}, None)
    quantities = tuple(find_quantity(short.trajectory, curve) for curve in curves)
    times = np.unique(np.concatenate([[0.0], *(curve.time for curve in curves)]))
    places = tuple(np.searchsorted(times, curve.time) for curve in curves)
    settings["end_time"] = float(min(times[-1], end_time))
    times[-1] = settings["end_time"]
    trials = ScenarioTrials(scenario, quantities, times, places, settings)
    run = _run(scenario, start, times, settings, None)
    limit = max(LEAST_LIMIT, WORK_LIMIT * run.statistics.evaluations)
    first = [each.values(run.trajectory)[at] for each, at in zip(quantities, places, strict=True)]
    return replace(trials, work_limit=limit), first


def trial_settings(scenario: Scenario) -> dict[str, Any]:
    """Settings of trial runs: those of the scenario with tight tolerances and samples where something was measured."""
    given = dict(scenario.settings)
    given.pop("output_step", None)
    given["rtol"] = min(RTOL, given.get("rtol", RTOL))
    given["atol"] = min(ATOL, given.get("atol", ATOL))
    if given.get("velocity_atol") is not None:
        given["velocity_atol"] = min(ATOL, given["velocity_atol"])
    return without_unused(given)


def _run(
    scenario: Scenario, values: Mapping[str, float], times: Array, settings: Mapping[str, Any], limit: int | None
) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of trial values; those of the estimate are heard when it is simulated
            system = with_values(scenario, values).build()
            progress = _within(limit)
            run = simulate(system, output_times=times.tolist(), progress=progress, **settings)
    except IntegrationError as error:
        raise TrialFailedError(str(error)) from error
    except PolycontactError as error:
        raise TrialFailedError(str(error)) from error
    if run.status == "stopped":
        raise TrialStoppedError
    if run.status != "finished":
        raise TrialFailedError(f"the run {run.status} before the last measured time: {run.message}")
    return run


def _within(limit: int | None) -> Callable[[Progress], None] | bool:
    if limit is None:
        return False

    def check(now: Progress) -> None:
        if now.evaluations > limit:
            raise TrialFailedError(f"more than {limit} evaluations by t = {now.time:g} s")

    return check
