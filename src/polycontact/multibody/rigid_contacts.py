"""A system whose contacts are rigid: where its bodies touch, and how joint speeds answer impulses there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.contact_response import (
    advance,
    contact_velocities,
    count_work,
    find_directions,
    free_motion,
    place_points,
    respond,
    sum_wrenches,
    work_of_motions,
)
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.multibody.contact_points import ContactPoints, SupportFinder
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DirectedPoints:
    """n contact points with ``directions`` (3n, 12): wrenches of unit impulses (normal, two tangents) on the bodies of
    E and F at their origins, in the pose at hand.
    """

    points: ContactPoints
    directions: Array


@dataclass(frozen=True, eq=False)
class ContactMatrix(DirectedPoints):
    """How a system answers impulses at contact points.

    ``delassus`` (3n, 3n) 1/kg: change of the relative velocities (normal, two tangents; of E as seen from F) for unit
    impulses; ``responses`` (3n, n_speeds): change of the joint speeds.
    """

    delassus: Array
    responses: Array


class RigidContacts:
    """Evaluates a system with rigid contacts through an evaluator that nobody else uses meanwhile.

    Joint speeds here are those of all joints, prescribed ones included; the state y holds the others only.
    """

    def __init__(self, setup: SystemSetup, evaluator: Evaluator) -> None:
        self._setup = setup
        self._evaluator = evaluator
        self._view = evaluator.view
        self._row = self._view.row
        self._finder = SupportFinder(setup)
        self._velocities = np.zeros((setup.tree.n_bodies, 6))
        self.rates = np.zeros(setup.tree.n_states)
        """dy/dt without contacts, of the last `free_rates`."""
        self.in_state, self.in_joints = _places_of_speeds(setup)
        """Where the speeds of joints that move freely stand: in y, and among all joint speeds."""
        self._is_driven = np.ones(setup.tree.n_speeds, np.bool_)
        self._is_driven[self.in_joints] = False
        self._others = np.zeros((setup.tree.n_bodies, 6))

    # Where bodies touch -----------------------------------------------------------------------------------------

    def touch(self, t: float, y: Array, reach: float = 0.0) -> ContactPoints:
        """Points of contact at a state; with ``reach`` (m) also of bodies that are apart by no more than that."""
        self._evaluator.touching(t, y)
        contacts = self._view.contacts
        near = contacts.near[: contacts.n_near].tolist()
        found = [
            (pair, self._finder.supports(pair, self._evaluator.contact_memory(pair)))
            for pair in near
            if contacts.area[pair] > 0.0
        ]
        if reach > 0.0:
            found += [(pair, self._apart(pair, reach)) for pair in self._close_boxes(reach)]
        return self._placed(found)

    def _placed(self, found: list[tuple[int, Array]]) -> ContactPoints:
        """Points of several pairs in the world."""
        rows = np.concatenate([rows for _, rows in found]) if found else np.zeros((0, 8))
        n = len(rows)
        pair = np.array([each for each, rows in found for _ in rows], np.int64)
        body_e, body_f = np.empty(n, np.int32), np.empty(n, np.int32)
        point, frame = np.empty((n, 3)), np.empty((n, 9))
        place_points(self._row, pair, rows, body_e, body_f, point, frame)
        return ContactPoints(pair, body_e, body_f, point, frame, rows[:, 6].copy(), rows[:, 7].copy())

    def _close_boxes(self, reach: float) -> list[int]:
        """Pairs that do not touch and whose boxes are apart by no more than ``reach`` (m)."""
        pairs, placed, contacts = self._setup.pairs, self._view.placed, self._view.contacts
        e, f = pairs.shape_e, pairs.shape_f
        low, high = placed.low - reach, placed.high + reach
        close = ((low[e] <= placed.high[f]) & (placed.low[f] <= high[e])).all(axis=1)
        return [int(pair) for pair in np.flatnonzero(close & ~(contacts.area > 0.0))]

    def _apart(self, pair: int, reach: float) -> Array:
        return self._finder.near_points(pair, self._evaluator.kinematics(pair), reach)

    # How they answer ----------------------------------------------------------------------------------------------

    def free_rates(self, t: float, y: Array, step: float = 0.0) -> Array:
        """Joint accelerations without contacts at the state of the last `touch`, (n_speeds,).

        ``step`` (s): efforts of joints as at the end of a step of that length about t (s).
        """
        self._evaluator.apply_users(t, y, self.rates)
        status = free_motion(self._row, t, step, self.rates)
        if status != Status.WELL:
            self._evaluator.heed(status, t)
        return self._view.joints.rates

    def directed(self, points: ContactPoints) -> DirectedPoints:
        """Points with the directions of their impulses, in the pose at hand."""
        directions = np.empty((3 * len(points), 12))
        find_directions(self._row, points.body_e, points.body_f, points.point, points.frame, directions)
        return DirectedPoints(points, directions)

    def respond(self, points: ContactPoints) -> ContactMatrix:
        """The Delassus matrix of some points; after `free_rates`."""
        n, n_speeds = len(points), self._view.joints.n_speeds
        directions = self.directed(points).directions
        responses, delassus = np.empty((3 * n, n_speeds)), np.empty((3 * n, 3 * n))
        accelerations = self._view.bodies.acceleration.copy()
        respond(self._row, points.body_e, points.body_f, directions, responses, delassus, self._velocities)
        self._view.bodies.acceleration[:] = accelerations  # which the tree's answers to unit impulses overwrite
        return ContactMatrix(points, directions, delassus, responses)

    def velocities(self, matrix: DirectedPoints, speeds: Array) -> Array:
        """Relative velocities (3n,) m/s at the points for some joint speeds."""
        out = np.empty(len(matrix.directions))
        points = matrix.points
        contact_velocities(self._row, points.body_e, points.body_f, matrix.directions, speeds, self._velocities, out)
        return out

    def work_of_motions(self, matrix: ContactMatrix, impulses: Array, change: Array) -> float:
        """Work (J) that prescribed motions put in while impulses change the joint speeds by ``change``.

        A driven body keeps its speed whatever pushes it: what contacts take from it, its drive makes up for.
        """
        if not self._is_driven.any():
            return 0.0
        # With speeds that obey loops and couplers, what these exert does no work; without any, the driven ones suffice.
        speeds = self.speeds if self._setup.loops.n else np.where(self._is_driven, self.speeds, 0.0)
        change = np.where(self._is_driven, 0.0, change)
        carried = work_of_motions(self._row, change, speeds, self._velocities, self._others)
        carried += float((self._view.articulated.step_inertia * speeds) @ change)
        return float(carried - impulses @ self.velocities(matrix, speeds))

    @property
    def speeds(self) -> Array:
        """Joint speeds at the last `touch`."""
        return self._view.joints.v.copy()

    # Steps --------------------------------------------------------------------------------------------------------

    def advance(self, y: Array, speeds: Array, time: float) -> Array:
        """A state whose coordinates have moved on for a ``time`` (s) at constant joint speeds."""
        out = np.array(y)
        advance(self._row, y, speeds, time, out)
        return out

    def count_work(self, t: float, step: float, after: Array, y: Array) -> None:
        """Add to the ledger in y what dampers lost and what was put in during a step (s) about t (s)."""
        count_work(self._row, t, step, after, y[self._setup.tree.ledger :])

    def wrenches(self, matrix: ContactMatrix, impulses: Array, step: float, out: Array) -> None:
        """Mean forces (N) and torques (N m) of impulses during a step (s): on E at marker F, axes of E; (n_pairs,
        6)."""
        points = matrix.points
        sum_wrenches(self._row, points.pair, points.point, points.frame, impulses, step, out)


def _places_of_speeds(setup: SystemSetup) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    tree = setup.tree
    state, joint = [], []
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            for k in range(int(tree.count_v[b])):
                state.append(int(tree.state_v[b]) + k)
                joint.append(int(tree.first_v[b]) + k)
    return np.array(state, np.int64), np.array(joint, np.int64)
