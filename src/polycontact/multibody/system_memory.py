"""The arrays of a compiled system and the row of slots through which compiled code sees them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics import system_slots as slots
from polycontact.kernels.memory import N_SUMMARY
from polycontact.multibody.built_in_forces import EndStop, JointSpring, Motor, SpringDamper, SwingTwistStop
from polycontact.multibody.contact_pairs import WORLD, Contact
from polycontact.multibody.joint_types import Joint
from polycontact.multibody.motion_functions import Motion
from polycontact.multibody.rotations import shortest_turn
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem

_BOX_PAD = 1e-9
"""Boxes of shapes are larger by this share of their reach, far above rounding."""


class SystemMemory:
    """What the kernels read and write for one system."""

    def __init__(self, system: MultibodySystem, n_user_states: int) -> None:
        self.row: NDArray[np.int64] = np.zeros(slots.N_SLOTS, dtype=np.int64)
        self._owned: dict[int, NDArray[Any]] = {}
        self.tree = _from_the_world_outwards(system)
        self.number = {WORLD: 0, **{joint.child: i + 1 for i, joint in enumerate(self.tree)}}
        """Number of each body in the kernels, by name."""
        self.first_q: dict[str, int] = {}
        self.first_v: dict[str, int] = {}
        self._motions: list[Motion] = []
        self._attach_bodies(system, n_user_states)
        self._attach_joint_forces(system)
        self._attach_springs(system)
        self._attach_shapes(system)
        self._attach_loops(system)
        self._attach_motions()

    def array(self, slot: int) -> NDArray[Any]:
        """The array whose address a slot holds."""
        return self._owned[slot]

    def _attach(self, slot: int, array: NDArray[Any]) -> None:
        array = np.ascontiguousarray(array)
        self._owned[slot] = array
        self.row[slot] = array.ctypes.data

    def _allocate(self, slot: int, *shape: int, dtype: Any = np.float64) -> None:
        self._attach(slot, np.zeros(shape, dtype=dtype))

    def _attach_bodies(self, system: MultibodySystem, n_user_states: int) -> None:
        n = len(self.tree) + 1
        body = np.zeros((n, slots.BODY_COLUMNS), dtype=np.int32)
        data = np.zeros((n, slots.DATA_COLUMNS))
        body[0, slots.PARENT] = -1
        n_q = n_v = n_state_q = n_state_v = 0
        for i, joint in enumerate(self.tree, start=1):
            variables = joint.variables
            self.first_q[joint.child], self.first_v[joint.child] = n_q, n_v
            entry = body[i]
            entry[slots.PARENT] = self.number[joint.parent]
            entry[slots.KIND] = variables.code
            entry[slots.FIRST_Q], entry[slots.COUNT_Q] = n_q, len(variables.coordinates)
            entry[slots.FIRST_V], entry[slots.COUNT_V] = n_v, len(variables.speeds)
            entry[slots.MOTION] = len(self._motions) if joint.motions else -1
            self._motions.extend(joint.motions)
            entry[slots.STATE_Q], entry[slots.STATE_V] = n_state_q, n_state_v
            n_q += len(variables.coordinates)
            n_v += len(variables.speeds)
            if not joint.motions:
                n_state_q += len(variables.coordinates)
                n_state_v += len(variables.speeds)
            data[i] = _body_data(system, joint)
        body[1:, slots.STATE_V] += n_state_q
        self.n_state_q, self.n_state_v = n_state_q, n_state_v
        row = self.row
        row[slots.N_BODIES], row[slots.N_COORDINATES], row[slots.N_SPEEDS] = n, n_q, n_v
        row[slots.LEDGER] = n_state_q + n_state_v + n_user_states
        row[slots.N_STATES] = row[slots.LEDGER] + slots.N_POWERS
        self._attach(slots.BODY, body)
        self._attach(slots.BODY_DATA, data)
        constants = np.zeros(8)
        constants[:3] = system.gravity
        constants[3] = system.loop_stabilisation
        self._attach(slots.CONSTANTS, constants)
        self._allocate(slots.Q, n_q)
        for slot in (slots.V, slots.RATES, slots.EFFORTS, slots.USER_EFFORTS, slots.MOTION_RATES):
            self._allocate(slot, n_v)
        self._allocate(slots.EMPTY_EFFORTS, n_v)
        self._allocate(slots.POSES, n, 12)
        self.array(slots.POSES)[0, [0, 4, 8]] = 1.0
        for slot in (
            slots.VELOCITIES,
            slots.ACCELERATIONS,
            slots.BIAS,
            slots.APPLIED,
            slots.USER_APPLIED,
            slots.FORCES,
            slots.EMPTY_APPLIED,
        ):
            self._allocate(slot, n, 6)
        for slot in (slots.SUBSPACE, slots.INERTIAS, slots.PROJECTIONS, slots.FACTORS):
            self._allocate(slot, n, 36)
        self._allocate(slots.SCRATCH, 2, 36)
        self._allocate(slots.POWERS, slots.N_POWERS)
        self._allocate(slots.ENERGIES, slots.N_ENERGIES)

    def _attach_joint_forces(self, system: MultibodySystem) -> None:
        joint_forces, ball_stops, motors = [], [], []
        for element in system.forces.values():
            if not isinstance(element, JointSpring | EndStop | SwingTwistStop | Motor):
                continue
            child = system.joints[element.joint].child
            q, v = self.first_q[child], self.first_v[child]
            if isinstance(element, SwingTwistStop):
                limits = (element.swing, element.twist, element.stiffness, element.damping)
                axis, cone = np.asarray(element.axis), np.asarray(element.cone)
                ball_stops.append(((q, v), (*cone, *limits, *shortest_turn(axis, cone))))
                continue
            where = (q + element.coordinate, v + element.coordinate)
            if isinstance(element, JointSpring):
                own = (element.stiffness, element.damping, element.reference, -np.inf, np.inf, 0.0, 0.0)
                joint_forces.append((where, own))
            elif isinstance(element, EndStop):
                limits_ = element.limits()
                joint_forces.append((where, (0.0, 0.0, 0.0, *limits_, element.stiffness, element.damping)))
            else:
                limit = np.inf if element.limit is None else element.limit
                motors.append(((*where, len(self._motions)), (element.stiffness, element.damping, limit)))
                self._motions.append(element.target)
        self._attach_table(slots.N_JOINT_FORCES, slots.JOINT_FORCES, slots.JOINT_FORCE_DATA, joint_forces, 2, 7)
        self._attach_table(slots.N_BALL_STOPS, slots.BALL_STOPS, slots.BALL_STOP_DATA, ball_stops, 2, 11)
        self._attach_table(slots.N_MOTORS, slots.MOTORS, slots.MOTOR_DATA, motors, 3, 3)

    def _attach_springs(self, system: MultibodySystem) -> None:
        springs = []
        for each in system.forces.values():
            if isinstance(each, SpringDamper):
                a, b = system.marker(each.body_a), system.marker(each.body_b)
                point_a = a.position + a.rotation @ np.asarray(each.point_a)
                point_b = b.position + b.rotation @ np.asarray(each.point_b)
                numbers = (*point_a, *point_b, each.stiffness, each.damping, each.length)
                springs.append(((self.number[a.body], self.number[b.body]), numbers))
        self._attach_table(slots.N_SPRINGS, slots.SPRINGS, slots.SPRING_DATA, springs, 2, 9)

    def _attach_table(
        self, count: int, where: int, data: int, entries: list[Any], n_integers: int, n_numbers: int
    ) -> None:
        """Integers and numbers of a list of force elements."""
        self.row[count] = len(entries)
        integers = np.array([entry[0] for entry in entries], dtype=np.int32).reshape(-1, n_integers)
        numbers = np.array([entry[1] for entry in entries], dtype=np.float64).reshape(-1, n_numbers)
        self._attach(where, integers)
        self._attach(data, numbers)

    def _attach_shapes(self, system: MultibodySystem) -> None:
        used = {(c.e, c.shape_e) for c in system.contacts.values()}
        used |= {(c.f, c.shape_f) for c in system.contacts.values()}
        order = {name: i for i, name in enumerate(system.bodies)}
        self.shapes = sorted(used, key=lambda key: (order[key[0]], key[1]))
        """(body, number of its shape) of every shape that takes part in a contact."""
        number = {key: i for i, key in enumerate(self.shapes)}
        ns = len(self.shapes)
        data = np.zeros((ns, 18))
        for i, (body, k) in enumerate(self.shapes):
            shape = system.bodies[body].shapes[k]
            R, r = shape.placement()
            low, high = shape.surface.bounds
            reach = float(np.abs(shape.surface.bounds).max())
            data[i] = np.concatenate([R.ravel(), r, (low + high) / 2, (high - low) / 2 + _BOX_PAD * reach])

        def key_of(contact: Contact) -> int:
            i, j = number[contact.e, contact.shape_e], number[contact.f, contact.shape_f]
            return min(i, j) * ns + max(i, j)

        self.contacts = sorted(system.contacts.values(), key=key_of)
        margins = np.zeros(ns)  # penetration lines look beyond the surfaces
        for contact in self.contacts:
            for key in ((contact.e, contact.shape_e), (contact.f, contact.shape_f)):
                margins[number[key]] = max(margins[number[key]], contact.margin(system.bodies))
        data[:, 15:] += margins[:, None]
        n = len(self.contacts)
        pairs = [(number[c.e, c.shape_e], number[c.f, c.shape_f]) for c in self.contacts]
        row = self.row
        row[slots.N_SHAPES], row[slots.N_PAIRS] = ns, n
        self._attach(slots.SHAPES, np.array([self.number[body] for body, _ in self.shapes], dtype=np.int32))
        self._attach(slots.SHAPE_DATA, data)
        thicknesses = [_thickness(system.bodies[body].shapes[k].surface) for body, k in self.shapes]
        self._attach(slots.SHAPE_THICKNESS, np.array(thicknesses, dtype=np.float64))
        self._allocate(slots.SHAPE_SPEEDS, ns, 2)
        self._allocate(slots.SHAPE_POSES, ns, 18)
        self._allocate(slots.SHAPE_BOXES, ns, 6)
        self._attach(slots.SWEEP, np.arange(ns, dtype=np.int32))
        self._attach(slots.PAIRS, np.array(pairs, dtype=np.int32).reshape(n, 2))
        self._attach(slots.PAIR_KEYS, np.array([key_of(c) for c in self.contacts], dtype=np.int64))
        self._allocate(slots.PAIR_ROWS, n, dtype=np.int64)
        self._allocate(slots.PAIR_KINEMATICS, n, 18)
        self._allocate(slots.PAIR_WRENCHES, n, 6)
        self._allocate(slots.PAIR_SUMMARY, n, N_SUMMARY)
        self._allocate(slots.PAIR_STATUS, n, dtype=np.int32)
        self._allocate(slots.NEAR, n, dtype=np.int32)

    def _attach_loops(self, system: MultibodySystem) -> None:
        kinds, data = [], []
        self.constraint_loop: list[str] = []
        """Name of the loop to which each scalar constraint belongs."""
        for loop in system.loops.values():
            for kind, numbers in loop.constraints():
                kinds.append((kind, self.number[loop.body_a], self.number[loop.body_b]))
                data.append(numbers)
                self.constraint_loop.append(loop.name)
        m, n_v = len(kinds), int(self.row[slots.N_SPEEDS])
        self.row[slots.N_CONSTRAINTS] = m
        self._attach(slots.CONSTRAINTS, np.array(kinds, dtype=np.int32).reshape(m, 3))
        self._attach(slots.CONSTRAINT_DATA, np.array(data, dtype=np.float64).reshape(m, 13))
        self._allocate(slots.DIRECTIONS, m, 12)
        for slot in (slots.VIOLATION, slots.DRIFT, slots.CURVATURE, slots.MULTIPLIERS, slots.RIGHT_SIDE):
            self._allocate(slot, m)
        self._allocate(slots.RESPONSES, m, n_v)
        self._allocate(slots.DELASSUS, m, m)
        self._allocate(slots.PIVOTS, m, dtype=np.int32)

    def _attach_motions(self) -> None:
        table, data = [], [np.zeros(0)]
        first = 0
        for motion in self._motions:
            kind, n_breaks, numbers = motion.compiled()
            table.append((kind, first, n_breaks))
            data.append(numbers)
            first += len(numbers)
        self.row[slots.N_MOTIONS], self.row[slots.N_MOTION_DATA] = len(table), first
        self._attach(slots.MOTIONS, np.array(table, dtype=np.int32).reshape(-1, 3))
        self._attach(slots.MOTION_DATA, np.concatenate(data))


def _from_the_world_outwards(system: MultibodySystem) -> list[Joint]:
    """The joints that carry the bodies, each after that of its parent."""
    waiting = dict(system.tree_joints())
    placed: set[str] = {WORLD}
    order: list[Joint] = []
    while waiting:
        ready = [joint for joint in waiting.values() if joint.parent in placed]
        for joint in ready:
            order.append(joint)
            placed.add(joint.child)
            del waiting[joint.child]
    return order


def _body_data(system: MultibodySystem, joint: Joint) -> NDArray[np.float64]:
    """Markers and mass properties of a body, its inertia moved to the origin of its frame."""
    body = system.bodies[joint.child]
    c = body.centre
    inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.concatenate(
        [
            joint.parent_marker[0].ravel(),
            joint.parent_marker[1],
            joint.child_marker[0].ravel(),
            joint.child_marker[1],
            [body.mass],
            body.mass * c,
            np.diag(inertia),
            [inertia[0, 1], inertia[0, 2], inertia[1, 2]],
        ]
    )


def _thickness(surface: Surface) -> float:
    """Least thickness of a closed surface (m), by its extents or its volume and area; infinite for an open one.

    Four volumes over the area: twice the wall of a hollow part, four thirds of the radius of a sphere.
    """
    if not surface.is_closed:
        return math.inf
    extents = surface.bounds[1] - surface.bounds[0]
    return min(float(extents.min()), 4.0 * abs(surface.volume) / float(surface.areas.sum()))
