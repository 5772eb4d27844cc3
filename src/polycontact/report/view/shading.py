"""Meshes as a graphics card wants them: normals smooth within a feature angle, and the edges worth drawing."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.tolerances import FEATURE_ANGLE

MOST_AROUND: Final = 64
"""Triangles around a vertex up to which each is compared with each; beyond, the facets stay flat there."""


class ShadedMesh(NamedTuple):
    """``positions`` (k, 3), ``normals`` (k, 3) int8 of length 127, ``triangles`` (m, 3); ``edges`` (e, 2) name
    positions, the ``n_sharp`` sharp and border ones first."""

    positions: NDArray[np.float64]
    normals: NDArray[np.int8]
    triangles: NDArray[np.int64]
    edges: NDArray[np.int64]
    n_sharp: int


def shade(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> ShadedMesh:
    """Split the vertices where normals differ. Nothing of the mesh is trusted but that its indices exist."""
    facets = _facet_normals(vertices, triangles)
    corners = np.round(127.0 * _corner_normals(facets, triangles)).astype(np.int8)
    keys = np.column_stack((triangles.reshape(-1, 1), corners.reshape(-1, 3))).astype(np.int64)
    packed = ((keys[:, 0] * 256 + keys[:, 1] + 128) * 256 + keys[:, 2] + 128) * 256 + keys[:, 3] + 128
    _, first, number = np.unique(packed, return_index=True, return_inverse=True)
    edges, n_sharp = _edges(facets, triangles, number.reshape(-1, 3))
    return ShadedMesh(
        positions=vertices[keys[first, 0]],
        normals=corners.reshape(-1, 3)[first],
        triangles=number.reshape(-1, 3).astype(np.int64),
        edges=edges,
        n_sharp=n_sharp,
    )


def _facet_normals(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Area vectors relative to the greatest, so that tiny meshes do not underflow; 0 where there is no area."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    with np.errstate(all="ignore"):
        scale = float(np.abs(vertices).max(initial=0.0)) or 1.0
        vectors = np.cross((b - a) / scale, (c - a) / scale)
    vectors[~np.isfinite(vectors).all(axis=1)] = 0.0
    return vectors


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0))


def _corner_normals(area_vectors: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """(m, 3, 3): for each corner the sum over the triangles at its vertex that bend less than the feature angle."""
    facets = _unit(area_vectors)
    corner_vertex = triangles.ravel()
    order = np.argsort(corner_vertex, kind="stable")
    ordered = corner_vertex[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    sizes = np.diff(np.append(starts, len(ordered)))
    total = np.repeat(facets, 3, axis=0)
    limit = np.cos(FEATURE_ANGLE)
    for size in np.unique(sizes[sizes <= MOST_AROUND]).tolist():
        rows = order[starts[sizes == size][:, None] + np.arange(size)]
        face = rows // 3
        near = np.einsum("kia,kja->kij", facets[face], facets[face]) > limit
        summed = np.einsum("kij,kja->kia", near, area_vectors[face])
        total[rows] = np.where(np.any(summed, axis=2, keepdims=True), summed, total[rows])
    return _unit(total).reshape(-1, 3, 3)


def _edges(
    area_vectors: NDArray[np.float64], triangles: NDArray[np.int64], shown: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """Each edge once, as rows of shown vertices: those that are sharp or lie on a border first."""
    facets = _unit(area_vectors)
    ends = np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2).reshape(-1, 2)
    drawn = np.stack((shown, np.roll(shown, -1, axis=1)), axis=2).reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((high, low))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    starts = np.flatnonzero(first)
    counts = np.diff(np.append(starts, len(order)))
    face = order // 3
    paired = counts == 2
    one, other = face[starts], face[np.minimum(starts + 1, len(order) - 1)]
    bend = np.einsum("ij,ij->i", facets[one], facets[other])
    sharp = ~paired | (bend < np.cos(FEATURE_ANGLE))
    rows = drawn[order[starts]]
    return np.concatenate((rows[sharp], rows[~sharp])), int(np.count_nonzero(sharp))
