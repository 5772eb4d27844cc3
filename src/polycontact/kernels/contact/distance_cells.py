r"""Elements that are divided: their cells, halves of halves, each integrated by itself (decision 0030).

Problem: an element that carries a great part of the contact gives damping and friction too few points to act at; one
whose region is scattered lies on several patches; and where facets of the target do not tell the depth, beside sharp
concave edges, it has to be sampled finely enough. In: an element, or a share of it. Out: rows of the table for its
cells. Cells depend on the mesh alone, and each is blended between itself and its halves, so that nothing jumps.

         c                 A cell is halved at the middle m of its first side (newest-vertex bisection). What of it lies
        /|\                inside the target is divided along m–c too. It is divided
       / | \                   (1) as it carries more than a share of the contact
      /  |  \                  (2) as its region is far from convex, while it carries a small share
     a---m---b                 (3) as its facets do not cover it, by what its samples may miss
"""

from __future__ import annotations

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
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.distance_rows import (
    Part,
    Samples3,
    add_part,
    append_row,
    nothing_known,
    part_of_samples,
)
from polycontact.kernels.contact.distance_samples import Sample, ask_once
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.error_budget import Budget, missed_by_sample, smooth_step
from polycontact.kernels.contact.evaluation_view import LEVELS, Cells
from polycontact.kernels.contact.facet_cells import Border, integrate_along_facets, share_covered
from polycontact.kernels.contact.gradient_sums import add_samples, blend_gradients, scale_gradients
from polycontact.kernels.contact.plane_moments import (
    REFERENCE,
    REFERENCE_AREA,
    Point,
    Region,
    divide_region,
    largest_on_border,
    linear_through,
    put_edge,
    region_within,
    roundness,
    three_points,
    triangle_region,
    value_at,
)
from polycontact.kernels.contact.sides import from_own_direction, to_own_direction
from polycontact.kernels.geometry.vectors import Vector, as_index, norm, row, sub
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.tolerances import (
    LARGEST_SHARE_OF_LOAD,
    MISSED_OF_THREE,
    NO_SHARE,
    ROUND_ENOUGH,
    SCATTERED_ROUNDNESS,
    SCATTERED_SHARE_OF_LOAD,
    SLIVER,
    STRIP_DEPTH,
)

_LAST_CELL = (1 << LEVELS) - 1
"""Cells with this number or a higher one are not divided any more."""


@inline_kernel
def share_scattered(region: Region) -> float:
    """How far a region is scattered, 0 to 1: by its `roundness`."""
    round_share = roundness(region)
    if round_share >= ROUND_ENOUGH:
        return 0.0
    return smooth_step((ROUND_ENOUGH - round_share) / (ROUND_ENOUGH - SCATTERED_ROUNDNESS))


@inline_kernel
def share_divided(load: float, scattered: float, budget: Budget) -> float:
    """How far a part that carries ``load`` (m³) is divided, 0 to 1: as it carries much (1), or is scattered (2)."""
    if load < LARGEST_SHARE_OF_LOAD * budget.load and not scattered > 0.0:
        return 0.0
    share = smooth_step(load / (LARGEST_SHARE_OF_LOAD * budget.load) - 1.0)
    return share + (1.0 - share) * scattered * smooth_step(load / (SCATTERED_SHARE_OF_LOAD * budget.load) - 1.0)


@kernel
def ask_three(meeting: Encounter, plane: Plane, region: Region, guess: int) -> Samples3:
    """φ at the three points of a region."""
    p = three_points(region)
    s0 = ask_once(meeting, from_plane(plane, p[0]), guess)
    s1 = ask_once(meeting, from_plane(plane, p[1]), s0.triangle)
    s2 = ask_once(meeting, from_plane(plane, p[2]), s1.triangle)
    return (s0, s1, s2)


@inline_kernel
def in_e(meeting: Encounter, s: Samples3) -> Samples3:
    """Samples with their gradients in frame E."""
    target, pose = meeting.target, meeting.pose
    g0 = from_own_direction(target, pose, s[0].gradient)
    g1 = from_own_direction(target, pose, s[1].gradient)
    g2 = from_own_direction(target, pose, s[2].gradient)
    return (
        Sample(s[0].point, s[0].depth, g0, s[0].triangle),
        Sample(s[1].point, s[1].depth, g1, s[1].triangle),
        Sample(s[2].point, s[2].depth, g2, s[2].triangle),
    )


@inline_kernel
def put_border(cells: Cells, corners: Corners, first: int, n: int) -> Border:
    """The border of a part of a triangle: ``n`` edges from ``first``, or, where n is negative, a whole cell, whose
    border is written there; none where there is no room."""
    if n >= 0:
        return Border(first, n)
    if first + 3 > cells.room:
        return Border(first, 0)
    for i in range(3):
        put_edge(cells.edges, first + i, corners[i], corners[(i + 1) % 3], 0.0)
    return Border(first, 3)


@kernel
def depth_of_strip(cells: Cells, plane: Plane, border: Border, area: float) -> float:
    """Mean depth, m, of a strip of an area (m²) whose sides are what of ``border`` is border of the contact.

    A guess for scattered regions, whose mean lies elsewhere; 0 where there is no such border.
    """
    edges = cells.edges
    length = 0.0
    for e in range(border.first, border.first + border.n):
        if edges[e, 4] > 0.0:
            a = from_plane(plane, (edges[e, 0], edges[e, 1]))
            b = from_plane(plane, (edges[e, 2], edges[e, 3]))
            length += norm(sub(b, a))
    return float(2.0 * STRIP_DEPTH * area / length) if length > 0.0 else 0.0


