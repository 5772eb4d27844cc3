"""The one step-wise interface of all integrators.

In: f, a state, an end time, a limit for each step. Out: t, y, dense output of the last step, statistics. A subclass
says how its library starts, makes one step and interpolates; limits, bookkeeping and errors are here.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import IntegrationError, SimulationError
from polycontact.simulation.integrators.counting import CountedFunction
from polycontact.simulation.integrators.failure_reasons import FailureReason, integration_error
from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.problem import InitialValueProblem, checked_state
from polycontact.simulation.integrators.stiffness_looks import Stiffness, StiffnessLooks

EPS = float(np.finfo(np.float64).eps)

RESOLUTION = 128.0 * EPS
"""Times closer than this, relative to them, are one time to CVODE and IDA (they take 100 epsilons)."""

ROUNDED = 1e-9
"""A step that comes so near to its target, relative to its length, is the second of two equal ones."""


class Integrator(ABC):
    """Steps of dy/dt = f(t, y) from the start to the end time.

    `t` and `t_old` are the end and the start of the last step (s), `y` and `y_old` the states there. States are
    read-only arrays that are never written again: they can be kept without copying.

    An exception from f comes out of `step` as it is. After any exception the integrator stands where it stood
    before the step, with an empty last step; the next `step` starts anew from there.
    """

    name: ClassVar[str]

    told_as: str
    """How its errors call it."""

    keeps_jacobian: ClassVar[bool] = False
    """Whether a Jacobian of earlier steps decides how far an iteration corrects a step."""

    by_address: bool = False
    """Whether compiled code can make its steps."""

    _growing_part: ClassVar[float] = 0.0
    """A step cut to less than this part is followed by a new start: measured, where growing costs as much."""

    def __init__(self, problem: InitialValueProblem) -> None:
        self.t = problem.start_time
        self.t_old = problem.start_time
        self.y = problem.state
        self.y_old = problem.state
        self.statistics = IntegratorStatistics()
        self._problem = problem
        self._function = CountedFunction(problem.function, self.statistics)
        self._started = False
        self._tried_step = math.nan
        self._target = problem.end_time
        self._watch: StiffnessLooks | None = None
        self.told_as = self.name

    @property
    def stiffness(self) -> Stiffness | None:
        """Where an explicit method has noticed that stability limits its steps; None as long as it has not."""
        return None if self._watch is None else self._watch.found

    @property
    def end_time(self) -> float:
        """The time at which the integration ends, s."""
        return self._problem.end_time

    def step(self, limit: float = math.inf, *, until: float = math.inf) -> None:
        """Make one step, not longer than `limit` (s) and not past `until` or the end time (s).

        A step that one of them cuts ends exactly there; so that the one before it leaves no sliver to `until` or
        to the end, both are then of equal length. A step below the resolution of time changes nothing but the time,
        and the history is forgotten.
        """
        stop = self._stop_time(limit, until)
        if stop - self.t <= self._resolution():
            self._started = False
            self._accept(stop, self.y, stop)
            return
        self._function.not_finite = False
        self._target = min(until, self.end_time)
        try:
            if not self._started:
                self._start(stop)
                self._started = True
            t, y = self._advance(stop)
            if not t > self.t:
                raise self._error(FailureReason.STEP_TOO_SMALL)
        except BaseException:
            self._abandon()
            raise
        self._accept(t, y, stop)
        if self._watch is not None and self._watch.is_due(self.statistics.steps):
            self._look_for_stiffness(self._watch)

    @overload
    def interpolate(self, t: float) -> NDArray[np.float64]: ...

    @overload
    def interpolate(self, t: list[float] | NDArray[np.float64]) -> NDArray[np.float64]: ...

    def interpolate(self, t: ArrayLike) -> NDArray[np.float64]:
        """The state at `t` (s) inside the last step, from the integrator's own polynomial.

        For one time an array (N,), for a list of m times an array (m, N). At the ends of the step it is exactly
        `y_old` and `y`; in between the error is like that of the step.
        """
        times = np.asarray(t, dtype=np.float64)
        if times.ndim == 0:
            return self._state_at(float(times))
        if times.ndim != 1:
            raise SimulationError(f"times of shape {times.shape}; give one time or a list")
        return np.array([self._state_at(float(time)) for time in times]).reshape(len(times), len(self.y))

    def restart(self, t: float, y: ArrayLike) -> None:
        """Go on from `t` (s) and `y`, which an event or a projection has changed.

        The history is forgotten, the statistics are kept. The first step is `settings.first_step`, or else chosen
        anew by the integrator from f near the new state.
        """
        if not t <= self.end_time:
            raise SimulationError(f"restart at {t} s, after the end time {self.end_time} s; restart before it")
        if not math.isfinite(t):
            raise SimulationError(f"restart at {t} s; give a finite time")
        self.y = self.y_old = checked_state(y, len(self.y))
        self.t = self.t_old = float(t)
        self._started = False
        self.statistics.restarts += 1

    def go_on_counting(self, earlier: IntegratorStatistics) -> None:
        """Count on from those of an integrator before this one."""
        own = self.statistics
        for each in fields(earlier):
            setattr(own, each.name, getattr(earlier, each.name))

    @abstractmethod
    def _start(self, stop: float) -> None:
        """Prepare the first step from `t`, `y`, which will not go past `stop` (s)."""

    @abstractmethod
    def _advance(self, stop: float) -> tuple[float, NDArray[np.float64]]:
        """Make one step, not past `stop` (s): the new time and state, in an array of its own."""

    @abstractmethod
    def _interpolate(self, t: float) -> NDArray[np.float64]:
        """The state at `t_old` < `t` < `self.t` (s)."""

    def _abandon(self) -> None:
        """After an exception: stand at `t`, start anew with the next step."""
        self._started = False
        self.t_old, self.y_old = self.t, self.y

    def _stop_time(self, limit: float, until: float) -> float:
        """The time (s) at which the next step has to end at the latest."""
        end = min(until, self.end_time)
        if self.t >= self.end_time:
            raise SimulationError(f"{self.name} has reached the end time {self.end_time} s; make no more steps")
        if not limit > 0.0:
            raise SimulationError(f"the limit of a step is {limit} s; give a positive length")
        if not end > self.t:
            raise SimulationError(f"a step from {self.t} s until {until} s; give a later time")
        stop = self.t + limit
        if stop >= end - self._resolution():  # leave no rest that is only rounding
            return end
        if not stop > self.t:
            raise self._error(FailureReason.STEP_TOO_SMALL, f"the limit was {limit:.3g} s")
        return stop

    def _spread(self, stop: float, next_step: float) -> float:
        """`stop` (s), or half the way to the target where `next_step` (s) would leave less than itself."""
        length = min(next_step, stop - self.t)
        remaining = self._target - self.t
        if (1.0 + ROUNDED) * length < remaining < 2.0 * length:
            return self.t + 0.5 * remaining
        return stop

    def _forget_if_cut(self, taken: float, wanted: float) -> None:
        """Start anew after a step cut so much that growing again would take longer (both lengths in s)."""
        if taken < self._growing_part * wanted:
            self._started = False

    def _resolution(self) -> float:
        """Differences of time up to this (s) are rounding."""
        return RESOLUTION * max(abs(self.t), abs(self.end_time))

    def _accept(self, t: float, y: NDArray[np.float64], stop: float) -> None:
        y.flags.writeable = False
        self.t_old, self.y_old = self.t, self.y
        self.t, self.y = t, y
        statistics = self.statistics
        statistics.steps += 1
        statistics.last_step = t - self.t_old
        statistics.limited_steps += t >= stop

    def _state_at(self, t: float) -> NDArray[np.float64]:
        if t == self.t:
            return self.y
        if t == self.t_old:
            return self.y_old
        if not self.t_old < t < self.t:
            raise SimulationError(f"{t} s lies outside the last step, {self.t_old} s to {self.t} s")
        if self.t - self.t_old <= self._resolution():
            return self.y
        return self._interpolate(t)

    def _look_for_stiffness(self, watch: StiffnessLooks) -> None:
        """Look whether stability limited the last step."""
        middle = self._state_at(0.5 * (self.t_old + self.t))
        watch.look(self._function, (self.t_old, self.t), (self.y_old, middle, self.y), self.statistics)
        self._function.not_finite = False

    def _error(self, reason: FailureReason, detail: str = "") -> IntegrationError:
        """The error at the present time; derivatives that were not finite explain any failure."""
        if self._function.not_finite:
            reason = FailureReason.NOT_FINITE
        tried = self._tried_step if math.isfinite(self._tried_step) else self.statistics.last_step
        return integration_error(self.told_as, reason, time=self.t, step=tried, detail=detail)
