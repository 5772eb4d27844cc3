"""A system with rigid contacts as steppers see it: its steps, its impacts, and the wrenches of its contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.response.codes import Hypothesis, ImpactEnd, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import ImpactReport, solver_settings
from polycontact.multibody.rigid_contacts import DirectedPoints, RigidContacts
from polycontact.simulation.responses.contact_solver import ContactSolver
from polycontact.simulation.responses.moreau_step import MoreauStep, StepMade, work_of_impulses
from polycontact.simulation.responses.response import ImpulseResponse, RigidResponse
from polycontact.simulation.responses.rigid_properties import rigid_properties
from polycontact.simulation.stepper import StepperProblem

Array = NDArray[np.float64]

IMPACT_TOLERANCE = 1e-10
"""Residual (m/s) to which the problems of impacts are solved: few, and their energy counts."""

IMPACT_SWEEPS = 2000
"""Sweeps at most for them."""

UNPRESSED_SPEED = 1e-7
"""Speed (m/s) that counts as none where bodies touch without being pressed together: rounding."""


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
        first = compiled.n_coordinates + compiled.n_speeds
        self._step = MoreauStep(
            self.contacts,
            self.properties,
            solver,
            ledger=compiled.ledger,
            n_pairs=len(compiled.contacts),
            n_coordinates=compiled.n_coordinates,
            states=slice(first, compiled.ledger),
            rest_speed=response.rest_speed,
        )
        self.wrenches = wrenches
        """Wrenches of the contacts during the last step: force (N), torque (N m) on E at marker F, axes of E."""
        self._impacts = solver_settings(tolerance=IMPACT_TOLERANCE, sweeps=IMPACT_SWEEPS)

    def warm_up(self) -> None:
        """Compile what impacts need before the run, not in it."""
        one = np.zeros(1)
        resolve_impacts(
            np.eye(3), np.zeros(3), one, one, 0, 0, np.zeros(3), 0.0, self._impacts, self.solver.memory_for(1)
        )

    def step(self, t: float, y: Array, h: float, *, rebounds: bool = True) -> StepMade:
        """Make one step of Moreau's scheme from t over h (s), and keep its contact wrenches."""
        made = self._step.make(t, y, h, rebounds=rebounds)
        self.wrenches[:] = made.wrenches
        return made

    def look(self, t: float, y: Array, *, near: bool = True) -> DirectedPoints:
        """Contact points at a state, also of bodies that are about to touch where ``near`` ones count."""
        return self.contacts.directed(self.contacts.touch(t, y, reach=self.properties.slop if near else 0.0))

    def fastest_approach(self, matrix: DirectedPoints) -> float:
        """Greatest speed (m/s) with which points of contact approach, at the state of the last `look`."""
        return float(np.max(-self.contacts.velocities(matrix, self.contacts.speeds)[::3], initial=0.0))

    def is_pressed(self, matrix: DirectedPoints, t: float, y: Array, step: float) -> bool:
        """Whether points of contact would approach in a step (s) from a state, were there no forces; after `look`."""
        if not len(matrix.points):
            return False
        rates = self.contacts.free_rates(t, y)
        soon = self.contacts.velocities(matrix, self.contacts.speeds + step * rates)
        return bool((soon[::3] < -UNPRESSED_SPEED).any())

    def collide(self, t: float, y: Array, response: ImpulseResponse) -> Array:
        """State after the impacts at a state, of bodies that are about to touch too; the ledger counts their work."""
        points = self.contacts.touch(t, y, reach=self.properties.slop)
        self.contacts.free_rates(t, y)
        matrix = self.contacts.respond(points)
        pair = matrix.points.pair
        before = self.contacts.speeds
        u_before = self.contacts.velocities(matrix, before)
        p = np.zeros(len(u_before))
        memory = self.solver.memory_for(len(pair))
        end = resolve_impacts(
            matrix.delassus,
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
        after = before.copy()
        free = self.contacts.in_joints
        change = p @ matrix.responses
        after[free] += change[free]
        mean = 0.5 * (u_before + self.contacts.velocities(matrix, after))
        self._count(end, memory.report, p, mean)
        reached = np.array(y)
        reached[self.contacts.in_state] = after[free]
        work = work_of_impulses(p, mean)
        reached[self._ledger : self._ledger + 3] += (work.sum(), -work[0], -work[1])
        reached[self._ledger + 4] += self.contacts.work_of_motions(matrix, p, change)
        return reached

    def _count(self, end: int, report: ImpactReport, p: Array, mean: Array) -> None:
        counted = self.solver.statistics
        counted.impacts += 1
        counted.most_points = max(counted.most_points, len(p) // 3)
        counted.energy_added += max(float(p @ mean), 0.0)
        counted.stopped += end != ImpactEnd.RESOLVED
        counted.sweeps += report.sweeps
        counted.worst_residual = max(counted.worst_residual, report.residual)
