"""Two convex shapes, one pose, and the memory in which their distance is found.

All algorithms work on the difference C = {a - b} of the two cores, whose support height is
h(n) = h_E(n) + h_F(-n). The signed distance of the cores is -min h(n) over all unit vectors n, and the n of the least h
points from E to F. It is negative where they overlap, minus the shortest way out.
"""

from __future__ import annotations

import enum

from polycontact.kernels.geometry.convex_shape import ConvexShape
from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.support import Asked, piece_bend, piece_point, support
from polycontact.kernels.geometry.vectors import Vector, add, dot, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, nested, number, reference

MOST_POINTS = 256
"""Points of the difference that fit: the polytope expands no further."""
MOST_FACES = 2 * MOST_POINTS
"""Faces of a polytope with as many vertices, and some to spare."""


class Verdict(enum.IntEnum):
    """How a distance query of two convex shapes ended."""

    EXACT = 0
    UNSETTLED = 1  # iterations ran out: bounds of the distance still differ
    BEYOND = 2  # farther apart than was asked for


class Points(View):
    """Points a - b of the difference of the cores, frame E; the first few are the simplex."""

    room = count("points that fit")
    n = count("points")
    on_e = doubles("room", 3, unit="m", doc="a, on the core of E")
    on_f = doubles("room", 3, unit="m", doc="b, on the core of F")
    difference = doubles("room", 3, unit="m", doc="a - b")
    piece = ints("room", 2, doc="pieces of E and of F that they lie on")


class Faces(View):
    """Triangles of the expanding polytope, with outward normals."""

    room = count("faces that fit")
    n = count("faces, dead ones among them")
    corner = ints("room", 3, doc="points, counter-clockwise from outside")
    beside = ints("room", 3, doc="the face across the side from corner k to the next")
    normal = doubles("room", 3, doc="unit normal")
    height = doubles("room", unit="m", doc="height of the plane over the origin; infinite for one without area")
    state = ints("room", doc="0 a face, 1 seen by the new point, 2 dead")
    stack = ints("room", doc="faces to look at; slots of dead faces to be used again")
    around = ints("room", doc="by point: the new face that begins there")


class Meeting(View):
    """A direction with the pieces that are level in it: where two shapes meet, or a trial of that."""

    normal = inline(3, doc="n, from E to F")
    height = number("h(n)", "m")
    n = count("pieces")
    piece = inline(3, 2, doc="pieces of E and of F")
    weight = inline(3, doc="shares of the pieces in the nearest point")
    is_settled = count("1: to rounding")
    on_e = inline(3, unit="m", doc="where the cores meet, once that is settled: on E")
    on_f = inline(3, unit="m", doc="on F, frame E")


class ConvexPair(View):
    """Two shapes, their pose, and all that is found of them."""

    e = reference(ConvexShape)
    f = reference(ConvexShape)
    rotation = inline(3, 3, doc="rotation of F in E")
    position = inline(3, unit="m", doc="position of F in E")
    scale = number("size of the difference of both, which tolerances are relative to", "m")
    points = nested(Points)
    faces = nested(Faces)
    meeting = nested(Meeting)
    trial = nested(Meeting)
    system = inline(6, 7, doc="linear equations of a Newton step, with their right-hand side")
    asked = nested(Asked)
    supports = count("support points asked for")
    verdict = count("a Verdict")
    distance = number("signed distance of the shapes", "m")
    normal = inline(3, doc="from E to F, unit")
    point_e = inline(3, unit="m", doc="the point of E that is nearest to F, or deepest in it, frame E")
    point_f = inline(3, unit="m", doc="that of F")


as_convex_pair = cast_to(ConvexPair)


def reserve_pair(pair: ConvexPair) -> None:
    """Make the room of a pair."""
    pair.points.reserve(room=MOST_POINTS)
    pair.faces.reserve(room=MOST_FACES)


@inline_kernel
def into_f(pair: ConvexPair, n: Vector) -> Vector:
    """Direction -n in the frame of F."""
    return scale(-1.0, apply_transposed(as_matrix(pair.rotation), n))


@inline_kernel
def from_f(pair: ConvexPair, p: Vector) -> Vector:
    """A point of F in frame E."""
    return add(apply(as_matrix(pair.rotation), p), as_vector(pair.position))


@kernel
def add_support(pair: ConvexPair, at: int, n: Vector) -> float:
    """Point ``at`` becomes the support point of the difference in direction n; returns n·(a - b)."""
    a, piece_e = support(pair.e, n, pair.asked)
    b_f, piece_f = support(pair.f, into_f(pair, n), pair.asked)
    b = from_f(pair, b_f)
    d = sub(a, b)
    points = pair.points
    on_e, on_f, difference = points.on_e, points.on_f, points.difference
    for k in range(3):
        on_e[at, k] = a[k]
        on_f[at, k] = b[k]
        difference[at, k] = d[k]
    points.piece[at, 0] = piece_e
    points.piece[at, 1] = piece_f
    pair.supports += 1
    return dot(n, d)


@kernel
def difference_point(pair: ConvexPair, piece_e: int, piece_f: int, n: Vector) -> Vector:
    """a - b of two pieces in direction n."""
    a = piece_point(pair.e, piece_e, n, pair.asked)
    b = piece_point(pair.f, piece_f, into_f(pair, n), pair.asked)
    return sub(a, from_f(pair, b))


@kernel
def difference_bend(pair: ConvexPair, piece_e: int, piece_f: int, n: Vector, u: Vector, v: Vector) -> Vector:
    """Second derivatives of the height of two pieces together along u and v: (uu, uv, vv), m."""
    B: Matrix = piece_bend(pair.e, piece_e, n, pair.asked)
    Bu, Bv = apply(B, u), apply(B, v)
    uu, uv, vv = dot(u, Bu), dot(u, Bv), dot(v, Bv)
    u, v = into_f(pair, u), into_f(pair, v)  # both change sign, their products do not
    B = piece_bend(pair.f, piece_f, into_f(pair, n), pair.asked)
    Bu, Bv = apply(B, u), apply(B, v)
    return (uu + dot(u, Bu), uv + dot(u, Bv), vv + dot(v, Bv))
