"""How the depth varies inside pieces of a patch: large triangles are drawn in parts, each with a depth of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

LONGEST_SIDE_DIVISOR = 8.0
"""Length of the whole patch, the root of its area, over the longest side that a triangle is drawn with."""

EVEN_DEPTH_SHARE = 0.02
"""A piece whose depth differs from its mean by less than this share is drawn as it is."""

Floats = NDArray[np.float64]
Depths = Callable[[Floats], Floats]
"""Depth (n,) m at points (n, 3) m."""


def relief(triangles: Floats, piece: NDArray[np.int64], depth_at: Depths) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Triangles (k, 3, 3) m of pieces (k,), divided where the depth varies, and the depth of each over the mean.

    The mean by area of a piece stays 1, so that what is drawn carries the load of the elements.
    """
    longest = np.sqrt(_areas(triangles).sum()) / LONGEST_SIDE_DIVISOR
    divided, owner = _divided(triangles, piece, longest)
    depth, area = depth_at(divided.mean(axis=1)), _areas(divided)
    n = int(piece.max(initial=-1)) + 1
    total = np.bincount(owner, area * depth, n)
    mean = total / np.maximum(np.bincount(owner, area, n), np.finfo(float).tiny)
    share = np.where(mean[owner] > 0.0, depth / np.where(mean[owner] > 0.0, mean[owner], 1.0), 1.0)
    varies = np.zeros(n, dtype=bool)
    varies[owner[np.abs(share - 1.0) > EVEN_DEPTH_SHARE]] = True
    fine, plain = varies[owner], ~varies[piece]
    return (
        np.concatenate((divided[fine], triangles[plain])),
        np.concatenate((owner[fine], piece[plain])),
        np.concatenate((share[fine], np.ones(np.count_nonzero(plain)))),
    )


def _divided(triangles: Floats, piece: NDArray[np.int64], longest: float) -> tuple[Floats, NDArray[np.int64]]:
    """Triangles bisected at their longest side until none is longer than ``longest`` (m)."""
    done, owners = [np.empty((0, 3, 3))], [np.empty(0, dtype=np.int64)]
    while len(triangles):
        sides = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
        first = sides.argmax(axis=1)
        is_short = sides.max(axis=1) <= longest
        done.append(triangles[is_short])
        owners.append(piece[is_short])
        triangles, piece, first = triangles[~is_short], piece[~is_short], first[~is_short]
        a, b, c = (triangles[np.arange(len(first)), (first + i) % 3] for i in range(3))
        middle = 0.5 * (a + b)
        triangles = np.concatenate((np.stack((a, middle, c), axis=1), np.stack((middle, b, c), axis=1)))
        piece = np.concatenate((piece, piece))
    return np.concatenate(done), np.concatenate(owners)


def _areas(triangles: Floats) -> Floats:
    a, b = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return np.asarray(0.5 * np.linalg.norm(np.cross(a, b), axis=1))
