"""Contact of a tip or an edge: where a body given by an equation has no normal, and so no common normal either.

Problem: the tip of a cone that stands on a plane has no normal; nor has the rim of a cylinder. What touches there is
the point of the body that lies farthest in the direction n into the other body, which is smooth.
In: samples of both, the pose. Out: that point, the foot on the other body, their signed distance.

    (1) the sample of the cornered body B that is deepest in the other, A (or nearest to it), and its foot on A
    (2) the extreme point of B in the direction −n, n the normal of A at the foot, from tangent planes of B: three of
        them meet in a point x below B. Where x lies off B, the tangent plane where the segment from a point inside B
        to x leaves B takes the place of one of the three, such that −n stays a sum of their normals with coefficients
        that are not negative. All tangent planes of a cone meet in its tip: it is found at once. At first three steep
        planes hold x.

             \\    B    /          3 ----- x_2 -----   x_1 is cut off by a tangent plane, then x_2, until x lies on B
              \\       /
               \\_____/
                  .  x_1
        ________________ A, n up

    (3) the foot of x on A, and n there; (2) again, until n no longer changes

It holds for bodies that are convex near the tip, as a tip that touches something smooth is.
"""

from __future__ import annotations

import math

from polycontact.kernels.addresses import call_law
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.geometry.frames import apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import kernel
from polycontact.kernels.smooth.corner_planes import TangentPlanes, exchange, meet
from polycontact.kernels.smooth.smooth_evaluation import CommonNormals
from polycontact.kernels.smooth.surface_frame import accept, locate, step_aside
from polycontact.kernels.smooth.surface_views import Located, SmoothSide, SmoothSurface, SurfaceKind
from polycontact.tolerances import COMMON_NORMAL, CORNER_FOUND, STEEP_HOLD

_MOST_PLANES = 60
"""Tangent planes of one search: a cone's tip takes three, the rim of a cylinder about twenty."""
_MOST_HALVINGS = 60
"""Halvings of a segment: to rounding."""
_MOST_FEET = 12
"""Changes of the direction n; a plane needs one."""
_MOST_FOOT_STEPS = 25
"""Newton steps to the foot of a point on a surface."""


@kernel
def _hold(planes: TangentPlanes, start: Vector, n: Vector, reach: float) -> None:
    """Three steep planes around ``start``, which meet below it: everything near lies between them (2).

    They are turned by an odd angle, so that x does not lie right below a tip, where an equation may have no gradient.
    """
    t1 = cross(n, (0.0, 0.0, 1.0) if abs(n[2]) < 0.7 else (1.0, 0.0, 0.0))
    t1 = scale(1.0 / norm(t1), t1)
    t2 = cross(n, t1)
    for k in range(3):
        angle = 0.37 + 2.0 * math.pi * k / 3.0
        g = add(scale(-1.0, n), scale(STEEP_HOLD * math.cos(angle), t1))
        g = add(g, scale(STEEP_HOLD * math.sin(angle), t2))
        g = scale(1.0 / norm(g), g)
        planes.c[k] = dot(g, start) + reach * (1.0 + 0.17 * k)
        planes.held[k] = 1.0
        for a in range(3):
            planes.g[k, a] = g[a]
    _, x = meet((row(planes.g, 0), row(planes.g, 1), row(planes.g, 2)), as_vector(planes.c))
    for a in range(3):
        planes.x[a] = x[a]


@kernel
def _value_at(body: SmoothSide, point: Vector) -> float:
    """h of an implicit body at a point in its frame; gradient and place are left in ``body.implicit``."""
    for a in range(3):
        body.implicit.place[a] = point[a]
    call_law(body.surface.code, body.surface.parameters, body.point_at)
    return float(body.implicit.value)


@kernel
def _inner_point(body: SmoothSide, start: Vector, outward: Vector, reach: float) -> tuple[bool, Vector]:
    """A point inside the body below a place on its surface, about ``reach`` (m) deep or less."""
    deep = reach
    for _ in range(_MOST_HALVINGS):
        inner = sub(start, scale(deep, outward))
        if _value_at(body, inner) < 0.0:
            return True, inner
        deep *= 0.5
    return False, start


@kernel
def _cross(body: SmoothSide, inner: Vector, x: Vector) -> bool:
    """Put ``body.implicit`` where the segment from a point inside to x outside leaves the body; False: no normal there.

    The last point outside is taken, where the equation of a tip has a gradient.
    """
    low = 0.0
    high = 1.0
    for _ in range(_MOST_HALVINGS):
        middle = 0.5 * (low + high)
        if _value_at(body, add(inner, scale(middle, sub(x, inner)))) < 0.0:
            low = middle
        else:
            high = middle
    _value_at(body, add(inner, scale(high, sub(x, inner))))
    square = dot(as_vector(body.implicit.gradient), as_vector(body.implicit.gradient))
    return math.isfinite(square) and square > 0.0


@kernel
def _extreme_point(
    body: SmoothSide, start: Vector, outward: Vector, n: Vector, reach: float, planes: TangentPlanes
) -> bool:
    """The point of an implicit body that lies farthest along −n near ``start``, into ``planes.x``; in its frame (2)."""
    found, inner = _inner_point(body, start, outward, reach)
    if not found:
        return False
    _hold(planes, start, n, reach)
    for _ in range(_MOST_PLANES):
        x = as_vector(planes.x)
        if not _value_at(body, x) > 0.0:
            # On the body, or by rounding in it; deeper where the body is not convex, and tangent planes cut it off.
            off = abs(body.implicit.value)
            held = planes.held[0] + planes.held[1] + planes.held[2]
            return bool(held == 0.0 and (off == 0.0 or _is_off_by(body, off) <= math.sqrt(CORNER_FOUND)))
        if _is_off_by(body, body.implicit.value) <= CORNER_FOUND:
            return bool(planes.held[0] + planes.held[1] + planes.held[2] == 0.0)
        if not _cross(body, inner, x):
            return False
        g = as_vector(body.implicit.gradient)
        g = scale(1.0 / norm(g), g)
        at = as_vector(body.implicit.place)
        if dot(g, sub(x, at)) <= 0.0 or not exchange(planes, g, dot(g, at), n):
            return False
    return False


