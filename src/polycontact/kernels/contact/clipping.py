r"""The part of a cut triangle inside the other surface: its area and barycentre by Green's theorem (decision 0006).

Problem: area and barycentre of a region that may have several pieces and holes, without building polygons.
In: the segments of the triangle in any order, and which corners are inside. Out: area (m²) and barycentre (frame E).

      c2                  The border is made of the segments (a→b), which run with the inside to their left, and of the
      | \                 inside stretches of the sides (here b→c1, c1→c2, c2→a). A sum over directed stretches needs
      a   \  inside       no order, and holes count negative by their direction. The inside stretches of a side are
      | \    \            themselves a sum:
      |   v    \               + (crossing → end of side)   where a segment ends: the border enters the side there
      c0---b----c1             − (crossing → end of side)   where a segment starts
                               + (start → end of side)      where the side starts inside
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Segments, Side
from polycontact.kernels.contact.sides import corners_of, normal_of
from polycontact.kernels.geometry.vectors import Vector, cross, dot, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints

Moments = tuple[float, float, float, float]
"""Twice the area (m²), and six times the first moment (m³) relative to an origin; negative for what runs clockwise."""


@inline_kernel
def side_of_end(kinds: Ints, segment: int, is_f: int, start: bool) -> int:
    """Side (0-2) of the triangle of E or F on which a segment starts or ends, as seen on that surface; -1: inside.

    On F the segments run the other way, so that there too the overlap lies to their left.
    """
    which = 0 if start == (is_f == 0) else 1
    kind = kinds[segment, which] - 3 * is_f
    return kind if 0 <= kind < 3 else -1


@inline_kernel
def add_stretch(m: Moments, s: float, n: Vector, o: Vector, a: Vector, b: Vector) -> Moments:
    """Add s (1 or -1) times the border stretch a → b, in a plane with unit normal n, to the moments about origin o.

    It adds the triangle o, a, b: with its sign for any o, as what is too much cancels around a closed border.
    """
    u = sub(a, o)
    v = sub(b, o)
    w = s * dot(n, cross(u, v))
    return (m[0] + w, m[1] + w * (u[0] + v[0]), m[2] + w * (u[1] + v[1]), m[3] + w * (u[2] + v[2]))


@inline_kernel
def end_point(ends: Doubles, segment: int, is_f: int, start: bool) -> Vector:
    """Start or end of a segment as it runs on surface E or F."""
    at = 0 if start == (is_f == 0) else 3
    return (ends[segment, at], ends[segment, at + 1], ends[segment, at + 2])


@inline_kernel
def area_and_barycentre(m: Moments, o: Vector) -> Moments:
    """Area (m², with its sign) and barycentre from moments about o; the origin where there is no area."""
    if m[0] == 0.0:
        return (0.0, o[0], o[1], o[2])
    k = 1.0 / (3.0 * m[0])
    return (0.5 * m[0], o[0] + k * m[1], o[1] + k * m[2], o[2] + k * m[3])


@kernel
def clip_triangle(side: Side, pose: Pose, segments: Segments, t: int, state: int) -> Moments:
    """Area (m², with its sign) and barycentre (frame E) of the part of cut triangle t inside the other surface.

    ``state``: bits 0-2 tell which corners are inside. All loops of the part are taken together. Moments are about a
    point of the border, so that far from the origin no digits are lost.
    """
    ends = segments.ends
    kinds = segments.kinds
    following = segments.following
    is_f = side.is_f
    x = corners_of(side, pose, t)
    n = normal_of(side, pose, t)
    segment = side.head[t]
    o = end_point(ends, segment, is_f, True)
    m = (0.0, 0.0, 0.0, 0.0)
    while segment >= 0:
        a = end_point(ends, segment, is_f, True)
        b = end_point(ends, segment, is_f, False)
        m = add_stretch(m, 1.0, n, o, a, b)
        i = side_of_end(kinds, segment, is_f, True)
        if i >= 0:
            m = add_stretch(m, -1.0, n, o, a, x[(i + 1) % 3])
        i = side_of_end(kinds, segment, is_f, False)
        if i >= 0:
            m = add_stretch(m, 1.0, n, o, b, x[(i + 1) % 3])
        segment = following[is_f, segment]
    for i in range(3):
        if state & (1 << i):
            m = add_stretch(m, 1.0, n, o, x[i], x[(i + 1) % 3])
    return area_and_barycentre(m, o)
