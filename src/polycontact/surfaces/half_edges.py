"""Half-edges: who is next to whom on a triangle mesh (the DCEL of S0.42, section 3.2 of the PCM paper).

In: triangles. Out: for each side of each triangle its undirected edge and the triangle across it. Built once
per surface. Half-edge ``3*t + i`` runs from corner ``i`` of triangle ``t`` to corner ``(i + 1) % 3``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class HalfEdges:
    """Adjacency of a triangle mesh.

    ``edges`` (n_edges, 2): vertices of each undirected edge, lower index first.
    ``triangle_edges`` (n_triangles, 3): undirected edge of each half-edge.
    ``neighbours`` (n_triangles, 3): triangle across each half-edge, -1 at a border or a non-manifold edge.
    ``counts`` (n_edges,): how many triangles share the edge (1 border, 2 manifold, more non-manifold).
    ``same_direction`` (n_edges,): True where two triangles run along the edge in the same direction, that is
    where their orientations contradict each other.
    """

    edges: NDArray[np.int32]
    triangle_edges: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    counts: NDArray[np.int32]
    same_direction: NDArray[np.bool_]

    @property
    def is_closed(self) -> bool:
        """Every edge is shared by exactly two triangles that agree on the orientation."""
        return bool(np.all(self.counts == 2)) and not bool(np.any(self.same_direction))

    @property
    def border_edges(self) -> NDArray[np.int64]:
        """Indices of edges with one triangle only."""
        return np.flatnonzero(self.counts == 1)

    @property
    def non_manifold_edges(self) -> NDArray[np.int64]:
        """Indices of edges with more than two triangles."""
        return np.flatnonzero(self.counts > 2)


def build_half_edges(triangles: NDArray[np.int32]) -> HalfEdges:
    """Adjacency of ``triangles`` (n, 3); any input is accepted, also non-manifold."""
    origin = triangles.astype(np.int64).ravel()
    target = np.roll(triangles.astype(np.int64), -1, axis=1).ravel()
    low, high = np.minimum(origin, target), np.maximum(origin, target)
    n_vertices = int(high.max(initial=-1)) + 1
    keys = low * n_vertices + high
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_keys[1:] != sorted_keys[:-1]))) if len(keys) else order
    counts = np.diff(np.append(starts, len(keys)))
    edge_of_sorted = np.repeat(np.arange(len(starts)), counts)
    edge_of_half = np.empty(len(keys), dtype=np.int32)
    edge_of_half[order] = edge_of_sorted

    neighbours = np.full(len(keys), -1, dtype=np.int32)
    same_direction = np.zeros(len(starts), dtype=bool)
    pairs = starts[counts == 2]
    first, second = order[pairs], order[pairs + 1]
    opposite = origin[first] == target[second]
    same_direction[counts == 2] = ~opposite
    neighbours[first[opposite]] = second[opposite] // 3
    neighbours[second[opposite]] = first[opposite] // 3
    edges = np.stack((low[order[starts]], high[order[starts]]), axis=1).astype(np.int32)
    return HalfEdges(
        edges=edges,
        triangle_edges=edge_of_half.reshape(-1, 3),
        neighbours=neighbours.reshape(-1, 3),
        counts=counts.astype(np.int32),
        same_direction=same_direction,
    )
