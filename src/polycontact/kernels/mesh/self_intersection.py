"""Do two triangles of one mesh intersect other than in what they share? (mesh checking, not contact)

In: pairs of triangles whose boxes overlap. Out: for each pair `NONE`, `CROSSING` or `OVERLAP`. Contact
needs exact signs; here touching must *not* count, since neighbours, parts that rest on each other and
T-junctions touch all the time, so everything is decided with a tolerance:

1. CROSSING: each triangle reaches through the plane of the other by more than the tolerance and the segment
   that they have in common is longer than the tolerance;
2. CROSSING: an edge of one lies in the face of the other for longer than the tolerance, and the two
   triangles at that edge lie on different sides of the face;
3. OVERLAP: both lie in one plane within the tolerance and overlap there by more than it in every direction.

Not seen: surfaces that cross exactly along edges of both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, Longs
from polycontact.tolerances import ENDLESS

NONE = 0
CROSSING = 1
OVERLAP = 2

Corners = tuple[Vector, Vector, Vector]


@inline_kernel
def _corners(vertices: Doubles, triangles: Ints | Longs, t: int) -> Corners:
    return row(vertices, triangles[t, 0]), row(vertices, triangles[t, 1]), row(vertices, triangles[t, 2])


@inline_kernel
def _is_corner(triangles: Ints | Longs, vertex: int, t: int) -> bool:
    """Vertex is a corner of triangle t."""
    return bool(vertex == triangles[t, 0] or vertex == triangles[t, 1] or vertex == triangles[t, 2])


@inline_kernel
def _distances(triangles: Ints | Longs, t: int, other: int, p: Corners, q: Corners, normal: Vector) -> Vector:
    """Distances of the corners p of triangle t from the plane of the other one; shared corners are at 0."""
    d0 = 0.0 if _is_corner(triangles, triangles[t, 0], other) else dot(normal, sub(p[0], q[0]))
    d1 = 0.0 if _is_corner(triangles, triangles[t, 1], other) else dot(normal, sub(p[1], q[0]))
    d2 = 0.0 if _is_corner(triangles, triangles[t, 2], other) else dot(normal, sub(p[2], q[0]))
    return d0, d1, d2


@inline_kernel
def _reaches_through(d: Vector, tolerance: float) -> bool:
    """Corners at distances d lie on both sides, farther than the tolerance."""
    return min(d[0], min(d[1], d[2])) < -tolerance and max(d[0], max(d[1], d[2])) > tolerance


@inline_kernel
def _n_in_plane(d: Vector, tolerance: float) -> int:
    """How many of three corners lie in the plane, within the tolerance."""
    return int(abs(d[0]) <= tolerance) + int(abs(d[1]) <= tolerance) + int(abs(d[2]) <= tolerance)


@inline_kernel
def _interval(p: Corners, d: Vector, direction: Vector, origin: Vector) -> tuple[float, float]:
    """Where the triangle p, with distances d from a plane, meets it: range along ``direction`` from
    ``origin``."""
    low = ENDLESS
    high = -ENDLESS
    for i in range(3):
        j = (i + 1) % 3
        if d[i] == 0.0:
            s = dot(direction, sub(p[i], origin))
            low = min(low, s)
            high = max(high, s)
        if d[i] * d[j] < 0.0:
            point = add(p[i], scale(d[i] / (d[i] - d[j]), sub(p[j], p[i])))
            s = dot(direction, sub(point, origin))
            low = min(low, s)
            high = max(high, s)
    return low, high


@inline_kernel
def _segments_meet(p: Corners, d_p: Vector, q: Corners, d_q: Vector, line: Vector, tolerance: float) -> bool:
    """Case 1: the two triangles' parts of the line in which their planes meet overlap by more than the
    tolerance."""
    length = norm(line)
    if length == 0.0:
        return False
    direction = scale(1.0 / length, line)
    low_p, high_p = _interval(p, d_p, direction, p[0])
    low_q, high_q = _interval(q, d_q, direction, p[0])
    return min(high_p, high_q) - max(low_p, low_q) > tolerance


@inline_kernel
def _edge_in_face(a: Vector, b: Vector, q: Corners, normal: Vector, tolerance: float) -> bool:
    """Segment a–b, in the plane of q, runs inside q, off its border, for longer than the tolerance."""
    start = 0.0
    stop = 1.0
    for i in range(3):
        side = sub(q[(i + 1) % 3], q[i])
        inward = scale(1.0 / norm(side), cross(normal, side))
        s_a = dot(inward, sub(a, q[i])) - tolerance
        s_b = dot(inward, sub(b, q[i])) - tolerance
        if s_a < 0.0 and s_b < 0.0:
            return False
        if s_a < 0.0:
            start = max(start, s_a / (s_a - s_b))
        elif s_b < 0.0:
            stop = min(stop, s_a / (s_a - s_b))
    return (stop - start) * norm(sub(b, a)) > tolerance


@inline_kernel
def _folds_through(
    vertices: Doubles, apexes: Ints, t: int, p: Corners, d: Vector, q: Corners, normal: Vector, tolerance: float
) -> bool:
    """Case 2: an edge of triangle t lies in the face q, and the triangle beyond it is on the other side of
    q."""
    k = 0
    for i in range(1, 3):
        if abs(d[i]) > abs(d[k]):
            k = i
    side = (k + 1) % 3
    apex = apexes[t, side]
    if apex < 0:
        return False
    beyond = dot(normal, sub(row(vertices, apex), q[0]))
    if abs(beyond) <= tolerance or beyond * d[k] > 0.0:
        return False
    return _edge_in_face(p[side], p[(side + 1) % 3], q, normal, tolerance)


@inline_kernel
def _separated_along(p: Corners, q: Corners, axis: Vector, tolerance: float) -> bool:
    """Projections of both triangles on a unit axis overlap by no more than the tolerance."""
    p0, p1, p2 = dot(axis, sub(p[0], q[0])), dot(axis, sub(p[1], q[0])), dot(axis, sub(p[2], q[0]))
    q1, q2 = dot(axis, sub(q[1], q[0])), dot(axis, sub(q[2], q[0]))
    high = min(max(p0, max(p1, p2)), max(0.0, max(q1, q2)))
    low = max(min(p0, min(p1, p2)), min(0.0, min(q1, q2)))
    return high - low <= tolerance


@inline_kernel
def _overlap_in_plane(p: Corners, q: Corners, normal: Vector, tolerance: float) -> bool:
    """Case 3: no side of either triangle separates the two within their common plane."""
    for i in range(3):
        j = (i + 1) % 3
        side_p = sub(p[j], p[i])
        side_q = sub(q[j], q[i])
        if _separated_along(p, q, scale(1.0 / norm(side_p), cross(normal, side_p)), tolerance):
            return False
        if _separated_along(p, q, scale(1.0 / norm(side_q), cross(normal, side_q)), tolerance):
            return False
    return True


@inline_kernel
def _classify(
    vertices: Doubles, triangles: Ints | Longs, normals: Doubles, apexes: Ints, t: int, u: int, tolerance: float
) -> int:
    """Kind of intersection of triangles t and u."""
    p = _corners(vertices, triangles, t)
    q = _corners(vertices, triangles, u)
    normal_p = row(normals, t)
    normal_q = row(normals, u)
    d_p = _distances(triangles, t, u, p, q, normal_q)
    through_p = _reaches_through(d_p, tolerance)
    in_plane_p = _n_in_plane(d_p, tolerance)
    if not through_p and in_plane_p < 2:
        return NONE
    d_q = _distances(triangles, u, t, q, p, normal_p)
    through_q = _reaches_through(d_q, tolerance)
    in_plane_q = _n_in_plane(d_q, tolerance)
    if in_plane_p == 3 and in_plane_q == 3:
        return OVERLAP if _overlap_in_plane(p, q, normal_p, tolerance) else NONE
    if through_p and through_q:
        crosses = _segments_meet(p, d_p, q, d_q, cross(normal_p, normal_q), tolerance)
        return CROSSING if crosses else NONE
    folds = False
    if not through_p and in_plane_p == 2:
        folds = _folds_through(vertices, apexes, t, p, d_p, q, normal_q, tolerance)
    if not through_q and in_plane_q == 2:
        folds = folds or _folds_through(vertices, apexes, u, q, d_q, p, normal_p, tolerance)
    return CROSSING if folds else NONE


@kernel
def classify_pairs(
    vertices: Doubles,
    triangles: Ints | Longs,
    normals: Doubles,
    apexes: Ints,
    pairs: Ints,
    tolerance: float,
    kinds: NDArray[np.int8],
) -> int:
    """Fill ``kinds`` (k,) int8 for ``pairs`` (k, 2) of triangles; returns how many intersect.

    ``vertices`` (n, 3) m, ``triangles`` (m, 3) with area, ``normals`` (m, 3) unit, ``apexes`` (m, 3) the
    corner beyond each side, -1 where there is no single neighbour, ``tolerance`` m.
    """
    found = 0
    for k in range(len(pairs)):
        kind = _classify(vertices, triangles, normals, apexes, pairs[k, 0], pairs[k, 1], tolerance)
        kinds[k] = kind
        if kind != NONE:
            found += 1
    return found
