"""A system whose contacts are rigid: where its bodies touch, and how joint speeds answer impulses there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.contact_response import (
    contact_velocities,
    find_directions,
    free_motion,
    place_points,
    work_of_motions,
)
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.kernels.response.contact_rows import change_of_speeds, fill_rows
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.touched_groups import Groups
from polycontact.multibody.answer_groups import lay_out_groups
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
    """How a system answers impulses at contact points, until it is asked for others: rows of A with W = A Aᵀ.

    W (3n, 3n; 1/kg) is the Delassus matrix: change of the relative velocities (normal, two tangents; of E as seen from
    F) for unit impulses.
    """

    system: ContactSystem
    groups: Groups
    row: NDArray[np.int64]

    def change_of_speeds(self, impulses: Array) -> Array:
        """Change of the joint speeds by impulses (3n,) N s."""
        out, z = np.empty(self.groups.n_speeds), np.empty(self.groups.n_speeds)
        change_of_speeds(self.row, self.groups.row, self.system.row, impulses, z, out)
        return out

    @property
    def delassus(self) -> Array:
        """W as a whole (3n, 3n), 1/kg: for a look at it, the solver never needs it."""
        system, n = self.system, len(self.points)
        A = np.zeros((3 * n, system.width))
        for i in range(n):
            touched = system.n_columns[i]
            A[3 * i : 3 * i + 3, system.column[i, :touched]] = system.rows[3 * i : 3 * i + 3, :touched]
        return A @ A.T


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
        self.groups = lay_out_groups(setup)
        """Joint speeds that answer each other."""
        self._contacts = ContactSystem()
        self._contacts.reserve(room=16, triple=48, most=2 * self.groups.most)

    # Where bodies touch -----------------------------------------------------------------------------------------

    def touch(self, t: float, y: Array, reach: float = 0.0, *, among: NDArray[np.int64] | None = None) -> ContactPoints:
        """Points of contact at a state; with ``reach`` (m) also of bodies that are apart by no more than that.

        ``among``: the only contacts that may be apart; None for all.
        """
        self._evaluator.touching(t, y)
        contacts = self._view.contacts
        near = contacts.near[: contacts.n_near].tolist()
        found = [
            (pair, self._finder.supports(pair, self._evaluator.contact_memory(pair)))
            for pair in near
            if contacts.area[pair] > 0.0
        ]
        if reach > 0.0:
            close = self._close_boxes(reach) if among is None else among[~(contacts.area[among] > 0.0)].tolist()
            found += [(pair, self.nearest(pair, reach)) for pair in close]
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

    def nearest(self, pair: int, reach: float) -> Array:
        """Nearest points of a pair that gapes by at most ``reach`` (m) at the last kinematics: one row or none."""
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
        """How the system answers at some points; after `free_rates`. What was answered before is gone."""
        n, system = len(points), self._contacts
        if n > system.room:
            system.reserve(room=2 * n, triple=6 * n)
        directions = self.directed(points).directions
        accelerations = self._view.bodies.acceleration.copy()
        fill_rows(self._row, self.groups.row, system.row, points.body_e, points.body_f, directions)
        self._view.bodies.acceleration[:] = accelerations  # which the tree's answers to unit efforts overwrite
        return ContactMatrix(points, directions, system, self.groups, self._row)

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


def _places_of_speeds(setup: SystemSetup) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    tree = setup.tree
    state, joint = [], []
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            for k in range(int(tree.count_v[b])):
                state.append(int(tree.state_v[b]) + k)
                joint.append(int(tree.first_v[b]) + k)
    return np.array(state, np.int64), np.array(joint, np.int64)
