"""Delaunay triangulation of a few hundred points of a plane with whole coordinates, exactly (Bowyer-Watson).

Whole coordinates make every decision exact, so that the result is the same on every machine.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

LARGEST: Final = 5_000
"""Largest coordinate, so that the determinant of a circle test stays below 2**63."""


def delaunay(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counter-clockwise triangles (m, 3) of distinct ``points`` (n, 2) with coordinates up to ± `LARGEST`."""
    far = 2 * LARGEST
    n = len(points)
    frame = np.array([[-far, -far], [far, -far + 1], [far + 1, far], [-far + 1, far + 1]])
    placed = np.concatenate((points.astype(np.int64), frame))
    triangles = np.array([[n, n + 1, n + 2], [n, n + 2, n + 3]])
    for new in range(n):
        hit = _in_circle(placed[triangles], placed[new])
        triangles = np.concatenate((triangles[~hit], _fan(triangles[hit], new)))
    return triangles[(triangles < n).all(axis=1)]


def _in_circle(corners: NDArray[np.int64], point: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether ``point`` lies strictly inside the circle of each counter-clockwise triangle (m, 3, 2)."""
    x, z = np.moveaxis(corners - point, -1, 0)
    square = x * x + z * z
    minors = [x[:, i] * z[:, j] - x[:, j] * z[:, i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.asarray(sum(square[:, i] * minors[i] for i in range(3)) > 0)


def _fan(hole: NDArray[np.int64], apex: int) -> NDArray[np.int64]:
    """Triangles from the border of ``hole`` (m, 3) to the new point ``apex``."""
    edges = np.concatenate((hole[:, [0, 1]], hole[:, [1, 2]], hole[:, [2, 0]])).tolist()
    inner = {(b, a) for a, b in edges}
    border = [edge for edge in edges if (edge[0], edge[1]) not in inner]
    return np.array([[a, b, apex] for a, b in border], dtype=np.int64)
