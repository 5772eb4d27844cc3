"""Distances of points from triangles, one by one: no tree, nothing remembered, nothing of the contact model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.jit import kernel

Array = NDArray[np.float64]

NEEDLE = 1e-10
"""Square of the sine of an angle: a thinner triangle is its sides, which are then nowhere further than 1e-5 of them."""


def distances(points: Array, triangles: Array, near: NDArray[np.int64], start: NDArray[np.int64]) -> Array:
    """Distance (k,) m of point i from each of the triangles (m, 3, 3) ``near[start[i]:start[i + 1]]``."""
    found = np.empty(len(near))
    _fill(np.ascontiguousarray(points), np.ascontiguousarray(triangles), near, start, found)
    return found


@kernel
def _fill(points: Array, triangles: Array, near: NDArray[np.int64], start: NDArray[np.int64], found: Array) -> None:
    """The foot on the plane where it lies inside the triangle, else the nearest point of the three sides."""
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        for k in range(start[i], start[i + 1]):
            corner = triangles[near[k]]
            px, py, pz = x - corner[0, 0], y - corner[0, 1], z - corner[0, 2]
            ax, ay, az = corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
            bx, by, bz = corner[2, 0] - corner[0, 0], corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
            aa, ab, bb = ax * ax + ay * ay + az * az, ax * bx + ay * by + az * bz, bx * bx + by * by + bz * bz
            pa, pb = px * ax + py * ay + pz * az, px * bx + py * by + pz * bz
            gram = aa * bb - ab * ab
            u, v = pa * bb - pb * ab, pb * aa - pa * ab
            if gram > NEEDLE * aa * bb and u >= 0.0 and v >= 0.0 and u + v <= gram:
                nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
                found[k] = abs(px * nx + py * ny + pz * nz) / math.sqrt(gram)
                continue
            least = math.inf
            for side in range(3):
                first, second = corner[side], corner[(side + 1) % 3]
                sx, sy, sz = second[0] - first[0], second[1] - first[1], second[2] - first[2]
                qx, qy, qz = x - first[0], y - first[1], z - first[2]
                length = sx * sx + sy * sy + sz * sz
                share = (qx * sx + qy * sy + qz * sz) / length if length > 0.0 else 0.0
                share = min(max(share, 0.0), 1.0)
                qx, qy, qz = qx - share * sx, qy - share * sy, qz - share * sz
                least = min(least, qx * qx + qy * qy + qz * qz)
            found[k] = math.sqrt(least)
