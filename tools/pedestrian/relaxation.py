"""Well shaped triangles on a smooth skin: vertices slide on it, edges flip, numbers stay.

In: a closed mesh near the skin of a solid. Out: the same number of vertices and triangles, on the skin, evenly
spread. Each round moves every vertex towards the middle of its neighbours within the tangent plane, then along
its normal onto the skin; now and then edges are flipped until the triangulation is Delaunay on the skin.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]
Triangles = NDArray[np.int64]

_PACE: Final = 0.6
"""Part of the way to the middle of its neighbours that a vertex goes in a round."""

_CURVATURE: Final = 0.4
"""Weight of a bend by one radian along an edge, compared with that of a mean edge length."""

_LONGEST_STEP: Final = 0.5
"""Longest way along the normal in a round, in mean edge lengths: more would fold triangles over."""

_ROUNDS_BETWEEN_FLIPS: Final = 4
_MOST_FLIP_PASSES: Final = 6
_FEWEST_NEIGHBOURS: Final = 4
"""A flip leaves each vertex at least as many neighbours: with three, a vertex lies in a single triangle."""

_CLOSING_ROUNDS: Final = 6
"""Rounds at the end that only move vertices onto the skin."""

_WORTHWHILE: Final = 1e-9
"""Least gain of a flip, as a cotangent: ties stay as they are."""


class Body(Protocol):
    """What a mesh is laid around."""

    def distance(self, points: Vertices) -> NDArray[np.float64]:
        """About the signed distance of points (n, 3) to the skin, m."""
        ...

    def density(self, points: Vertices) -> NDArray[np.float64]:
        """How many times smaller than elsewhere edges at points (n, 3) are to be."""
        ...


def relax(vertices: Vertices, triangles: Triangles, body: Body, rounds: int) -> tuple[Vertices, Triangles]:
    """Vertices (n, 3) in m and triangles (m, 3), spread over the skin of ``body``."""
    for turn in range(rounds):
        vertices = _onto_skin(_evened(vertices, triangles, body), triangles, body)
        if turn % _ROUNDS_BETWEEN_FLIPS == _ROUNDS_BETWEEN_FLIPS - 1:
            triangles = flip_edges(vertices, triangles)
    for _ in range(_CLOSING_ROUNDS):
        vertices = _onto_skin(vertices, triangles, body)
    return vertices, flip_edges(vertices, triangles)


def _evened(vertices: Vertices, triangles: Triangles, body: Body) -> Vertices:
    """Vertices moved within the tangent plane towards the middle of their neighbours.

    Those far away weigh more, as do those where edges are to be short and those with another normal: vertices
    gather where the skin is curved.
    """
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()  # each edge once in each direction
    edges = vertices[b] - vertices[a]
    normals = vertex_normals(vertices, triangles)
    lengths = _length(edges) * body.density(vertices)[b]
    bend = _length(normals[b] - normals[a])
    weights = lengths / lengths.mean() + _CURVATURE * bend
    step = _PACE * _summed(a, edges * weights[:, None], len(vertices))
    step /= np.bincount(a, weights, minlength=len(vertices))[:, None]
    step -= np.einsum("ij,ij->i", step, normals)[:, None] * normals
    return vertices + step


def _onto_skin(vertices: Vertices, triangles: Triangles, body: Body) -> Vertices:
    """Vertices moved along their normals by their distance to the skin."""
    a, b = vertices[triangles[:, 0]], vertices[triangles[:, 1]]
    longest = _LONGEST_STEP * float(_length(b - a).mean())
    step = np.clip(body.distance(vertices), -longest, longest)
    return vertices - step[:, None] * vertex_normals(vertices, triangles)


def vertex_normals(vertices: Vertices, triangles: Triangles) -> Vertices:
    """Unit normals (n, 3) at the vertices: of the adjacent triangles, weighted by their areas."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    areas = np.cross(b - a, c - a)
    normals = _summed(triangles.T.ravel(), np.tile(areas, (3, 1)), len(vertices))
    return np.asarray(normals / _length(normals)[:, None])


