"""From a scene to pixels: bodies with light and shadow, the ground, thin and transparent surfaces, patches, arrows.

In: a scene and a camera. Out: the bytes of the picture. Each step is a kernel of `polycontact.kernels.picture`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.picture.nearest_triangle import find_normal_slopes
from polycontact.kernels.picture.seen_points import BACK, CENTRE, EYE, MIDDLE, N_CAMERA, RIGHT, SCALE, find_points
from polycontact.kernels.picture.shade import glaze_bodies, lay_colours, paint_bodies
from polycontact.kernels.picture.tone import develop, spread_light
from polycontact.report.picture.arrows import arrow_mesh
from polycontact.report.picture.camera import Projection
from polycontact.report.picture.lighting import (
    SeenPoints,
    ShadowMap,
    ground_light,
    hollow_light,
    make_shadow_map,
    sun_direction,
    sun_light,
)
from polycontact.report.picture.near_plane import clip_near
from polycontact.report.picture.picture_colours import Theme, map_colours, rgb, to_linear, to_screen
from polycontact.report.picture.picture_scene import Scene
from polycontact.report.picture.raster import Layer, faces_camera, rasterise

HIDDEN_PATCH = 0.80
"""How much of a patch is seen through the body in front of it."""

HIDDEN_ARROW = 0.55
"""How much of an arrow is seen through the body in front of it."""

BACK_OF_SHEET = 0.16
"""How much of the back of an open surface is seen: one looks into a container through its wall."""

SHADOW_BLUR = 0.005
"""Width of the blur of shadows on the ground, in heights of the picture."""

BLUR_STEP = 0.85
"""Pixels between those at which these shadows are worked out, in widths of their blur."""

OUTLINE_LIGHT = 0.3
"""Light left on the outline between two bodies."""

MOST_PEELS = 4
"""Layers of transparent surfaces, one behind the other, that are drawn."""

SCREEN_VALUES = 255.0 * to_screen((np.arange(4097) / 4096) ** 2).astype(np.float64)
"""Values of screens of amounts of light, for `develop`."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Drawing:
    """Triangles before the camera: number in the scene, corners on the screen, normals, whether seen from outside."""

    number: NDArray[np.int64]
    corners: NDArray[np.float64]
    slopes: Floats
    is_front: NDArray[np.bool_]


