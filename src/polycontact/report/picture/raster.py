"""Which triangle is seen at each pixel of a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.picture.nearest_triangle import draw_triangles

NO_TRIANGLE = -1
_NOTHING_BEHIND = np.zeros((0, 0), np.float32)


@dataclass(frozen=True, eq=False)
class Layer:
    """What is seen at each pixel: ``triangle`` (h, w) int32, -1 for none; ``nearness`` (h, w) float32, 1/m, 0 there."""

    triangle: NDArray[np.int32]
    nearness: NDArray[np.float32]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Where there is a triangle, (h, w)."""
        return np.asarray(self.triangle != NO_TRIANGLE)


def rasterise(
    corners: NDArray[np.float64],
    width: int,
    height: int,
    which: NDArray[np.bool_] | None = None,
    behind: Layer | None = None,
) -> Layer:
    """The nearest of triangles (n, 3, 3) at each pixel; corners are x, y in pixels and the inverse distance (> 0).

    ``which`` (n,): only these; ``behind``: only what lies behind another layer.
    """
    chosen = np.arange(len(corners)) if which is None else np.flatnonzero(which)
    layer = Layer(np.full((height, width), NO_TRIANGLE, np.int32), np.zeros((height, width), np.float32))
    before = _NOTHING_BEHIND if behind is None else behind.nearness
    draw_triangles(np.ascontiguousarray(corners), chosen.astype(np.int32), before, layer.triangle, layer.nearness)
    return layer


def faces_camera(corners: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether triangles (n, 3, 3) on the screen turn their outer side to the camera: clockwise, as y points down."""
    a, b = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0)