def _length(vectors: Vertices) -> NDArray[np.float64]:
    """Lengths (n,) of vectors (n, 3)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))


def _summed(index: NDArray[np.int64], rows: Vertices, n: int) -> Vertices:
    """Rows (m, 3) added up by ``index`` (m,) to (n, 3)."""
    return np.stack([np.bincount(index, rows[:, i], minlength=n) for i in range(3)], axis=1)


def flip_edges(vertices: Vertices, triangles: Triangles) -> Triangles:
    """The triangles after flips of all edges that are opposite to angles of more than 180 degrees together."""
    for _ in range(_MOST_FLIP_PASSES):
        triangles, flipped = _flip_once(vertices, triangles)
        if flipped == 0:
            break
    return triangles


def _flip_once(vertices: Vertices, triangles: Triangles) -> tuple[Triangles, int]:
    """One pass: flips that do not share a triangle, the most worthwhile first."""
    left, right, corners = _edges(triangles)
    gain = _gain(vertices, corners)
    allowed = (gain > _WORTHWHILE) & _keeps_manifold(triangles, corners) & _keeps_sides(vertices, corners)
    best = np.full(len(triangles), _WORTHWHILE)
    np.maximum.at(best, left[allowed], gain[allowed])
    np.maximum.at(best, right[allowed], gain[allowed])
    chosen = allowed & (gain >= best[left]) & (gain >= best[right])
    chosen = _without_shared(chosen, corners)
    a, b, c, d = corners[:, chosen]
    flipped = triangles.copy()
    flipped[left[chosen]] = np.stack((a, d, c), axis=1)
    flipped[right[chosen]] = np.stack((d, b, c), axis=1)
    return flipped, int(chosen.sum())


def _edges(triangles: Triangles) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of each edge of a closed mesh: its two triangles, and (4, e) its ends a, b and the corners opposite c, d."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    opposite = np.roll(triangles, -2, axis=1).ravel()
    n = int(triangles.max()) + 1
    order = np.argsort(start * n + end)
    reverse = np.argsort(end * n + start)
    twin = np.empty_like(order)
    twin[reverse] = order
    one = np.flatnonzero(start < end)
    other = twin[one]
    return one // 3, other // 3, np.stack((start[one], end[one], opposite[one], opposite[other]))


def _gain(vertices: Vertices, corners: NDArray[np.int64]) -> NDArray[np.float64]:
    """Minus the sum of the cotangents opposite to each edge: positive where it is not Delaunay."""
    a, b, c, d = (vertices[each] for each in corners)
    return -_cotangent(a - c, b - c) - _cotangent(a - d, b - d)


def _cotangent(first: Vertices, second: Vertices) -> NDArray[np.float64]:
    across = _length(np.cross(first, second))
    return np.asarray(np.einsum("ij,ij->i", first, second) / np.maximum(across, np.finfo(float).tiny))


def _keeps_manifold(triangles: Triangles, corners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where the new edge does not exist yet and both ends of the old one keep enough neighbours."""
    a, b, c, d = corners
    n = int(triangles.max()) + 1
    existing = np.minimum(a, b) * n + np.maximum(a, b)
    new = np.minimum(c, d) * n + np.maximum(c, d)
    neighbours = np.bincount(triangles.ravel(), minlength=n)
    enough = np.minimum(neighbours[a], neighbours[b]) > _FEWEST_NEIGHBOURS
    return np.asarray(~np.isin(new, existing) & enough)


def _keeps_sides(vertices: Vertices, corners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where both new triangles face the way that the old ones do together."""
    a, b, c, d = (vertices[each] for each in corners)
    old = np.cross(b - a, c - a) + np.cross(a - b, d - b)
    first, second = np.cross(d - a, c - a), np.cross(b - d, c - d)
    return np.asarray((np.einsum("ij,ij->i", first, old) > 0.0) & (np.einsum("ij,ij->i", second, old) > 0.0))


def _without_shared(chosen: NDArray[np.bool_], corners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The chosen flips without those that share a vertex with an earlier one, which could spoil each other."""
    kept = np.zeros_like(chosen)
    used: set[int] = set()
    for edge in np.flatnonzero(chosen).tolist():
        around = set(corners[:, edge].tolist())
        if not around & used:
            used |= around
            kept[edge] = True
    return kept
