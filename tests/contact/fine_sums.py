"""Integrals of the depth over a base surface by fine sums: an answer that knows no facets, cells or samples.

Triangles of the base that may lie inside the target are divided into quarters until they are very many; each has the
signed distance of its barycentre from the target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import polycontact as pc

Array = NDArray[np.float64]

_ENOUGH = 150_000
"""So many triangles are not divided any more. Of a peg in its hole, 4 times as many change the sum by 3e-5."""


class FineSums(NamedTuple):
    """∫ φ dA (m³), -∫ φ n dA (m³) and its moment about the origin (m⁴)."""

    load: float
    force: Array
    torque: Array


def fine_sums(base: pc.Surface, target: pc.Surface) -> FineSums:
    """Sums over a base in a closed target, both in one frame."""
    points = base.vertices[base.triangles]
    while True:
        centres = points.mean(axis=1)
        depths = -target.closest_points(centres).distances
        # Others are outside as a whole: the depth changes by no more than one goes.
        near = depths > -np.linalg.norm(points - centres[:, None], axis=2).max(axis=1)
        points, depths, centres = points[near], depths[near], centres[near]
        if not 0 < len(points) < _ENOUGH:
            break
        points = _quarters(points)
    normals = 0.5 * np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    pushed = -np.maximum(depths, 0.0)[:, None] * normals
    load = np.linalg.norm(pushed, axis=1).sum()
    return FineSums(float(load), pushed.sum(axis=0), np.cross(centres, pushed).sum(axis=0))


def _quarters(points: Array) -> Array:
    a, b, c = np.moveaxis(points, 1, 0)
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    return np.concatenate([np.stack(x, axis=1) for x in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
