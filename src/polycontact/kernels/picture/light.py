"""How much light reaches what is seen: less in hollows, and the sun with its soft shadow.

Hollows are found among the neighbours on the screen (McGuire et al., The Alchemy screen-space ambient obscurance
algorithm, 2011), the sun's shadow in a picture taken from the sun, a shadow map.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.jit import entry_kernel, inline_kernel
from polycontact.kernels.picture.nearest_triangle import Floats
from polycontact.kernels.picture.seen_points import EYE, Setting, ray_at
from polycontact.kernels.views import Doubles

DEPTH_OF_HOLLOWS = 1.6
"""How strongly hollows darken."""

WIDEST = 160.0
"""Most pixels to the farthest neighbour that is looked at."""

MAP_LOW, MAP_ACROSS, MAP_ALONG, MAP_SUN, MAP_SIZE, N_MAP = 0, 3, 6, 9, 12, 13
"""A shadow map as a row of numbers: its corner along its axes m, these axes, and the length of its sides m."""

Covered = NDArray[np.bool_]


@inline_kernel
def noise_at(i: int, j: int) -> float:
    """A number from 0 to 1 that differs from pixel to pixel (interleaved gradient noise, Jimenez 2014)."""
    inner = 0.06711056 * j + 0.00583715 * i
    outer = 52.9829189 * (inner - math.floor(inner))
    return outer - math.floor(outer)


@entry_kernel(
    "void(boolean[:,::1], float32[:,::1], float32[:,:,::1], float32[:,:,::1],"
    " float64[:,::1], float64[:,::1], float64, float64, float32[:,::1])"
)
def obscure_hollows(
    covered: Covered,
    near: Floats,
    position: Floats,
    normal: Floats,
    taps: Doubles,
    turns: Doubles,
    radius: float,
    pixel: float,
    obscured: Floats,
) -> None:
    """Light (h, w), from 0 to 1, that neighbours within ``radius`` m take away.

    ``taps`` (k, 2): where to look in a disc of radius 1, turned from pixel to pixel by one of ``turns`` (l, 2), cosine
    and sine; ``pixel``: pixels of one metre at a distance of one metre.
    """
    height, width = covered.shape
    square_radius = radius * radius
    for i in range(height):
        for j in range(width):
            obscured[i, j] = 0.0
            if not covered[i, j]:
                continue
            # Radius of the disc in pixels, and its turn, which noise hides.
            reach = min(max(radius * pixel * near[i, j], 2.0), WIDEST)
            turn = int(len(turns) * noise_at(i, j))
            cos, sin = reach * turns[turn, 0], reach * turns[turn, 1]
            x, y, z = position[i, j, 0], position[i, j, 1], position[i, j, 2]
            a, b, c = normal[i, j, 0], normal[i, j, 1], normal[i, j, 2]
            total = 0.0
            for k in range(len(taps)):
                dx, dy = taps[k, 0], taps[k, 1]
                row = min(max(int(i + dx * sin + dy * cos + 0.5), 0), height - 1)
                column = min(max(int(j + dx * cos - dy * sin + 0.5), 0), width - 1)
                if not covered[row, column]:
                    continue
                u, v, w = position[row, column, 0] - x, position[row, column, 1] - y, position[row, column, 2] - z
                above = u * a + v * b + w * c - 0.01 * radius
                square = u * u + v * v + w * w
                if above > 0.0 and square < square_radius:
                    weight = 1.0 - square / square_radius
                    total += above * weight * weight / (square + 1e-3 * square_radius)
            obscured[i, j] = min(DEPTH_OF_HOLLOWS * radius * total / len(taps), 1.0)


@inline_kernel
def along(row: Setting, axis: int, x: float, y: float, z: float) -> float:
    """How far a place lies along the axis that stands at ``axis`` of a row of numbers, m."""
    return float(x * row[axis] + y * row[axis + 1] + z * row[axis + 2])


@inline_kernel
def sun_at(heights: Floats, sun_map: Setting, taps: Doubles, radius: float, x: float, y: float, z: float) -> float:
    """Share of the sun that reaches a place, averaged over a disc of ``radius`` pixels of the map; 1 outside of it."""
    n = len(heights)
    scale = n / sun_map[MAP_SIZE]
    u = (x * sun_map[MAP_ACROSS] + y * sun_map[MAP_ACROSS + 1] + z * sun_map[MAP_ACROSS + 2] - sun_map[MAP_LOW]) * scale
    v = (
        x * sun_map[MAP_ALONG] + y * sun_map[MAP_ALONG + 1] + z * sun_map[MAP_ALONG + 2] - sun_map[MAP_LOW + 1]
    ) * scale
    if not (0.0 < u < n and 0.0 < v < n):
        return 1.0
    height = along(sun_map, MAP_SUN, x, y, z) - sun_map[MAP_LOW + 2]
    height += 0.004 * sun_map[MAP_SIZE]  # so that nothing shades itself
    free = 0
    for k in range(len(taps)):
        column = min(max(int(u + radius * taps[k, 0]), 0), n - 1)
        row = min(max(int(v + radius * taps[k, 1]), 0), n - 1)
        if heights[row, column] <= height:
            free += 1
    return free / len(taps)


@entry_kernel(
    "void(boolean[:,::1], float32[:,:,::1], float32[:,:,::1], float64,"
    " float32[:,::1], float64[::1], float64[:,::1], float64, float32[:,::1])"
)
def light_by_sun(
    covered: Covered,
    position: Floats,
    normal: Floats,
    lift: float,
    heights: Floats,
    sun_map: Setting,
    taps: Doubles,
    radius: float,
    light: Floats,
) -> None:
    """Share of the sun (h, w) that reaches what is seen, looked at ``lift`` m above it; 0 where nothing is."""
    for i in range(covered.shape[0]):
        for j in range(covered.shape[1]):
            light[i, j] = 0.0
            if covered[i, j]:
                x = position[i, j, 0] + lift * normal[i, j, 0]
                y = position[i, j, 1] + lift * normal[i, j, 1]
                z = position[i, j, 2] + lift * normal[i, j, 2]
                light[i, j] = sun_at(heights, sun_map, taps, radius, x, y, z)


@entry_kernel(
    "void(float64[::1], float64, int64, float64, float32[:,::1], float64[::1], float64[:,::1], float64, float32[:,::1])"
)
def light_on_ground(
    camera: Setting,
    ground: float,
    step: int,
    shadow: float,
    heights: Floats,
    sun_map: Setting,
    taps: Doubles,
    radius: float,
    light: Floats,
) -> None:
    """Share of light (h, w) that shadows of strength ``shadow`` leave on a plane at height ``ground`` m.

    Pixel i, j of it lies at ``step`` times i, j of the camera's; what sees no ground is light.
    """
    above = camera[EYE + 2] - ground
    for i in range(light.shape[0]):
        for j in range(light.shape[1]):
            ray = ray_at(camera, step * j + 0.5, step * i + 0.5)
            light[i, j] = 1.0
            if ray[2] < -1e-4:
                reach = above / -ray[2]
                x, y = camera[EYE] + reach * ray[0], camera[EYE + 1] + reach * ray[1]
                light[i, j] = 1.0 - shadow * (1.0 - sun_at(heights, sun_map, taps, radius, x, y, ground))


@inline_kernel
def bounds(covered: Covered, margin: int) -> tuple[int, int, int, int]:
    """Rows from and to, columns from and to, of what is covered, with a margin inside of the picture."""
    height, width = covered.shape
    top, bottom, left, right = height, 0, width, 0
    for i in range(height):
        for j in range(width):
            if covered[i, j]:
                top, bottom = min(top, i), max(bottom, i + 1)
                left, right = min(left, j), max(right, j + 1)
    return max(top - margin, 0), min(bottom + margin, height), max(left - margin, 0), min(right + margin, width)


@entry_kernel("void(float32[:,::1], boolean[:,::1], float32[::1], float32[:,:,::1], float32[:,::1])")
def blur_covered(values: Floats, covered: Covered, bell: Floats, scratch: Floats, blurred: Floats) -> None:
    """Mean of covered pixels around each, weighted with a ``bell`` (k + 1,) from its middle on; a border is filled too.

    ``values`` (h, w): 0 where nothing is covered; ``scratch`` (3, h, w). Pixels with nothing covered around them get 0.
    """
    across, weight, seen = scratch[0], scratch[1], scratch[2]
    seen[:] = 0.0
    reach = len(bell) - 1
    top, bottom, left, right = bounds(covered, reach)
    blurred[:] = 0.0
    across[:] = 0.0
    weight[:] = 0.0
    for i in range(top, bottom):
        for k in range(-reach, reach + 1):
            share = bell[abs(k)]
            for j in range(max(left, left - k), min(right, right - k)):  # from within the bounds into them
                across[i, j] += share * values[i, j + k]
                weight[i, j] += share * np.float32(covered[i, j + k])
    for i in range(top, bottom):
        total, share_of_all = blurred[i], seen[i]
        for k in range(max(i - reach, top), min(i + reach + 1, bottom)):
            share = bell[abs(k - i)]
            for j in range(left, right):
                total[j] += share * across[k, j]
                share_of_all[j] += share * weight[k, j]
        for j in range(left, right):
            total[j] /= max(share_of_all[j], np.float32(1e-3))
