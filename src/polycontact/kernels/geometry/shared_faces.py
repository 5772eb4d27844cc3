"""What two convex shapes share where they lie on each other: the corners of the smaller face within the larger one.

In: a pair whose distance was measured. Out: corners in the plane of the contact, each with the height of both shapes
over it. What each shape shows the other, a face, an edge or a point, is told by its pieces that lie farthest in
directions around the normal, tilted by a little. The smaller of both is clipped by the larger in the plane of the
contact (Sutherland and Hodgman 1974).

    (1) what each shows: support points in eight directions around the normal, tilted by a little; equal ones once
    (2) of a rim they stand around where it lies deepest, as far apart as it is level: one point once it is tilted more
    (3) the larger face, in area, is a plane by least squares; the smaller one, a face or an edge, is clipped by it
    (4) nothing is shared where shapes meet in a point, or in edges that cross

A corner is known by the two sides that meet in it, from one pose to the next: those of the smaller face are numbered by
the pieces where they begin, those of the larger one likewise.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.convex_pair import ConvexPair, from_f
from polycontact.kernels.geometry.convex_shape import ConvexShape, ShapeKind
from polycontact.kernels.geometry.frames import apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.support import piece_point, support
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, scale, sub, tangent_to
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, View, inline
from polycontact.tolerances import FACE_TILT, OFF_AXIS, SAME_CORNER

AROUND = 8
"""Directions around the normal: a face has as many corners at most."""
MOST = 2 * AROUND
"""Corners of what two faces share at most."""
_SIDES = 1 << 10
"""Sides of each face that keys can tell apart."""


class SharedFaces(View):
    """Polygons in the plane of a contact: (x, y) along it, z along the normal from E to F, and the side that follows.

    A side is the piece where it begins, and, of the larger face, -1 less that.
    """

    face_e = inline(AROUND, 4, unit="m", doc="corners of what E shows")
    face_f = inline(AROUND, 4, unit="m", doc="and F")
    shared = inline(MOST, 4, unit="m", doc="corners of what they share")
    spare = inline(MOST, 4, unit="m", doc="the same before the last clip")
    heights = inline(MOST, 2, unit="m", doc="by corner that is shared: how far E reaches along the normal, and F")
    axes = inline(3, 3, doc="x, y and z of the plane of the contact in frame E")


@inline_kernel
def _has_rim(shape: ConvexShape) -> bool:
    return bool(shape.kind == ShapeKind.CYLINDER or shape.kind == ShapeKind.CONE)


@kernel
def has_faces(shape: ConvexShape) -> bool:
    """Whether a shape has faces or straight edges; others touch in one point at a time."""
    size = shape.size
    if shape.kind == ShapeKind.BOX:
        return bool(size[0] > 0.0 or size[1] > 0.0 or size[2] > 0.0)
    return bool(_has_rim(shape) or shape.kind == ShapeKind.POLYTOPE)


@kernel
def _axis(pair: ConvexPair, of_f: bool) -> Vector:
    """The z axis of a shape in frame E."""
    z = (0.0, 0.0, 1.0)
    return apply(as_matrix(pair.rotation), z) if of_f else z


@kernel
def _corner(pair: ConvexPair, of_f: bool, n: Vector, around: Vector, levelness: float) -> tuple[Vector, int]:
    """Corner of a shape, frame E, and its piece: the one that lies farthest in the direction n + around.

    The place on the piece is that for n; on a rim that for a direction the closer to n, the less level it is (2).
    """
    asked = pair.asked
    shape = pair.f if of_f else pair.e
    if of_f:
        R = as_matrix(pair.rotation)
        n, around = apply_transposed(R, n), apply_transposed(R, around)
    _, piece = support(shape, add(n, around), asked)
    at = add(n, scale(levelness, around)) if _has_rim(shape) else n
    point = piece_point(shape, piece, at, asked)
    return (from_f(pair, point) if of_f else point), piece


@kernel
def _show_face(pair: ConvexPair, of_f: bool, n: Vector, t: Vector, s: Vector, out: Doubles) -> int:
    """Corners of what a shape shows in direction ±n, counter-clockwise about n; how many (1)."""
    count = 0
    facing = scale(-1.0, n) if of_f else n
    first, levelness = OFF_AXIS, 1.0
    shape = pair.f if of_f else pair.e
    if _has_rim(shape):  # (2)
        axis = _axis(pair, of_f)
        deepest = sub(facing, scale(dot(facing, axis), axis))
        across = math.sqrt(dot(deepest, deepest))
        levelness = max(0.0, 1.0 - across / FACE_TILT)
        if across > 0.0:
            first = math.atan2(dot(s, deepest), dot(t, deepest)) * AROUND / (2.0 * math.pi)
    near = SAME_CORNER * pair.scale
    for k in range(AROUND):
        angle = 2.0 * math.pi * (k + first) / AROUND
        around = add(scale(FACE_TILT * math.cos(angle), t), scale(FACE_TILT * math.sin(angle), s))
        p, piece = _corner(pair, of_f, facing, around, levelness)
        x, y = dot(t, p), dot(s, p)
        known = False
        for j in range(count):
            known = known or math.hypot(x - out[j, 0], y - out[j, 1]) <= near
        if not known:
            out[count, 0], out[count, 1], out[count, 2] = x, y, dot(n, p)
            out[count, 3] = AROUND * piece + k if _has_rim(shape) else piece
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
def _clip(polygon: Doubles, n: int, large: Doubles, at: int, following: int, out: Doubles) -> int:
    """What of a polygon lies on the left of a side of the larger one, between two of its corners; how many corners."""
    count = 0
    ax, ay = large[at, 0], large[at, 1]
    dx, dy = large[following, 0] - ax, large[following, 1] - ay
    for k in range(n):
        last = n - 1 if k == 0 else k - 1
        before = dx * (polygon[last, 1] - ay) - dy * (polygon[last, 0] - ax)
        here = dx * (polygon[k, 1] - ay) - dy * (polygon[k, 0] - ax)
        if (before < 0.0) != (here < 0.0) and count < MOST:
            part = before / (before - here)
            for i in range(3):
                out[count, i] = polygon[last, i] + part * (polygon[k, i] - polygon[last, i])
            out[count, 3] = polygon[last, 3] if before < 0.0 else -1.0 - large[at, 3]
            count += 1
        if here >= 0.0 and count < MOST:
            for i in range(4):
                out[count, i] = polygon[k, i]
            count += 1
    return count


@kernel
def _share(small: Doubles, n_small: int, large: Doubles, n_large: int, work: SharedFaces) -> int:
    """Corners of the smaller polygon within the larger one, into ``shared``; how many."""
    n = n_small
    for k in range(n):
        for i in range(4):
            work.shared[k, i] = small[k, i]
    for k in range(n_large):
        following = 0 if k == n_large - 1 else k + 1
        n = _clip(work.shared, n, large, k, following, work.spare)
        for j in range(n):
            for i in range(4):
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
def share_faces(pair: ConvexPair, work: SharedFaces) -> int:
    """Corners of what the faces of a pair that was measured share; how many, 0 where they meet in a point (4)."""
    n = as_vector(pair.normal)
    t = tangent_to(n)
    s = cross(n, t)
    for i in range(3):
        work.axes[0, i], work.axes[1, i], work.axes[2, i] = t[i], s[i], n[i]
    n_e = _show_face(pair, False, n, t, s, work.face_e)
    n_f = _show_face(pair, True, n, t, s, work.face_f)
    area_e, area_f = _area(work.face_e, n_e), _area(work.face_f, n_f)
    # (3)
    e_is_large = area_e >= area_f
    large, n_large = (work.face_e, n_e) if e_is_large else (work.face_f, n_f)
    small, n_small = (work.face_f, n_f) if e_is_large else (work.face_e, n_e)
    if n_large <= 2 or n_small <= 1 or max(area_e, area_f) <= SAME_CORNER * pair.scale * pair.scale:  # (4)
        return 0
    c, slope_x, slope_y = _plane(large, n_large)
    count = _share(small, n_small, large, n_large, work)
    for k in range(count):
        x, y, z = work.shared[k, 0], work.shared[k, 1], work.shared[k, 2]
        other = c[2] + slope_x * (x - c[0]) + slope_y * (y - c[1])
        work.heights[k, 0] = (other if e_is_large else z) + pair.e.radius
        work.heights[k, 1] = (z if e_is_large else other) - pair.f.radius
    return count


@inline_kernel
def shared_point(work: SharedFaces, k: int, height: float) -> Vector:
    """The point over corner k at a height along the normal (m), frame E."""
    t, s, n = work.axes[0], work.axes[1], work.axes[2]
    x, y = work.shared[k, 0], work.shared[k, 1]
    return (
        x * t[0] + y * s[0] + height * n[0],
        x * t[1] + y * s[1] + height * n[1],
        x * t[2] + y * s[2] + height * n[2],
    )


@kernel
def corner_key(work: SharedFaces, n: int, k: int) -> int:
    """A number for corner k of n: of the sides that meet there, the same from pose to pose."""
    own = 0
    other = 0
    for at in (n - 1 if k == 0 else k - 1, k):
        side = int(work.shared[at, 3])
        if side >= 0:
            own = side % (_SIDES - 1) + 1  # of two sides of the smaller face the one that follows: its corner
        else:
            other = (-1 - side) % (_SIDES - 1) + 1
    return own * _SIDES + other
