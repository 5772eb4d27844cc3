"""Faces without area and faces that occur twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.tolerances import EPS

FLAT_HEIGHT = 64.0 * EPS
"""A triangle lower than this times the size of the surface has no area: its corners lie on a line within the
rounding of their coordinates."""


def smallest_heights(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Smallest height of each triangle, in the unit of ``points``; 0 where corners coincide."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    sides = [np.linalg.norm(side, axis=1) for side in (b - a, c - b, a - c)]
    longest = np.maximum(np.maximum(sides[0], sides[1]), sides[2])
    double_areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(np.divide(double_areas, longest, out=np.zeros(len(triangles)), where=longest > 0.0))


def has_repeated_corner(triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Triangles that name a vertex twice."""
    a, b, c = triangles.T
    return np.asarray((a == b) | (b == c) | (c == a))


@dataclass(frozen=True)
class Copies:
    """For each triangle the first one with the same corners (``first``), and whether it runs the other way
    round."""

    first: NDArray[np.int64]
    reversed: NDArray[np.bool_]

    @property
    def is_copy(self) -> NDArray[np.bool_]:
        """Whether each triangle (m,) has the same corners as an earlier one."""
        return np.asarray(self.first != np.arange(len(self.first)))


def find_copies(triangles: NDArray[np.int64]) -> Copies:
    """Finds triangles with the same three vertices, in any rotation and orientation."""
    corners = np.sort(triangles, axis=1)
    # Sorted corners and their parity: an even permutation turns neither way.
    a, b, c = triangles.T
    odd = (a > b) ^ (b > c) ^ (a > c)
    order = np.lexsort(corners.T[::-1])
    ordered = corners[order]
    starts = np.ones(len(triangles), dtype=bool)
    starts[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    first = np.empty(len(triangles), dtype=np.int64)
    # lexsort is stable, so that the first of a group has the lowest index.
    first[order] = order[np.flatnonzero(starts)][np.cumsum(starts) - 1] if len(order) else order
    return Copies(first=first, reversed=np.asarray(odd != odd[first]))
