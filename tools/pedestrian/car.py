"""The car: a compact hatchback of the 2000s as one closed surface of 1,240 triangles.

x is the driving direction, y left, z up; the origin lies on the road below the middle of the front bumper, so
that the car reaches from x = 0 to x = -4.2 m. The outline of its side is given by a table; the two sides are
triangulated in the plane and bulged, and a belt of rows from side to side joins them over bumper, bonnet,
windscreen, roof and tail, and below.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes.outlines import inside
from polycontact.surfaces.surface import Surface
from tools.pedestrian.delaunay import delaunay

CAR_TRIANGLES: Final = 1_240
"""Triangles of the car, as in the example of the PCM paper."""

_MM: Final = 1e-3
"""m: points of the side are kept on whole millimetres, where the triangulation is exact."""

_UPPER: Final = (
    # x, z of the side's edge from the front bumper over the roof to the rear, and how far the middle of the car
    # bulges out from there in x and z, all in mm
    (-150, 215, 70, 0),  # front bumper
    (-90, 335, 90, 0),
    (-80, 475, 80, 0),
    (-125, 595, 70, 0),
    (-170, 690, 55, 10),  # front edge of the bonnet
    (-280, 765, 35, 25),
    (-440, 810, 15, 35),
    (-610, 845, 5, 40),
    (-780, 875, 0, 40),
    (-950, 900, 0, 40),
    (-1130, 925, 30, 40),  # foot of the windscreen
    (-1290, 1015, 60, 30),
    (-1450, 1105, 60, 30),
    (-1610, 1195, 55, 30),
    (-1770, 1285, 50, 30),
    (-1940, 1360, 35, 32),  # front edge of the roof
    (-2130, 1382, 0, 34),
    (-2330, 1388, 0, 34),
    (-2530, 1388, 0, 34),
    (-2730, 1385, 0, 34),
    (-2930, 1378, 0, 34),
    (-3130, 1362, 0, 34),
    (-3320, 1330, -10, 32),  # rear edge of the roof
    (-3510, 1225, -30, 25),
    (-3690, 1105, -40, 20),
    (-3860, 980, -50, 15),  # foot of the rear window
    (-3970, 840, -60, 0),
    (-4030, 690, -65, 0),
    (-4095, 550, -85, 0),  # rear bumper
    (-4110, 410, -90, 0),
    (-4045, 260, -80, 0),
)

_LOWER: Final = (
    # x, z from the rear to the front below the car, without the wheels, in mm
    ((-3850, 215),),
    ((-2780, 195), (-2440, 190), (-2100, 190), (-1760, 190), (-1420, 195)),
    ((-340, 210),),
)

_AXLES: Final = (-3370, -820)
"""x of the rear and the front axle, mm."""
_WHEEL_RADIUS: Final = 310
_HUB_RADIUS: Final = 175
_ARCH: Final = tuple(math.radians(angle) for angle in (-20.0, 16.7, 53.3, 90.0, 126.7, 163.3, 200.0))
"""Angles of the upper half of a wheel, which is the edge of the wheel arch; 0 is forward."""
_TREAD: Final = tuple(math.radians(angle) for angle in (235.0, 270.0, 305.0))
"""Angles of the points of a wheel below the body."""

_SIDE_ROWS: Final = (
    # z, first x, last x, number of points inside of the outline of a side, in mm
    (1230, -1850, -3350, 7),
    (1085, -1600, -3520, 8),
    (930, -1350, -3740, 11),  # waist, below the windows
    (765, -560, -3850, 15),
    (590, -280, -440, 2),
    (590, -1270, -2920, 7),
    (590, -3780, -3950, 2),
    (395, -240, -410, 2),
    (395, -1270, -2920, 7),
    (395, -3800, -3970, 2),
)

_ACROSS: Final = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)
"""Columns of the belt, in half widths: between 0.75 and 1 run the wheels."""
_UNDERBODY: Final = 0.215
"""Height of the body between the wheels, m."""

_WIDTH_BY_HEIGHT: Final = (
    (0.0, 0.83),
    (0.2, 0.835),
    (0.4, 0.868),
    (0.6, 0.875),
    (0.765, 0.865),
    (0.93, 0.835),
    (1.085, 0.755),
    (1.23, 0.675),
    (1.39, 0.580),
)
"""(z, half width) of the body, m."""
_WIDTH_BY_LENGTH: Final = (
    (-4.11, 0.80),
    (-3.9, 0.90),
    (-3.4, 0.98),
    (-2.6, 1.0),
    (-1.1, 1.0),
    (-0.8, 0.99),
    (-0.4, 0.93),
    (-0.2, 0.86),
    (-0.08, 0.76),
)
"""(x, part of the half width) of the body: nose and tail are narrower."""
_WHEEL_HALF_WIDTH: Final = 0.83
_HUB_HALF_WIDTH: Final = 0.775
"""y of the rim and of the middle of a wheel, which lie within the arch, m."""
_RIM_WITHIN: Final = 0.9
"""Points nearer to an axle than this part of the radius belong to the face of the wheel."""
_TREAD_BELOW: Final = 0.15
"""Points of a side below this height (m) belong to the wheels."""


@cache
def car_surface() -> Surface:
    """The body of the car with its wheels, closed, in m: 4.2 m long, 1.75 m wide, 1.42 m high."""
    outline = _outline()
    planar, triangles = _side(outline)
    n = len(outline)
    left, right = _flanks(planar)
    belt = _belt(left[:n])
    columns, inner = len(_ACROSS), len(planar) - n
    # Vertices: the belt column by column from right to left, then the inner points of the right and left side.
    vertices = np.concatenate((belt.reshape(-1, 3), right[n:], left[n:]))
    on_right = np.concatenate((np.arange(n), columns * n + np.arange(inner)))
    on_left = np.concatenate(((columns - 1) * n + np.arange(n), columns * n + inner + np.arange(inner)))
    faces = np.concatenate((on_right[triangles], on_left[triangles[:, ::-1]], _belt_triangles(belt)))
    if len(faces) != CAR_TRIANGLES:
        raise SurfaceError(f"car: {len(faces)} triangles instead of {CAR_TRIANGLES}; mend the tables of its side")
    return Surface(vertices, faces, name="car")


def _circle(axle: int, radius: float, angles: tuple[float, ...]) -> NDArray[np.float64]:
    """Points (n, 2) on a circle about an axle, mm."""
    return np.array([(axle + radius * math.cos(a), _WHEEL_RADIUS + radius * math.sin(a)) for a in angles])


def _outline() -> NDArray[np.int64]:
    """x, z (n, 2) of the side's outline in mm, counter-clockwise from the front bumper over the roof."""
    parts = [np.array(_UPPER)[:, :2]]
    around = (_ARCH[-1], *_TREAD, _ARCH[0])
    for floor, axle in zip(_LOWER, (*_AXLES, None), strict=True):
        parts.append(np.array(floor))
        if axle is not None:
            parts.append(_circle(axle, _WHEEL_RADIUS, around))
    return np.asarray(np.rint(np.concatenate(parts)), dtype=np.int64)


