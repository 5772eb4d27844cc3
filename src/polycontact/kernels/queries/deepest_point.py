"""The point of a surface that lies deepest in a closed one: branch and bound.

The depth φ of a point is its distance to the surface of the other body, negative outside. It changes by no more than
the point moves, so that a ball of radius ρ around a point is nowhere deeper than φ + ρ; and over a triangle it is
nowhere more than the distance to any one triangle of the other, which is greatest at a corner. Parts of the surface
that so cannot be deeper than what is known are left out, the others divided:

    (1) a node, or a part of a triangle, whose bound is no more than the depth that is known -> left out
    (2) a leaf, that is one triangle                                                         -> its parts are searched
    (3) any other node                                                                       -> its two children wait

Parts of a triangle are its halves, cut across the longest side, again and again. A part that can be deeper by less than
`NEARLY_DEEPEST` is left out too, so the search ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.frames import Matrix, apply, as_matrix, as_vector
from polycontact.kernels.geometry.nearest import foot_on, foot_point, near_at, search_nearest, signed_offset
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import left_count
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, norm, scale, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, View, count, doubles, ints
from polycontact.tolerances import NEARLY_DEEPEST

MOST_LOOKS = 10_000
"""Points whose depth is looked up at most: where very many are equally deep, parts cannot be told apart."""


class DeepStack(View):
    """Nodes of a tree, and parts of a triangle, that are still to be looked at."""

    room = count("entries; trees are balanced and triangles bisected at most so often")
    nodes = ints("room", 3, doc="node, first leaf and number of leaves")
    tree = ints("room", 6, doc="work space of searches")
    bounds = doubles("room", unit="m", doc="how deep points in the box of each node can be")
    corners = doubles("room", 9, unit="m", doc="corners of parts of a triangle")


class Deepest(NamedTuple):
    """The deepest point found, in the frame of the other body: ``depth`` m, 0 where none is inside; the triangle (leaf
    order) and its point that are nearest; ``looks``: how many points were looked at."""

    depth: float
    point: Vector
    foot: Vector
    triangle: int
    looks: int


@inline_kernel
def _look(target: SurfaceMesh, p: Vector, best: Deepest, guess: int, tree: Ints) -> tuple[float, int, Deepest]:
    """Depth of p, its nearest triangle, and the deeper one of p and what was known."""
    near = search_nearest(target, p, near_at(target, p, guess), tree)
    t = near.triangle
    depth = signed_offset(target, p, near).depth
    if depth > best.depth:
        return depth, t, Deepest(depth, p, foot_point(triangle(target.corners, t), near.foot), t, best.looks + 1)
    return depth, t, Deepest(best.depth, best.point, best.foot, best.triangle, best.looks + 1)


@inline_kernel
def _middle(x: Triangle) -> Vector:
    """Barycentre of a triangle."""
    return scale(1.0 / 3.0, add(x[0], add(x[1], x[2])))


@inline_kernel
def _deepest_possible(target: SurfaceMesh, x: Triangle, middle: Vector, depth: float, near: int) -> float:
    """Bound of the depth on triangle x, whose ``middle`` has that depth and the nearest triangle ``near``."""
    away = 0.0
    farthest = 0.0
    y = triangle(target.corners, near)
    for k in range(3):
        side = sub(x[k], middle)
        away = max(away, dot(side, side))
        farthest = max(farthest, foot_on(y, x[k]).square)
    return min(depth + math.sqrt(away), math.sqrt(farthest))


@inline_kernel
def _put(corners: Doubles, at: int, a: Vector, b: Vector, c: Vector) -> None:
    """Write a part of a triangle to a row."""
    for k in range(3):
        corners[at, k] = a[k]
        corners[at, 3 + k] = b[k]
        corners[at, 6 + k] = c[k]


@inline_kernel
def _longest_side(x: Triangle) -> int:
    """Number of the longest side, 0 from corner 0 to 1."""
    a = sub(x[1], x[0])
    b = sub(x[2], x[1])
    c = sub(x[0], x[2])
    if dot(a, a) >= dot(b, b) and dot(a, a) >= dot(c, c):
        return 0
    return 1 if dot(b, b) >= dot(c, c) else 2


@kernel
def _search_triangle(target: SurfaceMesh, x: Triangle, guess: int, best: Deepest, stack: DeepStack) -> Deepest:
    """The deepest point of triangle x (target's frame), if it is deeper than what is known.

    ``guess``: a triangle of the target to begin with. Parts of x wait on ``stack.corners``; one that finds no room
    there is left as it is.
    """
    near = guess
    _put(stack.corners, 0, x[0], x[1], x[2])
    waiting = 1
    is_first = True
    while waiting > 0 and best.looks < MOST_LOOKS:
        waiting -= 1
        y = triangle(stack.corners, waiting)
        middle = _middle(y)
        depth, near, best = _look(target, middle, best, near, stack.tree)
        if _deepest_possible(target, y, middle, depth, near) <= (1.0 + NEARLY_DEEPEST) * best.depth:
            continue  # (1)
        # Corners of the triangle are often deepest: they are looked at once; corners of parts are midpoints of sides.
        if is_first:
            is_first = False
            for k in range(3):
                _, near, best = _look(target, x[k], best, near, stack.tree)
        if waiting + 2 > stack.room:
            continue
        k = _longest_side(y)
        a, b, c = y[k], y[(k + 1) % 3], y[(k + 2) % 3]
        half = scale(0.5, add(a, b))
        _, near, best = _look(target, half, best, near, stack.tree)
        _put(stack.corners, waiting, a, half, c)
        _put(stack.corners, waiting + 1, half, b, c)
        waiting += 2
    return best


class Placed(NamedTuple):
    """A base at its pose in the frame of the target, which is closed."""

    base: SurfaceMesh
    target: SurfaceMesh
    R: Matrix
    r: Vector


class Node(NamedTuple):
    """A node of the base's tree: its number, its first leaf, and how many leaves it has."""

    number: int
    leaf: int
    n: int


@inline_kernel
def _push(pair: Placed, node: Node, known: float, waiting: int, near: int, stack: DeepStack) -> tuple[int, int]:
    """Put a node on the stack if points in its box can be deeper than ``known`` (m): how many wait; a near triangle.

    ``near``: a triangle of the target where the search may begin.
    """
    boxes = pair.base.boxes
    b = node.number
    middle = add(apply(pair.R, (boxes[b, 0], boxes[b, 1], boxes[b, 2])), pair.r)
    found = search_nearest(pair.target, middle, near_at(pair.target, middle, near), stack.tree)
    t = found.triangle
    depth = signed_offset(pair.target, middle, found).depth
    bound = depth + norm((boxes[b, 3], boxes[b, 4], boxes[b, 5]))
    if bound <= known:
        return waiting, t
    stack.nodes[waiting, 0] = b
    stack.nodes[waiting, 1] = node.leaf
    stack.nodes[waiting, 2] = node.n
    stack.bounds[waiting] = bound
    return waiting + 1, t


@kernel
def deepest_point(
    base: SurfaceMesh, target: SurfaceMesh, rotation: Doubles, position: Doubles, stack: DeepStack
) -> Deepest:
    """The point of ``base`` that lies deepest in ``target``, which is closed, in whose frame all is.

    Rotation and position of the base in the frame of the target. Depth 0 where no point that was looked at is inside;
    `MOST_LOOKS` bounds how many are.
    """
    R = as_matrix(rotation)
    r = as_vector(position)
    pair = Placed(base, target, R, r)
    nodes = stack.nodes
    bounds = stack.bounds
    best = Deepest(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0, 0)
    waiting = 0
    near = as_index(0)
    waiting, near = _push(pair, Node(0, 0, base.n_triangles), 0.0, waiting, near, stack)
    while waiting > 0 and best.looks < MOST_LOOKS:
        waiting -= 1
        known = (1.0 + NEARLY_DEEPEST) * best.depth
        if bounds[waiting] <= known:  # (1)
            continue
        node = nodes[waiting, 0]
        leaf = nodes[waiting, 1]
        n = nodes[waiting, 2]
        if n == 1:  # (2)
            x = triangle(base.corners, leaf)
            moved = (add(apply(R, x[0]), r), add(apply(R, x[1]), r), add(apply(R, x[2]), r))
            best = _search_triangle(target, moved, near, best, stack)
            continue
        left = left_count(n)  # (3)
        first = waiting
        waiting, near = _push(pair, Node(node + 1, leaf, left), known, waiting, near, stack)
        waiting, near = _push(pair, Node(node + 2 * left, leaf + left, n - left), known, waiting, near, stack)
        if waiting == first + 2 and bounds[first] > bounds[first + 1]:
            for k in range(3):  # what can be deeper comes off first
                nodes[first, k], nodes[first + 1, k] = nodes[first + 1, k], nodes[first, k]
            bounds[first], bounds[first + 1] = bounds[first + 1], bounds[first]
    return best