@kernel
def _is_off_by(body: SmoothSide, value: float) -> float:
    """How far the point just looked at lies off the body, in sizes of it, to first order; 0 at a tip without a gradient
    only where the value is 0."""
    slope = norm(as_vector(body.implicit.gradient))
    if not (math.isfinite(slope) and slope > 0.0):
        return 0.0 if value == 0.0 else math.inf
    return value / (slope * body.surface.size)


@kernel
def _foot(side: SmoothSide, pose: Pose, p: Vector, s: float) -> bool:
    """Move the current place of a surface to the foot of a point p (frame E): Newton's method in two displacements."""
    now = side.current
    for _ in range(_MOST_FOOT_STEPS):
        apart = sub(as_vector(now.point), p)
        t1, t2 = row(now.tangents, 0), row(now.tangents, 1)
        n = as_vector(now.normal)
        off = dot(n, apart)
        f1, f2 = dot(t1, apart), dot(t2, apart)
        if math.hypot(f1, f2) <= COMMON_NORMAL * s:
            return True
        # How t·(q − p) changes with displacements: 1 where the surface is flat, less where p lies inside its curve.
        a11 = 1.0 - dot(t1, row(now.turns, 0)) * off
        a22 = 1.0 - dot(t2, row(now.turns, 1)) * off
        a12 = -0.5 * (dot(t1, row(now.turns, 1)) + dot(t2, row(now.turns, 0))) * off
        det = a11 * a22 - a12 * a12
        if not (det > 0.0 and a11 > 0.0):
            a11, a22, a12, det = 1.0, 1.0, 0.0, 1.0
        u = -(a22 * f1 - a12 * f2) / det
        v = -(a11 * f2 - a12 * f1) / det
        if step_aside(side, pose, u, v) != Located.REGULAR:
            return False
        accept(side)
    return False


@kernel
def _lowest_sample(a: SmoothSurface, b: SmoothSurface, pose: Pose, a_is_f: bool) -> tuple[int, int, float]:
    """Samples of A and B: of B that which is least above A, by its nearest sample on A (1); and its height, m."""
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    lowest = math.inf
    of_a = -1
    of_b = -1
    for i in range(b.n):
        p = row(b.points, i)
        p = apply_transposed(R, sub(p, r)) if a_is_f else add(apply(R, p), r)
        nearest = math.inf
        near = -1
        for j in range(a.n):
            apart = sub(p, row(a.points, j))
            square = dot(apart, apart)
            if square < nearest:
                nearest = square
                near = j
        height = dot(row(a.normals, near), sub(p, row(a.points, near)))
        if height < lowest:
            lowest = height
            of_a = near
            of_b = i
    return of_a, of_b, lowest


@kernel
def find_corner(
    e: SmoothSide, f: SmoothSide, pose: Pose, s: float, cornered: int, planes: TangentPlanes, found: CommonNormals
) -> float:
    """Note the contact of a tip or an edge of body ``cornered`` (0: E, 1: F) with the other; (1) to (3).

    Returns the height of its lowest sample over the other body, m, by which it is known whether they are near.
    """
    a_is_f = cornered == 0
    smooth, body = (f, e) if a_is_f else (e, f)
    of_a, of_b, height = _lowest_sample(smooth.surface, body.surface, pose, a_is_f)
    if body.surface.kind != SurfaceKind.IMPLICIT or of_a < 0:
        return height
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    own = row(body.surface.points, of_b)
    outward = row(body.surface.normals, of_b)
    p = add(apply(R, own), r) if not a_is_f else own
    smooth.current.chart = smooth.surface.charts[of_a]
    for k in range(3):
        smooth.current.place[k] = smooth.surface.places[of_a, k]
    if locate(smooth, smooth.current, pose, s) != Located.REGULAR:
        return height
    reach = 2.0 * body.surface.cover
    for _ in range(_MOST_FEET):
        if not _foot(smooth, pose, p, s):  # (3)
            return height
        n = as_vector(smooth.current.normal)
        own_n = apply_transposed(R, n) if not a_is_f else n
        if not _extreme_point(body, own, outward, own_n, reach, planes):  # (2)
            return height
        x = as_vector(planes.x)
        x = add(apply(R, x), r) if not a_is_f else x
        moved = norm(sub(x, p))
        p = x
        if moved <= COMMON_NORMAL * s:
            _note_corner(smooth, p, a_is_f, found)
            return height
    return height


@kernel
def _note_corner(smooth: SmoothSide, p: Vector, a_is_f: bool, found: CommonNormals) -> None:
    """Keep the contact of point p with the current place of the smooth body."""
    k = found.n
    q = as_vector(smooth.current.point)
    n = as_vector(smooth.current.normal)
    out_of_e = scale(-1.0, n) if a_is_f else n
    on_e, on_f = (p, q) if a_is_f else (q, p)
    for a in range(3):
        found.point_e[k, a] = on_e[a]
        found.point_f[k, a] = on_f[a]
        found.normal[k, a] = out_of_e[a]
    found.distance[k] = dot(out_of_e, sub(on_f, on_e))
    found.n = k + 1
