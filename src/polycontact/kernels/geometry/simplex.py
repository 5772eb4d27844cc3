"""The point of a simplex, one to four points of the difference, that is nearest to the origin.

1 point     -> that
2 points    -> of the segment
3 points    -> of the triangle; where it has no area to speak of, of its sides
4 points    -> of the faces that do not hide behind the tetrahedron: a face hides where the origin lies on the same
               side of it as the fourth corner. All four hide: the origin lies inside, squared distance -1
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.geometry.convex_pair import Points
from polycontact.kernels.geometry.nearest import foot_on
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import NO_EXTENT

_FACES = ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0))
"""Corners of each face of a tetrahedron, and the corner opposite."""


class Nearest(NamedTuple):
    """The nearest point as a mean of corners: ``weights`` by corner, zero for those that it does not stand on."""

    square: float
    weights: tuple[float, float, float, float]


@inline_kernel
def _on_segment(a: Vector, b: Vector) -> Nearest:
    """Of the segment a–b; of the point a where both are equal."""
    ab = sub(b, a)
    length = dot(ab, ab)
    t = min(max(-dot(a, ab) / length, 0.0), 1.0) if length > 0.0 else 0.0
    p = add(a, scale(t, ab))
    return Nearest(dot(p, p), (1.0 - t, t, 0.0, 0.0))


@inline_kernel
def _on_triangle(a: Vector, b: Vector, c: Vector) -> tuple[float, float, float, float]:
    """Square of the distance of triangle a, b, c from the origin (m²), and weights of its corners."""
    ab, ac = sub(b, a), sub(c, a)
    area = norm(cross(ab, ac))
    longest = max(dot(ab, ab), max(dot(ac, ac), dot(sub(c, b), sub(c, b))))
    if not area > NO_EXTENT * longest:  # a line: the nearest point of its sides
        best = _on_segment(a, b)
        square, w0, w1, w2 = best.square, best.weights[0], best.weights[1], 0.0
        side = _on_segment(b, c)
        if side.square < square:
            square, w0, w1, w2 = side.square, 0.0, side.weights[0], side.weights[1]
        side = _on_segment(c, a)
        if side.square < square:
            square, w0, w1, w2 = side.square, side.weights[1], 0.0, side.weights[0]
        return square, w0, w1, w2
    foot = foot_on((a, b, c), (0.0, 0.0, 0.0))
    return foot.square, 1.0 - foot.b1 - foot.b2, foot.b1, foot.b2


@inline_kernel
def _hides(a: Vector, b: Vector, c: Vector, opposite: Vector, size: float) -> bool:
    """Whether the origin lies on the same side of a face as the corner opposite: the face is not the nearest."""
    n = cross(sub(b, a), sub(c, a))
    own = dot(n, sub(opposite, a))
    return abs(own) > NO_EXTENT * size * norm(n) and -dot(n, a) * own >= 0.0


@kernel
def nearest_on_simplex(points: Points, n: int, size: float) -> Nearest:
    """The point of the first n points' hull that is nearest to the origin; square -1 where the origin lies inside.

    ``size`` (m): of the difference, which flatness is relative to.
    """
    w = points.difference
    a = row(w, 0)
    if n == 1:
        return Nearest(dot(a, a), (1.0, 0.0, 0.0, 0.0))
    if n == 2:
        return _on_segment(a, row(w, 1))
    if n == 3:
        square, w0, w1, w2 = _on_triangle(a, row(w, 1), row(w, 2))
        return Nearest(square, (w0, w1, w2, 0.0))
    square = -1.0
    weights = (0.25, 0.25, 0.25, 0.25)
    for face in _FACES:
        i, j, k, o = face
        if _hides(row(w, i), row(w, j), row(w, k), row(w, o), size):
            continue
        found, w_i, w_j, w_k = _on_triangle(row(w, i), row(w, j), row(w, k))
        if square < 0.0 or found < square:
            square = found
            # From the face's three corners back to the four of the tetrahedron.
            weights = (
                w_i if i == 0 else 0.0,
                w_i if i == 1 else (w_j if j == 1 else 0.0),
                w_k if k == 2 else (w_j if j == 2 else 0.0),
                w_k if k == 3 else 0.0,
            )
    return Nearest(square, weights)
