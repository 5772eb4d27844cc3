"""The distance of two surfaces: both trees are descended together, nearest boxes first (branch and bound).

In: two surfaces and the pose of F in E. Out: the nearest points in frame E and their triangles; distance 0 where the
surfaces meet.

    (1) a good upper bound first: projections by turns, from one surface to the other, converge to a pair that is mostly
        the nearest one around
    (2) a pair of nodes whose boxes are no nearer than that -> left out
    (3) a pair of leaves                                    -> the distance of two triangles (`triangle_distance`)
    (4) else the larger box is split; of its two children the nearer one is looked at first
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.nearest import foot_point, near_at, search_nearest
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import left_count
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.queries.triangle_distance import PointPair, triangle_distance
from polycontact.kernels.views import Doubles, Ints, View, count, doubles, ints
from polycontact.tolerances import BOX_ROUNDING

_MOST_TURNS = 8
"""Turns from one surface to the other before both trees are descended."""


class PairStack(View):
    """Pairs of nodes of two trees that are still to be looked at."""

    room = count("pairs that fit: one descent adds at most three, and both trees are balanced")
    pairs = ints("room", 6, doc="node, first leaf and number of leaves, of E and of F")
    bounds = doubles("room", unit="m²", doc="square of the distance of their boxes, at least")
    tree = ints("room", 6, doc="work space of searches in one tree")


class NearestTriangles(NamedTuple):
    """Where two surfaces are nearest, in frame E, and on which of their triangles (leaf order); 0 where they meet."""

    points: PointPair
    e: int
    f: int


@inline_kernel
def _axis(boxes: Doubles, node: int, k: int) -> Vector:
    """Axis k of an oriented box."""
    return (boxes[node, 6 + 3 * k], boxes[node, 7 + 3 * k], boxes[node, 8 + 3 * k])


@kernel
def _box_distance(e: Doubles, i: int, f: Doubles, j: int, R: Matrix, r: Vector) -> float:
    """A lower bound of the square of the distance of two oriented boxes, m²: along the axes of either box.

    Seen along the axes of one, the other lies in a box around it, whose distance is that of three intervals.
    """
    away = sub(add(apply(R, (f[j, 0], f[j, 1], f[j, 2])), r), (e[i, 0], e[i, 1], e[i, 2]))
    a = (_axis(e, i, 0), _axis(e, i, 1), _axis(e, i, 2))
    b = (apply(R, _axis(f, j, 0)), apply(R, _axis(f, j, 1)), apply(R, _axis(f, j, 2)))
    g = (e[i, 3], e[i, 4], e[i, 5])
    h = (f[j, 3], f[j, 4], f[j, 5])
    of_e = 0.0
    of_f = 0.0
    for k in range(3):
        reach = g[k] + abs(dot(a[k], b[0])) * h[0] + abs(dot(a[k], b[1])) * h[1] + abs(dot(a[k], b[2])) * h[2]
        gap = max(abs(dot(a[k], away)) - reach, 0.0)
        of_e += gap * gap
        reach = h[k] + abs(dot(b[k], a[0])) * g[0] + abs(dot(b[k], a[1])) * g[1] + abs(dot(b[k], a[2])) * g[2]
        gap = max(abs(dot(b[k], away)) - reach, 0.0)
        of_f += gap * gap
    return max(of_e, of_f) * (1.0 - BOX_ROUNDING)


@inline_kernel
def _push(
    stack: PairStack, depth: int, bound: float, i: int, leaf_i: int, n_i: int, j: int, leaf_j: int, n_j: int
) -> int:
    """Put a pair on the stack; the new depth."""
    pairs = stack.pairs
    bounds = stack.bounds
    pairs[depth, 0] = i
    pairs[depth, 1] = leaf_i
    pairs[depth, 2] = n_i
    pairs[depth, 3] = j
    pairs[depth, 4] = leaf_j
    pairs[depth, 5] = n_j
    bounds[depth] = bound
    return depth + 1


@inline_kernel
def _swap(stack: PairStack, a: int, b: int) -> None:
    """Exchange two pairs on the stack."""
    for k in range(6):
        stack.pairs[a, k], stack.pairs[b, k] = stack.pairs[b, k], stack.pairs[a, k]
    stack.bounds[a], stack.bounds[b] = stack.bounds[b], stack.bounds[a]


@inline_kernel
def _moved(corners: Doubles, t: int, R: Matrix, r: Vector) -> Triangle:
    """Triangle t of F in frame E."""
    x = triangle(corners, t)
    return (add(apply(R, x[0]), r), add(apply(R, x[1]), r), add(apply(R, x[2]), r))


@kernel
def _near_pair(e: SurfaceMesh, f: SurfaceMesh, R: Matrix, r: Vector, tree: Ints) -> NearestTriangles:
    """A pair of triangles that is near, mostly the nearest one around: feet by turns, from one surface to the other."""
    boxes = f.boxes
    at = (boxes[0, 0], boxes[0, 1], boxes[0, 2])
    t = as_index(0)
    s = as_index(0)
    for _ in range(_MOST_TURNS):
        from_f = add(apply(R, at), r)
        on_e = search_nearest(e, from_f, near_at(e, from_f, t), tree)
        t = on_e.triangle
        from_e = apply_transposed(R, sub(foot_point(triangle(e.corners, t), on_e.foot), r))
        before = s
        on_f = search_nearest(f, from_e, near_at(f, from_e, s), tree)
        s = on_f.triangle
        if s == before:
            break
        at = foot_point(triangle(f.corners, s), on_f.foot)
    return NearestTriangles(triangle_distance(triangle(e.corners, t), _moved(f.corners, s, R, r), math.inf), t, s)


@kernel
def nearest_triangles(
    e: SurfaceMesh, f: SurfaceMesh, rotation: Doubles, position: Doubles, stack: PairStack
) -> NearestTriangles:
    """Where surfaces E and F are nearest; rotation and position (m) of F in E."""
    R = as_matrix(rotation)
    r = as_vector(position)
    boxes_e = e.oriented_boxes
    boxes_f = f.oriented_boxes
    pairs = stack.pairs
    best = _near_pair(e, f, R, r, stack.tree)  # (1)
    depth = _push(stack, 0, 0.0, 0, 0, e.n_triangles, 0, 0, f.n_triangles)
    while depth > 0:
        depth -= 1
        least = best.points.square
        if stack.bounds[depth] >= least:
            continue  # (2)
        i = pairs[depth, 0]
        leaf_i = pairs[depth, 1]
        n_i = pairs[depth, 2]
        j = pairs[depth, 3]
        leaf_j = pairs[depth, 4]
        n_j = pairs[depth, 5]
        if n_i == 1 and n_j == 1:  # (3)
            found = triangle_distance(triangle(e.corners, leaf_i), _moved(f.corners, leaf_j, R, r), least)
            if found.square < least:
                best = NearestTriangles(found, as_index(leaf_i), as_index(leaf_j))
            continue
        # (4)
        size_i = boxes_e[i, 3] + boxes_e[i, 4] + boxes_e[i, 5]
        size_j = boxes_f[j, 3] + boxes_f[j, 4] + boxes_f[j, 5]
        first = depth
        if n_j == 1 or (n_i > 1 and size_i >= size_j):
            left = left_count(n_i)
            bound = _box_distance(boxes_e, i + 1, boxes_f, j, R, r)
            other = _box_distance(boxes_e, i + 2 * left, boxes_f, j, R, r)
            if bound < least:
                depth = _push(stack, depth, bound, i + 1, leaf_i, left, j, leaf_j, n_j)
            if other < least:
                depth = _push(stack, depth, other, i + 2 * left, leaf_i + left, n_i - left, j, leaf_j, n_j)
        else:
            left = left_count(n_j)
            bound = _box_distance(boxes_e, i, boxes_f, j + 1, R, r)
            other = _box_distance(boxes_e, i, boxes_f, j + 2 * left, R, r)
            if bound < least:
                depth = _push(stack, depth, bound, i, leaf_i, n_i, j + 1, leaf_j, left)
            if other < least:
                depth = _push(stack, depth, other, i, leaf_i, n_i, j + 2 * left, leaf_j + left, n_j - left)
        if depth == first + 2 and stack.bounds[first] < stack.bounds[first + 1]:
            _swap(stack, first, first + 1)  # the nearer pair comes off first
    return best
