"""A system with rigid contacts as steppers see it: its steps, its impacts, and the wrenches of its contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.kernels.response.codes import Hypothesis, ImpactEnd, StepsEnd, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import ImpactReport, solver_settings
from polycontact.kernels.response.step_views import StepSeries
from polycontact.multibody.rigid_contacts import DirectedPoints, RigidContacts
from polycontact.simulation.responses.compiled_step import UNPRESSED_SPEED, CompiledStep
from polycontact.simulation.responses.contact_solver import ContactSolver, ResponseStatistics, one_contact
from polycontact.simulation.responses.response import ImpulseResponse, RigidResponse
from polycontact.simulation.responses.rigid_properties import rigid_properties
from polycontact.simulation.responses.step_made import StepMade, work_of_impulses
from polycontact.simulation.stepper import StepperProblem

Array = NDArray[np.float64]

IMPACT_TOLERANCE = 1e-10
"""Residual (m/s) to which the problems of impacts are solved: few, and their energy counts."""

IMPACT_STEPS = 2000
"""Steps of Newton's method at most for them."""


class RigidSystem:
    """One system with rigid contacts, through the evaluator of a stepper's problem."""

    def __init__(
        self, problem: StepperProblem, response: RigidResponse, solver: ContactSolver, wrenches: Array
    ) -> None:
        compiled = problem.system
        self.solver = solver
        self.evaluator = problem.evaluator
        self.properties = rigid_properties(compiled, response)
        self.contacts = RigidContacts(compiled.setup, problem.evaluator)
        self._ledger = compiled.ledger
        self._step = CompiledStep(
            compiled, self.contacts, problem.evaluator, response, self.properties, solver.settings
        )
        self._rest_speed = response.rest_speed
        self.wrenches = wrenches
        """Wrenches of the contacts during the last step: force (N), torque (N m) on E at marker F, axes of E."""
        self._impacts = solver_settings(tolerance=IMPACT_TOLERANCE, steps=IMPACT_STEPS)

    def warm_up(self) -> None:
        """Compile what impacts need before the run, not in it."""
        one, system = np.zeros(1), one_contact()
        memory = self.solver.memory_for(system)
        resolve_impacts(system, np.zeros(3), one, one, 0, 0, np.zeros(3), 0.0, self._impacts, memory)

    def step(
        self, t: float, y: Array, whole: float, longest: float, *, rebounds: bool = True
    ) -> tuple[float, StepMade]:
        """Make one step of Moreau's scheme from t (s), and keep its contact wrenches: its length (s) and the step.

        See `CompiledStep.make`. What its problems left unsolved is told.
        """
        h, made = self._step.make(t, y, whole, longest, rebounds=rebounds)
        self._tell(t, 1)
        return h, made

    def begin_series(self, t: float, y: Array, lost: float, *, is_limited: bool, rebounds: bool = True) -> None:
        """Begin a series of steps; see `CompiledStep.begin_series`."""
        self._step.begin_series(t, y, lost, is_limited=is_limited, rebounds=rebounds)

    def stop_at(self, limits: StopLimits) -> None:
        """Let a series end where a limit is reached."""
        self._step.stop_at(limits)

    def stays_held(self, t: float) -> bool:
        """Whether contacts hold bodies together at the state that the last step has reached, at t (s)."""
        return self._step.stays_held(t)

    def go_on(self, until: float, stop_at: float, most: int) -> tuple[StepsEnd, StepSeries]:
        """Steps of a series, see `CompiledStep.go_on`: why they ended, and what they made."""
        ended, series = self._step.go_on(until, stop_at, most), self._step.view.series
        if series.made > 0:
            self._tell(series.t_old, series.made)
        return ended, series

    @property
    def seen(self) -> int:
        """Status bits of contacts in any step of the last series."""
        return self._step.view.series.seen

    def last_step(self) -> tuple[Array, StepMade]:
        """The last step of a series: the state at its start, until the next one is made, and what it made."""
        return self._step.view.work.start, self._step.last()

    @property
    def makes_series(self) -> bool:
        """Whether steps need no Python in between: there are no users' forces."""
        return not self.evaluator.has_users

    def _tell(self, t: float, made: int) -> None:
        """Keep the wrenches of the last of the steps ``made``, from t (s), and tell of what it left unsolved."""
        self.wrenches[:] = self._step.view.work.wrench
        solves = self._step.view.solves
        if made > 1 or not solves.left > 0.0:
            self.solver.unsolved.in_a_row = 0
        if solves.left > 0.0:
            self.solver.unsolved.note(t, solves.left, solves.left_share, solves.left_pair)

    def forget(self) -> None:
        """No contacts are held."""
        self._step.forget()

    @property
    def statistics(self) -> ResponseStatistics:
        """Counters of steps and impacts since the start of the run."""
        view = self._step.view
        return self.solver.statistics.with_steps(view.solves, view.length.shortened, view.work.most_made)

    def begin(self, t: float, y: Array) -> None:
        """Stand at a state: contacts that are closed and pressed there are held."""
        held = np.zeros(len(self.properties.stiffness), np.bool_)
        found = self.look(t, y)
        pairs, normal_speeds = found.points.pair, self.contacts.velocities(found, self.contacts.speeds)[::3]
        if len(pairs):
            pressed = self._are_pressed(found, t, y, self._step.view.length.next)
            held[pairs[(normal_speeds >= -self._rest_speed) & pressed]] = True
        self._step.begin(held & np.isinf(self.properties.stiffness), pairs, normal_speeds)

    def look(self, t: float, y: Array, *, near: bool = True) -> DirectedPoints:
        """Contact points at a state, also of bodies that are about to touch where ``near`` ones count, and otherwise of
        those that are held and gape a little."""
        if near:
            return self.contacts.directed(self.contacts.touch(t, y, reach=self.properties.slop))
        held = np.flatnonzero(self._step.held)
        return self.contacts.directed(self.contacts.touch(t, y, reach=self._step.reach, among=held))

    def collides(self, matrix: DirectedPoints) -> bool:
        """Whether points approach faster than the rest speed at the state of the last `look`.

        Of contacts that are held, faster than twice that: they may close a gap while their motion bends.
        """
        approach = -self.contacts.velocities(matrix, self.contacts.speeds)[::3]
        allowed = np.where(self._step.held[matrix.points.pair], 2.0, 1.0) * self._rest_speed
        return bool((approach > allowed).any())

    def is_pressed(self, matrix: DirectedPoints, t: float, y: Array, step: float) -> bool:
        """Whether points of contact would approach in a step (s) from a state, were there no forces; after `look`."""
        return bool(len(matrix.points)) and bool(self._are_pressed(matrix, t, y, step).any())

    def _are_pressed(self, matrix: DirectedPoints, t: float, y: Array, step: float) -> NDArray[np.bool_]:
        """Points that would approach in a step (s) from a state, were there no forces; after `look`."""
        rates = self.contacts.free_rates(t, y)
        soon = self.contacts.velocities(matrix, self.contacts.speeds + step * rates)
        return np.asarray(soon[::3] < -UNPRESSED_SPEED)

    def collide(self, t: float, y: Array, response: ImpulseResponse) -> Array:
        """State after the impacts at a state, of bodies that are about to touch too; the ledger counts their work."""
        points = self.contacts.touch(t, y, reach=self.properties.slop)
        self.contacts.free_rates(t, y)
        matrix = self.contacts.respond(points)
        pair = matrix.points.pair
        before = self.contacts.speeds
        u_before = self.contacts.velocities(matrix, before)
        p = np.zeros(len(u_before))
        memory = self.solver.memory_for(matrix.system)
        end = resolve_impacts(
            matrix.system,
            u_before,
            self.properties.friction[pair],
            self.properties.restitution[pair],
            int(Hypothesis[response.hypothesis.upper()]),
            int(Update[response.update.upper()]),
            p,
            response.rest_speed,
            self._impacts,
            memory,
        )
        if end == ImpactEnd.BAD_NUMBERS:
            raise FloatingPointError("impulses at contacts are not finite")
        if end == ImpactEnd.UNSOLVED:
            approach = memory.velocity[: len(p) : 3]
            self.solver.note_unsolved(t, -float(approach.min()), u_before, int(pair[approach.argmin()]))
        after = before.copy()
        free = self.contacts.in_joints
        change = matrix.change_of_speeds(p)
        after[free] += change[free]
        mean = 0.5 * (u_before + self.contacts.velocities(matrix, after))
        self._count(end, memory.report, p, mean)
        reached = np.array(y)
        reached[self.contacts.in_state] = after[free]
        work = work_of_impulses(p, mean)
        self._step.view.work.taken -= float(work.sum())
        reached[self._ledger : self._ledger + 3] += (work.sum(), -work[0], -work[1])
        reached[self._ledger + 4] += self.contacts.work_of_motions(matrix, p, change)
        return reached

    def _count(self, end: int, report: ImpactReport, p: Array, mean: Array) -> None:
        counted = self.solver.statistics
        counted.impacts += 1
        counted.most_points = max(counted.most_points, len(p) // 3)
        counted.energy_added += max(float(p @ mean), 0.0)
        counted.stopped += end != ImpactEnd.RESOLVED
        counted.sweeps += report.steps
        counted.worst_residual = max(counted.worst_residual, report.residual)
