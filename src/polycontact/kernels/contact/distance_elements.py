"""Contact elements with a potential: the pressure is c·φ, φ the distance to the target's surface (`depth="distance"`).

The force −c ∫ φ n dA over the base inside the target is the derivative of U = c ∫ φ dV over the overlap, whatever the
shapes. An element is a base triangle, what of it lies inside, or a cell of it; φ is taken at three points that integrate
quadratics exactly (`plane_moments`). Where φ bends too much for that, or the inside part is scattered, cells are bisected. How far is decided by quantities that are
continuous in the pose, and a bisection is blended in, so that the force is continuous too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.contact.active_area import INNER_MARK
from polycontact.kernels.contact.base_cells import (
    Corners,
    Plane,
    corners_of_cell,
    first_corner,
    from_plane,
    list_border,
    plane_of,
    put_cell,
)
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.distance_samples import Sample, ask_once, ask_sample, ask_vertex
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import (
    LEVELS,
    Cells,
    ContactSetup,
    Cut,
    ElementKind,
    Segments,
    Side,
    Work,
)
from polycontact.kernels.contact.penetration import as_index
from polycontact.kernels.contact.plane_moments import (
    REFERENCE,
    REFERENCE_AREA,
    Point,
    Region,
    divide_region,
    largest_on_border,
    linear_through,
    region_within,
    roundness,
    three_points,
    triangle_region,
    value_at,
)
from polycontact.kernels.contact.sides import corners_of, to_own_direction
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, scale
from polycontact.kernels.jit import inline_kernel, kernel

Samples3 = tuple[Sample, Sample, Sample]

_FULLY_ROUND = 0.80
_SCATTERED = 0.65
"""Between these values of `roundness` bisection of a scattered region is blended in; convex ones have at least 0.83."""

_SHALLOWEST = 1e-4
"""Depth of a contact in widths of its elements below which bends are no longer looked at: they are bounded by it."""

NEVER = -2
"""State of an element that is never divided: a whole triangle on a border."""
WHOLE = -1
"""State of an element that is a whole inner triangle."""

_LAST_CELL = (1 << LEVELS) - 1
_LAST_OF_ESTIMATE = (1 << 10) - 1
"""Cells with this number or a higher one are not divided any more, in the end and where the load is estimated."""


_WHOLE = Region(REFERENCE_AREA, 0.5, REFERENCE[2][1] / 3.0, 1.0 / 24.0, 0.0, 1.0 / 24.0)
"""The reference triangle as a region."""


class Limit(NamedTuple):
    """What a cell may miss, m³: by a bend of the depth, and by being scattered."""

    bend: float
    scatter: float


@inline_kernel
def _smooth_step(x: float) -> float:
    """0 below 0, 1 above 1, smooth between."""
    s = min(max(x, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@inline_kernel
def _bend_of(s: Samples3, region: Region, corners: Corners, depths: Vector, cells: Cells, first: int, n: int) -> float:
    """How far φ bends in a region: the most by which the linear function through its samples misses it.

    Looked at where φ is known: at the corners of the cell (``depths``) that lie inside, and on the border of the contact
    (``n`` edges), where it vanishes. Values of φ are continuous in the pose, and so is this.
    """
    linear = linear_through(region, (s[0].depth, s[1].depth, s[2].depth))
    bend = 0.0
    for i in range(3):
        if depths[i] > 0.0:
            bend = max(bend, abs(value_at(linear, corners[i]) - depths[i]))
    if n > 0:
        bend = max(bend, largest_on_border(cells.edges, first, n, linear))
    return bend


@inline_kernel
def _depths_at(base: Side, target: Side, pose: Pose, t: int, guess: int, work: Work, report: ContactReport) -> Vector:
    """φ at the corners of triangle t."""
    v = base.mesh.triangles
    near = as_index(guess)
    return (
        ask_vertex(base, target, pose, as_index(v[t, 0]), near, work, report),
        ask_vertex(base, target, pose, as_index(v[t, 1]), near, work, report),
        ask_vertex(base, target, pose, as_index(v[t, 2]), near, work, report),
    )


@inline_kernel
def _mean_depth(s: Samples3) -> float:
    return (max(s[0].depth, 0.0) + max(s[1].depth, 0.0) + max(s[2].depth, 0.0)) / 3.0


@kernel
def _append_row(
    base: Side,
    t: int,
    cell: int,
    area: float,
    normal: Vector,
    own_normal: Vector,
    s: Samples3,
    bend: float,
    round_share: float,
    elements: ElementTable,
    cells: Cells,
    report: ContactReport,
) -> None:
    """Write an element to the end of the table: mean depth at the centre of pressure."""
    k = elements.n
    elements.n = k + 1
    if k >= elements.room:
        report.status |= Status.OVERFLOW_ELEMENTS
        report.needed = k + 1
        return
    d0 = max(s[0].depth, 0.0)
    d1 = max(s[1].depth, 0.0)
    d2 = max(s[2].depth, 0.0)
    total = d0 + d1 + d2
    centre = scale(1.0 / 3.0, add(s[0].point, add(s[1].point, s[2].point)))
    energy = 0.0
    if total > 0.0:
        centre = scale(1.0 / total, add(scale(d0, s[0].point), add(scale(d1, s[1].point), scale(d2, s[2].point))))
        turned = (
            d0 * d0 * dot(own_normal, s[0].gradient)
            + d1 * d1 * dot(own_normal, s[1].gradient)
            + d2 * d2 * dot(own_normal, s[2].gradient)
        )
        energy = -3.0 * turned / (total * total)
    deepest = s[0]
    if s[1].depth > deepest.depth:
        deepest = s[1]
    if s[2].depth > deepest.depth:
        deepest = s[2]
    base_point = elements.base_point
    normals = elements.normal
    for a in range(3):
        base_point[k, a] = centre[a]
        normals[k, a] = normal[a]
    elements.area[k] = area
    elements.depth[k] = total / 3.0
    elements.weight[k] = 1.0
    elements.peak[k] = 3.0 * max(deepest.depth, 0.0) / total if total > 0.0 else 1.0
    elements.energy_share[k] = energy
    elements.base_triangle[k] = t
    elements.target_triangle[k] = deepest.triangle
    elements.side[k] = base.is_f
    elements.part[k] = cell
    elements.target_place[k, 0] = deepest.b0
    elements.target_place[k, 1] = deepest.b1
    cells.bend[k] = bend
    cells.roundness[k] = round_share


@inline_kernel
def _towards(x: Triangle, i: int) -> Vector:
    """The sample of a triangle near its corner i: two thirds of the way from the opposite side."""
    a, b, c = x[i], x[(i + 1) % 3], x[(i + 2) % 3]
    return (
        (4.0 * a[0] + (b[0] + c[0])) / 6.0,
        (4.0 * a[1] + (b[1] + c[1])) / 6.0,
        (4.0 * a[2] + (b[2] + c[2])) / 6.0,
    )


@inline_kernel
def _ask_whole(base: Side, target: Side, pose: Pose, t: int, guess: int, work: Work, report: ContactReport) -> Samples3:
    """φ at the three points of a whole triangle."""
    x = corners_of(base, pose, t)
    samples = base.samples
    stamp = base.stamp
    s0 = ask_sample(target, pose, _towards(x, 0), samples, 3 * t, guess, stamp, work, report)
    s1 = ask_sample(target, pose, _towards(x, 1), samples, 3 * t + 1, s0.triangle, stamp, work, report)
    s2 = ask_sample(target, pose, _towards(x, 2), samples, 3 * t + 2, s1.triangle, stamp, work, report)
    return (s0, s1, s2)


@kernel
def _add_whole(
    base: Side,
    target: Side,
    pose: Pose,
    t: int,
    guess: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Element of a whole triangle."""
    s = _ask_whole(base, target, pose, t, guess, work, report)
    base.hit[t] = s[0].triangle
    normal = base_direction(base, pose, t)
    own_normal = to_own_direction(target, pose, normal)
    bend = _bend_of(s, _WHOLE, REFERENCE, _depths_at(base, target, pose, t, s[0].triangle, work, report), cells, 0, 0)
    _append_row(base, t, 0, base.mesh.areas[t], normal, own_normal, s, bend, 1.0, elements, cells, report)


