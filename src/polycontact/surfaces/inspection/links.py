"""Who is linked with whom: connected groups of triangles and of corners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges


def linked_half_edges(half_edges: HalfEdges) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Half-edges that lie on the same edge, as chains: each with the next one at its edge."""
    edge = half_edges.triangle_edges.ravel()
    order = np.argsort(edge, kind="stable")
    same = np.flatnonzero(edge[order[1:]] == edge[order[:-1]])
    return order[same], order[same + 1]


def face_components(half_edges: HalfEdges) -> NDArray[np.int64]:
    """Number of the connected component of each triangle, joined across edges, not across single vertices."""
    first, second = linked_half_edges(half_edges)
    return connected_labels(len(half_edges.triangle_edges), first // 3, second // 3)


def corner_fans(triangles: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the fan of each corner (m, 3): corners at one vertex, joined across the given pairs of
    half-edges.

    ``first`` and ``second`` hold half-edges on the same edge, in either direction.
    """
    begin_1, end_1 = first, _next(first)
    begin_2, end_2 = second, _next(second)
    corners = triangles.ravel()
    along = corners[begin_1] == corners[begin_2]
    a = np.concatenate((begin_1, end_1))
    b = np.concatenate((np.where(along, begin_2, end_2), np.where(along, end_2, begin_2)))
    return connected_labels(triangles.size, a, b).reshape(-1, 3)


def _next(half_edge: NDArray[np.int64]) -> NDArray[np.int64]:
    """The corner at which a half-edge ends, as an index into the flattened triangles."""
    return half_edge - half_edge % 3 + (half_edge + 1) % 3
