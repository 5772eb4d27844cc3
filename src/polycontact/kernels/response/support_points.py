"""A few points that stand for the elements of a contact: rigid bodies touch in points, several for an area.

Elements are gathered by the direction in which they push. A group that pushes one way is borne by the outermost points
of its area along eight directions around its normal, so that it resists tilting and turning as far as the area reaches,
and by its deepest point.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub, tangent_to
from polycontact.kernels.jit import inline_kernel, kernel

Array = NDArray[np.float64]

SAME_WAY = 0.94
"""Cosine of the angle between directions of elements that count as one, 20°."""

LEAST_SHARE = 0.02
"""A group that has less of the load of equal stiffness than this is left out: edges of faces that lie flat."""

AROUND = 8
"""Directions around a normal in which outermost points are looked for."""

OFF_AXIS = 0.3
"""Part of their angle by which they are turned, so that a rectangle's corners are farther out than its edges."""

STICKS_OUT = 1.2
"""The deepest point bears too where it is so many times as deep as the outermost ones: a ball, an edge."""

POINTS = AROUND + 1
"""Points of a group at most: the outermost ones, and the deepest."""

DEEP = 0.5
"""Points count as far out that are at least this part as deep as the deepest: a ball has its border in the air."""

GROUPS = 6
"""Groups of directions at most."""

SAME_PLACE = 1e-6
"""Points nearer to each other than this part of how far they lie out are one."""


@inline_kernel
def _height(x: Vector, sums: Array, g: int) -> float:
    """Distance of a point from the plane of a group."""
    return dot((sums[g, 0], sums[g, 1], sums[g, 2]), sub(x, (sums[g, 3], sums[g, 4], sums[g, 5])))


@inline_kernel
def _nearest_group(x: Vector, sums: Array, n_groups: int, own: int) -> int:
    """Group in whose plane a point lies: that of least distance from the plane through its centre; the own where
    equal."""
    best, least = own, abs(_height(x, sums, own))
    for g in range(n_groups):
        height = abs(_height(x, sums, g))
        if height < least:
            best, least = g, height
    return best


@kernel
def group_elements(position: Array, push: Array, load: Array, group: NDArray[np.int32], sums: Array) -> int:
    """Put elements into groups that push one way; how many.

    ``push``: direction in which each pushes body E; ``load``: weight of each; ``group`` of each element, -1 for none;
    ``sums`` (GROUPS, 7): direction, mean position and load of each group. The heaviest element that is in no group yet
    begins the next one.
    """
    n = len(load)
    group[:] = -1
    count = 0
    while count < GROUPS:
        first = -1
        for k in range(n):
            if group[k] < 0 and load[k] > 0.0 and (first < 0 or load[k] > load[first]):
                first = k
        if first < 0:
            break
        leader = row(push, first)
        direction, centre, total = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for k in range(n):
            way = row(push, k)
            if group[k] < 0 and load[k] > 0.0 and dot(way, leader) > SAME_WAY:
                group[k] = count
                direction = add(direction, scale(load[k], way))
                centre = add(centre, scale(load[k], row(position, k)))
                total += load[k]
        direction = scale(1.0 / norm(direction), direction)
        centre = scale(1.0 / total, centre)
        for i in range(3):
            sums[count, i] = direction[i]
            sums[count, 3 + i] = centre[i]
        sums[count, 6] = total
        count += 1
    return count


@kernel
def _depths_at_border(
    position: Array,
    depth: Array,
    load: Array,
    border: Array,
    group: NDArray[np.int32],
    g: int,
    n_groups: int,
    sums: Array,
    out: Array,
) -> None:
    """Depth of a group at each point of the border: that of its nearest element; -1 where the point is another's."""
    for j in range(len(border)):
        x = row(border, j)
        out[j] = -1.0
        if n_groups > 1 and _nearest_group(x, sums, n_groups, g) != g:
            continue
        least = math.inf
        for k in range(len(load)):
            if group[k] == g:
                d = sub(x, row(position, k))
                if dot(d, d) < least:
                    least = dot(d, d)
                    out[j] = depth[k]


