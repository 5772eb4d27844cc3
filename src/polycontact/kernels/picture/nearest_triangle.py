"""Which triangle is seen at each pixel: a z-buffer, exact to the pixel and the same on every machine.

In: triangles on the screen, x to the right and y down in pixels, with the inverse of the distance along the view at
each corner. Out: number and inverse distance of the nearest triangle at the centre of each pixel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.jit import entry_kernel, inline_kernel
from polycontact.kernels.views import Doubles

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]

TINIEST = 1e-37
"""Least inverse distance of what is seen, 1/m: 0 stands for nothing."""


@inline_kernel
def first_centre(place: float, n: int) -> int:
    """Number of the first of n pixels whose centre does not lie before ``place``; n where there is none."""
    return int(min(max(math.ceil(min(max(place, -1.0), n + 1.0) - 0.5), 0), n))


@inline_kernel
def cross_side(xa: float, ya: float, xb: float, yb: float, y: float, left: float, right: float) -> tuple[float, float]:
    """Leftmost and rightmost place of a row, with the side from a to b: the same bits for both its triangles."""
    if ya > yb:
        xa, ya, xb, yb = xb, yb, xa, ya
    if ya <= y < yb:
        x = xa + (y - ya) * ((xb - xa) / (yb - ya))
        return min(left, x), max(right, x)
    return left, right


@entry_kernel("void(float64[:,:,::1], int32[::1], float32[:,::1], int32[:,::1], float32[:,::1])")
def draw_triangles(corners: Doubles, chosen: Numbers, before: Floats, triangle: Numbers, nearness: Floats) -> None:
    """Draw the ``chosen`` triangles (n, 3, 3) over what is there: the nearer stays, of equals the later one.

    ``triangle`` (h, w): numbers, -1 for none; ``nearness`` (h, w), 1/m, 0 for none. ``before`` (h, w), or empty:
    only what lies farther away than this nearness is drawn, which peels one layer after the other.
    """
    height, width = triangle.shape
    peels = before.shape[0] > 0
    for t in chosen:
        x0, y0, w0 = corners[t, 0, 0], corners[t, 0, 1], corners[t, 0, 2]
        x1, y1, w1 = corners[t, 1, 0], corners[t, 1, 1], corners[t, 1, 2]
        x2, y2, w2 = corners[t, 2, 0], corners[t, 2, 1], corners[t, 2, 2]
        double = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        share = 0.0 if double == 0.0 else 1.0 / double
        along_x = ((y1 - y2) * w0 + (y2 - y0) * w1 + (y0 - y1) * w2) * share
        along_y = ((x2 - x1) * w0 + (x0 - x2) * w1 + (x1 - x0) * w2) * share
        origin = ((x1 * y2 - x2 * y1) * w0 + (x2 * y0 - x0 * y2) * w1 + (x0 * y1 - x1 * y0) * w2) * share
        for row in range(first_centre(min(y0, y1, y2), height), first_centre(max(y0, y1, y2), height)):
            y = row + 0.5
            left, right = math.inf, -math.inf
            left, right = cross_side(x0, y0, x1, y1, y, left, right)
            left, right = cross_side(x1, y1, x2, y2, y, left, right)
            left, right = cross_side(x2, y2, x0, y0, y, left, right)
            at_row = along_y * y + origin
            for column in range(first_centre(left, width), first_centre(right, width)):
                near = np.float32(max(along_x * (column + 0.5) + at_row, TINIEST))
                if near >= nearness[row, column] and not (peels and near >= before[row, column]):
                    nearness[row, column] = near
                    triangle[row, column] = t


@entry_kernel("void(float64[:,:,::1], float64[:,:,::1], float32[:,:,::1])")
def find_normal_slopes(corners: Doubles, normals: Doubles, slopes: Floats) -> None:
    """Normals over the distance as linear functions of x, y and 1 on the screen: slopes (n, 3, 3), a row for each.

    ``corners`` (n, 3, 3) as for `draw_triangles`; ``normals`` (n, 3, 3) at them.
    """
    for t in range(len(corners)):
        x0, y0, w0 = corners[t, 0, 0], corners[t, 0, 1], corners[t, 0, 2]
        x1, y1, w1 = corners[t, 1, 0], corners[t, 1, 1], corners[t, 1, 2]
        x2, y2, w2 = corners[t, 2, 0], corners[t, 2, 1], corners[t, 2, 2]
        double = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        share = 0.0 if double == 0.0 else 1.0 / double
        for k in range(3):
            a, b, c = w0 * normals[t, 0, k] * share, w1 * normals[t, 1, k] * share, w2 * normals[t, 2, k] * share
            slopes[t, 0, k] = (y1 - y2) * a + (y2 - y0) * b + (y0 - y1) * c
            slopes[t, 1, k] = (x2 - x1) * a + (x0 - x2) * b + (x1 - x0) * c
            slopes[t, 2, k] = (x1 * y2 - x2 * y1) * a + (x2 * y0 - x0 * y2) * b + (x0 * y1 - x1 * y0) * c
