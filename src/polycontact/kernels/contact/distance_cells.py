r"""Elements over which no quadratic describes the depth: their cells, halves of halves, each with samples of its own.

Problem: integrate φ over a region to a tolerance where it bends along lines, as between the facets of the target.
In: an element whose three samples do not suffice. Out: rows of the table for its cells, and the share of the element
that they stand for. An adaptive quadrature by newest-vertex bisection: cells depend on the mesh alone, and each is
blended between itself and its halves, so that nothing jumps.

         c                 A cell is halved at the middle m of its first side. What of it lies inside the target is
        /|\                divided along m–c too. It is divided
       / | \                   (1) by what its bend may make it miss: area times the bend of a linear function
      /  |  \                      through its samples, and then of the best quadratic, against a limit (m³)
     a---m---b                 (2) by being scattered: a region far from convex has points outside itself
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.base_cells import (
    Corners,
    Plane,
    corners_of_cell,
    first_corner,
    from_plane,
    plane_of,
    put_cell,
)
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.distance_rows import NEVER, append_row, part_of_samples
from polycontact.kernels.contact.distance_samples import ask_once
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import LEVELS, Cells, Side, Work
from polycontact.kernels.contact.plane_moments import (
    REFERENCE,
    REFERENCE_AREA,
    Point,
    Region,
    divide_region,
    largest_on_border,
    linear_through,
    miss_of_quadratics,
    region_within,
    roundness,
    three_points,
    triangle_region,
    value_at,
)
from polycontact.kernels.contact.sides import to_own_direction
from polycontact.kernels.geometry.vectors import Vector, as_index, row
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.tolerances import (
    ENDLESS,
    MISSED_SHARE_OF_BEND,
    ROUND_ENOUGH,
    SCATTERED_ROUNDNESS,
    SLIVER,
    SMALLEST_DIVISOR,
)

WHOLE = -1
"""State of an element that is a whole inner triangle."""


_LAST_CELL = (1 << LEVELS) - 1
_LAST_OF_ESTIMATE = (1 << 10) - 1
"""Cells with this number or a higher one are not divided any more, in the end and where the load is estimated."""


class Limit(NamedTuple):
    """What a cell may miss, m³: by a bend of the depth, and by being scattered; by how much the depth may bend over an
    element of one sample, m."""

    bend: float
    scatter: float
    depth: float


@inline_kernel
def smooth_step(x: float) -> float:
    """0 below 0, 1 above 1, smooth between."""
    s = min(max(x, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@inline_kernel
def is_scattered(region: Region) -> bool:
    """Whether a region is far from convex."""
    return roundness(region) < ROUND_ENOUGH


@inline_kernel
def share_scattered(round_share: float) -> float:
    """How far a region of given `roundness` is scattered, 0 to 1."""
    return smooth_step((ROUND_ENOUGH - round_share) / (ROUND_ENOUGH - SCATTERED_ROUNDNESS))


@inline_kernel
def _scattering(area: float, round_share: float, limit: Limit) -> float:
    """How far a scattered region is to be divided, 0 to 1: at most its area times the root of that is missed."""
    if round_share >= ROUND_ENOUGH:
        return 0.0
    return share_scattered(round_share) * smooth_step(area * math.sqrt(area) / (1.5 * limit.scatter) - 1.0 / 3.0)


@inline_kernel
def share_refined(area: float, bend: float, round_share: float, limit: Limit) -> float:
    """How far an element of one sample and its corners is to get three samples, 0 to 1.

    By what it may miss as its depth bends, by how much that is of the depth, as many elements may bend alike, and by
    being scattered (``round_share``: its `roundness`).
    """
    if (
        2.0 * MISSED_SHARE_OF_BEND * area * bend < limit.bend
        and 1.5 * bend < limit.depth
        and round_share >= ROUND_ENOUGH
    ):
        return 0.0  # as what follows, in the time of most elements
    share = smooth_step(MISSED_SHARE_OF_BEND * area * bend / (1.5 * limit.bend) - 1.0 / 3.0)
    share += smooth_step(3.0 * bend / limit.depth - 2.0) * (1.0 - share)
    return share + _scattering(area, round_share, limit) * (1.0 - share)


@apart_kernel
def division_of(
    base: Side,
    target: Side,
    pose: Pose,
    t: int,
    values: Vector,
    middle: float,
    guess: int,
    area: float,
    region: Region,
    corners: Corners,
    depths: Vector,
    first: int,
    n: int,
    limit: Limit,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> float:
    """How far a cell is to be divided, 0 to 1: by what its bend, and its being scattered, may make it miss.

    The bend: the most by which the linear function through the samples (``values``) misses φ where that is known, at
    ``depths`` of the corners that lie inside and on the border of the contact (``n`` edges from ``first``), where it
    vanishes. Where that is much, φ at the mean is asked for (``middle``, where that is known; else minus infinity), and
    only what no quadratic through all this explains counts.
    """
    linear = linear_through(region, values)
    bend = 0.0
    for i in range(3):
        if depths[i] > 0.0:
            bend = max(bend, abs(value_at(linear, corners[i]) - depths[i]))
    # (1)
    if n > 0:
        bend = max(bend, largest_on_border(cells.edges, first, n, linear))
    share = smooth_step(area * bend / (1.5 * limit.bend) - 1.0 / 3.0)
    if share > 0.0:
        mean: Point = (region.x, region.y)
        if not middle > -math.inf:
            middle = ask_once(target, pose, from_plane(plane_of(base, pose, t), mean), guess, work, report).depth
        rise = middle - value_at(linear, mean)
        scale = max(max(values[0], values[1]), max(values[2], SMALLEST_DIVISOR))
        miss = miss_of_quadratics(cells.edges, first, n, region, linear, rise, corners, depths, scale)
        share *= smooth_step(area * miss / (1.5 * limit.bend) - 1.0 / 3.0)
    if n > 0:  # (2)
        share += _scattering(area, roundness(region), limit) * (1.0 - share)
    return share


@apart_kernel
def estimate_scattered(
    base: Side,
    target: Side,
    pose: Pose,
    k: int,
    region: Region,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> float:
    """Load of a scattered element (row k), m³: divided until its cells are convex."""
    only_scattered = Limit(ENDLESS, SMALLEST_DIVISOR, ENDLESS)
    share = _scattering(elements.area[k], roundness(region), only_scattered)
    nothing = (0.0, 0.0, 0.0)
    load = float((1.0 - share) * elements.area[k] * elements.depth[k])
    load += divide_element(base, target, pose, k, share, nothing, only_scattered, False, elements, cells, work, report)
    return load


@apart_kernel
def divide_element(
    base: Side,
    target: Side,
    pose: Pose,
    k: int,
    share: float,
    u: Vector,
    limit: Limit,
    keep: bool,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> float:
    """Cells of the element in row k with ``share`` of it: their load, m³. ``u``: φ at the corners of its triangle.

    ``keep``: they become elements; otherwise this is an estimate.
    """
    t = elements.base_triangle[k]
    plane = plane_of(base, pose, t)
    area_of = base.mesh.areas[t] / REFERENCE_AREA
    normal = row(elements.normal, k)
    own_normal = to_own_direction(target, pose, normal)
    is_cut = cells.state[k] >= 0
    edges = cells.edges
    i = first_corner(base, t)
    n = -1
    start = 0
    if is_cut:
        # Above the borders of all elements there is room for those of cells.
        n = cells.border[k, 1]
        start = cells.n_border
        for e in range(n):
            for c in range(5):
                edges[start + e, c] = edges[cells.border[k, 0] + e, c]
    corners = (REFERENCE[i], REFERENCE[(i + 1) % 3], REFERENCE[(i + 2) % 3])
    put_cell(cells, 0, corners, (u[i], u[(i + 1) % 3], u[(i + 2) % 3]), share, 0, start, n)
    depth = 1
    load = 0.0
    guess = as_index(base.hit[t])
    while depth > 0:
        depth -= 1
        corners = corners_of_cell(cells, depth)
        share = cells.share[depth]
        cell = cells.cell[depth]
        first = cells.first_edge[depth]
        count = cells.n_edges[depth]
        divided = 1.0  # the element itself, whose share this is
        if cell > 0:
            region = triangle_region(corners) if count < 0 else region_within(edges, first, count)
            area = area_of * region.area
            if not region.area > SLIVER * REFERENCE_AREA:
                continue
            p = three_points(region)
            s0 = ask_once(target, pose, from_plane(plane, p[0]), guess, work, report)
            s1 = ask_once(target, pose, from_plane(plane, p[1]), s0.triangle, work, report)
            s2 = ask_once(target, pose, from_plane(plane, p[2]), s1.triangle, work, report)
            guess = s0.triangle
            s = (s0, s1, s2)
            divided = 0.0
            if cell < (_LAST_CELL if keep else _LAST_OF_ESTIMATE):
                depths = row(cells.at_corners, depth)
                values = (s0.depth, s1.depth, s2.depth)
                divided = division_of(
                    base,
                    target,
                    pose,
                    t,
                    values,
                    -math.inf,
                    guess,
                    area,
                    region,
                    corners,
                    depths,
                    first,
                    count,
                    limit,
                    cells,
                    work,
                    report,
                )
            rest = (share - share * divided) * area
            part = part_of_samples(s, own_normal)
            load += rest * part.depth
            if keep and rest > 0.0:
                append_row(base, t, cell, rest, normal, part, 0.0, NEVER, elements, cells, report)
            report.subdivisions += 1
        if not divided > 0.0 or first + 5 * max(count, 0) + 16 > cells.room:
            continue
        depth = _bisect(target, pose, plane, depth, share * divided, guess, cells, work, report)
    return load


@kernel
def _bisect(
    target: Side,
    pose: Pose,
    plane: Plane,
    depth: int,
    share: float,
    guess: int,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> int:
    """Put the halves of the cell at place ``depth`` of the stack there, without empty ones; the new depth."""
    a, b, c = corners_of_cell(cells, depth)
    u = row(cells.at_corners, depth)
    cell = cells.cell[depth]
    first = cells.first_edge[depth]
    count = cells.n_edges[depth]
    m: Point = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
    u_m = ask_once(target, pose, from_plane(plane, m), guess, work, report).depth
    left, right, second = -1, -1, 0
    if count >= 0:
        left, right = divide_region(cells.edges, first, count, c, (m[0] - c[0], m[1] - c[1]))
        first += count
        second = first + left
    if left != 0:
        put_cell(cells, depth, (b, c, m), (u[1], u[2], u_m), share, 2 * cell + 2, first, left)
        depth += 1
    if right != 0:
        put_cell(cells, depth, (c, a, m), (u[2], u[0], u_m), share, 2 * cell + 1, second, right)
        depth += 1
    return depth