@kernel
def _add_support(x: Vector, n: Vector, centre: Vector, depth: float, begin: int, found: int, out: Array) -> int:
    """Add a point, moved along the normal into the plane of the centre, unless it is there already."""
    x = sub(x, scale(dot(n, sub(x, centre)), n))
    for k in range(begin, found):
        known = (out[k, 0], out[k, 1], out[k, 2])
        if norm(sub(x, known)) <= SAME_PLACE * norm(sub(x, centre)):
            return found
    for i in range(3):
        out[found, i] = x[i]
        out[found, 3 + i] = n[i]
    out[found, 6] = depth
    return found + 1


@kernel
def _outermost(
    position: Array,
    depth: Array,
    load: Array,
    border: Array,
    border_depth: Array,
    group: NDArray[np.int32],
    g: int,
    sums: Array,
    small: float,
    found: int,
    out: Array,
) -> int:
    """Add the outermost points of a group of those that are deep enough, and its deepest one where it sticks out.

    A group that reaches no farther than ``small`` (m) has one point, in its middle.
    """
    n, centre = (sums[g, 0], sums[g, 1], sums[g, 2]), (sums[g, 3], sums[g, 4], sums[g, 5])
    t = tangent_to(n)
    s = cross(n, t)
    begin, deepest = found, -1
    for k in range(len(depth)):
        if group[k] == g and (deepest < 0 or depth[k] > depth[deepest]):
            deepest = k
    enough, reached, widest = DEEP * depth[deepest], 0.0, 0.0
    for direction in range(AROUND):
        angle = 2.0 * math.pi * (direction + OFF_AXIS) / AROUND
        way = add(scale(math.cos(angle), t), scale(math.sin(angle), s))
        farthest, best, below = -math.inf, centre, 0.0
        for k in range(len(depth)):
            if group[k] == g and depth[k] >= enough:
                reach = dot(way, sub(row(position, k), centre))
                if reach > farthest:
                    farthest, best, below = reach, row(position, k), depth[k]
        for j in range(len(border)):
            if border_depth[j] >= enough:
                reach = dot(way, sub(row(border, j), centre))
                if reach > farthest:
                    farthest, best, below = reach, row(border, j), border_depth[j]
        reached, widest = max(reached, below), max(widest, farthest)
        found = _add_support(best, n, centre, below, begin, found, out)
    if widest <= small:
        found = _add_support(centre, n, centre, depth[deepest], begin, begin, out)
    elif depth[deepest] > STICKS_OUT * reached:
        found = _add_support(row(position, deepest), n, centre, depth[deepest], begin, found, out)
    area = 0.0
    for k in range(len(depth)):
        if group[k] == g:
            area += load[k] / depth[k]
    for k in range(begin, found):
        out[k, 7] = area / (found - begin)
    return found


@kernel
def choose_supports(
    position: Array,
    push: Array,
    other_push: Array,
    depth: Array,
    load: Array,
    border: Array,
    border_depth: Array,
    group: NDArray[np.int32],
    sums: Array,
    small: float,
    out: Array,
) -> int:
    """Points that bear a contact: rows (point, direction that pushes E, depth, area) of ``out``; how many.

    Of n elements: ``position`` (m), ``push``: direction in which the base pushes E, ``other_push``: the same of the
    target, or none; ``depth`` (m), ``load``: area times depth, 0 for those that do not count; ``border`` (m, 3): points
    on the border of the contact, where they are known. ``border_depth`` (m), ``group``, ``sums``: work. A point lies
    in the plane of its group's centre and has its share of the group's area. ``out``: GROUPS · POINTS rows.

    A group no wider than ``small`` (m) has one point. A corner on a plate is pushed along the plate's normal, whichever
    is the base: the surface whose normals agree more tells the directions.
    """
    whole = 0.0
    for k in range(len(load)):
        whole += load[k]
    n_groups = group_elements(position, push, load, group, sums)
    if len(other_push) > 0 and n_groups > 1:
        share = sums[0, 6]
        n_groups = group_elements(position, other_push, load, group, sums)
        if sums[0, 6] < share:
            n_groups = group_elements(position, push, load, group, sums)
    found = 0
    for g in range(n_groups):
        if sums[g, 6] >= LEAST_SHARE * whole:
            _depths_at_border(position, depth, load, border, group, g, n_groups, sums, border_depth)
            found = _outermost(position, depth, load, border, border_depth, group, g, sums, small, found, out)
    return found
