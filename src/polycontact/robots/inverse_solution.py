"""Inverse kinematics: joint coordinates with which a point of a body comes to a place, by damped least squares.

In: a system, a body, where a point of it should be and, if wanted, how it should be turned. Out: coordinates of the
joints between the body and the world, by name. Poses and velocities are those of the system itself, so every joint of
the tree will do; columns of the Jacobian are velocities at unit speeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.built_in_forces import EndStop
from polycontact.multibody.joint_types import Joint, JointKind, start_values
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.robots.turns import quaternion_of_turn, quaternion_product, turn_between
from polycontact.tolerances import POSE_REACHED

Array = NDArray[np.float64]

MAX_ITERATIONS: Final = 150
"""Of one search; quadratic convergence needs about six, an arm that is stretched to the utmost some dozens."""

N_STARTS: Final = 8
"""Searches, each from another start, before a pose counts as out of reach."""

SPREAD: Final = 0.5
"""How far the other starts lie from the first: rad, or parts of the reach."""

FIRST_DAMPING: Final = 1e-3
LEAST_DAMPING: Final = 1e-12
"""Squared damping over the largest diagonal entry of JᵀJ: at the start, and where steps succeed."""


class Reached(NamedTuple):
    """Where a search has come to: a state, and the ``distance`` (m) and ``angle`` (rad, 0 where free) from the pose."""

    coordinates: Array
    distance: float
    angle: float

    @property
    def is_there(self) -> bool:
        """Whether this is the pose asked for."""
        return max(self.distance, self.angle) <= POSE_REACHED


def inverse_kinematics(
    system: MultibodySystem,
    body: str,
    *,
    position: ArrayLike,
    rotation: ArrayLike | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
    start: Mapping[str, ArrayLike] | None = None,
    joints: Iterable[str] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Coordinates (m, rad) of joints, by name, that bring ``point`` (m) of a body or marker to ``position`` (m, world).

    ``rotation`` (3, 3): how its frame is turned in the world then; free where left out. ``start``: coordinates by
    joint, or by the name of a free body, from which the search starts; the others are those of the system. ``joints``:
    names of those that may move; by default all between the body and the world but free ones. End stops are kept to.
    Joints with a prescribed motion stay where they are at time 0; loops are not looked at.

    If the pose cannot be reached, a `MultibodyError` gives the nearest pose found and its coordinates.
    """
    return PoseSearch(system, body, point=point, joints=joints).find(position, rotation, start)


