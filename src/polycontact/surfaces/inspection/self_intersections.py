"""Triangles of a mesh that cross or overlap other triangles of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.half_edges import HalfEdges, build_half_edges
from polycontact.surfaces.inspection.box_search import MAX_CANDIDATES, overlapping_boxes

MAX_FOUND = 10_000
"""The search ends when it has found this many pairs: the mesh is then beyond doubt."""


@dataclass(frozen=True)
class SelfIntersections:
    """Pairs (k, 2) of triangles that intersect, ascending, and which of them lie in one plane (``overlap``,
    (k,)).

    ``complete`` is False where the search ended before it had seen all pairs.
    """

    pairs: NDArray[np.int64]
    overlap: NDArray[np.bool_]
    complete: bool


def find_self_intersections(
    points: NDArray[np.float64], triangles: NDArray[np.int64], tolerance: float
) -> SelfIntersections:
    """Intersections deeper than ``tolerance`` (unit of ``points``), other than in shared vertices and edges.

    Triangles no higher than the tolerance are left out: their planes mean nothing.
    """
    from polycontact.kernels.mesh.self_intersection import NONE, OVERLAP, classify_pairs

    corners = points[triangles]
    area_vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = area_vectors / np.linalg.norm(area_vectors, axis=1)[:, None]
    apexes = _apexes(triangles, build_half_edges(triangles.astype(np.int32)))
    found: list[NDArray[np.int64]] = []
    n_found = n_candidates = 0
    complete = True
    kinds = np.empty(0, dtype=np.int8)
    for pairs in overlapping_boxes(corners.min(axis=1) - tolerance, corners.max(axis=1) + tolerance):
        if len(kinds) < len(pairs):
            kinds = np.empty(len(pairs), dtype=np.int8)
        n_found += classify_pairs(points, triangles, normals, apexes, pairs, tolerance, kinds)
        n_candidates += len(pairs)
        hits = np.flatnonzero(kinds[: len(pairs)] != NONE)
        found.append(np.column_stack((np.sort(pairs[hits], axis=1), kinds[hits])).astype(np.int64))
        if n_found >= MAX_FOUND or n_candidates >= MAX_CANDIDATES:
            complete = False
            break
    rows = np.concatenate(found) if found else np.empty((0, 3), dtype=np.int64)
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))][:MAX_FOUND]
    return SelfIntersections(pairs=rows[:, :2], overlap=rows[:, 2] == OVERLAP, complete=complete)


def _apexes(triangles: NDArray[np.int64], half_edges: HalfEdges) -> NDArray[np.int32]:
    """Corner beyond each side (m, 3), -1 where there is no single, consistently oriented neighbour."""
    across = half_edges.neighbours
    corners = triangles[across]
    # Of the neighbour's corners that one which is not on the common side.
    total = corners.sum(axis=2) - triangles - np.roll(triangles, -1, axis=1)
    return np.where(across < 0, -1, total).astype(np.int32)
