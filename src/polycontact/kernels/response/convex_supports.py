"""Points that bear a contact of convex shapes: the corners of where their faces lie on each other.

A contact of convex shapes is one point, on which a box would rock. What each shape shows the other, a face, an edge or
a point, is told by its pieces that lie farthest in directions around the normal, tilted by a little. The smaller of
both is clipped by the larger in the plane of the contact (Sutherland and Hodgman 1974); the corners of what is left
bear.

    (1) what each shows: support points in eight directions around the normal, tilted by a little; equal ones once
    (2) the larger face, in area, is a plane by least squares; the smaller one, a face or an edge, is clipped by it
    (3) corners bear whose two heights overlap, or nearly do
    (4) the deepest point bears as well where none of these is nearly as deep, or where shapes meet in a point or in
        edges that cross
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.contact.convex_method import as_convex
from polycontact.kernels.geometry.convex_pair import ConvexPair, from_f
from polycontact.kernels.geometry.convex_shape import ConvexShape, ShapeKind
from polycontact.kernels.geometry.frames import apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.support import piece_point, support
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, scale, tangent_to
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, Longs, View, cast_to, inline
from polycontact.tolerances import FACE_TILT, LEVEL, OFF_AXIS, SAME_CORNER

AROUND = 8
"""Directions around the normal: a face has as many corners at most."""


MOST = 2 * AROUND
"""Corners of what two faces share at most."""


class FaceWork(View):
    """Polygons in the plane of a contact: (x, y) along it, z along the normal from E to F; and the points chosen."""

    face_e = inline(AROUND, 3, unit="m", doc="corners of what E shows")
    face_f = inline(AROUND, 3, unit="m", doc="and F")
    shared = inline(MOST, 3, unit="m", doc="corners of what they share")
    spare = inline(MOST, 3, unit="m", doc="the same before the last clip")
    found = inline(MOST, 8, doc="points, directions that push E, depths, areas")


faces_at = cast_to(FaceWork)


@kernel
def _corner(pair: ConvexPair, shape: ConvexShape, of_f: bool, n: Vector, tilted: Vector, level: float) -> Vector:
    """Corner of a shape, frame E: the point for n of the piece that lies farthest in the tilted direction.

    On a rim that is level the point for the tilted direction itself.
    """
    asked = pair.asked
    if of_f:
        R = as_matrix(pair.rotation)
        n, tilted = apply_transposed(R, n), apply_transposed(R, tilted)
    point, piece = support(shape, tilted, asked)
    is_rim = shape.kind == ShapeKind.CYLINDER or (shape.kind == ShapeKind.CONE and piece == 1)
    if not (is_rim and 2.0 * shape.size[0] * math.hypot(n[0], n[1]) <= level):
        point = piece_point(shape, piece, n, asked)
    return from_f(pair, point) if of_f else point


@kernel
def _show_face(pair: ConvexPair, of_f: bool, n: Vector, t: Vector, s: Vector, level: float, out: Doubles) -> int:
    """Corners of what a shape shows in direction ±n, counter-clockwise about n; how many."""
    count = 0
    shape = pair.f if of_f else pair.e
    facing = scale(-1.0, n) if of_f else n
    near = SAME_CORNER * pair.scale
    for k in range(AROUND):
        angle = 2.0 * math.pi * (k + OFF_AXIS) / AROUND
        around = add(scale(FACE_TILT * math.cos(angle), t), scale(FACE_TILT * math.sin(angle), s))
        p = _corner(pair, shape, of_f, facing, add(facing, around), level)
        x, y = dot(t, p), dot(s, p)
        known = False
        for j in range(count):
            known = known or math.hypot(x - out[j, 0], y - out[j, 1]) <= near
        if not known:
            out[count, 0], out[count, 1], out[count, 2] = x, y, dot(n, p)
            count += 1
    return count


@inline_kernel
def _area(polygon: Doubles, n: int) -> float:
    """Area of a polygon in its plane."""
    total = 0.0
    for k in range(1, n - 1):
        ax, ay = polygon[k, 0] - polygon[0, 0], polygon[k, 1] - polygon[0, 1]
        bx, by = polygon[k + 1, 0] - polygon[0, 0], polygon[k + 1, 1] - polygon[0, 1]
        total += 0.5 * (ax * by - ay * bx)
    return total


@kernel
def _clip(polygon: Doubles, n: int, a: Vector, b: Vector, out: Doubles) -> int:
    """What of a polygon lies on the left of the line from a to b; how many corners."""
    count = 0
    dx, dy = b[0] - a[0], b[1] - a[1]
    for k in range(n):
        last = n - 1 if k == 0 else k - 1
        before = dx * (polygon[last, 1] - a[1]) - dy * (polygon[last, 0] - a[0])
        here = dx * (polygon[k, 1] - a[1]) - dy * (polygon[k, 0] - a[0])
        if (before < 0.0) != (here < 0.0) and count < MOST:
            part = before / (before - here)
            for i in range(3):
                out[count, i] = polygon[last, i] + part * (polygon[k, i] - polygon[last, i])
            count += 1
        if here >= 0.0 and count < MOST:
            for i in range(3):
                out[count, i] = polygon[k, i]
            count += 1
    return count


@kernel
def _share(small: Doubles, n_small: int, large: Doubles, n_large: int, work: FaceWork) -> int:
    """Corners of the smaller polygon within the larger one, into ``shared``; how many."""
    n = n_small
    for k in range(n):
        for i in range(3):
            work.shared[k, i] = small[k, i]
    for k in range(n_large):
        following = 0 if k == n_large - 1 else k + 1
        a, b = (large[k, 0], large[k, 1], 0.0), (large[following, 0], large[following, 1], 0.0)
        n = _clip(work.shared, n, a, b, work.spare)
        for j in range(n):
            for i in range(3):
                work.shared[j, i] = work.spare[j, i]
    return n


@kernel
def _plane(polygon: Doubles, n: int) -> tuple[Vector, float, float]:
    """A point of the plane through a polygon's corners, by least squares, and its slopes along x and y."""
    c = (0.0, 0.0, 0.0)
    for k in range(n):
        c = add(c, (polygon[k, 0] / n, polygon[k, 1] / n, polygon[k, 2] / n))
    xx, xy, yy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        x, y, z = polygon[k, 0] - c[0], polygon[k, 1] - c[1], polygon[k, 2] - c[2]
        xx, xy, yy, xz, yz = xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z
    determinant = xx * yy - xy * xy
    return c, (yy * xz - xy * yz) / determinant, (xx * yz - xy * xz) / determinant


