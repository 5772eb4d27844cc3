"""The distance of two triangles, and where on each they are nearest.

    (1) the plane of one has the other beyond the distance that is known -> the pair does not matter
    (2) neither plane has the other on one side, and a side of one passes through the other -> 0
    (3) else the nearest points are a corner of one and any point of the other (6 cases), or two points of sides (9)

Parallel sides are left to (3)'s corners, as one end of the shorter is among the nearest points then.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.penetration import line_through
from polycontact.kernels.geometry.nearest import foot_on, foot_point
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import PARALLEL


class PointPair(NamedTuple):
    """Two points, one on each body, and the square (m²) of their distance."""

    square: float
    e: Vector
    f: Vector


@inline_kernel
def _between(x: float) -> float:
    """x, brought between 0 and 1."""
    return min(max(x, 0.0), 1.0)


@kernel
def _nearest_on_sides(a: Vector, b: Vector, c: Vector, d: Vector) -> PointPair:
    """Where the segments a–b and c–d are nearest, unless they are parallel: then ends are, see corners."""
    u = sub(b, a)
    v = sub(d, c)
    w = sub(a, c)
    uu = dot(u, u)
    vv = dot(v, v)
    uv = dot(u, v)
    uw = dot(u, w)
    vw = dot(v, w)
    determinant = uu * vv - uv * uv
    s = 0.0
    if determinant > PARALLEL * uu * vv:
        s = _between((uv * vw - uw * vv) / determinant)
    t = (uv * s + vw) / vv
    if t < 0.0:
        t = 0.0
        s = _between(-uw / uu)
    elif t > 1.0:
        t = 1.0
        s = _between((uv - uw) / uu)
    p = add(a, scale(s, u))
    q = add(c, scale(t, v))
    away = sub(q, p)
    return PointPair(dot(away, away), p, q)


@kernel
def _passes_through(a: Vector, b: Vector, x: Triangle) -> tuple[bool, Vector]:
    """Whether the segment a–b meets triangle x, and where."""
    normal = cross(sub(x[1], x[0]), sub(x[2], x[0]))
    d_a = dot(normal, sub(a, x[0]))
    d_b = dot(normal, sub(b, x[0]))
    if (d_a > 0.0) == (d_b > 0.0):
        return False, a
    g = line_through(x, a, sub(b, a))
    if not ((g[0] >= 0.0 and g[1] >= 0.0 and g[2] >= 0.0) or (g[0] <= 0.0 and g[1] <= 0.0 and g[2] <= 0.0)):
        return False, a
    return True, add(a, scale(d_a / (d_a - d_b), sub(b, a)))


@inline_kernel
def _gap_over(x: Triangle, y: Triangle) -> float:
    """Square of the distance of triangle y from the plane of triangle x, 0 where it is on both sides, m²."""
    normal = cross(sub(x[1], x[0]), sub(x[2], x[0]))
    d0 = dot(normal, sub(y[0], x[0]))
    d1 = dot(normal, sub(y[1], x[0]))
    d2 = dot(normal, sub(y[2], x[0]))
    gap = max(min(d0, min(d1, d2)), -max(d0, max(d1, d2)))
    return gap * gap / dot(normal, normal) if gap > 0.0 else 0.0


@kernel
def triangle_distance(e: Triangle, f: Triangle, most: float) -> PointPair:
    """Points of two triangles that are nearest; where the distance is not below ``most`` (square, m²), its square is
    at least that."""
    gap_e = _gap_over(e, f)
    gap_f = _gap_over(f, e)
    best = PointPair(math.inf, e[0], f[0])
    if max(gap_e, gap_f) >= most:
        return best  # (1)
    if gap_e == 0.0 and gap_f == 0.0:  # (2)
        for i in range(3):
            meets, point = _passes_through(e[i], e[(i + 1) % 3], f)
            if not meets:
                meets, point = _passes_through(f[i], f[(i + 1) % 3], e)
            if meets:
                return PointPair(0.0, point, point)
    for i in range(3):  # (3)
        foot = foot_on(f, e[i])
        if foot.square < best.square:
            best = PointPair(foot.square, e[i], foot_point(f, foot))
        foot = foot_on(e, f[i])
        if foot.square < best.square:
            best = PointPair(foot.square, foot_point(e, foot), f[i])
        for j in range(3):
            pair = _nearest_on_sides(e[i], e[(i + 1) % 3], f[j], f[(j + 1) % 3])
            if pair.square < best.square:
                best = pair
    return best
