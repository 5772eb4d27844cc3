"""Collisions as events: an integrator that knows no contact, impulses where bodies meet, multipliers where they
stay."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.contact_times import find_change
from polycontact.simulation.integrators import Integrator, IntegratorStatistics, make_integrator
from polycontact.simulation.responses.contact_solver import ContactSolver, ResponseStatistics
from polycontact.simulation.responses.moreau_step import StepMade, between, equal_step
from polycontact.simulation.responses.response import ImpulseResponse
from polycontact.simulation.responses.rigid_system import RigidSystem
from polycontact.simulation.stepper import StepperProblem

Array = NDArray[np.float64]

MAX_HALVINGS = 20
"""How often a step is halved at most in whose middle bodies meet: to a millionth."""


class ImpulseStepper:
    """Steps between collisions by an integrator of a name; speeds jump at collisions.

    A step ends where bodies meet; there the impulses are found and the integrator begins anew. While bodies stay
    together it makes steps with multipliers.
    """

    def __init__(self, response: ImpulseResponse, integrator: str, n_pairs: int) -> None:
        self.wrenches = np.zeros((n_pairs, 6))
        """Of contacts that are held together: force (N) and torque (N m) on E at marker F, axes of E."""
        self._response = response
        self._name = integrator
        self.name = f"impulses, {integrator}"
        self._system: RigidSystem
        self._integrator: Integrator
        self._made: StepMade
        self._touched: NDArray[np.bool_]

    def start(self, problem: StepperProblem) -> None:
        """Stand at the start, where bodies may meet already."""
        self._problem = problem
        self._system = RigidSystem(problem, self._response, ContactSolver(self._response), self.wrenches)
        self._system.warm_up()
        self._evaluator: Evaluator = problem.evaluator
        self._end = problem.end_time
        self._counted = IntegratorStatistics()
        self.t = self.t_old = problem.start_time
        self.y = self._y_old = np.array(problem.state)
        self._integrator = make_integrator(
            self._name,
            self._rates,
            self.t,
            self.y,
            self._end,
            problem.settings,
            jacobian_size=problem.system.ledger,
        )
        self._flies = self._flew = True
        self._jumped = False
        self._meet()

    @property
    def statistics(self) -> IntegratorStatistics:
        """Counters of the integrator and of the steps with multipliers together."""
        flown, held = self._integrator.statistics, self._counted
        return IntegratorStatistics(
            steps=flown.steps + held.steps,
            evaluations=flown.evaluations + held.evaluations,
            jacobians=flown.jacobians,
            jacobian_evaluations=flown.jacobian_evaluations,
            rejected_steps=flown.rejected_steps,
            nonlinear_iterations=flown.nonlinear_iterations,
            limited_steps=flown.limited_steps + held.limited_steps,
            restarts=flown.restarts,
            last_step=self.t - self.t_old,
        )

    @property
    def response_statistics(self) -> ResponseStatistics:
        """Counters of impulses and multipliers since the start of the run."""
        return self._system.solver.statistics

    def _rates(self, t: float, y: Array, out: Array) -> None:
        try:
            self._evaluator.rates_without_contact(t, y, out)
        except FloatingPointError:
            out[:] = math.nan

    def step(self, limit: float, *, until: float) -> float:
        """One step: of the integrator, up to where bodies meet, or with multipliers."""
        self.t_old, self._y_old = self.t, self.y
        self._flew = self._flies
        if self._flies:
            self._fly(limit, until)
        else:
            self._hold(limit, until)
        return self.t

    def _fly(self, limit: float, until: float) -> None:
        """A step without contact, up to the first instant at which bodies meet."""
        flight = self._integrator
        if self._jumped:
            flight.restart(self.t, self.y)
        self._jumped = False
        # Bodies that part are looked at again soon: they may meet anew before a long step ends.
        flight.step(min(limit, self._response.step) if self._touched.any() else limit, until=until)
        self.t, self.y = flight.t, flight.y
        touching = self._evaluator.touching(flight.t, flight.y).copy()
        if not touching.any():
            self._touched = touching
            return
        times = [
            find_change(self._evaluator, pair, flight, flight.t_old, flight.t, touched=False)
            for pair in np.flatnonzero(touching & ~self._touched).tolist()
        ]
        if times and min(times) < flight.t:
            self.t = min(times)
            self.y = flight.interpolate(self.t)
            self._jumped = True
        self._meet()

    def _hold(self, limit: float, until: float) -> None:
        """A step with multipliers, shorter where points meet in its middle: at its end they may rebound."""
        whole = min(until, self._end) - self.t
        h = equal_step(whole, min(self._response.step, limit))
        made = self._system.step(self.t, self.y, h, rebounds=False)
        for _ in range(MAX_HALVINGS):
            if made.approach <= self._response.rest_speed:
                break
            h *= 0.5
            made = self._system.step(self.t, self.y, h, rebounds=False)
        self.t = min(until, self._end) if h == whole else self.t + h
        self.y = made.state
        self._made = made
        self._counted.steps += 1
        self._counted.evaluations += 1
        self._counted.limited_steps += limit < self._response.step
        self._system.solver.statistics.held_time += h
        self._meet(near=False)

    def _meet(self, *, near: bool = True) -> None:
        """Impacts at the state reached; then decide whether bodies fly or are held together.

        ``near``: bodies that are about to touch count as touching, which those that are held need not ask in each step.
        """
        system = self._system
        found = system.look(self.t, self.y, near=near)
        if system.fastest_approach(found) > self._response.rest_speed:
            self.y = system.collide(self.t, self.y, self._response)
            self._jumped = True
            found = system.look(self.t, self.y)
        flies = not system.is_pressed(found, self.t, self.y, self._response.step)
        if flies:
            system.wrenches[:] = 0.0
            self._jumped |= not self._flies
        self._flies = flies
        self._touched = self._evaluator.touching_last.copy()

    def interpolate(self, t: float) -> Array:
        """The state at a time t (s) inside the last step; at its end that after the impacts there."""
        if t >= self.t:
            return self.y
        if self._flew:
            return self._integrator.interpolate(t)
        return between(self.t_old, self._y_old, self._made, self.t, t)

    def restart(self, t: float, y: Array) -> None:
        """Go on from the state y at the time t (s), as after an event that changed the state."""
        self.t = self.t_old = t
        self.y = self._y_old = np.array(y)
        self._flies = self._flew = True
        self._jumped = True
        self._meet()
