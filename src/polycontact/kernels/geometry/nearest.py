"""The point of a surface that is nearest to a given point: which triangle, how far, on which side (signed distance).

In: a point in the surface's own frame, and a triangle that may be near. Out: a `Near` (triangle, foot), the lowest
number of equals, whatever the guess; and from that an `Offset` (signed distance, positive inside, and its gradient).

    search   (1) walk from the guess to ever nearer neighbours: a good upper bound
             (2) put on the stack what lies beside the way from the root to that leaf, where it is near enough
             (3) take nodes from the stack, the nearer child first, and leave out boxes beyond the best so far

    sign     (a) the foot lies inside a triangle   -> by its plane
             (b) on an edge, or at a vertex        -> by the sum of the normals around it, weighted by angle, which is
                                                      right at convex and concave ones (Bærentzen and Aanæs 2005)
             (c) on the border of an open surface  -> depth below the plane, less the distance beside the border
             (d) on the surface                    -> 0; the normal stands for the gradient
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import box_square, left_count
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, row, scale, sub, triangle
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints
from polycontact.tolerances import BOX_ROUNDING

_MOST_STEPS = 32
"""A walk to nearer neighbours that has not ended after so many goes on with the tree."""


class Foot(NamedTuple):
    """The point of a triangle nearest to a given point.

    ``square`` (m²) of the distance; ``b1``, ``b2``: barycentric coordinates of corners 1 and 2; ``feature``: 0 inside
    the triangle, 1 to 3 on its side 0 to 2, 4 to 6 at its corner 0 to 2.
    """

    square: float
    b1: float
    b2: float
    feature: int


class Near(NamedTuple):
    """A triangle of a surface and the point of it nearest to a given point."""

    triangle: int
    foot: Foot


class Offset(NamedTuple):
    """Signed distance to a surface, m, positive inside, and its gradient (a unit vector, zero on the surface)."""

    depth: float
    gradient: Vector


@inline_kernel
def foot_on(x: Triangle, p: Vector) -> Foot:
    r"""The point of triangle x nearest to p, by the region of its plane over which p lies (Ericson 2005, 5.1.5).

                \  6 /               4, 5, 6: p lies over a corner, beyond the ends of both of its sides
                 \__/                1, 2, 3: over a side: outside of it, between its ends
             3   /  \   2            0: over the triangle
                / 0  \
         ______/______\______        Regions are told by the projections d of p on two sides from each corner, and by
           4      1       5          areas va, vb, vc: barycentric coordinates up to a factor.
    """
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
    # Corners, then sides, then the inside.
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
def height_over(mesh: SurfaceMesh, t: int, p: Vector) -> float:
    """How far p lies over the plane of triangle t, m, negative below."""
    corners = mesh.corners
    return dot(row(mesh.normals, t), sub(p, (corners[t, 0], corners[t, 1], corners[t, 2])))


@inline_kernel
def plane_square(mesh: SurfaceMesh, t: int, p: Vector) -> float:
    """Square of the distance of p from the plane of triangle t, m²: no more than that from the triangle."""
    d = height_over(mesh, t, p)
    return d * d


@inline_kernel
def near_at(mesh: SurfaceMesh, p: Vector, t: int) -> Near:
    """Triangle t as the one near p."""
    return Near(as_index(t), foot_on(triangle(mesh.corners, t), p))


@inline_kernel
def nearer(a: Near, b: Near) -> Near:
    """The nearer of two, the lower of equals."""
    closer = a.foot.square < b.foot.square or (a.foot.square == b.foot.square and a.triangle < b.triangle)
    return a if closer else b


@inline_kernel
def walk_nearer(mesh: SurfaceMesh, p: Vector, guess: Near) -> Near:
    """From a triangle to neighbours that are nearer to p, until none is: a local minimum, case (1)."""
    neighbours = mesh.neighbours
    best = guess
    before = -1
    for _ in range(_MOST_STEPS):
        here = best.triangle
        for i in range(3):
            s = neighbours[here, i]
            if s < 0 or s == before or not plane_square(mesh, s, p) < best.foot.square:
                continue
            near = near_at(mesh, p, s)
            if near.foot.square < best.foot.square:
                best = near
        if best.triangle == here:
            break
        before = here
    return best


@inline_kernel
def _push_beside_path(mesh: SurfaceMesh, p: Vector, guess: int, bound: float, stack: Ints) -> int:
    """Put on the stack what lies beside the way from the root to a leaf, where it is near enough; the stack's depth.

    Case (2). ``guess``: the leaf; ``bound`` (m²): squared distance beyond which a box does not matter. The subtrees
    nearest to the leaf come last, and so are taken first.
    """
    boxes = mesh.boxes
    node = 0
    leaf = 0
    count = mesh.n_triangles
    depth = 0
    while count > 1:
        left = left_count(count)
        right_node = node + 2 * left
        if guess < leaf + left:  # the way goes left: the right subtree lies beside it
            if box_square(boxes, right_node, p) <= bound:
                stack[depth, 0] = right_node
                stack[depth, 1] = leaf + left
                stack[depth, 2] = count - left
                depth += 1
            node += 1
            count = left
        else:
            if box_square(boxes, node + 1, p) <= bound:
                stack[depth, 0] = node + 1
                stack[depth, 1] = leaf
                stack[depth, 2] = left
                depth += 1
            node = right_node
            leaf += left
            count -= left
    return depth


@inline_kernel
def _push_near_children(
    boxes: Doubles, p: Vector, node: int, leaf: int, count: int, bound: float, stack: Ints, depth: int
) -> int:
    """Put the children of a node on the stack that are near enough, the nearer one last; the stack's depth."""
    left = left_count(count)
    far = node + 2 * left
    near_square = box_square(boxes, node + 1, p)
    far_square = box_square(boxes, far, p)
    if far_square <= bound and not far_square < near_square:
        stack[depth, 0] = far
        stack[depth, 1] = leaf + left
        stack[depth, 2] = count - left
        depth += 1
    if near_square <= bound:
        stack[depth, 0] = node + 1
        stack[depth, 1] = leaf
        stack[depth, 2] = left
        depth += 1
    if far_square <= bound and far_square < near_square:
        stack[depth, 0] = far
        stack[depth, 1] = leaf + left
        stack[depth, 2] = count - left
        depth += 1
    return depth