@kernel
def _put(out: Doubles, at: int, p: Vector, n: Vector, depth: float) -> None:
    """A row of points: E is pushed against n."""
    for i in range(3):
        out[at, i] = p[i]
        out[at, 3 + i] = -n[i]
    out[at, 6] = depth


@kernel
def choose_corners(pair: ConvexPair, work: FaceWork) -> int:
    """Points that bear a contact of a pair that was measured: rows of ``work.found``; how many.

    One, the deepest, where shapes meet in a point or in edges that cross.
    """
    n = as_vector(pair.normal)
    t = tangent_to(n)
    s = cross(n, t)
    level = LEVEL * min(pair.e.reach, pair.f.reach)
    n_e = _show_face(pair, False, n, t, s, level, work.face_e)
    n_f = _show_face(pair, True, n, t, s, level, work.face_f)
    area_e, area_f = _area(work.face_e, n_e), _area(work.face_f, n_f)
    # (2)
    e_is_large = area_e >= area_f
    large, n_large = (work.face_e, n_e) if e_is_large else (work.face_f, n_f)
    small, n_small = (work.face_f, n_f) if e_is_large else (work.face_e, n_e)
    found, missing = 0, -pair.distance
    if n_large > 2 and n_small > 1 and max(area_e, area_f) > SAME_CORNER * pair.scale * pair.scale:
        c, slope_x, slope_y = _plane(large, n_large)
        for k in range(_share(small, n_small, large, n_large, work)):
            x, y, z = work.shared[k, 0], work.shared[k, 1], work.shared[k, 2]
            other = c[2] + slope_x * (x - c[0]) + slope_y * (y - c[1])
            z_e = (other if e_is_large else z) + pair.e.radius
            z_f = (z if e_is_large else other) - pair.f.radius
            if z_e - z_f >= -level:  # (3)
                p = add(add(scale(x, t), scale(y, s)), scale(0.5 * (z_e + z_f), n))
                _put(work.found, found, p, n, z_e - z_f)
                missing = min(missing, -pair.distance - (z_e - z_f))
                found += 1
    if found == 0 or missing > level:  # (4)
        p = scale(0.5, add(as_vector(pair.point_e), as_vector(pair.point_f)))
        found = min(found, MOST - 1)
        _put(work.found, found, p, n, -pair.distance)
        found += 1
    for k in range(found):
        work.found[k, 7] = 1.0 / found  # a contact of convex shapes has the area 1
    return found


@entry_kernel((types.int64, types.Array(types.int64, 1, "C")))
def supports_of_convex(address: int, row_of_work: Longs) -> int:
    """As `supports_of_elements` for two convex shapes, after their evaluation."""
    evaluation = as_convex(address)
    if evaluation.header.elements.n == 0:
        return 0
    return choose_corners(evaluation.pair, faces_at(row_of_work))
