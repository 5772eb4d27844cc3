"""The bounding volume hierarchy of a surface, with everything of it in leaf order (S0.27–S0.29)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.surface import Surface


@dataclass(frozen=True)
class BoundingVolumeTree:
    """Axis-aligned boxes in the surface's frame, depth-first.

    ``order`` (n,): triangle of each leaf. ``boxes`` (2n - 1, 6): centre and half-extents of each node, m; the
    left child of node i with n leaves is i + 1 and covers (n + 1) // 2 of them, the right one follows its
    subtree.
    """

    order: NDArray[np.int32]
    boxes: NDArray[np.float64]

    def level(self, depth: int) -> NDArray[np.float64]:
        """Boxes of the nodes at ``depth`` below the root, and of leaves that end above it."""
        nodes = [(0, len(self.order))]
        for _ in range(depth):
            below = []
            for node, n in nodes:
                left = (n + 1) // 2
                below += [(node + 1, left), (node + 2 * left, n - left)] if n > 1 else [(node, n)]
            nodes = below
        return self.boxes[[node for node, _ in nodes]]


def leaves_by_medians(surface: Surface) -> NDArray[np.int32]:
    """Halve the triangles at the median of the widest axis until every leaf holds one: triangle of each leaf (n,)."""
    from polycontact.kernels.geometry.tree import sort_into_leaves

    order = np.arange(surface.n_triangles, dtype=np.int32)
    sort_into_leaves(surface.barycentres, order, np.empty((64, 2), dtype=np.int64))
    return order


def build_tree(surface: Surface, order: NDArray[np.int32]) -> BoundingVolumeTree:
    """The balanced tree whose leaves hold the triangles in a given order, and its boxes."""
    corners = surface.vertices[surface.triangles[order]]
    return BoundingVolumeTree(order=order, boxes=boxes_around(corners))


def checked_leaves(surface: Surface, given: object) -> NDArray[np.int32]:
    """The order of leaves that a user gave, or a function of the surface gives: every triangle once."""
    order = np.asarray(given(surface) if callable(given) else given)
    n = surface.n_triangles
    if order.shape != (n,) or order.dtype.kind not in "iu":
        raise SurfaceError(
            f"{surface.name}: the leaves of its tree have shape {order.shape} and type {order.dtype}; give the numbers "
            f"of its {n} triangles, as whole numbers of shape ({n},)"
        )
    wrong = order[(order < 0) | (order >= n)]
    if not len(wrong):
        times = np.bincount(order, minlength=n)
        wrong = np.flatnonzero(times != 1)
    if len(wrong):
        raise SurfaceError(
            f"{surface.name}: the leaves of its tree do not hold every triangle once, see triangle {int(wrong[0])}; "
            f"give a permutation of 0 to {n - 1}"
        )
    return np.ascontiguousarray(order, dtype=np.int32)


def boxes_around(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Boxes of a tree whose leaves hold ``points`` (n, k, 3): centre and half-extents of each node."""
    from polycontact.kernels.geometry.tree import fit_boxes

    boxes = np.empty((2 * len(points) - 1, 6))
    fit_boxes(points.min(axis=1), points.max(axis=1), boxes, np.empty((64, 2), dtype=np.int64))
    return boxes


def oriented_boxes_around(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Boxes along principal axes of a tree whose leaves hold ``points`` (n, k, 3): centre, half-extents, axes."""
    from polycontact.kernels.geometry.oriented_boxes import COLUMNS, fit_oriented_boxes

    boxes = np.empty((2 * len(points) - 1, COLUMNS))
    fit_oriented_boxes(points, boxes, np.empty((64, 3), dtype=np.int64), np.empty((3, 3)), np.empty((3, 3)))
    return boxes
