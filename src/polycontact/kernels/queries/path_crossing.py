"""Whether points on straight paths enter a surface from outside: compiled where a run first looks."""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.geometry.vectors import Vector, cross, dot, row, sub
from polycontact.kernels.jit import entry_kernel, kernel

_POINTS = types.Array(types.float64, 2, "C")
_CORNERS = types.Array(types.float64, 3, "C")


@kernel
def _first_crossing(start: Vector, path: Vector, corners: Array) -> int:
    """Index of the first triangle that a path meets, -1 for none (Möller and Trumbore 1997)."""
    found, earliest = -1, math.inf
    for i in range(len(corners)):
        a = row(corners[i], 0)
        first, second = sub(row(corners[i], 1), a), sub(row(corners[i], 2), a)
        across = cross(path, second)
        determinant = dot(first, across)
        if determinant == 0.0:
            continue
        to_start = sub(start, a)
        along = cross(to_start, first)
        u, v = dot(to_start, across) / determinant, dot(along, path) / determinant
        at = dot(second, along) / determinant
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0 and 0.0 <= at <= 1.0 and at < earliest:
            found, earliest = i, at
    return found


@entry_kernel((_POINTS, _POINTS, _CORNERS, _POINTS))
def enters(before: Array, after: Array, corners: Array, normals: Array) -> bool:
    """Whether a path from one of the points before (n, 3) to it after meets the outer side of a triangle first.

    ``corners`` (m, 3, 3) and ``normals`` (m, 3) of triangles, all in m and one frame.
    """
    for k in range(len(before)):
        start = row(before, k)
        path = sub(row(after, k), start)
        first = _first_crossing(start, path, corners)
        if first >= 0 and dot(path, row(normals, first)) < 0.0:
            return True
    return False
