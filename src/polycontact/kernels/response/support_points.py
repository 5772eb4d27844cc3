r"""A few points that stand for the elements of a contact: rigid bodies touch in points, several for an area.

Problem: a contact has dozens or thousands of elements; a rigid response solves for an impulse at each point. A few
points are wanted that resist tilting and turning as the area does (decision 0022).

In: position, depth (m), weight and direction of push of each element, and points on the border of the contact. Out:
rows of point, direction that pushes E, depth, area.

(1) Elements are gathered into groups that push one way, within 20°. The heaviest element left begins the next group.
    Either surface's normals can tell the direction: those that agree more do, as a corner on a plate is pushed along
    the plate's normal, whichever surface is the base. Where both are, each side is asked by itself.
(2) A group that has hardly any of the load is left out.
(3) A group is borne by its outermost points in eight directions around its normal, of those that are deep enough.
(4) Where its deepest element is much deeper than all of these (a ball, an edge), that bears as well.
(5) A group no wider than ``small`` is borne by one point, in its middle.

          seen along the normal:     o  outermost points, moved into the plane of the group's centre
              o-----o                c  centre (mean position by load)
             /       \               Directions are turned off the tangents a little, so that the corners
            o    c    o              of a rectangle win over the middles of its sides.
             \       /
              o-----o
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub, tangent_to
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, View, count, doubles, inline, ints, number
from polycontact.tolerances import DEEP_ENOUGH, LEAST_SHARE, OFF_AXIS, SAME_POINT, SAME_WAY, STICKS_OUT

AROUND = 8
"""Directions around a normal in which outermost points are looked for."""

POINTS = AROUND + 1
"""Points of a group at most: the outermost ones, and the deepest."""

GROUPS = 6
"""Groups of directions at most."""


class SupportWork(View):
    """Work space of a choice of points."""

    room = count("elements that fit")
    room_of_border = count("points of the border that fit")
    n_border = count("points of the border")
    knows_target = count("1 where other_push is known")
    small = number("reach up to which a patch counts as a point", "m")
    push = doubles("room", 3, doc="direction in which the base pushes E, by element")
    other_push = doubles("room", 3, doc="and the target")
    load = doubles("room", doc="weight of each element: area times depth, 0 for those that do not count")
    group = ints("room", doc="group of each element, -1 for none")
    border = doubles("room_of_border", 3, unit="m", doc="points of the border")
    border_depth = doubles("room_of_border", unit="m", doc="depth there; -1 where the point is of another group")
    sums = inline(GROUPS, 7, doc="direction, mean position and load of each group")


@inline_kernel
def _height(x: Vector, sums: Doubles, g: int) -> float:
    """Distance of a point from the plane of a group, m."""
    return dot((sums[g, 0], sums[g, 1], sums[g, 2]), sub(x, (sums[g, 3], sums[g, 4], sums[g, 5])))


@inline_kernel
def _nearest_group(x: Vector, sums: Doubles, n_groups: int, own: int) -> int:
    """Group in whose plane a point lies: that of least distance from the plane through its centre; the own where
    equal."""
    best, least = own, abs(_height(x, sums, own))
    for g in range(n_groups):
        height = abs(_height(x, sums, g))
        if height < least:
            best, least = g, height
    return best


@kernel
def _group_elements(elements: ElementTable, push: Doubles, side: int, work: SupportWork) -> int:
    """Put elements into groups that push one way; how many (1).

    ``push``: the directions, of the base or of the target; ``side``: elements of this base alone, -1: all. Directions,
    mean positions and loads of the groups are left in ``work.sums``. There are at most `GROUPS`: elements that then are
    in none bear nothing.
    """
    n = elements.n
    position, load, group, sums = elements.position, work.load, work.group, work.sums
    for k in range(n):
        group[k] = -1
    count = 0
    while count < GROUPS:
        # The heaviest element that is in no group yet leads the next one.
        first = -1
        for k in range(n):
            is_meant = side < 0 or elements.side[k] == side
            if is_meant and group[k] < 0 and load[k] > 0.0 and (first < 0 or load[k] > load[first]):
                first = k
        if first < 0:
            break
        leader = row(push, first)
        direction, centre, total = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for k in range(n):
            way = row(push, k)
            is_meant = side < 0 or elements.side[k] == side
            if is_meant and group[k] < 0 and load[k] > 0.0 and dot(way, leader) > SAME_WAY:
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
def _depths_at_border(elements: ElementTable, g: int, n_groups: int, work: SupportWork) -> None:
    """Depth of group g at each point of the border: that of its nearest element; -1 where the point is another's."""
    position, depth, border, out = elements.position, elements.depth, work.border, work.border_depth
    for j in range(work.n_border):
        x = row(border, j)
        out[j] = -1.0
        if n_groups > 1 and _nearest_group(x, work.sums, n_groups, g) != g:
            continue
        least = math.inf
        for k in range(elements.n):
            if work.group[k] == g:
                d = sub(x, row(position, k))
                if dot(d, d) < least:
                    least = dot(d, d)
                    out[j] = depth[k]


