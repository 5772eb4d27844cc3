"""The part of a cut triangle inside the other surface: its area and barycentre by Green's theorem.

The border of that part is made of the triangle's segments, which run with the inside to their left, and of the
inside stretches of its sides. Both are summed in any order, so several loops and holes need no polygon clipping;
a side's inside stretches are the sum of (crossing → end of side) over its crossings, entering minus leaving, and
of the whole side where it starts inside.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.inside import corner, from_own_direction
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    HEAD,
    MAX_SEGMENTS,
    N_SEGMENTS,
    N_TRIANGLES,
    N_VERTICES,
    NEXT,
    NORMALS,
    SEGMENT_ENDS,
    SEGMENT_KINDS,
    TRIANGLES,
    VERTEX_STAMP,
    VERTICES,
    E,
    X,
    index_table,
    indices,
    stamps,
    table,
    vectors,
)
from polycontact.kernels.vectors import Vector, cross, dot, row, sub

Moments = tuple[float, float, float, float]
"""Twice the area, and thrice the first moment relative to an origin, each times the sign of the circulation."""


@inline_kernel
def side_of_end(kinds: Any, segment: int, side: int, start: bool) -> int:
    """Side (0-2) of the triangle of ``side`` on which a segment starts or ends, as seen on that surface; -1: inside.

    On F the segments run the other way, so that there too the overlap lies to their left.
    """
    which = 0 if start == (side == E) else 1
    kind = kinds[segment, which] - (0 if side == E else 3)
    return kind if 0 <= kind < 3 else -1


@inline_kernel
def corners_of(p: Any, side: int, t: int) -> tuple[Vector, Vector, Vector]:
    """Corners of triangle t in frame E."""
    corners = index_table(p, side + TRIANGLES, p[side + N_TRIANGLES], 3)
    own = vectors(p, side + VERTICES, p[side + N_VERTICES])
    x = vectors(p, side + X, p[side + N_VERTICES])
    fresh = stamps(p, side + VERTEX_STAMP, p[side + N_VERTICES])
    return (
        corner(p, side, own, x, fresh, corners[t, 0]),
        corner(p, side, own, x, fresh, corners[t, 1]),
        corner(p, side, own, x, fresh, corners[t, 2]),
    )


@inline_kernel
def normal_of(p: Any, side: int, t: int) -> Vector:
    """Outward unit normal of triangle t in frame E."""
    return from_own_direction(p, side, row(vectors(p, side + NORMALS, p[side + N_TRIANGLES]), t))


@inline_kernel
def add_stretch(m: Moments, s: float, n: Vector, o: Vector, a: Vector, b: Vector) -> Moments:
    """Add s times the border stretch a → b to the moments about origin o."""
    u = sub(a, o)
    v = sub(b, o)
    w = s * dot(n, cross(u, v))
    return (m[0] + w, m[1] + w * (u[0] + v[0]), m[2] + w * (u[1] + v[1]), m[3] + w * (u[2] + v[2]))


@inline_kernel
def end_point(ends: Any, segment: int, side: int, start: bool) -> Vector:
    """Start or end of a segment as it runs on surface ``side``."""
    at = 0 if start == (side == E) else 3
    return (ends[segment, at], ends[segment, at + 1], ends[segment, at + 2])


@inline_kernel
def area_and_barycentre(m: Moments, o: Vector) -> Moments:
    """Area and barycentre from moments; the origin where there is no area."""
    if m[0] == 0.0:
        return (0.0, o[0], o[1], o[2])
    k = 1.0 / (3.0 * m[0])
    return (0.5 * m[0], o[0] + k * m[1], o[1] + k * m[2], o[2] + k * m[3])


@kernel
def clip_triangle(p: Any, side: int, t: int, state: int) -> Moments:
    """Area (signed) and barycentre of the part of cut triangle t inside the other surface.

    ``state``: bits 0-2 tell which corners are inside. All loops of the part are taken together.
    """
    ends = table(p, SEGMENT_ENDS, p[N_SEGMENTS], 6)
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    following = indices(p, side + NEXT, p[MAX_SEGMENTS])
    x = corners_of(p, side, t)
    n = normal_of(p, side, t)
    segment = indices(p, side + HEAD, p[side + N_TRIANGLES])[t]
    o = end_point(ends, segment, side, True)
    m = (0.0, 0.0, 0.0, 0.0)
    while segment >= 0:
        a = end_point(ends, segment, side, True)
        b = end_point(ends, segment, side, False)
        m = add_stretch(m, 1.0, n, o, a, b)
        i = side_of_end(kinds, segment, side, True)
        if i >= 0:
            m = add_stretch(m, -1.0, n, o, a, x[(i + 1) % 3])
        i = side_of_end(kinds, segment, side, False)
        if i >= 0:
            m = add_stretch(m, 1.0, n, o, b, x[(i + 1) % 3])
        segment = following[segment]
    for i in range(3):
        if state & (1 << i):
            m = add_stretch(m, 1.0, n, o, x[i], x[(i + 1) % 3])
    return area_and_barycentre(m, o)
