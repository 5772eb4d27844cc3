"""The points at which rigid bodies touch, from any contact method: rows for impulses and multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.distance import DistanceStatus
from polycontact.contact.mesh_pair import MeshMemory
from polycontact.contact.methods import EvaluationMemory
from polycontact.kernels.response.support_points import GROUPS, POINTS, choose_supports
from polycontact.multibody.system_setup import SystemSetup

Array = NDArray[np.float64]

STEEP = 0.5
"""sin² of the angle to the opposite surface above which an element is a flank and bears nothing."""

_NO_POINTS = np.zeros((0, 3))


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """n points of contact.

    ``pair``: number of the contact; ``body_e``, ``body_f``: numbers of its bodies; ``point`` (n, 3) m in the world;
    ``frame`` (n, 9): the normal, which pushes E away from F, and two tangents, in world axes; ``depth`` m, negative
    where the bodies are still apart.
    """

    pair: NDArray[np.int64]
    body_e: NDArray[np.int32]
    body_f: NDArray[np.int32]
    point: Array
    frame: Array
    depth: Array

    def __len__(self) -> int:
        return len(self.pair)


class SupportFinder:
    """Chooses points of contacts, in memory of its own."""

    def __init__(self, setup: SystemSetup) -> None:
        self._setup = setup
        self._group = np.zeros(512, np.int32)
        self._sums = np.zeros((GROUPS, 7))
        self._out = np.zeros((GROUPS * POINTS, 7))

    def points(self, found: list[tuple[int, Array]], rotation: Array, position: Array) -> ContactPoints:
        """Points of several pairs in the world: rows (point, direction, depth) in the frame of E, from `supports`.

        ``rotation`` (n, 3, 3) and ``position`` (n, 3) of the shapes.
        """
        pairs, shapes = self._setup.pairs, self._setup.shapes
        pair = np.repeat(np.array([each for each, _ in found], np.int64), [len(rows) for _, rows in found])
        rows = np.concatenate([rows for _, rows in found]) if found else np.zeros((0, 7))
        e, f = pairs.shape_e[pair], pairs.shape_f[pair]
        R = rotation[e]
        point = np.einsum("nij,nj->ni", R, rows[:, :3]) + position[e]
        normal = np.einsum("nij,nj->ni", R, rows[:, 3:6])
        first = _tangents(normal)
        frame = np.hstack([normal, first, np.cross(normal, first)])
        return ContactPoints(pair, shapes.body[e], shapes.body[f], point, frame, rows[:, 6].copy())

    def supports(self, memory: EvaluationMemory) -> Array:
        """Points that bear a contact, after its evaluation: rows (point m, direction that pushes E, depth m), frame
        E."""
        table = memory.elements
        n = table.n
        if not n:
            return np.zeros((0, 7))
        if n > len(self._group):
            self._group = np.zeros(2 * n, np.int32)
        side = table.side[:n]
        sign = np.where(side == 0, 1.0, -1.0)[:, None]
        load = table.area[:n] * table.depth[:n] * table.weight[:n]
        load[table.turned[:n] > STEEP] = 0.0
        border, other = _NO_POINTS, _NO_POINTS
        if isinstance(memory, MeshMemory):
            border = _border(memory)
            other = _opposite(memory, table.target_triangle[:n], side)
        count = choose_supports(
            table.position[:n],
            sign * table.normal[:n],
            other,
            table.depth[:n],
            load,
            border,
            np.empty(len(border)),
            self._group[:n],
            self._sums,
            self._out,
        )
        return self._out[:count].copy()

    def near_points(self, pair: int, kinematics: Array, reach: float) -> Array:
        """The nearest points of bodies that are apart by at most ``reach`` (m), as one row of `supports`, or none."""
        known = getattr(self._setup.pairing(pair).prepared, "distance", None)
        if known is None:
            return np.zeros((0, 7))
        found = known(kinematics[:9].reshape(3, 3), kinematics[9:12])
        if found.status is DistanceStatus.NOT_FOUND or not 0.0 <= found.distance <= reach:
            return np.zeros((0, 7))
        middle = 0.5 * (found.point_e + found.point_f)
        return np.concatenate([middle, -found.normal, [-found.distance]])[None]


def _border(memory: MeshMemory) -> Array:
    """Points of the intersection polygons, frame E."""
    segments = memory.evaluation.segments
    return np.ascontiguousarray(segments.ends[: memory.report.n_segments, :3])


def _opposite(memory: MeshMemory, triangle: NDArray[np.int32], side: NDArray[np.int32]) -> Array:
    """Directions in which the target pushes E, opposite each element."""
    setup, R = memory.evaluation.setup, memory.evaluation.header.pose.rotation
    out = np.empty((len(triangle), 3))
    e_is_base = side == 0
    out[e_is_base] = setup.f.normals[triangle[e_is_base]] @ R.T
    out[~e_is_base] = -setup.e.normals[triangle[~e_is_base]]
    return out


def _tangents(normal: Array) -> Array:
    """A unit vector perpendicular to each normal, the same for the same normal."""
    axis = np.zeros_like(normal)
    axis[np.arange(len(normal)), np.abs(normal).argmin(axis=1)] = 1.0
    t = np.cross(axis, normal)
    return np.asarray(t / np.linalg.norm(t, axis=1, keepdims=True))
