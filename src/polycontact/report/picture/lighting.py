"""How much light reaches what a picture shows: a sky, less in hollows, and a sun with a soft shadow.

In: positions and normals of what is seen, at each pixel. Out: shares of light. The work is done by
`polycontact.kernels.picture.light`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.picture.light import (
    MAP_ACROSS,
    MAP_LOW,
    MAP_SIZE,
    N_MAP,
    blur_covered,
    light_by_sun,
    light_on_ground,
    obscure_hollows,
)
from polycontact.report.picture.raster import rasterise

MAP_PIXELS = 1024
"""Pixels of the shadow map along each side."""

SOFTNESS = 0.012
"""Radius in which the shadow map is averaged, in sizes of what is shown."""

HOLLOW_RADIUS = 0.06
"""Radius of hollows, in sizes of what is shown."""

DARKEST = 0.85
"""How much of the light of the sky the deepest hollow loses."""

N_TAPS = 12
"""Places looked at for each pixel, on a spiral with the golden angle, which covers a disc evenly."""

Floats = NDArray[np.float32]


def _spiral() -> NDArray[np.float64]:
    k = np.arange(N_TAPS)
    radius, angle = np.sqrt((k + 0.5) / N_TAPS), k * math.pi * (3 - math.sqrt(5))
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)


TAPS = _spiral()

TURNS = np.stack([f(2 * math.pi * np.arange(64) / 64) for f in (np.cos, np.sin)], axis=1)
"""By which the spiral is turned from pixel to pixel: cosine and sine."""


def sun_direction(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vector to the sun for a camera with the given axes: from above, to the left and behind the camera."""
    right, back = axes[0], np.array([axes[2][0], axes[2][1], 0.0])
    length = np.linalg.norm(back)
    back = back / length if length > 1e-6 else axes[1] * np.array([-1.0, -1.0, 0.0])
    sun = -0.55 * right + 0.55 * back + np.array([0.0, 0.0, 1.15])
    return np.asarray(sun / np.linalg.norm(sun))


@dataclass(frozen=True, eq=False)
class ShadowMap:
    """What the sun sees: ``height`` (n, n) m towards the sun; ``row``: corner, axes and size, as kernels take them."""

    height: Floats
    row: NDArray[np.float64]


def make_shadow_map(corners: NDArray[np.float64], sun: NDArray[np.float64]) -> ShadowMap:
    """The shadow map of triangles (n, 3, 3) m."""
    across = np.cross([0.0, 0.0, 1.0], sun)
    if np.linalg.norm(across) < 1e-6:
        across = np.array([1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    axes = np.stack((across, np.cross(sun, across), sun))
    seen = corners @ axes.T
    least, greatest = (np.array([getattr(seen[..., i], end)() for i in range(3)]) for end in ("min", "max"))
    margin = 0.05 * float((greatest - least)[:2].max())
    low = least - margin
    size = float((greatest - low)[:2].max()) + margin
    placed = seen - low
    placed[..., :2] *= MAP_PIXELS / size
    layer = rasterise(placed, MAP_PIXELS, MAP_PIXELS)
    layer.nearness[~layer.covered] = -1e30
    row = np.zeros(N_MAP)
    row[MAP_LOW : MAP_LOW + 3], row[MAP_ACROSS : MAP_ACROSS + 9], row[MAP_SIZE] = low, axes.ravel(), size
    return ShadowMap(layer.nearness, row)


@dataclass(frozen=True, eq=False)
class SeenPoints:
    """What is seen at pixels: whether a body is there (h, w), how near 1/m, where m and its normal (h, w, 3)."""

    covered: NDArray[np.bool_]
    near: Floats
    position: Floats
    normal: Floats


def hollow_light(seen: SeenPoints, pixel: float, size: float) -> Floats:
    """Light of the sky (h, w) from 0 to 1 left in hollows.

    ``pixel``: pixels of one metre at a distance of one metre; ``size``: of what is shown, m.
    """
    obscured = np.empty(seen.covered.shape, np.float32)
    radius = HOLLOW_RADIUS * size
    obscure_hollows(seen.covered, seen.near, seen.position, seen.normal, TAPS, TURNS, radius, pixel, obscured)
    return np.float32(1.0) - np.float32(DARKEST) * _smooth(obscured, seen.covered, 1.6)


def sun_light(seen: SeenPoints, shadows: ShadowMap, size: float) -> Floats:
    """Share of the sun (h, w) that reaches what is seen; ``size``: of what is shown, m."""
    light = np.empty(seen.covered.shape, np.float32)
    radius = 0.5 * SOFTNESS * MAP_PIXELS
    lift = 0.004 * size
    light_by_sun(seen.covered, seen.position, seen.normal, lift, shadows.height, shadows.row, TAPS, radius, light)
    return _smooth(light, seen.covered, 0.7)


def ground_light(
    camera: NDArray[np.float64], shape: tuple[int, int], step: int, ground: float, shadow: float, shadows: ShadowMap
) -> Floats:
    """Share of light that shadows of a strength leave on a plane at height ``ground`` m, at every ``step`` pixels."""
    light = np.empty(shape, np.float32)
    radius = 1.6 * SOFTNESS * MAP_PIXELS
    light_on_ground(camera, ground, step, shadow, shadows.height, shadows.row, TAPS, radius, light)
    return light


def _smooth(values: Floats, covered: NDArray[np.bool_], width: float) -> Floats:
    """Mean of covered pixels around each pixel, weighted with a bell of ``width`` pixels; a border is filled too."""
    bell = np.exp(-0.5 * (np.arange(math.ceil(3 * width) + 1) / width) ** 2)
    bell = (bell / (2 * bell.sum() - bell[0])).astype(np.float32)
    blurred, scratch = np.empty(covered.shape, np.float32), np.empty((3, *covered.shape), np.float32)
    blur_covered(values, covered, bell, scratch, blurred)
    return blurred
