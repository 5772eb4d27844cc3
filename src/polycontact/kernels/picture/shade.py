"""What colour each fine pixel has: bodies in their light, outlines, thin and transparent surfaces, flat colours.

Amounts of light are worked with, not values of screens, so that they can be added and averaged.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.vectors import Vector, dot
from polycontact.kernels.jit import entry_kernel, inline_kernel
from polycontact.kernels.picture.nearest_triangle import Floats, Numbers
from polycontact.kernels.picture.seen_points import Setting, normal_at, ray_at

HIDDEN_BIT = 1e-4
"""Something lies behind a surface where its inverse distance is less by this share: it may lie in it."""


@inline_kernel
def shaded(
    colour: Vector, normal: Vector, towards: Vector, sun: Vector, lit: float, open_light: float, strength: float
) -> Vector:
    """Light that a surface of a ``colour`` sends ``towards`` the camera: sky, fill, sun with gloss, and a rim."""
    diffuse = max(dot(normal, sun), 0.0) * lit
    fill = max(dot(normal, towards), 0.0)
    amount = (0.20 + 0.26 * (0.5 + 0.5 * normal[2]) + 0.16 * fill) * open_light + 0.62 * diffuse
    half = (towards[0] + sun[0], towards[1] + sun[1], towards[2] + sun[2])
    shine = max(dot(normal, half), 0.0) / max(math.sqrt(dot(half, half)), 1e-30)
    shine *= shine
    shine *= shine
    shine *= shine  # to the 8th power
    rim = 1.0 - fill
    white = 0.07 * lit * shine * shine * shine * shine * shine + 0.03 * rim * rim * rim * open_light
    return (
        strength * (colour[0] * amount + white),
        strength * (colour[1] * amount + white),
        strength * (colour[2] * amount + white),
    )


@inline_kernel
def towards_camera(camera: Setting, x: float, y: float) -> Vector:
    """Unit vector from what is seen at a place of the picture to the camera."""
    ray = ray_at(camera, x, y)
    share = -1.0 / math.sqrt(dot(ray, ray))
    return (ray[0] * share, ray[1] * share, ray[2] * share)


@inline_kernel
def is_outline(triangle: Numbers, body: Numbers, i: int, j: int, own: int) -> bool:
    """Whether the pixel to the right or below shows another body than ``own``, -1 being none."""
    height, width = triangle.shape
    if j + 1 < width:
        t = triangle[i, j + 1]
        if (body[t] if t >= 0 else -1) != own:
            return True
    if i + 1 < height:
        t = triangle[i + 1, j]
        if (body[t] if t >= 0 else -1) != own:
            return True
    return False


@inline_kernel
def light_at(
    camera: Setting,
    slopes: Floats,
    colour: Floats,
    t: int,
    x: float,
    y: float,
    sun: Vector,
    lit: float,
    open_light: float,
    strength: float,
) -> Vector:
    """Light of triangle t at a place of the picture."""
    own = (float(colour[t, 0]), float(colour[t, 1]), float(colour[t, 2]))
    normal, towards = normal_at(slopes, t, x, y), towards_camera(camera, x, y)
    return shaded(own, normal, towards, sun, lit, open_light, strength)


@inline_kernel
def is_alone(triangle: Numbers, i: int, j: int, samples: int, t: int) -> bool:
    """Whether a block of fine pixels, and those to its right and below, show triangle t only."""
    height, width = triangle.shape
    for row in range(i, min(i + samples + 1, height)):
        for column in range(j, min(j + samples + 1, width)):
            if triangle[row, column] != t:
                return False
    return True


@entry_kernel(
    "void(float64[::1], int32[:,::1], float32[:,:,::1], int32[::1], float32[:,::1], float64[::1],"
    " float32[:,::1], float32[:,::1], float64, float64, float32[:,:,::1], float32[:,:,::1])"
)
def paint_bodies(
    camera: Setting,
    triangle: Numbers,
    slopes: Floats,
    body: Numbers,
    colour: Floats,
    sun: Setting,
    lit: Floats,
    open_light: Floats,
    strength: float,
    edge: float,
    background: Floats,
    image: Floats,
) -> None:
    """The picture (H, W, 3) of opaque bodies before a ``background`` (h, w, 3).

    ``triangle`` (H, W): what is seen; ``slopes``, ``body``, ``colour`` of each triangle; ``lit``, ``open_light``
    (h, w): shares of sun and sky; ``edge``: light left on outlines between bodies. Light is smooth on a triangle: a
    pixel of the picture with one triangle is worked out once.
    """
    samples = len(triangle) // len(background)
    direction = (sun[0], sun[1], sun[2])
    half = 0.5 * samples
    for row in range(background.shape[0]):
        for column in range(background.shape[1]):
            i, j = row * samples, column * samples
            t = triangle[i, j]
            sky, shine = open_light[row, column], lit[row, column]
            behind = (background[row, column, 0], background[row, column, 1], background[row, column, 2])
            # One triangle, or none, in all fine pixels and around: worked out once, in the middle.
            if is_alone(triangle, i, j, samples, t):
                light = behind
                if t >= 0:
                    light = light_at(camera, slopes, colour, t, j + half, i + half, direction, shine, sky, strength)
                for y in range(i, i + samples):
                    for x in range(j, j + samples):
                        image[y, x, 0], image[y, x, 1], image[y, x, 2] = light[0], light[1], light[2]
                continue
            for y in range(i, i + samples):
                for x in range(j, j + samples):
                    t = triangle[y, x]
                    light = behind
                    if t >= 0:
                        light = light_at(camera, slopes, colour, t, x + 0.5, y + 0.5, direction, shine, sky, strength)
                    share = edge if is_outline(triangle, body, y, x, body[t] if t >= 0 else -1) else 1.0
                    image[y, x, 0], image[y, x, 1], image[y, x, 2] = (
                        share * light[0],
                        share * light[1],
                        share * light[2],
                    )


@entry_kernel(
    "void(float64[::1], int32[:,::1], float32[:,::1], float32[:,::1], float32[:,:,::1], int32[::1], float32[:,::1],"
    " float32[::1], float64[::1], float64, float64, float32[:,:,::1])"
)
def glaze_bodies(
    camera: Setting,
    triangle: Numbers,
    nearness: Floats,
    front: Floats,
    slopes: Floats,
    body: Numbers,
    colour: Floats,
    opacity: Floats,
    sun: Setting,
    strength: float,
    edge: float,
    image: Floats,
) -> None:
    """Blend a layer of transparent bodies over what is there, where it is nearer than ``front`` (H, W), 1/m.

    Seen along its surface a body covers more, as glass does, so that its form can be seen; its outline, too.
    """
    height, width = triangle.shape
    direction = (sun[0], sun[1], sun[2])
    for i in range(height):
        for j in range(width):
            t = triangle[i, j]
            if t < 0 or nearness[i, j] <= front[i, j]:
                continue
            x, y = j + 0.5, i + 0.5
            normal, towards = normal_at(slopes, t, x, y), towards_camera(camera, x, y)
            along = 1.0 - abs(dot(normal, towards))
            share = opacity[t] + (1.0 - opacity[t]) * 0.6 * along * along * along
            light = shaded((colour[t, 0], colour[t, 1], colour[t, 2]), normal, towards, direction, 1.0, 1.0, strength)
            if is_outline(triangle, body, i, j, body[t]):
                share = share + (1.0 - share) * (1.0 - edge)
                light = (edge * light[0], edge * light[1], edge * light[2])
            for k in range(3):
                image[i, j, k] += share * (light[k] - image[i, j, k])


@inline_kernel
def is_border(triangle: Numbers, i: int, j: int, reach: int) -> bool:
    """Whether a pixel within ``reach`` steps along rows and columns is not covered; outside of the picture none is."""
    height, width = triangle.shape
    for di in range(-reach, reach + 1):
        rest = reach - abs(di)
        for dj in range(-rest, rest + 1):
            row, column = i + di, j + dj
            if row < 0 or row >= height or column < 0 or column >= width or triangle[row, column] < 0:
                return reach > 0
    return False


@entry_kernel(
    "void(int32[:,::1], float32[:,::1], float32[:,::1], float32[:,::1], float64, float64, int64, float32[:,:,::1])"
)
def lay_colours(
    triangle: Numbers,
    nearness: Floats,
    front: Floats,
    colour: Floats,
    seen: float,
    hidden: float,
    border: int,
    image: Floats,
) -> None:
    """Lay a layer in flat colours over the picture: a share ``seen`` of it, ``hidden`` behind what is in front.

    ``colour`` (n, 3) of each triangle; ``border``: pixels, dark, along the edge of what is covered.
    """
    height, width = triangle.shape
    for i in range(height):
        for j in range(width):
            t = triangle[i, j]
            if t < 0:
                continue
            share = hidden if nearness[i, j] < front[i, j] * (1.0 - HIDDEN_BIT) else seen
            if share <= 0.0:
                continue
            dark = is_border(triangle, i, j, border)
            for k in range(3):
                image[i, j, k] += share * ((0.02 if dark else colour[t, k]) - image[i, j, k])
