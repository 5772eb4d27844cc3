"""A system ready to be evaluated: its set-up and start state, which never change, and evaluators of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import MultibodyError
from polycontact.kernels.dynamics.quaternion_lengths import normalise_quaternions
from polycontact.multibody.coupler_checks import refuse_dependent
from polycontact.multibody.evaluation import Evaluation, SystemPowers
from polycontact.multibody.evaluation_memory import make_tree_memory
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup
from polycontact.tolerances import LOOP_TOLERANCE

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem


class CompiledSystem:
    """A `MultibodySystem` with its arrays. `evaluator` makes what evaluates it.

    The state y: coordinates and speeds of all joints whose motion is not prescribed, states of users' force elements,
    states of contacts (of laws and methods that have some, pair after pair), and the integrals of the energy ledger
    (J): work of contacts, energy lost in their damping and friction, energy lost in other dampers, work put in by
    motors, prescribed motions and users' forces.
    """

    def __init__(self, system: MultibodySystem) -> None:
        self.system = system
        setup = SystemSetup(system)
        self.setup = setup
        self.contacts = setup.contacts
        self._check_inertias()
        self.n_states, self.ledger = setup.tree.n_states, setup.tree.ledger
        self.n_coordinates, self.n_speeds = setup.n_state_q, setup.n_state_v
        self.start = self._start_values()
        """The state as it was given; `start_state` closes the loops."""
        self._projection = make_tree_memory(setup)
        if setup.couplers:
            self._settle_couplers()

    # Evaluations --------------------------------------------------------------------------------------------

    def evaluator(self, discrete: NDArray[np.float64] | None = None, *, parallel: bool = False) -> Evaluator:
        """What evaluates the system in memory of its own; ``discrete`` states as at the start where not given."""
        return Evaluator(self.setup, self.start_discrete() if discrete is None else discrete, parallel=parallel)

    @cached_property
    def _own(self) -> Evaluator:
        return self.evaluator()

    def rates(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """dy/dt at time t (s) into ``out``, with discrete states as at the start."""
        self._own.rates(t, y, out)

    def evaluate(self, t: float, y: NDArray[np.float64]) -> Evaluation:
        """All about the system at time t (s) and state y, with discrete states as at the start."""
        return self._own.evaluate(t, y)

    # Loops --------------------------------------------------------------------------------------------------

    @property
    def has_loops(self) -> bool:
        """Whether there are closed loops or couplers."""
        return bool(self.setup.loops.n)

    @property
    def projection_place(self) -> int:
        """Address of the memory in which states are projected, for compiled code."""
        return self._projection.address

    def violation(self, t: float, y: NDArray[np.float64]) -> tuple[float, str]:
        """Greatest violation of a loop (m, or the cosine of an angle) or coupler (rad or m), and its name."""
        from polycontact.kernels.dynamics.projection import worst_violation

        worst = float(worst_violation(self._projection.row, t, y))
        return worst, self.setup.constraint_loop[self._projection.ending.about]

    def project(self, t: float, y: NDArray[np.float64], tolerance: float = LOOP_TOLERANCE) -> None:
        """Move a state onto loops and couplers, coordinates and speeds, in place; quaternions get unit length."""
        row = self._projection.row
        if not self.has_loops:
            normalise_quaternions(row, y)
            return
        from polycontact.kernels.dynamics.projection import project_state

        if project_state(row, t, y, tolerance):
            return
        worst, name = self.violation(t, y)
        if name in self.setup.couplers:
            raise MultibodyError(
                f"{self.system.couplers[name].owner} cannot hold: {worst:.3g} (rad or m) remain at t = {t:.6g} s; give "
                f"start coordinates that fit it, or leave its constant out, and check it against loops and motions"
            )
        raise MultibodyError(
            f"loop {name!r} cannot be closed: {worst:.3g} (m, or the cosine of an angle) remain at t = {t:.6g} s; give "
            f"start coordinates nearer to a closed position, and check the lengths"
        )

    # Couplers -----------------------------------------------------------------------------------------------

    def _settle_couplers(self) -> None:
        """Take constants that were not given from the start values, and refuse couplers that say nothing new."""
        loops, forces = self.setup.loops, self._projection.loop_forces
        refuse_dependent(self.setup)
        self.violation(0.0, self.start)
        first = loops.n - len(self.setup.couplers)
        for i, name in enumerate(self.setup.couplers, start=first):
            if self.system.couplers[name].constant is None:
                loops.length[i] = forces.violation[i]

    def _refuse_implied_couplers(self) -> None:
        """Refuse a coupler that says what loops say already, at the state that was projected last."""
        loops, independent = self.setup.loops, self._projection.loop_forces.independent
        for i, name in enumerate(self.setup.couplers, start=loops.n - len(self.setup.couplers)):
            if not independent[i]:
                raise MultibodyError(
                    f"{self.system.couplers[name].owner} is redundant: at the start position the closed loops and "
                    f"other couplers already imply it, and its effort is not unique; leave it out, or start elsewhere"
                )

    # Start --------------------------------------------------------------------------------------------------

    def _start_values(self) -> NDArray[np.float64]:
        moving = [joint for joint in self.setup.joints if not joint.motions]
        parts = [joint.coordinates for joint in moving] + [joint.speeds for joint in moving]
        parts += [np.asarray(each.states) for each in self.setup.users]
        parts += [np.zeros(self.setup.pairs.n_states), np.zeros(self.n_states - self.ledger)]
        return np.concatenate(parts)

    def start_state(self, t: float = 0.0) -> NDArray[np.float64]:
        """State at the start, with all loops closed and couplers obeyed."""
        y = self.start.copy()
        self.project(t, y)
        self._refuse_implied_couplers()
        return y

    def start_discrete(self) -> NDArray[np.float64]:
        """Discrete states of users' elements at the start."""
        return np.array([value for each in self.setup.users for value in each.discrete])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Name of each state, as "joint.coordinate" or "contact NAME state i"."""
        moving = [joint for joint in self.setup.joints if not joint.motions]
        names = [f"{joint.name}.{name}" for joint in moving for name in joint.variables.coordinates]
        names += [f"{joint.name}.{name}" for joint in moving for name in joint.variables.speeds]
        names += [f"{each.name}.{i}" for each in self.setup.users for i in range(len(each.states))]
        counts = zip(self.contacts, self.setup.pairs.state_count.tolist(), strict=True)
        names += [f"contact {contact.name} state {i}" for contact, n in counts for i in range(n)]
        return (*names, *(f"ledger.{name}" for name in SystemPowers._fields[: self.n_states - self.ledger]))

    def _check_inertias(self) -> None:
        """Refuse a moving leaf without mass early, with its name."""
        carries = {joint.parent for joint in self.setup.joints}
        for joint in self.setup.joints:
            if joint.degrees_of_freedom and joint.child not in carries:
                body = self.system.bodies[joint.child]
                if body.mass == 0.0:
                    raise MultibodyError(f"body {body.name!r} moves but has no mass; give density or mass, or fix it")
