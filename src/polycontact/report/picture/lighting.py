"""How bright each pixel of a body is: a sky, a sun with a soft shadow, and less light in hollows.

In: positions and normals of what is seen, as arrays over pixels. Out: amounts of light. The sun's shadow is a picture
taken from the sun (a shadow map); hollows are found among the neighbours on the screen (McGuire et al., The Alchemy
screen-space ambient obscurance algorithm, 2011).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.report.picture.raster import Layer, rasterise

MAP_SIZE = 1024
"""Pixels of the shadow map along each side."""

SOFTNESS = 0.012
"""Radius in which the shadow map is averaged, in sizes of what is shown."""

HOLLOW_RADIUS = 0.06
"""Radius of hollows, in sizes of what is shown."""

N_TAPS = 12
"""Places looked at for each pixel, on a spiral with the golden angle, which covers a disc evenly."""

Floats = NDArray[np.float32]


def _spiral() -> NDArray[np.float64]:
    k = np.arange(N_TAPS)
    radius, angle = np.sqrt((k + 0.5) / N_TAPS), k * math.pi * (3 - math.sqrt(5))
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)


TAPS = _spiral()


def sun_direction(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vector to the sun for a camera with the given axes: from above, to the left and behind the camera."""
    right, back = axes[0], np.array([axes[2][0], axes[2][1], 0.0])
    length = np.linalg.norm(back)
    back = back / length if length > 1e-6 else axes[1] * np.array([-1.0, -1.0, 0.0])
    sun = -0.55 * right + 0.55 * back + np.array([0.0, 0.0, 1.15])
    return np.asarray(sun / np.linalg.norm(sun))


@dataclass(frozen=True, eq=False)
class ShadowMap:
    """What the sun sees: ``height`` (n, n) m towards the sun, ``axes`` rows across, along, to the sun; ``low`` m."""

    height: Floats
    axes: NDArray[np.float64]
    low: NDArray[np.float64]
    size: float

    def light(self, positions: Floats, soft: float = 1.0) -> Floats:
        """Share of the sun (n,) that reaches positions (n, 3) m, averaged over a disc ``soft`` times as large."""
        place = (positions - self.low.astype(np.float32)) @ self.axes.T.astype(np.float32)
        x, y = (place[:, i] * (MAP_SIZE / self.size) for i in (0, 1))
        height = place[:, 2]
        radius = soft * SOFTNESS * MAP_SIZE
        bias = 0.004 * self.size
        total = np.zeros(len(positions), np.float32)
        flat = self.height.ravel()
        for dx, dy in TAPS * radius:
            column = np.clip((x + np.float32(dx)).astype(np.int32), 0, MAP_SIZE - 1)
            row = np.clip((y + np.float32(dy)).astype(np.int32), 0, MAP_SIZE - 1)
            total += flat[row * MAP_SIZE + column] <= height + bias
        return total / np.float32(N_TAPS)