@kernel
def _add_support(x: Vector, n: Vector, centre: Vector, depth: float, begin: int, found: int, out: Doubles) -> int:
    """Add a point, moved along the normal into the plane of the centre, unless it is there already."""
    x = sub(x, scale(dot(n, sub(x, centre)), n))
    for k in range(begin, found):
        known = (out[k, 0], out[k, 1], out[k, 2])
        if norm(sub(x, known)) <= SAME_POINT * norm(sub(x, centre)):
            return found
    for i in range(3):
        out[found, i] = x[i]
        out[found, 3 + i] = n[i]
    out[found, 6] = depth
    return found + 1


@kernel
def _outermost(elements: ElementTable, g: int, found: int, work: SupportWork, out: Doubles) -> int:
    """Add the points that bear group g behind the ``found`` ones; how many there are then."""
    position, depth, group = elements.position, elements.depth, work.group
    border, border_depth, sums = work.border, work.border_depth, work.sums
    n, centre = (sums[g, 0], sums[g, 1], sums[g, 2]), (sums[g, 3], sums[g, 4], sums[g, 5])
    t = tangent_to(n)
    s = cross(n, t)
    begin, deepest = found, -1
    for k in range(elements.n):
        if group[k] == g and (deepest < 0 or depth[k] > depth[deepest]):
            deepest = k
    enough, reached, widest = DEEP_ENOUGH * depth[deepest], 0.0, 0.0
    for direction in range(AROUND):  # (3)
        angle = 2.0 * math.pi * (direction + OFF_AXIS) / AROUND
        way = add(scale(math.cos(angle), t), scale(math.sin(angle), s))
        farthest, best, below = -math.inf, centre, 0.0
        for k in range(elements.n):
            if group[k] == g and depth[k] >= enough:
                reach = dot(way, sub(row(position, k), centre))
                if reach > farthest:
                    farthest, best, below = reach, row(position, k), depth[k]
        for j in range(work.n_border):
            if border_depth[j] >= enough:
                reach = dot(way, sub(row(border, j), centre))
                if reach > farthest:
                    farthest, best, below = reach, row(border, j), border_depth[j]
        reached, widest = max(reached, below), max(widest, farthest)
        found = _add_support(best, n, centre, below, begin, found, out)
    if widest <= work.small:  # (5) instead of those found
        found = _add_support(centre, n, centre, depth[deepest], begin, begin, out)
    elif depth[deepest] > STICKS_OUT * reached:  # (4)
        found = _add_support(row(position, deepest), n, centre, depth[deepest], begin, found, out)
    # Each point has its share of the group's area.
    area = 0.0
    for k in range(elements.n):
        if group[k] == g:
            area += work.load[k] / depth[k]
    for k in range(begin, found):
        out[k, 7] = area / (found - begin)
    return found


@kernel
def _take_directions_that_agree(elements: ElementTable, side: int, work: SupportWork) -> None:
    """Let elements of one base push along the target's normals where these agree at least as well as their own."""
    if _group_elements(elements, work.push, side, work) < 2:
        return
    share = work.sums[0, 6]
    _group_elements(elements, work.other_push, side, work)
    if work.sums[0, 6] >= share:
        for k in range(elements.n):
            if elements.side[k] == side:
                for i in range(3):
                    work.push[k, i] = work.other_push[k, i]


@kernel
def choose_supports(elements: ElementTable, work: SupportWork, out: Doubles) -> int:
    """Points that bear a contact: rows (point, direction that pushes E, depth, area) into ``out``; how many.

    Frame E, m and m². ``work`` holds directions and weights of the elements and the border. A point lies in the plane
    of its group's centre and has its share of the group's area. None where no element has a weight.
    """
    whole = 0.0
    for k in range(elements.n):
        whole += work.load[k]
    if work.knows_target == 1:
        for side in range(2):
            _take_directions_that_agree(elements, side, work)
    n_groups = _group_elements(elements, work.push, -1, work)
    found = 0
    for g in range(n_groups):
        if work.sums[g, 6] >= LEAST_SHARE * whole:  # (2)
            _depths_at_border(elements, g, n_groups, work)
            found = _outermost(elements, g, found, work, out)
    return found
