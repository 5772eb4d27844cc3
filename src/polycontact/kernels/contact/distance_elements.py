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
    Plane,
    first_corner,
    from_plane,
    list_border,
    plane_of,
    put_cell,
)
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.distance_samples import Sample, ask_once, ask_sample
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
    region_within,
    roundness,
    three_points,
    triangle_region,
)
from polycontact.kernels.contact.sides import corners_of, to_own_direction
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, dot, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import BEND_TOLERANCE, SCATTER_TOLERANCE

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


class Totals(NamedTuple):
    """Of a base: force over stiffness (m³), and the like from areas alone, which bounds it in size."""

    load: float
    size: float


@inline_kernel
def _smooth_step(x: float) -> float:
    """0 below 0, 1 above 1, smooth between."""
    s = min(max(x, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@inline_kernel
def _bend(a: Sample, b: Sample) -> float:
    """How far φ bends between two points: the lesser miss of the two tangents.

    Gradients jump where the nearest place on the target changes; as a point crosses such a place, the tangent of the
    other one meets it, so the lesser miss is continuous.
    """
    way = sub(b.own, a.own)
    miss_b = a.depth + dot(a.gradient, way) - b.depth
    miss_a = b.depth - dot(b.gradient, way) - a.depth
    return min(abs(miss_a), abs(miss_b))


@inline_kernel
def _bend_of(s: Samples3) -> float:
    return max(_bend(s[0], s[1]), max(_bend(s[1], s[2]), _bend(s[2], s[0])))


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
def _ask_whole(
    base: Side, target: Side, pose: Pose, t: int, guess: int, work: Work, report: ContactReport
) -> Samples3:
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
    _append_row(base, t, 0, base.mesh.areas[t], normal, own_normal, s, _bend_of(s), 1.0, elements, cells, report)


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
    _append_row(base, t, 0, area, normal, own_normal, s, _bend_of(s), roundness(region), elements, cells, report)


@inline_kernel
def _bisection(area: float, bend: float, round_share: float, totals: Totals, bends: bool) -> float:
    """How far a cell is to be divided, 0 to 1: by what its bend and its scattering may be of the whole load."""
    load = max(totals.load, _SHALLOWEST * totals.size)
    share = 0.0
    if bends:
        share = _smooth_step(area * bend / (1.5 * BEND_TOLERANCE * load) - 1.0 / 3.0)
    if round_share < _FULLY_ROUND:
        scattered = _smooth_step((_FULLY_ROUND - round_share) / (_FULLY_ROUND - _SCATTERED))
        if bends:
            scattered *= _smooth_step(area * math.sqrt(area) / (1.5 * SCATTER_TOLERANCE * load) - 1.0 / 3.0)
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
    totals: Totals,
    keep: bool,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> float:
    """Cells of triangle t with ``share`` of what lies inside: their load, m³.

    ``keep``: they become elements, and cells are divided where φ bends too; otherwise only scattered ones are.
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
    put_cell(cells, 0, REFERENCE[i], REFERENCE[(i + 1) % 3], REFERENCE[(i + 2) % 3], share, 0, 0, n)
    depth = 1
    guess = as_index(base.hit[t])
    load = 0.0
    is_root = True
    while depth > 0:
        depth -= 1
        corner = cells.corners
        a: Point = (corner[depth, 0], corner[depth, 1])
        b: Point = (corner[depth, 2], corner[depth, 3])
        c: Point = (corner[depth, 4], corner[depth, 5])
        share = cells.share[depth]
        cell = cells.cell[depth]
        first = cells.first_edge[depth]
        count = cells.n_edges[depth]
        part = share
        if not is_root:
            region = triangle_region(a, b, c) if count < 0 else region_within(edges, first, count)
            area = area_of * region.area
            if not area > 0.0:
                continue
            p = three_points(region)
            s0 = ask_once(target, pose, from_plane(plane, p[0]), guess, work, report)
            s1 = ask_once(target, pose, from_plane(plane, p[1]), s0.triangle, work, report)
            s2 = ask_once(target, pose, from_plane(plane, p[2]), s1.triangle, work, report)
            guess = s0.triangle
            s = (s0, s1, s2)
            bend = _bend_of(s)
            round_share = 1.0 if count < 0 else roundness(region)
            divided = 0.0
            if cell < (_LAST_CELL if keep else _LAST_OF_ESTIMATE):
                divided = _bisection(area, bend, round_share, totals, keep)
            part = share * divided
            rest = (share - part) * area
            load += rest * _mean_depth(s)
            if keep and rest > 0.0:
                _append_row(base, t, cell, rest, normal, own_normal, s, 0.0, 1.0, elements, cells, report)
            report.subdivisions += 1
        is_root = False
        if not part > 0.0:
            continue
        m: Point = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
        left, right, second = -1, -1, 0
        if count >= 0:
            if first + 5 * count + 16 > cells.room:
                continue
            left, right = divide_region(edges, first, count, c, (m[0] - c[0], m[1] - c[1]))
            second = first + count + left
        if left != 0:
            put_cell(cells, depth, b, c, m, part, 2 * cell + 2, first + max(count, 0), left)
            depth += 1
        if right != 0:
            put_cell(cells, depth, c, a, m, part, 2 * cell + 1, second, right)
            depth += 1
    return load


@kernel
def _total(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    first: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> Totals:
    """Load of the elements from row ``first``; of scattered ones after division."""
    load = 0.0
    size = 0.0
    none = Totals(0.0, 0.0)
    n = min(elements.n, elements.room)
    for k in range(first, n):
        area = elements.area[k]
        own = area * elements.depth[k]
        share = 0.0
        if cells.roundness[k] < _FULLY_ROUND:
            share = _bisection(area, 0.0, cells.roundness[k], none, False)
        if share > 0.0:
            t = elements.base_triangle[k]
            state = cells.state[k]
            own *= 1.0 - share
            own += _divide(base, target, pose, segments, t, state, share, none, False, elements, cells, work, report)
        load += own
        size += area * math.sqrt(area)
    return Totals(load, size)


@kernel
def _refine(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    first: int,
    totals: Totals,
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
        share = _bisection(area, cells.bend[k], cells.roundness[k], totals, True)
        if share > 0.0:
            elements.area[k] = (1.0 - share) * area
            t = elements.base_triangle[k]
            _divide(
                base, target, pose, segments, t, cells.state[k], share, totals, True, elements, cells, work, report
            )
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
        totals = _total(base, target, pose, segments, first, elements, cells, work, report)
        _refine(base, target, pose, segments, first, totals, elements, cells, work, report)
    if not report.status & Status.OVERFLOW_ELEMENTS:
        _leave_out_empty(first, elements)
