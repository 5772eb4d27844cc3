"""Time steps of equal length with multipliers, as a stepper of runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.integrators import IntegratorStatistics
from polycontact.simulation.responses.contact_solver import ContactSolver, ResponseStatistics
from polycontact.simulation.responses.moreau_step import StepMade, between, equal_step
from polycontact.simulation.responses.response import MultiplierResponse
from polycontact.simulation.responses.rigid_system import RigidSystem
from polycontact.simulation.stepper import StepperProblem

Array = NDArray[np.float64]


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
        self._system = RigidSystem(problem, self._response, ContactSolver(self._response), self.wrenches)
        self._end = problem.end_time
        self.statistics = IntegratorStatistics()
        self.t = self.t_old = problem.start_time
        self.y = self._y_old = np.array(problem.state)

    @property
    def response_statistics(self) -> ResponseStatistics:
        """Counters of the contact solver since the start of the run."""
        return self._system.solver.statistics

    def step(self, limit: float, *, until: float) -> float:
        """One step of the length asked for, or a little shorter, so that steps end at ``until`` or the end."""
        whole = min(until, self._end) - self.t
        h = equal_step(whole, min(self._response.step, limit))
        made = self._system.step(self.t, self.y, h)
        self._y_old, self.t_old = self.y, self.t
        self.y, self._made = made.state, made
        self.t = min(until, self._end) if h == whole else self.t + h
        counted = self.statistics
        counted.steps += 1
        counted.evaluations += 1
        counted.last_step = h
        counted.limited_steps += limit < self._response.step
        return self.t

    def interpolate(self, t: float) -> Array:
        """The state at a time t (s) inside the last step; speeds jump in its middle where contacts pushed."""
        return self.y if t >= self.t else between(self.t_old, self._y_old, self._made, self.t, t)

    def restart(self, t: float, y: Array) -> None:
        """Go on from the state y at the time t (s), as after an event that changed the state."""
        self.t = self.t_old = t
        self.y = self._y_old = np.array(y)
        self.statistics.restarts += 1
