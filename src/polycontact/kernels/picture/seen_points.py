"""Where what is seen at a pixel lies, and its normal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import entry_kernel, inline_kernel
from polycontact.kernels.picture.nearest_triangle import Floats, Numbers
from polycontact.kernels.views import Doubles

EYE, RIGHT, UP, BACK, SCALE, CENTRE, MIDDLE, N_CAMERA = 0, 3, 6, 9, 12, 13, 14, 15
"""A camera as a row of numbers: its place m, its axes, pixels per unit of the tangent, where its axis meets them."""

Setting = NDArray[np.float64]


@inline_kernel
def ray_at(camera: Setting, x: float, y: float) -> Vector:
    """Direction through a place of the picture, as long as one metre along the view."""
    across, upward = (x - camera[CENTRE]) / camera[SCALE], (camera[MIDDLE] - y) / camera[SCALE]
    return (
        across * camera[RIGHT] + upward * camera[UP] - camera[BACK],
        across * camera[RIGHT + 1] + upward * camera[UP + 1] - camera[BACK + 1],
        across * camera[RIGHT + 2] + upward * camera[UP + 2] - camera[BACK + 2],
    )


@inline_kernel
def normal_at(slopes: Floats, t: int, x: float, y: float) -> Vector:
    """Unit normal of triangle t at a place of the picture."""
    a = slopes[t, 0, 0] * x + slopes[t, 1, 0] * y + slopes[t, 2, 0]
    b = slopes[t, 0, 1] * x + slopes[t, 1, 1] * y + slopes[t, 2, 1]
    c = slopes[t, 0, 2] * x + slopes[t, 1, 2] * y + slopes[t, 2, 2]
    share = 1.0 / max(math.sqrt(a * a + b * b + c * c), 1e-30)
    return (a * share, b * share, c * share)


@entry_kernel(
    "void(float64[::1], int32[:,::1], float32[:,::1], float32[:,:,::1], int64,"
    " boolean[:,::1], float32[:,::1], float32[:,:,::1], float32[:,:,::1])"
)
def find_points(
    camera: Doubles,
    triangle: Numbers,
    nearness: Floats,
    slopes: Floats,
    samples: int,
    covered: NDArray[np.bool_],
    near: Floats,
    position: Floats,
    normal: Floats,
) -> None:
    """Positions m and normals (h, w, 3) at the middle of each pixel of the picture, blocks of ``samples``² fine ones.

    ``triangle``, ``nearness``: of fine pixels; ``covered``, ``near`` (h, w): whether a body is there, and how near.
    """
    height, width = covered.shape
    middle = samples // 2
    for i in range(height):
        for j in range(width):
            row, column = i * samples + middle, j * samples + middle
            t = triangle[row, column]
            covered[i, j] = t >= 0
            near[i, j] = nearness[row, column]
            if t < 0:
                continue
            x, y = column + 0.5, row + 0.5
            ray, n = ray_at(camera, x, y), normal_at(slopes, t, x, y)
            distance = 1.0 / nearness[row, column]
            for k in range(3):
                position[i, j, k] = camera[EYE + k] + ray[k] * distance
                normal[i, j, k] = n[k]