class PoseSearch:
    """Inverse kinematics of one body for pose after pose; the system must not be changed meanwhile."""

    def __init__(
        self,
        system: MultibodySystem,
        body: str,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        joints: Iterable[str] | None = None,
    ) -> None:
        self.owner = f"inverse kinematics of {body!r}"
        marker = system.marker(body, self.owner)
        own = checks.array(self.owner, "point", point, (3,), "m")
        self._body, self._turn = marker.body, marker.rotation
        self._point = marker.position + marker.rotation @ own
        compiled = system.compile()
        self._evaluator = compiled.evaluator()
        self._start = compiled.start_state()
        self._tree = system.tree_joints()
        self._moving = _moving_joints(self.owner, self._tree, marker.body, joints)
        tree, number = compiled.setup.tree, compiled.setup.number
        first_q = [int(tree.state_q[number[joint.child]]) for joint in self._moving]
        first_v = [int(tree.state_v[number[joint.child]]) for joint in self._moving]
        self._at = {joint.name: slice(q, q + _n_q(joint)) for joint, q in zip(self._moving, first_q, strict=True)}
        self._speeds = [v + k for joint, v in zip(self._moving, first_v, strict=True) for k in range(_n_v(joint))]
        self._states = {name: int(tree.state_q[number[name]]) for name in self._tree}
        self._lower, self._upper = _limits(system, self._moving)
        self._reach = self._length_scale()

    def find(
        self, position: ArrayLike, rotation: ArrayLike | None = None, start: Mapping[str, ArrayLike] | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Coordinates by joint for a pose; see `inverse_kinematics`."""
        best = self.nearest(position, rotation, start)
        if not best.is_there:
            raise self._unreachable(best, np.asarray(position), rotation is not None)
        return self.named(best.coordinates)

    def nearest(
        self, position: ArrayLike, rotation: ArrayLike | None = None, start: Mapping[str, ArrayLike] | None = None
    ) -> Reached:
        """The pose asked for or, where it is out of reach, the nearest one found."""
        target = checks.array(self.owner, "position", position, (3,), "m")
        turned = None if rotation is None else checks.rotation(self.owner, "rotation", rotation)
        first = self._within_limits(self._started(start or {}))
        best = self._search(first, target, turned)
        for attempt in range(1, N_STARTS):
            if best.is_there:
                break
            found = self._search(self._another_start(first, attempt), target, turned)
            best = min(best, found, key=lambda each: each.distance + self._reach * each.angle)
        return best

    # The search ---------------------------------------------------------------------------------------------

    def _search(self, y: Array, target: Array, turned: Array | None) -> Reached:
        """Damped least squares with the damping of Levenberg and Marquardt, from y to where it ends."""
        error, reached = self._error(y, target, turned)
        damping = FIRST_DAMPING
        for _ in range(MAX_ITERATIONS):
            if reached.is_there:
                break
            jacobian = self._jacobian(y, turned is not None)
            slope = jacobian.T @ error
            free = self._free_to_move(y, slope)
            jacobian, slope = jacobian[:, free], slope[free]
            normal = jacobian.T @ jacobian
            scale = float(np.max(np.diag(normal), initial=0.0))
            if scale == 0.0:
                break
            step = np.zeros(len(free))
            step[free] = np.linalg.solve(normal + damping * scale * np.eye(len(slope)), slope)
            trial = self._within_limits(self._moved(y, step))
            trial_error, trial_reached = self._error(trial, target, turned)
            if trial_error @ trial_error < error @ error:
                y, error, reached = trial, trial_error, trial_reached
                damping = max(0.1 * damping, LEAST_DAMPING)
            else:
                damping *= 10.0
                if damping > 1e8:  # no direction helps: this is as near as it comes from here
                    break
        return reached

    def _error(self, y: Array, target: Array, turned: Array | None) -> tuple[Array, Reached]:
        """What is missing: way (m) and, where it counts, turn times the reach (m)."""
        R, r = self._pose(y)
        way = target - r
        if turned is None:
            return way, Reached(y, float(np.linalg.norm(way)), 0.0)
        turn = turn_between(R, turned)
        return np.concatenate([way, self._reach * turn]), Reached(
            y, float(np.linalg.norm(way)), float(np.linalg.norm(turn))
        )

    def _pose(self, y: Array) -> tuple[Array, Array]:
        """Rotation and place (m) of the frame and point in the world."""
        R, r = self._evaluator.place(0.0, y).pose(self._body)
        return R @ self._turn, r + R @ self._point

    def _jacobian(self, y: Array, with_turn: bool) -> Array:
        """Velocities of the point, and angular ones times the reach, at unit speeds of the joints that move."""
        columns = np.zeros((6 if with_turn else 3, len(self._speeds)))
        moving = y.copy()
        for k, speed in enumerate(self._speeds):
            moving[self._speeds] = 0.0
            moving[speed] = 1.0
            placed = self._evaluator.place(0.0, moving)
            R, _ = placed.pose(self._body)
            w, v = placed.twist(self._body)
            columns[:3, k] = v + np.cross(w, R @ self._point)
            if with_turn:
                columns[3:, k] = self._reach * w
        return columns

    def _moved(self, y: Array, step: Array) -> Array:
        """The state after a step along the speeds: angles and ways are added, quaternions turned."""
        moved, first = y.copy(), 0
        for joint in self._moving:
            own, at = step[first : first + _n_v(joint)], self._at[joint.name]
            q = moved[at]
            if joint.kind in (JointKind.FREE, JointKind.SPHERICAL):
                q[:-4] += own[:-3]
                q[-4:] = quaternion_product(quaternion_of_turn(own[-3:]), q[-4:])
            else:
                q += own
            first += len(own)
        return moved

    def _within_limits(self, y: Array) -> Array:
        """The state with every coordinate between its end stops."""
        inside = y.copy()
        for joint in self._moving:
            at = self._at[joint.name]
            inside[at] = np.clip(inside[at], self._lower[joint.name], self._upper[joint.name])
        return inside

    def _free_to_move(self, y: Array, slope: Array) -> NDArray[np.bool_]:
        """Speeds that the search may use: not those that press a coordinate against its stop."""
        free, first = np.ones(len(slope), dtype=np.bool_), 0
        for joint in self._moving:
            n = _n_v(joint)
            if joint.kind not in (JointKind.FREE, JointKind.SPHERICAL):
                q, own = y[self._at[joint.name]], slope[first : first + n]
                pressed = ((q <= self._lower[joint.name]) & (own < 0.0)) | (
                    (q >= self._upper[joint.name]) & (own > 0.0)
                )
                free[first : first + n] = ~pressed
            first += n
        return free

    # Starts -------------------------------------------------------------------------------------------------

    def _started(self, start: Mapping[str, ArrayLike]) -> Array:
        """The system's start at rest, with the coordinates that are given."""
        y = self._start.copy()
        y[self._speeds] = 0.0
        by_name = {joint.name: joint for joint in self._tree.values()}
        for name, values in start.items():
            joint = by_name[checks.known("joint", name, by_name, self.owner)]
            if joint.motions:
                raise MultibodyError(f"{self.owner}: the motion of joint {name!r} is prescribed; leave it out of start")
            q, _ = start_values(f"{self.owner}: start of {name!r}", joint.kind, values, None)
            first = self._states[joint.child]
            y[first : first + len(q)] = q
        return y

    def _another_start(self, y: Array, attempt: int) -> Array:
        """A start some way off, the same for every call: multiples of the golden section spread evenly."""
        golden = 0.5 * (math.sqrt(5.0) - 1.0)
        share = np.array([(attempt * (k + 1) * golden) % 1.0 for k in range(len(self._speeds))])
        along = [
            joint.variables.speeds[k] in ("speed", "vx", "vy", "vz")
            for joint in self._moving
            for k in range(_n_v(joint))
        ]
        size = attempt * SPREAD * np.where(along, self._reach, 1.0)
        return self._within_limits(self._moved(y, size * (2.0 * share - 1.0)))

    def _length_scale(self) -> float:
        """Distance (m) over which the joints reach: what a turn by 1 rad is compared with."""
        _, end = self._pose(self._start)
        placed = self._evaluator.place(0.0, self._start)
        ways = [float(np.linalg.norm(placed.pose(joint.child)[1] - end)) for joint in self._moving]
        return max([way for way in ways if way > 0.0], default=1.0)

    # What is told -------------------------------------------------------------------------------------------

    def named(self, y: Array) -> dict[str, NDArray[np.float64]]:
        """The coordinates of a state by joint, from the world outwards."""
        return {joint.name: y[self._at[joint.name]].copy() for joint in self._moving}

    def _unreachable(self, best: Reached, target: Array, with_turn: bool) -> MultibodyError:
        place = ", ".join(f"{each:.6g}" for each in target)
        missing = f"{best.distance:.4g} m" + (f" and {best.angle:.4g} rad" if with_turn else "")
        values = "; ".join(
            f"{name} {', '.join(f'{each:.5g}' for each in q)}" for name, q in self.named(best.coordinates).items()
        )
        at_stops = [
            joint.name
            for joint in self._moving
            if np.any(best.coordinates[self._at[joint.name]] <= self._lower[joint.name])
            or np.any(best.coordinates[self._at[joint.name]] >= self._upper[joint.name])
        ]
        stopped = f" (at its end stop: {', '.join(at_stops)})" if at_stops else ""
        remedy = "give a nearer position" + (", leave the rotation out" if with_turn else "")
        return MultibodyError(
            f"{self.owner}: ({place}) m is out of reach: {missing} are missing at the nearest pose found, with {values}"
            f"{stopped}; {remedy}, or start the search elsewhere"
        )


def _n_q(joint: Joint) -> int:
    return len(joint.variables.coordinates)


def _n_v(joint: Joint) -> int:
    return len(joint.variables.speeds)


def _moving_joints(owner: str, tree: Mapping[str, Joint], body: str, chosen: Iterable[str] | None) -> list[Joint]:
    """Joints between the world and a body that may move, from the world outwards."""
    chain: list[Joint] = []
    while body != WORLD:
        chain.insert(0, tree[body])
        body = tree[body].parent
    movable = {joint.name: joint for joint in chain if _n_v(joint) and not joint.motions}
    if chosen is not None:
        return [movable[checks.known("joint on the way that can move", name, movable, owner)] for name in chosen]
    moving = [joint for joint in movable.values() if joint.kind is not JointKind.FREE]
    if not moving:
        raise MultibodyError(
            f"{owner}: no joint carries it that could move; name those that may, free ones too, as joints"
        )
    return moving


def _limits(system: MultibodySystem, moving: Iterable[Joint]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Lower and upper limits of each joint's coordinates by their end stops, infinite where there are none."""
    lower, upper = ({joint.name: np.full(_n_q(joint), sign * np.inf) for joint in moving} for sign in (-1.0, 1.0))
    for element in system.forces.values():
        if isinstance(element, EndStop) and element.joint in lower:
            low, high = element.limits()
            k = element.coordinate
            lower[element.joint][k] = max(lower[element.joint][k], low)
            upper[element.joint][k] = min(upper[element.joint][k], high)
    return lower, upper
