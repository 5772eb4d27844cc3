"""Which triangle is seen at each pixel: a z-buffer in numpy, exact to the pixel and the same on every machine.

In: triangles on the screen, x to the right and y down in pixels, with the inverse of the distance along the view at
each corner. Out: number and inverse distance of the nearest triangle at the centre of each pixel. Triangles are split
into rows of pixels, rows into pixels; the nearest of those that share a pixel is found with `numpy.maximum.at` on keys
that hold the inverse distance in the upper half and the number in the lower.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 21
"""Pixels or rows worked on at a time: keeps memory at about 200 MB whatever the size of triangles."""

NOTHING = -1


@dataclass(frozen=True, eq=False)
class Layer:
    """What is seen at each pixel: ``triangle`` (h, w) int32, -1 for none; ``nearness`` (h, w) float32, 1/m, 0 there."""

    triangle: NDArray[np.int32]
    nearness: NDArray[np.float32]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Where there is a triangle, (h, w)."""
        return np.asarray(self.triangle != NOTHING)


def rasterise(corners: NDArray[np.float64], width: int, height: int) -> Layer:
    """The nearest of triangles (n, 3, 3) at each pixel; corners are x, y in pixels and the inverse distance (> 0)."""
    keys = np.zeros(width * height, np.uint64)
    planes = _planes(corners)
    first, count = _rows(corners, height)
    for part in _chunks(count):
        triangle, row = _expand(part, first[part], count[part])
        left, n_pixels = _spans(corners, triangle, row, width)
        for piece in _chunks(n_pixels):
            line, x = _expand(piece, left[piece], n_pixels[piece])
            t, y = triangle[line], row[line]
            a, b, c = planes[t].T
            near = np.maximum(a * (x + 0.5) + b * (y + 0.5) + c, np.finfo(np.float32).tiny).astype(np.float32)
            key = (near.view(np.uint32).astype(np.uint64) << np.uint64(32)) | (t + 1).astype(np.uint64)
            np.maximum.at(keys, y * width + x, key)
    number = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64) - 1
    nearness = (keys >> np.uint64(32)).astype(np.uint32).view(np.float32)
    return Layer(number.astype(np.int32).reshape(height, width), nearness.reshape(height, width))


def screen_barycentrics(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients (n, 3, 3) of the barycentric coordinates of triangles as functions of x, y and 1 on the screen."""
    (x0, y0), (x1, y1), (x2, y2) = (corners[:, i, :2].T for i in range(3))
    double = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    scale = 1.0 / np.where(double == 0.0, np.inf, double)
    rows = [
        [(y1 - y2) * scale, (x2 - x1) * scale, (x1 * y2 - x2 * y1) * scale],
        [(y2 - y0) * scale, (x0 - x2) * scale, (x2 * y0 - x0 * y2) * scale],
        [(y0 - y1) * scale, (x1 - x0) * scale, (x0 * y1 - x1 * y0) * scale],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _planes(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients (n, 3) of x, y and 1 that give the inverse distance on each triangle."""
    planes: NDArray[np.float64] = np.einsum("nij,ni->nj", screen_barycentrics(corners), corners[:, :, 2])
    return planes


def _rows(corners: NDArray[np.float64], height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First row of pixels and number of rows whose centres each triangle covers."""
    y = np.clip(corners[:, :, 1], -1.0, height + 1.0)
    first = np.maximum(np.ceil(y.min(axis=1) - 0.5), 0).astype(np.int64)
    last = np.minimum(np.ceil(y.max(axis=1) - 0.5), height).astype(np.int64)
    return first, np.maximum(last - first, 0)


def _spans(
    corners: NDArray[np.float64], triangle: NDArray[np.int64], row: NDArray[np.int64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First pixel and number of pixels of each row of a triangle; sides shared by two triangles leave no gap."""
    y = row + 0.5
    left, right = np.full(len(row), np.inf), np.full(len(row), -np.inf)
    for i in range(3):
        a, b = corners[triangle, i, :2], corners[triangle, (i + 1) % 3, :2]
        swap = (a[:, 1] > b[:, 1])[:, None]
        low, high = np.where(swap, b, a), np.where(swap, a, b)  # the same order for both triangles of a side
        crossed = (low[:, 1] <= y) & (y < high[:, 1])
        span = np.where(crossed, high[:, 1] - low[:, 1], 1.0)
        x = low[:, 0] + (y - low[:, 1]) * ((high[:, 0] - low[:, 0]) / span)
        left = np.where(crossed, np.minimum(left, x), left)
        right = np.where(crossed, np.maximum(right, x), right)
    first = np.ceil(np.clip(left, -1.0, width + 1.0) - 0.5).astype(np.int64)
    last = np.ceil(np.clip(right, -1.0, width + 1.0) - 0.5).astype(np.int64)
    first, last = np.maximum(first, 0), np.minimum(last, width)
    return first, np.maximum(last - first, 0)


def _chunks(count: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Numbers of entries with a count, in pieces whose counts add up to about `CHUNK`."""
    some = np.flatnonzero(count)
    if not len(some):
        return
    ends = np.cumsum(count[some])
    cuts = np.searchsorted(ends, np.arange(CHUNK, ends[-1], CHUNK))
    yield from (part for part in np.split(some, np.unique(cuts)) if len(part))


def _expand(
    entries: NDArray[np.int64], first: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each entry ``count`` times, beside ``first``, ``first`` + 1 and so on."""
    repeated = np.repeat(entries, count)
    start = np.repeat(np.cumsum(count) - count, count)
    return repeated, np.repeat(first, count) + np.arange(len(repeated)) - start
