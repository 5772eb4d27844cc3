"""The point of a surface that is nearest to a given point: which triangle, how far, on which side (signed distance)."""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import left_count
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, scale, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints


class Foot(NamedTuple):
    """The point of a triangle nearest to a given point.

    ``square`` (m²) of the distance; ``b1``, ``b2``: barycentric coordinates of corners 1 and 2; ``feature``: 0 inside
    the triangle, 1 to 3 on its side 0 to 2, 4 to 6 at its corner 0 to 2.
    """

    square: float
    b1: float
    b2: float
    feature: int


class Nearest(NamedTuple):
    """Where a surface is nearest: triangle, foot there, and how much farther away all other triangles are, m."""

    triangle: int
    foot: Foot
    gap: float


class Offset(NamedTuple):
    """Signed distance to a surface, m, positive inside, and its gradient (a unit vector, zero on the surface)."""

    depth: float
    gradient: Vector


@inline_kernel
def foot_on(x: Triangle, p: Vector) -> Foot:
    """The point of triangle x nearest to p, by the region of its plane over which p lies."""
    ab = sub(x[1], x[0])
    ac = sub(x[2], x[0])
    ap = sub(p, x[0])
    d1 = dot(ab, ap)
    d2 = dot(ac, ap)
    bp = sub(p, x[1])
    d3 = dot(ab, bp)
    d4 = dot(ac, bp)
    cp = sub(p, x[2])
    d5 = dot(ab, cp)
    d6 = dot(ac, cp)
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        b1, b2, feature = 0.0, 0.0, 4
    elif d3 >= 0.0 and d4 <= d3:
        b1, b2, feature = 1.0, 0.0, 5
    elif d6 >= 0.0 and d5 <= d6:
        b1, b2, feature = 0.0, 1.0, 6
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        b1, b2, feature = d1 / (d1 - d3), 0.0, 1
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        b1, b2, feature = 0.0, d2 / (d2 - d6), 3
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        b2 = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        b1, feature = 1.0 - b2, 2
    else:
        inverse = 1.0 / (va + vb + vc)
        b1, b2, feature = vb * inverse, vc * inverse, 0
    away = sub(ap, add(scale(b1, ab), scale(b2, ac)))
    return Foot(dot(away, away), b1, b2, feature)


@inline_kernel
def _box_square(boxes: Doubles, node: int, p: Vector) -> float:
    """Square of the distance of p from a box, m²."""
    x = max(abs(p[0] - boxes[node, 0]) - boxes[node, 3], 0.0)
    y = max(abs(p[1] - boxes[node, 1]) - boxes[node, 4], 0.0)
    z = max(abs(p[2] - boxes[node, 2]) - boxes[node, 5], 0.0)
    return x * x + y * y + z * z


@kernel
def search_nearest(mesh: SurfaceMesh, p: Vector, guess: int, slack: float, stack: Ints) -> Nearest:
    """The triangle nearest to p (own frame), the lowest of equals, wherever the search begins.

    ``guess``: a triangle that may be near. Others are looked for up to ``slack`` (m) farther away than the nearest, so
    that the gap is known that far.
    """
    boxes = mesh.boxes
    corners = mesh.corners
    best = guess
    foot = foot_on(triangle(corners, guess), p)
    second = math.inf
    bound = math.sqrt(foot.square) + slack
    bound *= bound
    stack[0, 0] = 0
    stack[0, 1] = 0
    stack[0, 2] = mesh.n_triangles
    depth = 1
    if _box_square(boxes, 0, p) > bound:
        depth = 0
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        count = stack[depth, 2]
        if count == 1:
            if leaf == guess:
                continue
            other = foot_on(triangle(corners, leaf), p)
            if other.square < foot.square or (other.square == foot.square and leaf < best):
                second = min(second, foot.square)
                best = leaf
                foot = other
                bound = math.sqrt(foot.square) + slack
                bound *= bound
            else:
                second = min(second, other.square)
            continue
        left = left_count(count)
        near, far = node + 1, node + 2 * left
        near_square, far_square = _box_square(boxes, near, p), _box_square(boxes, far, p)
        near_leaf, far_leaf = leaf, leaf + left
        near_count, far_count = left, count - left
        if far_square < near_square:
            near, far = far, near
            near_square, far_square = far_square, near_square
            near_leaf, far_leaf = far_leaf, near_leaf
            near_count, far_count = far_count, near_count
        if far_square <= bound:
            stack[depth, 0] = far
            stack[depth, 1] = far_leaf
            stack[depth, 2] = far_count
            depth += 1
        if near_square <= bound:
            stack[depth, 0] = near
            stack[depth, 1] = near_leaf
            stack[depth, 2] = near_count
            depth += 1
    gap = min(math.sqrt(second) - math.sqrt(foot.square), slack)
    return Nearest(int(best), foot, gap)


@inline_kernel
def foot_point(mesh: SurfaceMesh, t: int, foot: Foot) -> Vector:
    """Where a foot is, own frame, m."""
    x = triangle(mesh.corners, t)
    return add(x[0], add(scale(foot.b1, sub(x[1], x[0])), scale(foot.b2, sub(x[2], x[0]))))


@kernel
def _normal_at_feature(mesh: SurfaceMesh, t: int, feature: int) -> Vector:
    """A normal at an edge or a vertex whose sign tells inside from outside (angle-weighted, Bærentzen and Aanæs)."""
    if feature >= 4:
        return row(mesh.vertex_normals, mesh.triangles[t, feature - 4])
    other = mesh.neighbours[t, feature - 1]
    if other < 0:
        return row(mesh.normals, t)
    return add(row(mesh.normals, t), row(mesh.normals, other))


@kernel
def _is_border(mesh: SurfaceMesh, t: int, feature: int) -> bool:
    """Whether an edge or a vertex of triangle t lies on the border of an open surface."""
    if feature == 0 or mesh.closed:
        return False
    if feature >= 4:
        return bool(mesh.border_vertex[mesh.triangles[t, feature - 4]])
    return bool(mesh.neighbours[t, feature - 1] < 0)


@inline_kernel
def signed_offset(mesh: SurfaceMesh, p: Vector, t: int, foot: Foot) -> Offset:
    """Signed distance of p from the surface, whose nearest triangle is t.

    Behind the border of an open surface: how deep p lies below the plane of t, less how far it is beside the border, so
    that contact ends within its own depth beyond the border.
    """
    away = sub(p, foot_point(mesh, t, foot))
    distance = math.sqrt(foot.square)
    if foot.feature == 0:
        n = row(mesh.normals, t)
    else:
        n = _normal_at_feature(mesh, t, foot.feature)
        if _is_border(mesh, t, foot.feature):
            n = row(mesh.normals, t)
            u = -dot(away, n)
            beside = add(away, scale(u, n))
            length = math.sqrt(dot(beside, beside))
            if length > 0.0:
                return Offset(u - length, sub(scale(-1.0, n), scale(1.0 / length, beside)))
            return Offset(u, scale(-1.0, n))
    if distance == 0.0:
        return Offset(0.0, scale(-1.0, row(mesh.normals, t)))
    if dot(away, n) > 0.0:
        return Offset(-distance, scale(-1.0 / distance, away))
    return Offset(distance, scale(1.0 / distance, away))