@apart_kernel
def search_nearest(mesh: SurfaceMesh, p: Vector, guess: Near, stack: Ints) -> Near:
    """The triangle nearest to p (own frame), the lowest of equals, whatever triangle ``guess`` the search begins at.

    Boxes are compared with a share to spare (`BOX_ROUNDING`), so that rounding decides nothing.
    """
    boxes = mesh.boxes
    best = walk_nearer(mesh, p, guess)
    depth = _push_beside_path(mesh, p, best.triangle, best.foot.square * (1.0 + BOX_ROUNDING), stack)
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        count = stack[depth, 2]
        bound = best.foot.square * (1.0 + BOX_ROUNDING)
        if count == 1:
            if plane_square(mesh, leaf, p) > bound:
                continue
            best = nearer(near_at(mesh, p, leaf), best)
            continue
        depth = _push_near_children(boxes, p, node, leaf, count, bound, stack, depth)
    return best


@inline_kernel
def foot_point(x: Triangle, foot: Foot) -> Vector:
    """Where a foot is on triangle x, m."""
    return add(x[0], add(scale(foot.b1, sub(x[1], x[0])), scale(foot.b2, sub(x[2], x[0]))))


@apart_kernel
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
def signed_offset(mesh: SurfaceMesh, p: Vector, near: Near) -> Offset:
    """Signed distance of p from the surface, whose nearest point is known: cases (a) to (d).

    Behind the border of an open surface: how deep p lies below the plane of t, less how far it is beside the border, so
    that contact ends within its own depth beyond the border.
    """
    t, foot = near.triangle, near.foot
    if foot.feature == 0:  # (a)
        n = row(mesh.normals, t)
        return Offset(-height_over(mesh, t, p), scale(-1.0, n))
    away = sub(p, foot_point(triangle(mesh.corners, t), foot))
    distance = math.sqrt(foot.square)
    n = _normal_at_feature(mesh, t, foot.feature)
    if _is_border(mesh, t, foot.feature):  # (c)
        n = row(mesh.normals, t)
        u = -dot(away, n)
        beside = add(away, scale(u, n))
        length = math.sqrt(dot(beside, beside))
        if length > 0.0:
            return Offset(u - length, sub(scale(-1.0, n), scale(1.0 / length, beside)))
        return Offset(u, scale(-1.0, n))
    if distance == 0.0:  # (d)
        return Offset(0.0, scale(-1.0, row(mesh.normals, t)))
    if dot(away, n) > 0.0:  # (b)
        return Offset(-distance, scale(-1.0 / distance, away))
    return Offset(distance, scale(1.0 / distance, away))