class CellDepth(NamedTuple):
    """φ over a cell; what may be missed of its mean, m; a triangle of the target nearby."""

    part: Part
    missed: float
    triangle: int


@kernel
def _depth_of_cell(
    meeting: Encounter,
    t: int,
    plane: Plane,
    region: Region,
    border: Border,
    corners: Corners,
    depths: Vector,
    guess: int,
) -> CellDepth:
    """φ over a cell of triangle t from the facets of the target, and where these do not cover it from three samples.

    ``depths``: φ at its ``corners``, negative outside. What the samples miss is told by what a linear function through
    them misses there, and on the border of the contact, where φ vanishes.
    """
    found = integrate_along_facets(meeting, t, border, guess)
    covered = share_covered(found, region.area)
    if not covered < 1.0:
        return CellDepth(found.part, 0.0, found.part.triangle)
    s = ask_three(meeting, plane, region, guess)
    own_normal = to_own_direction(meeting.target, meeting.pose, base_direction(meeting.base, meeting.pose, t))
    sampled = part_of_samples(s, own_normal)
    linear = linear_through(region, (s[0].depth, s[1].depth, s[2].depth))
    bend = largest_on_border(meeting.cells.edges, border.first, border.n, linear)
    for i in range(3):
        if depths[i] > 0.0:
            bend = max(bend, abs(value_at(linear, corners[i]) - depths[i]))
    missed = MISSED_OF_THREE * missed_by_sample(1.0, sampled.depth, bend)
    scattered = share_scattered(region)
    if scattered > 0.0:
        area = meeting.base.mesh.areas[t] * region.area / REFERENCE_AREA
        missed += scattered * depth_of_strip(meeting.cells, plane, border, area)
    part = add_part(add_part(nothing_known(s[0].triangle), found.part, covered), sampled, 1.0 - covered)
    if meeting.report.slope_state == 1:
        scale_gradients(meeting.cells, covered)
        add_samples(meeting.cells, three_points(region), in_e(meeting, s), 1.0 - covered)
    return CellDepth(part, (1.0 - covered) * missed, s[0].triangle)


@apart_kernel
def divide_element(meeting: Encounter, k: int, share: float, u: Vector, budget: Budget) -> None:
    """Append cells of the element in row k for ``share`` of it. ``u``: φ at the corners of its triangle, m."""
    base, cells, elements, report = meeting.base, meeting.cells, meeting.elements, meeting.report
    t = as_index(elements.base_triangle[k])
    plane = plane_of(base, meeting.pose, t)
    area_of = base.mesh.areas[t] / REFERENCE_AREA
    normal = row(elements.normal, k)
    edges = cells.edges
    i = first_corner(base, t)
    n = -1
    start = cells.n_border  # above the borders of all elements there is room for those of cells
    if cells.state[k] >= 0:
        n = as_index(cells.border[k, 1])
        for e in range(n):
            for c in range(5):
                edges[start + e, c] = edges[cells.border[k, 0] + e, c]
    corners = (REFERENCE[i], REFERENCE[(i + 1) % 3], REFERENCE[(i + 2) % 3])
    put_cell(cells, 0, corners, (u[i], u[(i + 1) % 3], u[(i + 2) % 3]), share, 0, start, n)
    depth = 1
    guess = as_index(base.hit[t])
    while depth > 0 and not report.status & Status.OVERFLOW_ELEMENTS:
        depth -= 1
        corners = corners_of_cell(cells, depth)
        share = cells.share[depth]
        cell = cells.cell[depth]
        first = cells.first_edge[depth]
        count = cells.n_edges[depth]
        divided = 1.0  # the element itself, whose share this is
        if cell > 0:
            region = triangle_region(corners) if count < 0 else region_within(edges, first, count)
            if not region.area > SLIVER * REFERENCE_AREA:
                continue
            area = area_of * region.area
            border = put_border(cells, corners, first, count)
            depths = row(cells.at_corners, depth)
            found = _depth_of_cell(meeting, t, plane, region, border, corners, depths, guess)
            guess = found.triangle
            divided = 0.0
            if cell < _LAST_CELL:
                scattered = share_scattered(region) if count >= 0 else 0.0
                divided = share_divided(area * (found.part.depth + found.missed), scattered, budget)
                divided += (1.0 - divided) * smooth_step(
                    found.missed * area / max(budget.depth * area, budget.least) - 1.0 / 3.0
                )
            if share * divided < NO_SHARE or first + 5 * max(count, 0) + 16 > cells.room:
                divided = 0.0
            rest = (share - share * divided) * area
            report.missed += rest * found.missed
            if rest > 0.0:
                added = append_row(meeting, t, cell, rest, normal, found.part)
                if added >= 0 and report.slope_state == 1:
                    blend_gradients(cells, added, 0.0, 1.0)
            report.subdivisions += 1
        if divided > 0.0:
            depth = _bisect(meeting, plane, depth, share * divided, guess)


@kernel
def _bisect(meeting: Encounter, plane: Plane, depth: int, share: float, guess: int) -> int:
    """Put the halves of the cell at place ``depth`` of the stack there, without empty ones; the new depth."""
    cells = meeting.cells
    a, b, c = corners_of_cell(cells, depth)
    u = row(cells.at_corners, depth)
    cell = cells.cell[depth]
    first = cells.first_edge[depth]
    count = cells.n_edges[depth]
    m: Point = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
    u_m = ask_once(meeting, from_plane(plane, m), guess).depth
    left, right, second = -1, -1, first
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
