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
    supports_of_elements,
    supports_of_meshes,
    supports_of_nodes,
)
from polycontact.kernels.response.convex_supports import FaceWork, supports_of_convex
from polycontact.kernels.response.support_points import SupportWork
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


class SupportFinder:
    """Chooses points of contacts, in memory of its own."""

    def __init__(self, setup: SystemSetup) -> None:
        self._setup = setup
        self._work = SupportWork()
        self._work.reserve(room=512, room_of_border=512)
        self._found = self._work.found
        self._faces = FaceWork()
        thickness = setup.shapes.thickness
        pairs = setup.pairs
        self._small = POINT_REACH_SHARE * np.minimum(thickness[pairs.shape_e], thickness[pairs.shape_f])

    def supports(self, pair: int, memory: EvaluationMemory) -> Array:
        """Points that bear a contact, after its evaluation: rows (point, direction, depth, area), frame E."""
        if isinstance(memory, ConvexMemory):
            return self._faces.found[: supports_of_convex(memory.address, self._faces.row)].copy()
        self._work.small = self._small[pair]
        choose = supports_of_elements
        if isinstance(memory, MeshMemory):
            choose = supports_of_meshes
        elif isinstance(memory, NodeMemory):
            choose = supports_of_nodes
        while (count := choose(memory.address, self._work.row)) < 0:
            self._work.reserve(room=-2 * count, room_of_border=-2 * count)
        return self._found[:count].copy()

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
