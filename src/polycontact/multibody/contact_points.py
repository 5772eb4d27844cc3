"""The points at which rigid bodies touch, from any contact method: rows for impulses and multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.convex_pair_setup import ConvexMemory
from polycontact.contact.distance import DistanceStatus
from polycontact.contact.mesh_pair import MeshMemory
from polycontact.contact.methods import EvaluationMemory
from polycontact.contact.node_pair import NodeMemory
from polycontact.kernels.response.contact_supports import (
    CHOOSE_OF_ELEMENTS,
    CHOOSE_OF_MESHES,
    CHOOSE_OF_NODES,
    supports_of_elements,
    supports_of_meshes,
    supports_of_nodes,
)
from polycontact.kernels.response.convex_supports import CHOOSE_OF_CONVEX, supports_of_convex
from polycontact.kernels.response.point_work import PointWork
from polycontact.multibody.system_setup import SystemSetup

Array = NDArray[np.float64]


POINT_REACH_SHARE = 0.02
"""A patch that reaches no farther than this part of the thinner body's thickness counts as a point."""


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """n points of contact.

    ``pair``: number of the contact; ``body_e``, ``body_f``: numbers of its bodies; ``point`` (n, 3) m in the world;
    ``frame`` (n, 9): the normal, which pushes E away from F, and two tangents, in world axes; ``depth`` m, negative
    where the bodies are still apart; ``area`` m² that each bears, 1 for points of methods without areas.
    """

    pair: NDArray[np.int64]
    body_e: NDArray[np.int32]
    body_f: NDArray[np.int32]
    point: Array
    frame: Array
    depth: Array
    area: Array

    def __len__(self) -> int:
        return len(self.pair)


def make_point_work_in(work: PointWork) -> PointWork:
    """Memory in which points of contacts are chosen."""
    work.place = work.address
    work.elements.reserve(room=512, room_of_border=512)
    return work


def reach_of_points(setup: SystemSetup) -> Array:
    """Reach (m) of each pair up to which a patch counts as a point, (n_pairs,)."""
    thickness, pairs = setup.shapes.thickness, setup.pairs
    return np.asarray(POINT_REACH_SHARE * np.minimum(thickness[pairs.shape_e], thickness[pairs.shape_f]))


def chooser_of(memory: EvaluationMemory) -> int:
    """Address of the kernel that chooses the points of a contact that is evaluated in this memory."""
    if isinstance(memory, ConvexMemory):
        return CHOOSE_OF_CONVEX
    if isinstance(memory, MeshMemory):
        return CHOOSE_OF_MESHES
    return CHOOSE_OF_NODES if isinstance(memory, NodeMemory) else CHOOSE_OF_ELEMENTS


_CHOOSERS = {
    CHOOSE_OF_CONVEX: supports_of_convex,
    CHOOSE_OF_MESHES: supports_of_meshes,
    CHOOSE_OF_NODES: supports_of_nodes,
    CHOOSE_OF_ELEMENTS: supports_of_elements,
}


class SupportFinder:
    """Chooses points of contacts, in memory of its own."""

    def __init__(self, setup: SystemSetup) -> None:
        self._setup = setup
        self._work = make_point_work_in(PointWork())
        self._small = reach_of_points(setup)

    def supports(self, pair: int, memory: EvaluationMemory) -> Array:
        """Points that bear a contact, after its evaluation: rows (point, direction, depth, area), frame E."""
        self._work.elements.small = self._small[pair]
        choose = _CHOOSERS[chooser_of(memory)]
        while (count := choose(memory.address, self._work.place)) < 0:
            self._work.elements.reserve(room=-2 * count, room_of_border=-2 * count)
        return self._work.found[:count].copy()

    def near_points(self, pair: int, kinematics: Array, reach: float) -> Array:
        """The nearest points of bodies that are apart by at most ``reach`` (m), as one row of `supports`, or none."""
        known = getattr(self._setup.pairing(pair).prepared, "distance", None)
        if known is None:
            return np.zeros((0, 8))
        found = known(kinematics[:9].reshape(3, 3), kinematics[9:12])
        if found.status is DistanceStatus.NOT_FOUND or not 0.0 <= found.distance <= reach:
            return np.zeros((0, 8))
        middle = 0.5 * (found.point_e + found.point_f)
        return np.concatenate([middle, -found.normal, [-found.distance, 0.0]])[None]
