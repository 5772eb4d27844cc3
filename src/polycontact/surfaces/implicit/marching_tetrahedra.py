"""A mesh of 0 = h(r) in a box: cells of a grid, six tetrahedra each, cut where h changes its sign (Doi and Koide 1991).

Vertices lie on edges of the grid, exactly on the surface. Parts smaller than a cell may be missed.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.kernels.smooth.sampling import cross_surface, values_at
from polycontact.surfaces.smooth_surface import Array, OpenedSurface
from polycontact.surfaces.surface import Surface

_GRID_OVERHANG = (0.031, 0.047)
"""Shares of the box by which the grid reaches beyond its lower and upper corner: symmetric surfaces miss its nodes."""


def march(opened: OpenedSurface, bounds: Array, divisions: int, name: str) -> Surface:
    """The surface inside a box, rows (lower, upper), m, on a grid of so many cells along each side."""
    extent = bounds[1] - bounds[0]
    lines = [
        np.linspace(
            bounds[0, a] - _GRID_OVERHANG[0] * extent[a], bounds[1, a] + _GRID_OVERHANG[1] * extent[a], divisions + 1
        )
        for a in range(3)
    ]
    nodes = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    values = np.empty(len(nodes))
    values_at(opened.sampling.address, nodes, values)
    _refuse_not_finite(name, nodes, values)
    ends = _cut_edges(_tetrahedra(divisions), values > 0.0)
    if len(ends) == 0:
        raise SurfaceError(
            f"{name}: h has one sign all over the box {bounds.tolist()} m (from {values.min():.4g} to "
            f"{values.max():.4g} on a grid of {divisions} cells a side); give bounds that hold the surface, or more "
            f"divisions"
        )
    keys, triangles = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    inside, outside = nodes[keys[:, 0]].copy(), nodes[keys[:, 1]].copy()
    cross_surface(opened.sampling.address, inside, outside)
    triangles = triangles.reshape(-1, 3)
    return Surface(inside, _outward(inside, triangles, nodes[keys[:, 1]] - nodes[keys[:, 0]]), name=name)


def _refuse_not_finite(name: str, nodes: Array, values: Array) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise SurfaceError(
            f"{name}: h is not a finite number at {nodes[bad[0]].tolist()} m and {len(bad) - 1} more of "
            f"{len(nodes)} places; change the bounds, or mend the function"
        )


def _tetrahedra(n: int) -> NDArray[np.int64]:
    """Nodes (m, 4) of the tetrahedra: six a cell, along its diagonal, so that neighbours fit."""
    strides = np.array([(n + 1) ** 2, n + 1, 1])
    corner = (np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) @ strides)[:, None]
    ways = [np.cumsum([0, *strides[list(order)]]) for order in itertools.permutations(range(3))]
    return np.concatenate([corner + way for way in ways])


def _cut_edges(tetrahedra: NDArray[np.int64], outside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Edges (inner node, outer node) on which corners of triangles lie: (m, 3, 2)."""
    order = np.argsort(outside[tetrahedra], axis=1, kind="stable")  # inner nodes first
    t = np.take_along_axis(tetrahedra, order, axis=1)
    n_outside = outside[tetrahedra].sum(axis=1)

    def triangle(rows: NDArray[np.int64], *edges: tuple[int, int]) -> NDArray[np.int64]:
        return np.stack([rows[:, edge] for edge in edges], axis=1)

    one, two, three = (t[n_outside == k] for k in (1, 2, 3))
    return np.concatenate(
        (
            triangle(one, (0, 3), (1, 3), (2, 3)),
            triangle(two, (0, 2), (0, 3), (1, 3)),
            triangle(two, (0, 2), (1, 3), (1, 2)),
            triangle(three, (0, 1), (0, 2), (0, 3)),
        )
    )


def _outward(points: Array, triangles: NDArray[np.int64], outward: Array) -> NDArray[np.int64]:
    """Triangles that run counter-clockwise seen from outside, without those whose corners rounding made one."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    turned = np.einsum("ij,ij->i", normals, outward[triangles].sum(axis=1)) < 0.0
    triangles = np.where(turned[:, None], triangles[:, [0, 2, 1]], triangles)
    return np.asarray(triangles)