def compose(
    scene: Scene,
    projection: Projection,
    theme: Theme,
    values: NDArray[np.float64] | None,
    ground: float | None,
    samples: int,
) -> NDArray[np.uint8]:
    """Picture (h, w, 3) as bytes.

    ``projection`` is ``samples`` times as fine as the picture, which is the mean of blocks of its pixels; ``values``
    from 0 to 1: of each triangle of the patches; ``ground``: height of the plane that shadows fall on, m, or None.
    """
    camera = camera_row(projection)
    drawing = _draw(scene.corners, scene.normals, projection)
    opaque = scene.opacity[drawing.number] >= 1.0
    sun = sun_direction(projection.camera.axes())
    solid = scene.opacity >= 1.0
    shadows = make_shadow_map(scene.corners[solid] if solid.any() else scene.corners, sun)
    front = rasterise(drawing.corners, projection.width, projection.height, drawing.is_front & opaque)
    seen = _look(front, drawing, camera, samples)
    size = scene.size
    lit = sun_light(seen, shadows, size)
    hollows = hollow_light(seen, projection.scale / samples, size)
    background = _background(projection, theme, shadows, ground, samples)
    body = scene.body[drawing.number].astype(np.int32)
    colour = to_linear(scene.colour)[drawing.number]
    image = np.empty((projection.height, projection.width, 3), np.float32)
    paint_bodies(
        camera,
        front.triangle,
        drawing.slopes,
        body,
        colour,
        sun,
        lit,
        hollows,
        theme.light,
        OUTLINE_LIGHT,
        background,
        image,
    )
    _lay_backs(image, scene, drawing, opaque, front, colour, projection)
    if not opaque.all():
        opacity = scene.opacity[drawing.number].astype(np.float32)
        for layer in _peels(drawing, ~opaque, projection):
            glaze_bodies(
                camera,
                layer.triangle,
                layer.nearness,
                front.nearness,
                drawing.slopes,
                body,
                colour,
                opacity,
                sun,
                theme.light,
                OUTLINE_LIGHT,
                image,
            )
    if scene.patches is not None and values is not None and len(scene.patches):
        _lay_patches(image, scene, values, front, projection)
    if scene.arrows:
        _lay_arrows(image, scene, theme, front, projection)
    picture = np.empty((projection.height // samples, projection.width // samples, 3), np.uint8)
    develop(image, SCREEN_VALUES, picture)
    return picture


def camera_row(projection: Projection, samples: int = 1) -> NDArray[np.float64]:
    """A camera as kernels take it, for a picture ``samples`` times as coarse."""
    row = np.zeros(N_CAMERA)
    row[EYE : EYE + 3], row[RIGHT : BACK + 3] = projection.eye, projection.camera.axes().ravel()
    row[SCALE], row[CENTRE], row[MIDDLE] = projection.scale, projection.centre, 0.5 * projection.height
    row[SCALE:] /= samples
    return row


def _draw(corners: NDArray[np.float64], normals: NDArray[np.float64], projection: Projection) -> _Drawing:
    parts, number, share = clip_near(corners, projection)
    placed = np.ascontiguousarray(projection.project(parts))
    own = normals[number]
    if len(number) != len(corners) or (number[1:] < number[:-1]).any():
        own = np.einsum("kij,kjl->kil", share, own)
    slopes = np.empty(placed.shape, np.float32)
    find_normal_slopes(placed, np.ascontiguousarray(own), slopes)
    return _Drawing(number, placed, slopes, faces_camera(placed))


def _look(layer: Layer, drawing: _Drawing, camera: NDArray[np.float64], samples: int) -> SeenPoints:
    """What is seen at the pixels of the picture: light, which is smooth, is worked out there only."""
    shape = layer.triangle.shape[0] // samples, layer.triangle.shape[1] // samples
    position, normal = (np.empty((*shape, 3), np.float32) for _ in range(2))
    seen = SeenPoints(np.empty(shape, np.bool_), np.empty(shape, np.float32), position, normal)
    find_points(
        camera, layer.triangle, layer.nearness, drawing.slopes, samples, seen.covered, seen.near, position, normal
    )
    return seen


def _background(projection: Projection, theme: Theme, shadows: ShadowMap, ground: float | None, samples: int) -> Floats:
    """A soft gradient with the shadow on the ground, as amounts of light, for each pixel of the picture."""
    height, width = projection.height // samples, projection.width // samples
    share = np.linspace(0.0, 1.0, height, dtype=np.float32)[:, None]
    gradient = to_linear((1 - share) * rgb(theme.above) + share * rgb(theme.below))
    image = np.empty((height, width, 3), np.float32)
    if ground is not None and projection.eye[2] > ground:
        spread_light(gradient, *_ground_light(projection, theme, shadows, ground, samples), image)
    else:
        image[:] = gradient[:, None]
    return image


def _ground_light(
    projection: Projection, theme: Theme, shadows: ShadowMap, ground: float, samples: int
) -> tuple[Floats, int]:
    """Share of light that shadows leave on the ground, at every so many pixels.

    They are so soft that every second pixel or so is enough: the rest lies between, as long as their blur is wider.
    """
    from scipy.ndimage import gaussian_filter

    height, width = projection.height // samples, projection.width // samples
    blur = SHADOW_BLUR * height
    step = max(int(BLUR_STEP * blur), 1)
    shape = -(-height // step) + 1, -(-width // step) + 1
    dark = ground_light(camera_row(projection, samples), shape, step, ground, theme.shadow, shadows)
    return np.asarray(gaussian_filter(dark, blur / step)), step


def _lay_backs(
    image: Floats,
    scene: Scene,
    drawing: _Drawing,
    opaque: NDArray[np.bool_],
    front: Layer,
    colour: Floats,
    projection: Projection,
) -> None:
    """Blend the backs of open surfaces thinly over what lies behind them."""
    which = ~drawing.is_front & opaque & scene.is_open[drawing.number]
    if which.any():
        backs = rasterise(drawing.corners, projection.width, projection.height, which)
        lay_colours(backs.triangle, backs.nearness, front.nearness, colour, BACK_OF_SHEET, 0.0, 0, image)


def _peels(drawing: _Drawing, which: NDArray[np.bool_], projection: Projection) -> list[Layer]:
    """Layers of transparent surfaces that face the camera, the farthest first."""
    layers: list[Layer] = []
    for _ in range(MOST_PEELS):
        behind = layers[-1] if layers else None
        layer = rasterise(drawing.corners, projection.width, projection.height, which & drawing.is_front, behind)
        if not layer.covered.any():
            break
        layers.append(layer)
    return layers[::-1]


def _lay_patches(
    image: Floats, scene: Scene, values: NDArray[np.float64], front: Layer, projection: Projection
) -> None:
    """Patches in the colours of their values, also through the bodies in front of them."""
    assert scene.patches is not None
    corners = scene.patches.points[scene.patches.triangles]
    parts, number, _ = clip_near(corners, projection)
    if not len(number):
        return
    layer = rasterise(projection.project(parts), projection.width, projection.height)
    facing = np.abs(_unit_normals(corners) @ projection.camera.axes()[2])
    colour = to_linear(map_colours(values)) * (0.78 + 0.22 * facing)[:, None].astype(np.float32)
    lay_colours(layer.triangle, layer.nearness, front.nearness, colour[number], 1.0, HIDDEN_PATCH, 2, image)


def _lay_arrows(image: Floats, scene: Scene, theme: Theme, front: Layer, projection: Projection) -> None:
    """Forces as arrows, shaded a little, also through the bodies in front of them."""
    corners = np.concatenate([arrow_mesh(arrow.point, arrow.tip, arrow.width) for arrow in scene.arrows])
    parts, number, _ = clip_near(corners, projection)
    if not len(number):
        return
    placed = projection.project(parts)
    layer = rasterise(placed, projection.width, projection.height, faces_camera(placed))
    facing = np.maximum(_unit_normals(corners) @ sun_direction(projection.camera.axes()), 0.0)
    colour = to_linear(rgb(theme.arrow)) * (0.55 + 0.45 * facing)[:, None].astype(np.float32)
    lay_colours(layer.triangle, layer.nearness, front.nearness, colour[number], 1.0, HIDDEN_ARROW, 1, image)


def _unit_normals(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1), np.finfo(float).tiny)[:, None])