def _side(outline: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points (n, 2) of a side in mm, those of the outline first, and its counter-clockwise triangles."""
    rows = [np.stack((np.linspace(a, b, n), np.full(n, z)), axis=1) for z, a, b, n in _SIDE_ROWS]
    rim = (*_ARCH, *_TREAD)
    half = math.pi / len(rim)
    hub = tuple(_ARCH[0] + (2 * i + 1) * half for i in range(len(rim)))
    for axle in _AXLES:
        rows += [_circle(axle, _WHEEL_RADIUS, _ARCH[1:-1]), _circle(axle, _HUB_RADIUS, hub)]
        rows.append(np.array([[axle, _WHEEL_RADIUS]]))
    points = np.concatenate((outline, np.rint(np.concatenate(rows)).astype(np.int64)))
    triangles = delaunay(points)
    within = inside(points[triangles].mean(axis=1), [outline.astype(np.float64)])
    return points, triangles[within]


def _flanks(planar: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Vertices (n, 3) of the left and of the right side, m."""
    x, z = (planar * _MM).T
    width = np.interp(z, *np.array(_WIDTH_BY_HEIGHT).T) * np.interp(x, *np.array(_WIDTH_BY_LENGTH).T)
    for axle in _AXLES:
        radius = np.hypot(x - axle * _MM, z - _WHEEL_RADIUS * _MM)
        width = np.where(radius < _RIM_WITHIN * _WHEEL_RADIUS * _MM, _HUB_HALF_WIDTH, width)
    width = np.where(z < _TREAD_BELOW, _WHEEL_HALF_WIDTH, width)
    left = np.stack((x, width, z), axis=1)
    return left, left * (1.0, -1.0, 1.0)


def _belt(edge: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vertices (columns, n, 3) across the car, from the edge of its left side (n, 3), m."""
    x, half_width, z = edge.T
    bulge = np.zeros((len(edge), 2))
    bulge[: len(_UPPER)] = np.array(_UPPER)[:, 2:] * _MM
    belt = []
    for part in _ACROSS:
        out = 1.0 - part * part
        # Between the wheels nothing hangs lower than the body.
        height = z if abs(part) >= _ACROSS[-2] else np.maximum(z, _UNDERBODY)
        belt.append(np.stack((x + out * bulge[:, 0], part * half_width, height + out * bulge[:, 1]), axis=1))
    return np.array(belt)


def _belt_triangles(belt: NDArray[np.float64]) -> NDArray[np.int64]:
    """Triangles of the belt, whose quads are split along their shorter diagonals."""
    columns, n, _ = belt.shape
    column, k = (each.ravel() for each in np.meshgrid(np.arange(columns - 1), np.arange(n), indexing="ij"))
    following = (k + 1) % n
    quads = np.stack(
        (column * n + k, (column + 1) * n + k, (column + 1) * n + following, column * n + following), axis=1
    )
    a, b, c, d = (belt.reshape(-1, 3)[quads[:, i]] for i in range(4))
    other = np.linalg.norm(d - b, axis=1) < np.linalg.norm(c - a, axis=1)
    turned = np.where(other[:, None], np.roll(quads, -1, axis=1), quads)
    return np.concatenate((turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]))