@inline_kernel
def _ask_cut(
    base: Side,
    target: Side,
    pose: Pose,
    plane: Plane,
    region: Region,
    t: int,
    guess: int,
    work: Work,
    report: ContactReport,
) -> Samples3:
    """φ at the three points of a cut triangle, which are remembered by triangle."""
    p = three_points(region)
    samples = base.samples
    first = 3 * t
    stamp = base.stamp
    s0 = ask_sample(target, pose, from_plane(plane, p[0]), samples, first, guess, stamp, work, report)
    s1 = ask_sample(target, pose, from_plane(plane, p[1]), samples, first + 1, s0.triangle, stamp, work, report)
    s2 = ask_sample(target, pose, from_plane(plane, p[2]), samples, first + 2, s1.triangle, stamp, work, report)
    return (s0, s1, s2)


@kernel
def _add_cut(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    t: int,
    state: int,
    guess: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Element of the inside part of a cut triangle."""
    plane = plane_of(base, pose, t)
    base.hit[t] = guess
    n = list_border(base, segments, plane, t, state, cells)
    if n == 0:
        return
    region = region_within(cells.edges, 0, n)
    area = base.mesh.areas[t] * region.area / REFERENCE_AREA
    if not area > 0.0:
        return
    s = _ask_cut(base, target, pose, plane, region, t, guess, work, report)
    base.hit[t] = s[0].triangle
    normal = base_direction(base, pose, t)
    own_normal = to_own_direction(target, pose, normal)
    depths = _depths_at(base, target, pose, t, s[0].triangle, work, report)
    bend = _bend_of(s, region, REFERENCE, depths, cells, 0, n)
    _append_row(base, t, 0, area, normal, own_normal, s, bend, roundness(region), elements, cells, report)


@inline_kernel
def _bisection(area: float, bend: float, round_share: float, limit: Limit) -> float:
    """How far a cell is to be divided, 0 to 1: by what its bend and its scattering may make it miss."""
    share = _smooth_step(area * bend / (1.5 * limit.bend) - 1.0 / 3.0)
    if round_share < _FULLY_ROUND:
        scattered = _smooth_step((_FULLY_ROUND - round_share) / (_FULLY_ROUND - _SCATTERED))
        scattered *= _smooth_step(area * math.sqrt(area) / (1.5 * limit.scatter) - 1.0 / 3.0)
        share += scattered - share * scattered
    return share


@kernel
def _divide(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    t: int,
    state: int,
    share: float,
    limit: Limit,
    keep: bool,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> float:
    """Cells of triangle t with ``share`` of what lies inside: their load, m³.

    ``keep``: they become elements; otherwise this is an estimate.
    """
    plane = plane_of(base, pose, t)
    area_of = base.mesh.areas[t] / REFERENCE_AREA
    normal = base_direction(base, pose, t)
    own_normal = to_own_direction(target, pose, normal)
    edges = cells.edges
    n = -1
    if state >= 0:
        n = list_border(base, segments, plane, t, state, cells)
    i = first_corner(base, t)
    guess = as_index(base.hit[t])
    d = _depths_at(base, target, pose, t, guess, work, report)
    corners = (REFERENCE[i], REFERENCE[(i + 1) % 3], REFERENCE[(i + 2) % 3])
    put_cell(cells, 0, corners, (d[i], d[(i + 1) % 3], d[(i + 2) % 3]), share, 0, 0, n)
    depth = 1
    load = 0.0
    while depth > 0:
        depth -= 1
        corners = corners_of_cell(cells, depth)
        depths = row(cells.at_corners, depth)
        share = cells.share[depth]
        cell = cells.cell[depth]
        first = cells.first_edge[depth]
        count = cells.n_edges[depth]
        divided = 1.0  # the triangle itself, whose share this is
        if cell > 0:
            region = triangle_region(corners) if count < 0 else region_within(edges, first, count)
            area = area_of * region.area
            if not area > 0.0:
                continue
            p = three_points(region)
            s0 = ask_once(target, pose, from_plane(plane, p[0]), guess, work, report)
            s1 = ask_once(target, pose, from_plane(plane, p[1]), s0.triangle, work, report)
            s2 = ask_once(target, pose, from_plane(plane, p[2]), s1.triangle, work, report)
            guess = s0.triangle
            s = (s0, s1, s2)
            divided = 0.0
            if cell < (_LAST_CELL if keep else _LAST_OF_ESTIMATE):
                bend = _bend_of(s, region, corners, depths, cells, first, count)
                divided = _bisection(area, bend, 1.0 if count < 0 else roundness(region), limit)
            rest = (share - share * divided) * area
            load += rest * _mean_depth(s)
            if keep and rest > 0.0:
                _append_row(base, t, cell, rest, normal, own_normal, s, 0.0, 1.0, elements, cells, report)
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


@kernel
def _find_limit(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    first: int,
    tolerance: float,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> Limit:
    """What cells may miss: a share of the load of the elements from row ``first``, scattered ones after division."""
    load = 0.0
    size = 0.0
    only_scattered = Limit(1e300, 1e-300)
    for k in range(first, elements.n):
        area = elements.area[k]
        own = area * elements.depth[k]
        if cells.roundness[k] < _FULLY_ROUND:
            share = _bisection(area, 0.0, cells.roundness[k], only_scattered)
            t = elements.base_triangle[k]
            own *= 1.0 - share
            own += _divide(
                base,
                target,
                pose,
                segments,
                t,
                cells.state[k],
                share,
                only_scattered,
                False,
                elements,
                cells,
                work,
                report,
            )
        load += own
        size += area * math.sqrt(area)
    missed = tolerance * max(load, _SHALLOWEST * size)
    return Limit(missed, 2.0 * missed)


@kernel
def _refine(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    first: int,
    limit: Limit,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Divide the elements from row ``first`` where φ bends or where they are scattered."""
    n = elements.n
    for k in range(first, n):
        if cells.state[k] == NEVER:
            continue
        area = elements.area[k]
        share = _bisection(area, cells.bend[k], cells.roundness[k], limit)
        if share > 0.0:
            elements.area[k] = (1.0 - share) * area
            t = elements.base_triangle[k]
            _divide(base, target, pose, segments, t, cells.state[k], share, limit, True, elements, cells, work, report)
            if report.status & Status.OVERFLOW_ELEMENTS:
                return


@kernel
def _leave_out_empty(first: int, elements: ElementTable) -> None:
    """Take rows without area or depth out of the table."""
    kept = first
    for k in range(first, elements.n):
        if not (elements.area[k] > 0.0 and elements.depth[k] > 0.0):
            continue
        if kept != k:
            for a in range(3):
                elements.base_point[kept, a] = elements.base_point[k, a]
                elements.normal[kept, a] = elements.normal[k, a]
            elements.area[kept] = elements.area[k]
            elements.depth[kept] = elements.depth[k]
            elements.weight[kept] = elements.weight[k]
            elements.peak[kept] = elements.peak[k]
            elements.energy_share[kept] = elements.energy_share[k]
            elements.base_triangle[kept] = elements.base_triangle[k]
            elements.target_triangle[kept] = elements.target_triangle[k]
            elements.side[kept] = elements.side[k]
            elements.part[kept] = elements.part[k]
            elements.target_place[kept, 0] = elements.target_place[k, 0]
            elements.target_place[kept, 1] = elements.target_place[k, 1]
        kept += 1
    elements.n = kept


@kernel
def _search_behind_target(
    base: Side, target: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport
) -> None:
    """Inner triangles where polygons are open: neighbours of active ones with a point behind the target."""
    neighbours = base.mesh.neighbours
    mark = base.mark
    inner = base.inner
    parent = base.inner_parent
    floor = 4 * base.stamp
    for k in range(base.n_cut):
        base.hit[base.cut[k]] = segments.triangles[base.head[base.cut[k]], 1 - base.is_f]
    count = 0
    k = -base.n_cut
    while k < count:
        t = inner[k] if k >= 0 else base.cut[k + base.n_cut]
        for i in range(3):
            s = neighbours[t, i]
            if s < 0 or mark[s] >= floor:
                continue
            found = _ask_whole(base, target, pose, s, base.hit[t], work, report)
            base.hit[s] = found[0].triangle
            behind = found[0].depth > 0.0 or found[1].depth > 0.0 or found[2].depth > 0.0
            if behind:
                mark[s] = floor + INNER_MARK
                inner[count] = s
                parent[count] = t
                count += 1
        k += 1
    base.n_inner = count


@kernel
def list_contained(side: Side) -> None:
    """Add the triangles of components that lie wholly inside the other surface to the inner ones."""
    contained = side.contained
    member = side.mesh.triangle_component
    any_inside = False
    for c in range(side.n_components):
        any_inside = any_inside or contained[c] == 1
    if not any_inside:
        return
    n = side.n_inner
    for t in range(side.n_triangles):
        if contained[member[t]] == 1:
            side.inner[n] = t
            side.inner_parent[n] = t
            n += 1
    side.n_inner = n


@kernel
def generate_distance_elements(
    base: Side,
    target: Side,
    pose: Pose,
    setup: ContactSetup,
    segments: Segments,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Append the elements of the active area of surface ``base`` to the table."""
    first = elements.n
    if base.is_open and base.n_cut > 0:
        _search_behind_target(base, target, pose, segments, work, report)
    list_contained(base)
    cut = base.cut
    inner = base.inner
    parent = base.inner_parent
    column = 1 - base.is_f
    as_whole = setup.element_kind == ElementKind.WHOLE
    for k in range(base.n_cut):
        t = cut[k]
        state = base.cut_state[k]
        start = segments.triangles[base.head[t], column]
        before = elements.n
        if as_whole or state & Cut.OPEN:
            _add_whole(base, target, pose, t, start, elements, cells, work, report)
            state = NEVER
        else:
            _add_cut(base, target, pose, segments, t, state, start, elements, cells, work, report)
        if before < min(elements.n, elements.room):
            cells.state[before] = state
    for k in range(base.n_inner):
        t = inner[k]
        before = elements.n
        _add_whole(base, target, pose, t, base.hit[parent[k]], elements, cells, work, report)
        if before < elements.room:
            cells.state[before] = NEVER if as_whole else WHOLE
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    if not as_whole:
        limit = _find_limit(base, target, pose, segments, first, setup.tolerance, elements, cells, work, report)
        _refine(base, target, pose, segments, first, limit, elements, cells, work, report)
    if not report.status & Status.OVERFLOW_ELEMENTS:
        _leave_out_empty(first, elements)
