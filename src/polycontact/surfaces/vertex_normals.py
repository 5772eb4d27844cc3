"""Normals at corners of triangles, smooth within a feature angle, and at vertices, for the sign of a distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges
from polycontact.tolerances import FEATURE_ANGLE


def corner_normals(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], half_edges: HalfEdges
) -> NDArray[np.float64]:
    """Unit normal at each corner (n, 9): the mean over the triangles around the vertex that join smoothly.

    Two triangles join smoothly where the angle across their common edge is below the feature angle. The weights
    are those of Max (Weights for computing vertex normals from facet normals, 1999): sin of the corner angle over
    the product of the two sides, exact on a sphere.
    """
    corners = vertices[triangles]
    ahead = np.roll(corners, -1, axis=1) - corners
    weighted = sphere_weighted_normals(vertices, triangles)
    group = smooth_corner_groups(vertices, triangles, half_edges)
    total = np.stack([np.bincount(group, weights=weighted[:, :, a].ravel()) for a in range(3)], axis=1)
    length = np.linalg.norm(total, axis=1)
    facet = np.cross(ahead[:, 0], -ahead[:, 2])
    facet /= np.linalg.norm(facet, axis=1)[:, None]
    smooth = total[group] / np.maximum(length, np.finfo(float).tiny)[group][:, None]
    flat = np.repeat(facet, 3, axis=0)
    return np.ascontiguousarray(np.where(length[group][:, None] > 0, smooth, flat).reshape(-1, 9))


def sphere_weighted_normals(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
    """Normal at each corner (n, 3, 3), 1/m², with the weight of Max: the sum around a vertex is exact on a sphere."""
    corners = vertices[triangles]
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    product = (np.einsum("tij,tij->ti", ahead, ahead) * np.einsum("tij,tij->ti", behind, behind))[:, :, None]
    return np.asarray(np.cross(ahead, behind) / np.maximum(product, np.finfo(float).tiny))


def angle_weighted_normals(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
    """Sum of the unit normals around each vertex (n, 3), weighted by the angles of the triangles there.

    Its sign tells on which side of a closed surface a point lies whose nearest point is the vertex (Bærentzen and
    Aanæs, Signed distance computation using the angle weighted pseudonormal, 2005).
    """
    corners = vertices[triangles]
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    normal = np.cross(ahead, behind)
    angle = np.arctan2(np.linalg.norm(normal, axis=2), np.einsum("tij,tij->ti", ahead, behind))
    unit = normal[:, 0] / np.maximum(np.linalg.norm(normal[:, 0], axis=1), np.finfo(float).tiny)[:, None]
    weighted = (angle[:, :, None] * unit[:, None, :]).reshape(-1, 3)
    corner = triangles.ravel()
    return np.stack([np.bincount(corner, weights=weighted[:, a], minlength=len(vertices)) for a in range(3)], axis=1)


def corner_groups(triangles: NDArray[np.int32], half_edges: HalfEdges, joined: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Group of each corner, 3 t + i (3 n,): corners at one vertex whose triangles are ``joined`` (n, 3) by edges.

    ``joined`` is given for both half-edges of an edge, and False at borders.
    """
    t, i = np.nonzero(joined)
    other = half_edges.neighbours[t, i]
    links = []
    for shift in range(2):  # both ends of the edge
        here = 3 * t + (i + shift) % 3
        there = 3 * other + np.argmax(triangles[other] == triangles[t, (i + shift) % 3][:, None], axis=1)
        links.append((here, there))
    rows = np.concatenate([link[0] for link in links])
    columns = np.concatenate([link[1] for link in links])
    return connected_labels(3 * len(triangles), rows, columns)


def smooth_corner_groups(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], half_edges: HalfEdges
) -> NDArray[np.int64]:
    """Group of each corner, 3 t + i (3 n,): corners at one vertex whose triangles join smoothly."""
    return corner_groups(triangles, half_edges, _joined_smoothly(vertices, triangles, half_edges))


def _joined_smoothly(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], half_edges: HalfEdges
) -> NDArray[np.bool_]:
    """Half-edges (n, 3) across which the surface bends by less than the feature angle."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    across = half_edges.neighbours
    cosine = np.einsum("tj,tij->ti", normal, normal[across])
    return np.asarray((across >= 0) & (cosine > np.cos(FEATURE_ANGLE)))
