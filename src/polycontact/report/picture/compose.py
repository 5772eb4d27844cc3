"""From a scene to pixels: bodies with light and shadow, the ground, thin backs of open surfaces, and patches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.report.picture.camera import Projection
from polycontact.report.picture.lighting import (
    ShadowMap,
    hollow_light,
    make_shadow_map,
    shade,
    sun_direction,
    sun_light,
)
from polycontact.report.picture.near_plane import clip_near
from polycontact.report.picture.picture_colours import Theme, map_colours, rgb, to_linear, to_screen
from polycontact.report.picture.picture_scene import Scene
from polycontact.report.picture.raster import Layer, rasterise, screen_barycentrics

HIDDEN_PATCH = 0.80
"""How much of a patch is seen through the body in front of it."""

BACK_OF_SHEET = 0.16
"""How much of the back of an open surface is seen: one looks into a container through its wall."""

SHADOW_BLUR = 0.005
"""Width of the blur of shadows on the ground, in heights of the picture."""

STEP_OF_BLUR = 0.75
"""Pixels between those at which these shadows are worked out, in widths of their blur."""

EDGE = 0.3
"""Light left on the outline between two bodies."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Drawing:
    """Triangles in front of the camera: number in the scene, corners on the screen, normals at them."""

    number: NDArray[np.int64]
    corners: NDArray[np.float64]
    normals: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Seen:
    """Pixels of a layer: rows and columns (n,), triangle of the scene, position m, normal, direction to the camera."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    number: NDArray[np.int32]
    position: Floats
    normal: Floats
    towards: Floats


def compose(
    scene: Scene,
    projection: Projection,
    theme: Theme,
    values: NDArray[np.float64] | None,
    ground: float | None,
    samples: int,
) -> Floats:
    """Picture (h, w, 3) with values from 0 to 1 as screens take them.

    ``projection`` is ``samples`` times as fine as the picture, which is the mean of blocks of its pixels; ``values``
    from 0 to 1: of each triangle of the patches; ``ground``: height of the plane that shadows fall on, m, or None.
    """
    drawing = _draw(scene.corners, scene.normals, projection)
    is_front = _is_front(drawing.corners)
    sun = sun_direction(projection.camera.axes())
    shadows = make_shadow_map(scene.corners, sun)
    image = _background(projection, theme, shadows, ground, samples)
    front = _layer(drawing, is_front, projection)
    seen = _look(front, drawing, projection)
    image[seen.rows, seen.columns] = theme.light * _light(scene, seen, front, projection, sun, shadows, samples)
    _draw_outlines(image, front, scene.body, drawing.number)
    _draw_backs(image, scene, drawing, is_front, front, projection)
    if scene.patches is not None and values is not None and len(scene.patches):
        _draw_patches(image, scene, values, front, projection)
    return to_screen(_average(image, samples))


def _average(fine: Floats, samples: int) -> Floats:
    """Mean of blocks of pixels: light is averaged, not screen values, so that edges look straight."""
    height, width = fine.shape[0] // samples, fine.shape[1] // samples
    mean: Floats = fine.reshape(height, samples, width, samples, 3).mean(axis=(1, 3), dtype=np.float32)
    return mean


def _draw(corners: NDArray[np.float64], normals: NDArray[np.float64], projection: Projection) -> _Drawing:
    parts, number, share = clip_near(corners, projection)
    return _Drawing(number, projection.project(parts), np.einsum("kij,kjl->kil", share, normals[number]))


def _is_front(corners: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether triangles turn their outer side to the camera: clockwise on a screen whose y points down."""
    a, b = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0)


def _layer(drawing: _Drawing, which: NDArray[np.bool_], projection: Projection) -> Layer:
    """The nearest of some triangles at each pixel, by their number in the drawing."""
    chosen = np.flatnonzero(which)
    layer = rasterise(drawing.corners[chosen], projection.width, projection.height)
    number = np.append(chosen, -1)[layer.triangle].astype(np.int32)
    return Layer(number, layer.nearness)