def make_shadow_map(corners: NDArray[np.float64], sun: NDArray[np.float64]) -> ShadowMap:
    """The shadow map of triangles (n, 3, 3) m."""
    across = np.cross([0.0, 0.0, 1.0], sun)
    if np.linalg.norm(across) < 1e-6:
        across = np.array([1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    axes = np.stack((across, np.cross(sun, across), sun))
    seen = corners @ axes.T
    flat = seen.reshape(-1, 3)
    margin = 0.05 * float((flat.max(axis=0) - flat.min(axis=0))[:2].max())
    low = flat.min(axis=0) - margin
    size = float((flat.max(axis=0) - low)[:2].max()) + margin
    placed = seen - low
    placed[..., :2] *= MAP_SIZE / size
    layer = rasterise(placed, MAP_SIZE, MAP_SIZE)
    height = np.where(layer.covered, layer.nearness, np.float32(-1e30))
    return ShadowMap(height.astype(np.float32), axes, low @ axes, size)


def hollow_light(layer: Layer, positions: Floats, normals: Floats, pixel: float, size: float) -> Floats:
    """Light (h, w) from 0 to 1 left in hollows.

    ``positions`` and ``normals`` (h, w, 3) of what is seen; ``pixel``: pixels of one metre at a distance of one metre;
    ``size``: of what is shown, m.
    """
    radius = HOLLOW_RADIUS * size
    rows, columns = np.nonzero(layer.covered)
    here, normal = positions[rows, columns], normals[rows, columns]
    reach = np.clip(radius * pixel * layer.nearness[rows, columns], 2.0, 160.0)
    turn = _noise(rows, columns)
    total = np.zeros(len(rows), np.float32)
    height, width = layer.covered.shape
    for dx, dy in TAPS.astype(np.float32):
        ox, oy = dx * np.cos(turn) - dy * np.sin(turn), dx * np.sin(turn) + dy * np.cos(turn)
        r = np.clip((rows + oy * reach + 0.5).astype(np.int32), 0, height - 1)
        c = np.clip((columns + ox * reach + 0.5).astype(np.int32), 0, width - 1)
        to = positions[r, c] - here
        square = np.einsum("ij,ij->i", to, to)
        above = np.einsum("ij,ij->i", to, normal) - 0.01 * radius
        weight = np.maximum(radius * radius - square, 0.0) ** 2 / radius**4
        total += np.where(layer.covered[r, c], np.maximum(above, 0.0) * weight / (square + 1e-3 * radius**2), 0.0)
    obscured = np.zeros(layer.covered.shape, np.float32)
    obscured[rows, columns] = np.clip(1.6 * radius * total / N_TAPS, 0.0, 1.0)
    return (1.0 - 0.85 * _smooth(obscured, layer.covered, 1.6)).astype(np.float32)


def sun_light(layer: Layer, positions: Floats, shadows: ShadowMap) -> Floats:
    """Share of the sun (h, w) that reaches what is seen at ``positions`` (h, w, 3) m."""
    light = np.zeros(layer.covered.shape, np.float32)
    light[layer.covered] = shadows.light(positions[layer.covered], 0.5)
    return _smooth(light, layer.covered, 0.7)


def _smooth(values: Floats, covered: NDArray[np.bool_], width: float) -> Floats:
    """Mean of covered pixels around each pixel, weighted with a bell of ``width`` pixels; a border is filled too."""
    from scipy.ndimage import gaussian_filter

    weight = np.maximum(gaussian_filter(covered.astype(np.float32), width), np.float32(1e-3))
    total = gaussian_filter(np.where(covered, values, np.float32(0)), width)
    return np.asarray(total / weight, np.float32)


def _noise(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Floats:
    """Angles (n,) that differ from pixel to pixel, always the same (interleaved gradient noise, Jimenez 2014)."""
    x, y = columns.astype(np.float64), rows.astype(np.float64)
    noise = np.modf(52.9829189 * np.modf(0.06711056 * x + 0.00583715 * y)[0])[0]
    return (2 * math.pi * noise).astype(np.float32)


def shade(
    colour: Floats,
    normals: Floats,
    towards: Floats,
    sun: NDArray[np.float64],
    lit: Floats,
    open_light: Floats,
) -> Floats:
    """Light (n, 3) that pixels of a ``colour`` (n, 3), as amounts of light, send to the camera.

    ``normals`` and directions ``towards`` the camera (n, 3); ``lit``: share of the sun (n,); ``open_light``: of the
    sky (n,).
    """
    direction = sun.astype(np.float32)
    facing = normals @ direction
    diffuse = np.maximum(facing, 0.0) * lit
    sky = 0.5 + 0.5 * normals[:, 2]
    fill = np.maximum(np.einsum("ij,ij->i", normals, towards), 0.0)
    amount = (0.20 + 0.26 * sky + 0.16 * fill) * open_light + 0.62 * diffuse
    half = towards + direction
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    gloss = np.maximum(np.einsum("ij,ij->i", normals, half), 0.0) ** 40 * lit
    rim = (1.0 - fill) ** 3 * open_light
    light: Floats = colour * amount[:, None] + (0.07 * gloss + 0.03 * rim)[:, None]
    return light
