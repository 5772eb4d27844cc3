"""Time steps with multipliers, as a stepper of runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.kernels.response.codes import StepsEnd
from polycontact.simulation.integrators import IntegratorStatistics
from polycontact.simulation.responses.contact_solver import ContactSolver, ResponseStatistics
from polycontact.simulation.responses.response import MultiplierResponse
from polycontact.simulation.responses.rigid_system import RigidSystem
from polycontact.simulation.responses.step_made import StepMade, between, lost_until
from polycontact.simulation.stepper import StepperProblem

Array = NDArray[np.float64]


MOST_STEPS = 1000
"""Steps after which compiled code comes back, so that Ctrl-C is heard: less than a tenth of a second for a robot."""


class MultiplierStepper:
    """Moreau's time steps: contacts push and rub by multipliers, found anew in every step."""

    name = "multipliers"

    def __init__(self, response: MultiplierResponse, n_pairs: int) -> None:
        self.wrenches = np.zeros((n_pairs, 6))
        """Of the contacts during the last step: force (N) and torque (N m) on E at marker F, axes of E."""
        self._response = response
        self._system: RigidSystem
        self._made: StepMade

    def start(self, problem: StepperProblem) -> None:
        """Set up the rigid system of a problem, at its start time and state."""
        solver = ContactSolver(self._response, [each.name for each in problem.system.contacts])
        self._system = RigidSystem(problem, self._response, solver, self.wrenches)
        self._end = problem.end_time
        self.statistics = IntegratorStatistics()
        self.t = self.t_old = problem.start_time
        self.y = self._y_old = np.array(problem.state)
        self._lost = self._lost_old = 0.0
        self._in_series = False
        self._system.begin(self.t, self.y)

    @property
    def response_statistics(self) -> ResponseStatistics:
        """Counters of the contact solver since the start of the run."""
        return self._system.statistics

    def step(self, limit: float, *, until: float) -> float:
        """One step of the length asked for, or shorter: to end at ``until`` or the end, and to follow the motion."""
        self._in_series = False
        whole = min(until, self._end) - self.t
        h, made = self._system.step(self.t, self.y, whole, min(self._response.step, limit))
        self._y_old, self.t_old = self.y, self.t
        self.y, self._made = made.state, made
        self._lost_old, self._lost = self._lost, self._lost + made.lost
        self.t = min(until, self._end) if h == whole else self.t + h
        counted = self.statistics
        counted.steps += 1
        counted.evaluations += 1
        counted.last_step = h
        counted.limited_steps += limit < self._response.step
        return self.t

    @property
    def makes_series(self) -> bool:
        """Whether `go_on` can make steps: no users' forces are to be asked between them."""
        return self._system.makes_series

    @property
    def seen(self) -> int:
        """Status bits of contacts in any step of the last `go_on`."""
        return self._system.seen

    def stop_at(self, limits: StopLimits) -> None:
        """Let `go_on` end where a limit is reached."""
        self._system.stop_at(limits)

    def go_on(self, stop_at: float, *, until: float, is_limited: bool, most: int = MOST_STEPS) -> StepsEnd:
        """Steps as `step` makes them, in one compiled call, until ``stop_at`` (s) is reached or passed; why they ended.

        None goes past ``until`` or the end time (s), and there are ``most`` at most. ``is_limited``: they are so short
        that no body moves through another, as `StepLimit` has it; where the last one was too long for that all the
        same, they end with `StepsEnd.MEETING`, and the caller has to look. Afterwards everything is as if `step` had
        made the last of them.
        """
        if not self._in_series:
            self._system.begin_series(self.t, self.y, self._lost, is_limited=is_limited)
            self._in_series = True
        ended, series = self._system.go_on(min(until, self._end), stop_at, most)
        if series.made > 0:
            self.t_old, self.t = series.t_old, series.t
            self._y_old, self._made = self._system.last_step()
            self.y = self._made.state
            self._lost_old, self._lost = series.lost_old, series.lost
            counted = self.statistics
            counted.steps += series.made
            counted.evaluations += series.made
            counted.limited_steps += series.limited
            counted.last_step = self.t - self.t_old
        return ended

    def interpolate(self, t: float) -> Array:
        """The state at a time t (s) inside the last step; speeds jump in its middle where contacts pushed."""
        return self.y if t >= self.t else between(self.t_old, self._y_old, self._made, self.t, t)

    def lost_in_steps(self, t: float) -> float:
        """Energy (J) that the rule of the steps has taken from the start to a time t (s) inside the last step."""
        return self._lost if t >= self.t else lost_until(self.t_old, self._lost_old, self._made, self.t, t)

    def restart(self, t: float, y: Array) -> None:
        """Go on from the state y at the time t (s), as after an event that changed the state."""
        self._lost = self._lost_old = self.lost_in_steps(t)
        self.t = self.t_old = t
        self.y = self._y_old = np.array(y)
        self._in_series = False
        self._system.begin(t, self.y)
        self.statistics.restarts += 1