def _look(layer: Layer, drawing: _Drawing, projection: Projection) -> _Seen:
    """Position and normal at each covered pixel; on the screen normals over the distance are linear."""
    rows, columns = (index.astype(np.int32) for index in np.nonzero(layer.covered))
    t = layer.triangle[rows, columns]
    x, y = (columns + 0.5).astype(np.float32)[:, None], (rows + 0.5).astype(np.float32)[:, None]
    rays = projection.rays(x[:, 0], y[:, 0])
    position = projection.eye.astype(np.float32) + rays / layer.nearness[rows, columns][:, None]
    weighted = drawing.corners[:, :, 2, None] * drawing.normals
    slopes = np.einsum("nij,nik->njk", screen_barycentrics(drawing.corners), weighted).astype(np.float32)
    normal = slopes[t, 0] * x
    normal += slopes[t, 1] * y
    normal += slopes[t, 2]
    normal /= np.maximum(_length(normal), np.float32(1e-30))
    return _Seen(rows, columns, drawing.number.astype(np.int32)[t], position, normal, -rays / _length(rays))


def _length(vectors: Floats) -> Floats:
    length: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return length


def _light(
    scene: Scene,
    seen: _Seen,
    front: Layer,
    projection: Projection,
    sun: NDArray[np.float64],
    shadows: ShadowMap,
    samples: int,
) -> Floats:
    """Light of bodies; shadows and hollows, which are smooth, are worked out for pixels of the picture only."""
    size = float(np.linalg.norm(np.ptp(scene.points, axis=0)))
    middle = samples // 2
    chosen = np.flatnonzero((seen.rows % samples == middle) & (seen.columns % samples == middle))
    rows, columns = seen.rows[chosen] // samples, seen.columns[chosen] // samples
    part = Layer(front.triangle[middle::samples, middle::samples], front.nearness[middle::samples, middle::samples])
    positions, normals = (np.zeros((*part.covered.shape, 3), np.float32) for _ in range(2))
    positions[rows, columns], normals[rows, columns] = seen.position[chosen], seen.normal[chosen]
    hollows = hollow_light(part, positions, normals, projection.scale / samples, size)
    lit = sun_light(part, positions + normals * np.float32(0.004 * size), shadows)
    place = seen.rows // samples, seen.columns // samples
    colour = to_linear(scene.colour)[seen.number]
    return shade(colour, seen.normal, seen.towards, sun, lit[place], hollows[place])


def _background(projection: Projection, theme: Theme, shadows: ShadowMap, ground: float | None, samples: int) -> Floats:
    """A soft gradient with the shadow on the ground, as amounts of light."""
    height, width = projection.height // samples, projection.width // samples
    share = np.linspace(0.0, 1.0, height, dtype=np.float32)[:, None]
    gradient = to_linear((1 - share) * rgb(theme.above) + share * rgb(theme.below))
    image = np.repeat(gradient[:, None], width, axis=1)
    if ground is not None and projection.eye[2] > ground:
        image *= _ground_light(projection, theme, shadows, ground, samples)[:, :, None]
    return np.repeat(np.repeat(image, samples, axis=0), samples, axis=1)


