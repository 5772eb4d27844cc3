"""Collisions as events: an integrator that knows no contact, impulses where bodies meet, multipliers where they
stay."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.kernels.response.codes import StepsEnd
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.contact_times import find_change
from polycontact.simulation.integrators import (
    Integrator,
    IntegratorSettings,
    IntegratorStatistics,
    Stiffness,
    make_integrator,
)
from polycontact.simulation.responses.contact_solver import ContactSolver, ResponseStatistics
from polycontact.simulation.responses.response import ImpulseResponse
from polycontact.simulation.responses.rigid_system import RigidSystem
from polycontact.simulation.responses.step_made import StepMade, between, lost_until
from polycontact.simulation.stepper import StepperProblem
from polycontact.simulation.weak_calls import weakly

Array = NDArray[np.float64]

MOST_STEPS = 1000
"""Steps after which compiled code comes back, so that Ctrl-C is heard."""

FLIGHT_TOLERANCE = 1e-4
"""Tolerances of a flight, in those of the run: measured, the tenth bounce of a ball that fell half a metre then keeps a
restitution of 0.8 to 1e-5 with every integrator (to 0.02 with those of the run), for half as many evaluations more."""

FINEST_FLIGHT = 1e-8
"""Relative tolerance below which flights have that of the run: finer ones cost much and add nothing to impacts."""


def _of_flights(asked: IntegratorSettings) -> IntegratorSettings:
    """The settings of flights: tolerances so much finer than ``asked`` that they hold over many flights.

    A flight decides the speed of the next impact. Each begins anew after a jump, most methods with steps of order one,
    whose errors are about the tolerance each, also in a flight that is hardly higher than that.
    """
    part = min(1.0, max(FLIGHT_TOLERANCE, FINEST_FLIGHT / asked.rtol))
    return replace(asked, rtol=part * asked.rtol, atol=part * np.asarray(asked.atol))


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
        solver = ContactSolver(self._response, [each.name for each in problem.system.contacts])
        self._system = RigidSystem(problem, self._response, solver, self.wrenches)
        self._system.warm_up()
        self._evaluator: Evaluator = problem.evaluator
        self._end = problem.end_time
        self._counted = IntegratorStatistics()
        self.t = self.t_old = problem.start_time
        self.y = self._y_old = np.array(problem.state)
        self._integrator = make_integrator(
            self._name,
            weakly(self._rates),
            self.t,
            self.y,
            self._end,
            _of_flights(problem.settings),
            jacobian_size=problem.system.ledger,
        )
        self._flies = self._flew = True
        self._jumped = self._in_series = False
        self._lost = self._lost_old = 0.0
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
    def stiffness(self) -> Stiffness | None:
        """Where an explicit method has noticed stiffness in flight, of force elements."""
        return self._integrator.stiffness

    @property
    def response_statistics(self) -> ResponseStatistics:
        """Counters of impulses and multipliers since the start of the run."""
        return self._system.statistics

    def _rates(self, t: float, y: Array, out: Array) -> None:
        try:
            self._evaluator.rates_without_contact(t, y, out)
        except FloatingPointError:
            out[:] = math.nan

    def step(self, limit: float, *, until: float) -> float:
        """One step: of the integrator, up to where bodies meet, or with multipliers."""
        self.t_old, self._y_old, self._lost_old = self.t, self.y, self._lost
        self._flew, self._in_series = self._flies, False
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
        h, made = self._system.step(self.t, self.y, whole, min(self._response.step, limit), rebounds=False)
        self.t = min(until, self._end) if h == whole else self.t + h
        self.y = made.state
        self._made = made
        self._lost += made.lost
        self._counted.steps += 1
        self._counted.evaluations += 1
        self._counted.limited_steps += limit < self._response.step
        self._system.solver.statistics.held_time += h
        self._look_after_holding()

    def _look_after_holding(self) -> None:
        """After a step with multipliers: bodies stay together as a rule, which compiled code tells."""
        if self.evaluates_alone and self._system.stays_held(self.t):
            self._touched = self._evaluator.touching_last.copy()
        else:
            self._meet(near=False)

    @property
    def evaluates_alone(self) -> bool:
        """Whether no users' forces are to be asked."""
        return self._system.makes_series

    @property
    def makes_series(self) -> bool:
        """Whether `go_on` can make steps now: bodies are held together, and no users' forces are to be asked."""
        return not self._flies and self.evaluates_alone

    @property
    def seen(self) -> int:
        """Status bits of contacts in any step of the last `go_on`."""
        return self._system.seen

    def stop_at(self, limits: StopLimits) -> None:
        """Let `go_on` end where a limit is reached."""
        self._system.stop_at(limits)

    def go_on(self, stop_at: float, *, until: float, is_limited: bool, most: int = MOST_STEPS) -> StepsEnd:
        """Steps while bodies are held together, see `MultiplierStepper.go_on`.

        They end with `StepsEnd.LETS_GO` where bodies part or collide; afterwards everything is as if `step` had made
        the last of them.
        """
        if not self._in_series:
            self._system.begin_series(self.t, self.y, self._lost, is_limited=is_limited, rebounds=False)
            self._in_series = True
        begin = self.t
        ended, series = self._system.go_on(min(until, self._end), stop_at, most)
        if series.made > 0:
            self.t_old, self.t = series.t_old, series.t
            self._y_old, self._made = self._system.last_step()
            self.y, self._flew = self._made.state, False
            self._lost_old, self._lost = series.lost_old, series.lost
            self._counted.steps += series.made
            self._counted.evaluations += series.made
            self._counted.limited_steps += series.limited
            self._system.solver.statistics.held_time += self.t - begin
            if ended & StepsEnd.LETS_GO:
                self._in_series = False
                self._y_old = np.array(self._y_old)
                self._meet(near=False)
            else:
                self._touched = self._evaluator.touching_last.copy()
        return ended

    def _meet(self, *, near: bool = True) -> None:
        """Impacts at the state reached; then decide whether bodies fly or are held together.

        ``near``: bodies that are about to touch count as touching; after steps with multipliers only those that are
        held.
        """
        system = self._system
        found = system.look(self.t, self.y, near=near)
        if system.collides(found):
            self.y = system.collide(self.t, self.y, self._response)
            self._jumped = True
            found = system.look(self.t, self.y)
        flies = not system.is_pressed(found, self.t, self.y, self._response.step)
        if flies:
            system.wrenches[:] = 0.0
            self._jumped |= not self._flies
            system.forget()
        self._touched = self._evaluator.touching_last.copy()
        if self._flies and not flies:
            system.begin(self.t, self.y)
        self._flies = flies

    def interpolate(self, t: float) -> Array:
        """The state at a time t (s) inside the last step; at its end that after the impacts there."""
        if t >= self.t:
            return self.y
        if self._flew:
            return self._integrator.interpolate(t)
        return between(self.t_old, self._y_old, self._made, self.t, t)

    def lost_in_steps(self, t: float) -> float:
        """Energy (J) that steps with multipliers have taken from the start to a time t (s) inside the last step."""
        if t >= self.t or self._flew:
            return self._lost
        return lost_until(self.t_old, self._lost_old, self._made, self.t, t)

    def restart(self, t: float, y: Array) -> None:
        """Go on from the state y at the time t (s), as after an event that changed the state."""
        self._lost = self._lost_old = self.lost_in_steps(t)
        self.t = self.t_old = t
        self.y = self._y_old = np.array(y)
        self._flies = self._flew = True
        self._jumped, self._in_series = True, False
        self._system.forget()
        self._meet()
