"""A system ready to be evaluated: start state, right-hand side, and what can be read after an evaluation."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning, MultibodyError
from polycontact.kernels.contact import contact_report
from polycontact.kernels.dynamics.energy import measure
from polycontact.kernels.dynamics.evaluation_views import N_POWERS, Status
from polycontact.kernels.dynamics.projection import normalise_quaternions, project_once, worst_violation
from polycontact.kernels.dynamics.right_hand_side import (
    accelerate,
    move,
    right_hand_side,
    right_hand_side_parallel,
    touch,
    touch_parallel,
)
from polycontact.kernels.jit import end_compilation_notice
from polycontact.multibody import checks
from polycontact.multibody.evaluation_memory import make_memory
from polycontact.multibody.system_setup import SystemSetup
from polycontact.multibody.threads import ThreadChoice
from polycontact.multibody.user_force import ForceElement, ForceView

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem

OVERLAP_AT_START = 0.25
"""Bodies that overlap by more than this part of the thinner one at the start were hardly meant to."""

LOOP_TOLERANCE = 1e-10
"""A loop counts as closed where no constraint is violated by more (m, or the cosine of an angle)."""


class CompiledSystem:
    """A `MultibodySystem` with its arrays. Not for use from several threads at once.

    The state y: coordinates and speeds of all joints whose motion is not prescribed, states of users' force elements,
    and the integrals of the energy ledger (J): work of contacts, energy lost in their damping and friction, energy lost
    in other dampers, work put in by motors, prescribed motions and users' forces.
    """

    def __init__(self, system: MultibodySystem) -> None:
        self.system = system
        users = [each for each in system.forces.values() if isinstance(each, ForceElement)]
        setup = SystemSetup(system, sum(len(each.states) for each in users))
        self.setup = setup
        self.view = make_memory(setup)
        self.row = self.view.row
        self.contacts = setup.contacts
        self.pairings: list[ContactPairing | None] = [None] * len(self.contacts)
        self.parallel = False
        """Whether contacts may be evaluated in several threads, where that is quicker."""
        self._threads = ThreadChoice()
        self._check_inertias()
        self.n_states = setup.tree.n_states
        self.ledger = setup.tree.ledger
        self.n_coordinates, self.n_speeds = setup.n_state_q, setup.n_state_v
        self.start = self._start_state(users)
        self.discrete = np.array([value for each in users for value in each.discrete])
        self._users = self._make_views(users)
        self._warned: set[tuple[str, str]] = set()
        end_compilation_notice()

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """dy/dt at time t (s) into ``out``."""
        if self._users:
            self._rates_with_users(t, y, out)
            return
        while True:
            if self.parallel:
                status = self._threads.run(
                    lambda: int(right_hand_side(self.row, t, y, out)),
                    lambda: int(right_hand_side_parallel(self.row, t, y, out)),
                )
            else:
                status = right_hand_side(self.row, t, y, out)
            if status == Status.WELL:
                return
            self._heed(status, t)

    def _rates_with_users(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """The same with Python functions between kinematics and dynamics."""
        self.locate(t, y)
        self.apply_users(t, y, out)
        self.touch()
        self.accelerate(t, out)

    def apply_users(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Let users' force elements act on the poses that `locate` found; rates of their states into ``out``."""
        self.view.forces.user_applied[:] = 0.0
        self.view.forces.user_efforts[:] = 0.0
        for element, view, at in self._users:
            view.time = t
            view.states[:] = y[at : at + len(view.states)]
            view.rates[:] = 0.0
            element.apply(view)
            out[at : at + len(view.states)] = view.rates

    def locate(self, t: float, y: NDArray[np.float64]) -> None:
        """Kinematics alone at a state: poses, velocities, near pairs."""
        while (status := move(self.row, t, y)) != Status.WELL:
            self._heed(status, t)

    def _evaluate_pairs(self) -> None:
        """The near pairs, in several threads where that is allowed and quicker."""
        if self.parallel:
            self._threads.run(lambda: touch(self.row), lambda: touch_parallel(self.row))
        else:
            touch(self.row)

    def touch(self) -> None:
        """Evaluate the contacts of the poses that `locate` found."""
        self._evaluate_pairs()
        for pair in np.flatnonzero(self.view.contacts.status & contact_report.OVERFLOW):
            self._heed_pair(int(pair), 0.0)
            return self.touch()
        return None

    def accelerate(self, t: float, out: NDArray[np.float64]) -> None:
        """Forces and accelerations for the contacts that `touch` found."""
        while (status := accelerate(self.row, t, out)) != Status.WELL:
            self._heed(status, t)
            self.touch()

    def _heed(self, status: int, t: float) -> None:
        """Do what the kernels ask for, or say why they cannot go on."""
        asked = self.view.asked
        if status == Status.PREPARE_PAIR:
            self.prepare_pair(asked)
        elif status == Status.HEED_PAIR:
            self._heed_pair(asked, t)
        elif status == Status.NOT_FINITE:
            joint = self.setup.joints[asked - 1]
            raise FloatingPointError(f"body {joint.child!r}: its coordinates or speeds are not finite at t = {t:.9g} s")
        else:
            joint = self.setup.joints[asked - 1]
            raise MultibodyError(
                f"joint {joint.name!r} moves no mass (body {joint.child!r}, t = {t:.6g} s): give that body, or one "
                f"that it carries, mass and inertia along the joint's freedom"
            )

    def prepare_pair(self, pair: int) -> ContactPairing:
        """Make the memory of a pair whose bodies have come near each other."""
        made = self.pairings[pair]
        if made is None:
            made = self.contacts[pair].make_pairing(self.system.bodies)
            self.pairings[pair] = made
            self.view.contacts.method[pair] = made._entry
            self.view.contacts.pairing[pair] = made._memory.address
        return made

    def _heed_pair(self, pair: int, t: float) -> None:
        status = int(self.view.contacts.status[pair])
        if status & contact_report.OVERFLOW:
            self.prepare_pair(pair)._memory.grow(status)
            return
        raise FloatingPointError(f"contact {self.contacts[pair].name!r}: bad kinematics at t = {t:.9g} s")

    # What can be read after an evaluation ----------------------------------------------------------------------

    def pose(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and position (m) in the world of a body or marker, after `rates` or `locate`."""
        marker = self.system.marker(name)
        body = self.setup.number[marker.body]
        R, r = self.view.bodies.rotation[body].reshape(3, 3), self.view.bodies.position[body]
        if name in self.setup.number:
            return R, r
        return R @ marker.rotation, r + R @ marker.position

    def velocity(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Angular velocity (rad/s) and velocity of the origin (m/s) of a body or marker, world axes."""
        marker = self.system.marker(name)
        row = self.view.bodies.velocity[self.setup.number[marker.body]]
        if name in self.setup.number:
            return row[:3], row[3:]
        R, _ = self.pose(marker.body)
        return row[:3], row[3:] + np.cross(row[:3], R @ marker.position)

    def joint_values(self, joint: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates and speeds of a joint; a body without one has a joint of its own name."""
        child = self.system.joints[joint].child if joint in self.system.joints else joint
        checks.known("joint", child, self.setup.first_q, "system")
        body, tree = self.setup.number[child], self.setup.tree
        first_q, first_v = tree.first_q[body], tree.first_v[body]
        q = self.view.joints.q[first_q : first_q + tree.count_q[body]]
        return q, self.view.joints.v[first_v : first_v + tree.count_v[body]]

    def user_applied(self, body: str) -> NDArray[np.float64]:
        """Torque at the origin and force (6,) that users' functions have applied to a body so far; to be added to."""
        row: NDArray[np.float64] = self.view.forces.user_applied[self.setup.number[body]]
        return row

    def user_efforts(self, joint: str) -> NDArray[np.float64]:
        """Efforts along a joint's speeds that users' functions have applied so far; to be added to."""
        child = self.system.joints[joint].child if joint in self.system.joints else joint
        checks.known("joint", child, self.setup.first_v, "system")
        body, tree = self.setup.number[child], self.setup.tree
        first = tree.first_v[body]
        return self.view.forces.user_efforts[first : first + tree.count_v[body]]

    def momentum(self) -> NDArray[np.float64]:
        """Momentum (N s) and moment of momentum at the world's origin (N m s); also updates the kinetic energy."""
        measure(self.row)
        return self.view.ledger.momentum.copy()

    def energies(self) -> dict[str, float]:
        """Kinetic energy and potential energies of gravity, springs and contacts, J, after `rates`."""
        self.momentum()
        energies = self.view.ledger.energies
        return {name: getattr(energies, name) for name in energies.fields}

    def contact_status(self) -> NDArray[np.int32]:
        """Status bits of every pair at the last evaluation."""
        return self.view.contacts.status

    def warn_of_overlap(self) -> None:
        """Warn where bodies overlap deeply at the start, which throws them apart."""
        for pair, depth in self._deep_pairs(OVERLAP_AT_START):
            self._warn(
                pair,
                f"the bodies overlap by {1e3 * depth:.3g} mm at the start, which will throw them apart; move one",
            )

    def _deep_pairs(self, part: float) -> list[tuple[int, float]]:
        """Pairs whose mean depth exceeds ``part`` of the thickness of the thinner shape, with that depth in m.

        The root of the mean square, from the elastic energy: the greatest depth alone means little where a steep edge
        is measured along its own normal.
        """
        contacts, pairs, shapes = self.view.contacts, self.setup.pairs, self.setup.shapes
        thickness = np.minimum(shapes.thickness[pairs.shape_e], shapes.thickness[pairs.shape_f])
        deep = []
        for pair in np.flatnonzero(contacts.depth > part * thickness).tolist():
            made = self.pairings[pair]
            if made is not None:
                energy, area = contacts.energy[pair], contacts.area[pair]
                depth = float(np.sqrt(2.0 * energy / (made.stiffness * area)))
                if depth > part * thickness[pair]:
                    deep.append((pair, depth))
        return deep

    def _warn(self, pair: int, message: str) -> None:
        """Warn, once a pair and message."""
        name = self.contacts[pair].name
        if (name, message[:20]) not in self._warned:
            self._warned.add((name, message[:20]))
            warnings.warn(f"contact {name!r}: {message}", ContactWarning, stacklevel=5)

    def warn_of_contacts(self) -> None:
        """Warn where a base is too coarse for its target, and where a body has sunk in by more than its thickness.

        Where both surfaces are bases, the finer one is among them.
        """
        for pair in np.flatnonzero(self.contact_status() & contact_report.Status.COARSE_BASE).tolist():
            made = self.pairings[pair]
            if made is not None and made.base is not Base.BOTH:
                self._warn(
                    pair,
                    "triangles of the base are much larger than those of the target, so that one sample of the depth "
                    "stands for a large area; make the finer surface the base, or refine it",
                )
        for pair, depth in self._deep_pairs(1.0):
            self._warn(
                pair,
                f"the depth has reached {1e3 * depth:.3g} mm in the mean, more than the thinner body is thick: the "
                f"contact is too soft for this load, or the units of a mesh are wrong",
            )

    # Loops and start ---------------------------------------------------------------------------------------------

    @property
    def has_loops(self) -> bool:
        """Whether there are closed loops."""
        return bool(self.setup.loops.n)

    def violation(self, t: float, y: NDArray[np.float64]) -> tuple[float, str]:
        """Greatest violation of a loop (m, or the cosine of an angle) and the loop's name."""
        worst = float(worst_violation(self.row, t, y))
        return worst, self.setup.constraint_loop[self.view.asked]

    def project(self, t: float, y: NDArray[np.float64], tolerance: float = LOOP_TOLERANCE) -> None:
        """Move a state onto the closed loops, coordinates and speeds, in place; quaternions get unit length."""
        normalise_quaternions(self.row, y)
        if not self.has_loops:
            return
        for _ in range(50):
            project_once(self.row, t, y)
            worst, name = self.violation(t, y)
            if worst <= tolerance:
                project_once(self.row, t, y)  # the speeds belong to the coordinates reached
                return
            if not np.isfinite(worst):
                break
        raise MultibodyError(
            f"loop {name!r} cannot be closed: {worst:.3g} (m, or the cosine of an angle) remain at t = {t:.6g} s; give "
            f"start coordinates nearer to a closed position, and check the lengths"
        )

    def _start_state(self, users: list[ForceElement]) -> NDArray[np.float64]:
        moving = [joint for joint in self.setup.joints if not joint.motions]
        parts = [joint.coordinates for joint in moving] + [joint.speeds for joint in moving]
        parts += [np.asarray(each.states) for each in users] + [np.zeros(N_POWERS)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def start_state(self, t: float = 0.0) -> NDArray[np.float64]:
        """State at the start, with all loops closed."""
        y = self.start.copy()
        self.project(t, y)
        return y

    @property
    def state_names(self) -> tuple[str, ...]:
        """Name of each state, as "joint.coordinate"."""
        moving = [joint for joint in self.setup.joints if not joint.motions]
        names = [f"{joint.name}.{name}" for joint in moving for name in joint.variables.coordinates]
        names += [f"{joint.name}.{name}" for joint in moving for name in joint.variables.speeds]
        names += [f"{each.name}.{i}" for each, view, _ in self._users for i in range(len(view.states))]
        return (
            *names,
            *(f"ledger.{name}" for name in ("contact", "contact_damping", "friction", "damping", "input")),
        )

    def _make_views(self, users: list[ForceElement]) -> list[tuple[ForceElement, ForceView, int]]:
        views = []
        at, at_discrete = self.n_coordinates + self.n_speeds, 0
        for each in users:
            n, n_discrete = len(each.states), len(each.discrete)
            discrete = self.discrete[at_discrete : at_discrete + n_discrete]
            views.append((each, ForceView(self, np.zeros(n), np.zeros(n), discrete), at))
            at += n
            at_discrete += n_discrete
        return views

    @property
    def users(self) -> list[tuple[ForceElement, ForceView, int]]:
        """Users' force elements with their views and where their states begin in y."""
        return self._users

    def _check_inertias(self) -> None:
        """Refuse a moving leaf without mass early, with its name."""
        carries = {joint.parent for joint in self.setup.joints}
        for joint in self.setup.joints:
            if joint.degrees_of_freedom and joint.child not in carries:
                body = self.system.bodies[joint.child]
                if body.mass == 0.0:
                    raise MultibodyError(f"body {body.name!r} moves but has no mass; give density or mass, or fix it")