def _ground_light(projection: Projection, theme: Theme, shadows: ShadowMap, ground: float, samples: int) -> Floats:
    """Share of light (h, w) that shadows leave on the ground.

    They are so soft that every third pixel or so is enough: the rest lies between, as long as their blur is wider.
    """
    from scipy.ndimage import gaussian_filter, zoom

    height, width = projection.height // samples, projection.width // samples
    blur = SHADOW_BLUR * height
    step = max(int(STEP_OF_BLUR * blur), 1)
    n_rows, n_columns = -(-height // step) + 1, -(-width // step) + 1
    rows, columns = (step * index.ravel() for index in np.indices((n_rows, n_columns), dtype=np.float32))
    rays = projection.rays((columns + 0.5) * samples, (rows + 0.5) * samples)
    reach = np.float32(projection.eye[2] - ground) / np.maximum(-rays[:, 2], np.float32(1e-4))
    position = (projection.eye + rays * reach[:, None]).astype(np.float32)
    inside = np.flatnonzero((rays[:, 2] < -1e-4) & _near_map(position, shadows))
    dark = np.ones(len(rows), np.float32)
    dark[inside] = 1.0 - theme.shadow * (1.0 - shadows.light(position[inside], 1.6))
    soft = gaussian_filter(dark.reshape(n_rows, n_columns), blur / step)
    if step == 1:
        return np.asarray(soft[:height, :width])
    # Pixel k of the picture is at k / step of the coarse one.
    fine = zoom(soft, ((step * (n_rows - 1) + 1) / n_rows, (step * (n_columns - 1) + 1) / n_columns), order=1)
    return np.asarray(fine[:height, :width], np.float32)


def _near_map(position: Floats, shadows: ShadowMap) -> NDArray[np.bool_]:
    place = (position - shadows.low.astype(np.float32)) @ shadows.axes[:2].T.astype(np.float32)
    return np.asarray(((place > 0) & (place < shadows.size)).all(axis=1))


def _draw_outlines(image: Floats, layer: Layer, body: NDArray[np.int64], number: NDArray[np.int64]) -> None:
    """Darken pixels whose neighbour to the right or below shows another body or nothing."""
    owner = np.append(body[number], -1)[layer.triangle]
    edge = np.zeros(owner.shape, bool)
    edge[:, :-1] |= owner[:, :-1] != owner[:, 1:]
    edge[:-1] |= owner[:-1] != owner[1:]
    image[edge] *= np.float32(EDGE)


def _draw_backs(
    image: Floats,
    scene: Scene,
    drawing: _Drawing,
    is_front: NDArray[np.bool_],
    front: Layer,
    projection: Projection,
) -> None:
    """Blend the backs of open surfaces thinly over what lies behind them."""
    which = ~is_front & scene.is_open[drawing.number]
    if not which.any():
        return
    backs = _layer(drawing, which, projection)
    rows, columns = np.nonzero(backs.covered & (backs.nearness > front.nearness))
    colour = to_linear(scene.colour)[drawing.number[backs.triangle[rows, columns]]]
    image[rows, columns] += np.float32(BACK_OF_SHEET) * (colour - image[rows, columns])


def _draw_patches(
    image: Floats, scene: Scene, values: NDArray[np.float64], front: Layer, projection: Projection
) -> None:
    """Patches in the colours of their values, also through the bodies in front of them."""
    assert scene.patches is not None
    corners = scene.patches.points[scene.patches.triangles]
    drawing = _draw(corners, np.zeros_like(corners), projection)
    layer = _layer(drawing, np.ones(len(drawing.number), bool), projection)
    rows, columns = np.nonzero(layer.covered)
    if not len(rows):
        return
    number = drawing.number[layer.triangle[rows, columns]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), np.finfo(float).tiny)[:, None]
    facing = np.abs(normals @ projection.camera.axes()[2])
    colour = to_linear(map_colours(values)) * (0.78 + 0.22 * facing)[:, None].astype(np.float32)
    is_hidden = layer.nearness[rows, columns] < front.nearness[rows, columns] * (1 - 1e-4)
    share = np.where(is_hidden, HIDDEN_PATCH, 1.0).astype(np.float32)[:, None]
    border = _border(layer.covered)[rows, columns]
    painted = np.where(border[:, None], np.float32(0.02), colour[number].astype(np.float32))
    image[rows, columns] += share * (painted - image[rows, columns])


def _border(covered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pixels of an area that have a neighbour outside it."""
    from scipy.ndimage import binary_erosion

    return np.asarray(covered & ~binary_erosion(covered, iterations=2))
