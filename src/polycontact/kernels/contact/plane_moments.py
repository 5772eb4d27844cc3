"""Area, mean and covariance of a plane region from its border, and three points that integrate quadratics over it.

A region is a list of directed edges that are closed as a whole, with the inside to their left; several loops, holes and
stretches that run to and fro need no care, as all moments are sums over edges (Green). The three points lie on the
ellipse of √2 standard deviations: each with a third of the area they have the mean and the covariance of the region, so
that they integrate every quadratic exactly. On a convex region they lie inside it (Kannan, Lovász and Simonovits 1995),
on a triangle of the reference shape they have barycentric coordinates (2/3, 1/6, 1/6). The midpoints of its sides would
integrate quadratics as well and could be shared by neighbours, but at a sharp edge they see nothing of the depth beside
it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import CORNER_FAVOUR

Point = tuple[float, float]

ROOT3 = math.sqrt(3.0)
REFERENCE: tuple[Point, Point, Point] = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5 * ROOT3))
"""Corners of the reference triangle: sides of length 1."""
REFERENCE_AREA = 0.25 * ROOT3

_DIRECTIONS: tuple[Point, Point, Point] = (
    (-math.sqrt(1.5), -math.sqrt(0.5)),
    (math.sqrt(1.5), -math.sqrt(0.5)),
    (0.0, math.sqrt(2.0)),
)
"""Of the three points, in standard deviations: on the reference triangle towards its corners 0, 1 and 2."""


class Region(NamedTuple):
    """Area, mean and covariance of a plane region, and by which angle its three points are turned: cosine and sine."""

    area: float
    x: float
    y: float
    xx: float
    xy: float
    yy: float
    cosine: float
    sine: float


@inline_kernel
def _cube_root(x: float, y: float) -> Point:
    """Cosine and sine of a third of the angle of a point, or that and a third of a turn.

    The cosine u of a third has 4 u³ − 3 u = c, by Newton's method from a parabola; c is that of the angle within a
    quarter turn. No function of an angle is needed.
    """
    length = math.sqrt(x * x + y * y)
    if not length > 0.0:
        return (1.0, 0.0)
    turned = math.copysign(1.0 / length, x)
    c = turned * x
    u = 0.8660254037844386 + c * (0.1613 - 0.0273 * c)
    for _ in range(3):
        u -= (u * (4.0 * u * u - 3.0) - c) / (12.0 * u * u - 3.0)
    sine = turned * y / (4.0 * u * u - 1.0)
    return (math.copysign(u, x), math.copysign(1.0, x) * sine)


@inline_kernel
def _turn_of(xx: float, xy: float, yy: float, third: tuple[float, float, float, float]) -> Point:
    """Cosine and sine of the angle by which the three points are turned, from central moments of orders two and three.

    The ellipse on which they lie touches the sides of a triangle, so they must not lie just anywhere on it: the third
    moment points at the corners, and the points go there.
    """
    if not xx > 0.0:
        return (1.0, 0.0)
    l11 = math.sqrt(xx)
    rest = yy - xy * xy / xx
    if not rest > 0.0:
        return (1.0, 0.0)
    l22 = math.sqrt(rest)
    g = xy / xx
    xxx, xxy, xyy, yyy = third
    aaa = xxx / (l11 * xx)
    aab = (xxy - g * xxx) / (xx * l22)
    abb = (xyy - 2.0 * g * xxy + g * g * xxx) / (l11 * rest)
    bbb = (yyy - 3.0 * g * xyy + 3.0 * g * g * xxy - g * g * g * xxx) / (l22 * rest)
    # (a + ib)³ of the reference triangle points along -i, a third of whose angle is that of its corner 1.
    return _cube_root(CORNER_FAVOUR + bbb - 3.0 * aab, aaa - 3.0 * abb)


@kernel
def moments_within(edges: Doubles, first: int, n: int) -> Region:
    """The region bounded by n edges (xa, ya, xb, yb, mark) from ``first``; its three points are not turned.

    Area, first and second moments by Green's theorem, about the first point, then about the mean. No area, or a
    negative one: an empty region.
    """
    ox = edges[first, 0]
    oy = edges[first, 1]
    area = 0.0
    mx = 0.0
    my = 0.0
    xx = 0.0
    xy = 0.0
    yy = 0.0
    for k in range(first, first + n):
        ax = edges[k, 0] - ox
        ay = edges[k, 1] - oy
        bx = edges[k, 2] - ox
        by = edges[k, 3] - oy
        w = ax * by - ay * bx
        area += w
        mx += w * (ax + bx)
        my += w * (ay + by)
        xx += w * (ax * ax + ax * bx + bx * bx)
        yy += w * (ay * ay + ay * by + by * by)
        xy += w * (2.0 * ax * ay + ax * by + bx * ay + 2.0 * bx * by)
    # w is twice the area of the triangle from the first point to the edge.
    if not area > 0.0:
        return Region(0.0, ox, oy, 0.0, 0.0, 0.0, 1.0, 0.0)
    inverse = 1.0 / area
    x = mx * inverse / 3.0
    y = my * inverse / 3.0
    return Region(
        0.5 * area,
        ox + x,
        oy + y,
        xx * inverse / 6.0 - x * x,
        xy * inverse / 12.0 - x * y,
        yy * inverse / 6.0 - y * y,
        1.0,
        0.0,
    )


@kernel
def turned_region(edges: Doubles, first: int, n: int, region: Region) -> Region:
    """The region bounded by n edges (xa, ya, xb, yb, mark) from ``first``, whose moments are known: its three points
    are turned towards its corners."""
    if not region.area > 0.0:
        return region
    xxx = 0.0
    xxy = 0.0
    xyy = 0.0
    yyy = 0.0
    for k in range(first, first + n):
        ax = edges[k, 0] - region.x
        ay = edges[k, 1] - region.y
        bx = edges[k, 2] - region.x
        by = edges[k, 3] - region.y
        w = ax * by - ay * bx
        xxx += w * (ax * ax * ax + ax * ax * bx + ax * bx * bx + bx * bx * bx)
        yyy += w * (ay * ay * ay + ay * ay * by + ay * by * by + by * by * by)
        xxy += w * (ax * ax * (3.0 * ay + by) + 2.0 * ax * bx * (ay + by) + bx * bx * (ay + 3.0 * by))
        xyy += w * (ay * ay * (3.0 * ax + bx) + 2.0 * ay * by * (ax + bx) + by * by * (ax + 3.0 * bx))
    inverse = 0.5 / region.area
    third = (xxx * inverse / 10.0, xxy * inverse / 30.0, xyy * inverse / 30.0, yyy * inverse / 10.0)
    turn = _turn_of(region.xx, region.xy, region.yy, third)
    return Region(region.area, region.x, region.y, region.xx, region.xy, region.yy, turn[0], turn[1])


@kernel
def region_within(edges: Doubles, first: int, n: int) -> Region:
    """The region bounded by n edges (xa, ya, xb, yb, mark) from ``first``."""
    return turned_region(edges, first, n, moments_within(edges, first, n))


@kernel
def triangle_region(corners: tuple[Point, Point, Point]) -> Region:
    """Area, mean and covariance of the triangle with these corners."""
    a, b, c = corners
    x = (a[0] + b[0] + c[0]) / 3.0
    y = (a[1] + b[1] + c[1]) / 3.0
    ax, ay = a[0] - x, a[1] - y
    bx, by = b[0] - x, b[1] - y
    cx, cy = c[0] - x, c[1] - y
    area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
    xx = (ax * ax + bx * bx + cx * cx) / 12.0
    xy = (ax * ay + bx * by + cx * cy) / 12.0
    yy = (ay * ay + by * by + cy * cy) / 12.0
    third = (
        (ax * ax * ax + bx * bx * bx + cx * cx * cx) / 30.0,
        (ax * ax * ay + bx * bx * by + cx * cx * cy) / 30.0,
        (ax * ay * ay + bx * by * by + cx * cy * cy) / 30.0,
        (ay * ay * ay + by * by * by + cy * cy * cy) / 30.0,
    )
    turn = _turn_of(xx, xy, yy, third)
    return Region(area, x, y, xx, xy, yy, turn[0], turn[1])


@inline_kernel
def roundness(region: Region) -> float:
    """Area over that of the ellipse of the same covariance: 1 for an ellipse, 0.83 for a triangle, which is the least
    for convex regions; small where a region is scattered."""
    square = region.xx * region.yy - region.xy * region.xy
    if not square > 0.0:
        return 1.0
    return region.area / (4.0 * math.pi * math.sqrt(square))


class Spread(NamedTuple):
    """A root of the covariance of a region, turned: it takes the directions of the three points to them.

    ``is_wide``: the region has an extent in both directions.
    """

    m11: float
    m12: float
    m21: float
    m22: float
    is_wide: bool


@inline_kernel
def spread_of(region: Region) -> Spread:
    """Root of the covariance of a region."""
    l11 = math.sqrt(max(region.xx, 0.0))
    l21 = region.xy / l11 if l11 > 0.0 else 0.0
    l22 = math.sqrt(max(region.yy - l21 * l21, 0.0))
    c, s = region.cosine, region.sine
    return Spread(l11 * c, -l11 * s, l21 * c + l22 * s, l22 * c - l21 * s, l11 > 0.0 and l22 > 0.0)


@inline_kernel
def three_points(region: Region) -> tuple[Point, Point, Point]:
    """Three points that integrate quadratics over a region, each with a third of its area."""
    m = spread_of(region)
    d0, d1, d2 = _DIRECTIONS
    return (
        (region.x + m.m11 * d0[0] + m.m12 * d0[1], region.y + m.m21 * d0[0] + m.m22 * d0[1]),
        (region.x + m.m11 * d1[0] + m.m12 * d1[1], region.y + m.m21 * d1[0] + m.m22 * d1[1]),
        (region.x + m.m11 * d2[0] + m.m12 * d2[1], region.y + m.m21 * d2[0] + m.m22 * d2[1]),
    )


class Linear(NamedTuple):
    """A linear function of the plane: value at the origin, slopes."""

    origin: float
    x: float
    y: float


@inline_kernel
def linear_through(region: Region, values: tuple[float, float, float]) -> Linear:
    """The linear function that has given values at the three points of a region; their mean where it has no extent."""
    v0, v1, v2 = values
    d0, d1, d2 = _DIRECTIONS
    mean = (v0 + v1 + v2) / 3.0
    m = spread_of(region)
    if not m.is_wide:
        return Linear(mean, 0.0, 0.0)
    a = (v0 * d0[0] + v1 * d1[0] + v2 * d2[0]) / 3.0
    b = (v0 * d0[1] + v1 * d1[1] + v2 * d2[1]) / 3.0
    inverse = 1.0 / (m.m11 * m.m22 - m.m12 * m.m21)
    x = inverse * (m.m22 * a - m.m21 * b)
    y = inverse * (m.m11 * b - m.m12 * a)
    return Linear(mean - x * region.x - y * region.y, x, y)


@inline_kernel
def linear_between(values: tuple[float, float, float]) -> Linear:
    """The linear function that has given values at the corners of the reference triangle."""
    v0, v1, v2 = values
    return Linear(v0, v1 - v0, (2.0 * v2 - v0 - v1) / ROOT3)


@inline_kernel
def value_at(linear: Linear, p: Point) -> float:
    """Value of a linear function."""
    return linear.origin + linear.x * p[0] + linear.y * p[1]


@kernel
def largest_on_border(edges: Doubles, first: int, n: int, linear: Linear) -> float:
    """Largest value, without its sign, of a linear function at the ends of the edges that are marked."""
    largest = 0.0
    for k in range(first, first + n):
        if edges[k, 4] > 0.0:
            a = value_at(linear, (edges[k, 0], edges[k, 1]))
            b = value_at(linear, (edges[k, 2], edges[k, 3]))
            largest = max(largest, max(abs(a), abs(b)))
    return largest


@inline_kernel
def put_edge(edges: Doubles, k: int, a: Point, b: Point, mark: float) -> int:
    """Write edge a→b to row k; the next row. ``mark``: 1 + the target's triangle on the border of the contact, 0: only
    on that of a cell."""
    edges[k, 0] = a[0]
    edges[k, 1] = a[1]
    edges[k, 2] = b[0]
    edges[k, 3] = b[1]
    edges[k, 4] = mark
    return k + 1


@kernel
def _keep_half(edges: Doubles, first: int, n: int, o: Point, d: Point, sign: float, out: int) -> int:
    """Write the part of a region on one side of the line (o, d) to rows from ``out``; the row after them.

    An edge that crosses the line is cut there, and the border runs on along the line to the first crossing; what runs
    to and fro cancels.
    """
    has_meeting = False
    meeting = (0.0, 0.0)
    for k in range(first, first + n):
        a = (edges[k, 0], edges[k, 1])
        b = (edges[k, 2], edges[k, 3])
        s_a = sign * (d[0] * (a[1] - o[1]) - d[1] * (a[0] - o[0]))
        s_b = sign * (d[0] * (b[1] - o[1]) - d[1] * (b[0] - o[0]))
        in_a = s_a > 0.0 or (s_a == 0.0 and sign > 0.0)
        in_b = s_b > 0.0 or (s_b == 0.0 and sign > 0.0)
        if in_a and in_b:
            out = put_edge(edges, out, a, b, edges[k, 4])
            continue
        if in_a == in_b:
            continue
        # The edge crosses the line, at q.
        share = s_a / (s_a - s_b)
        q = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
        if not has_meeting:
            has_meeting = True
            meeting = q
        if in_a:
            out = put_edge(edges, out, a, q, edges[k, 4])
            out = put_edge(edges, out, q, meeting, 0.0)
        else:
            out = put_edge(edges, out, meeting, q, 0.0)
            out = put_edge(edges, out, q, b, edges[k, 4])
    return out


@kernel
def divide_region(edges: Doubles, first: int, n: int, o: Point, d: Point) -> tuple[int, int]:
    """Divide a region by the line (o, d): its left part behind it, its right part behind that; how many edges of each.

    There must be room for four times as many edges.
    """
    middle = _keep_half(edges, first, n, o, d, 1.0, first + n)
    end = _keep_half(edges, first, n, o, d, -1.0, middle)
    return middle - first - n, end - middle
