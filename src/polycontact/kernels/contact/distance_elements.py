"""Contact elements with a potential: the pressure is c·φ, φ the distance to the target's surface (`depth="distance"`).

The force −c ∫ φ n dA over the base inside the target is the derivative of U = c ∫ φ dV over the overlap, whatever the
shapes. An element is a base triangle or what of it lies inside; φ is taken at three points that integrate quadratics
exactly (`plane_moments`). Where that does not suffice, halves of halves of the triangle take its place
(`distance_cells`). How far is decided by values of φ alone, which are continuous in the pose, and each division is
blended in, so that the force is continuous too.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.active_area import INNER_MARK
from polycontact.kernels.contact.base_cells import (
    Plane,
    from_plane,
    list_border,
    plane_of,
)
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.distance_cells import (
    NEVER,
    WHOLE,
    Limit,
    divide_element,
    division_of,
    estimate_scattered,
    is_scattered,
)
from polycontact.kernels.contact.distance_rows import (
    Samples3,
    append_row,
    part_of_samples,
)
from polycontact.kernels.contact.distance_samples import ask_sample, ask_vertex
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Cells, ContactSetup, Cut, ElementKind, Segments, Side, Work
from polycontact.kernels.contact.penetration import as_index
from polycontact.kernels.contact.plane_moments import (
    REFERENCE,
    REFERENCE_AREA,
    Region,
    region_within,
    three_points,
)
from polycontact.kernels.contact.sides import corners_of, to_own_direction
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, row
from polycontact.kernels.jit import inline_kernel, kernel

_WHOLE_REGION = Region(REFERENCE_AREA, 0.5, REFERENCE[2][1] / 3.0, 1.0 / 24.0, 0.0, 1.0 / 24.0, 1.0, 0.0)
"""The reference triangle as a region."""

_LOOKS_AWAY = 0.5
_FAR_SIDE = 0.1
"""Faces whose depth falls at this rate or faster along their outward normal lie on a far side; they are noticed where
they carry this share of the load."""

_SHALLOWEST = 1e-4
"""Depth of a contact in widths of its elements below which bends are no longer looked at: they are bounded by it."""


@inline_kernel
def depths_at(base: Side, target: Side, pose: Pose, t: int, guess: int, work: Work, report: ContactReport) -> Vector:
    """φ at the corners of triangle t, m, negative outside."""
    v = base.mesh.triangles
    near = as_index(guess)
    return (
        ask_vertex(base, target, pose, as_index(v[t, 0]), near, work, report),
        ask_vertex(base, target, pose, as_index(v[t, 1]), near, work, report),
        ask_vertex(base, target, pose, as_index(v[t, 2]), near, work, report),
    )


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
def _ask_three(
    base: Side, target: Side, pose: Pose, x: Triangle, t: int, guess: int, work: Work, report: ContactReport
) -> Samples3:
    """φ at three points of triangle t, which are remembered by triangle."""
    samples = base.samples
    s0 = ask_sample(target, pose, x[0], samples, 3 * t, guess, work, report)
    s1 = ask_sample(target, pose, x[1], samples, 3 * t + 1, s0.triangle, work, report)
    s2 = ask_sample(target, pose, x[2], samples, 3 * t + 2, s1.triangle, work, report)
    return (s0, s1, s2)


@kernel
def _ask_whole(base: Side, target: Side, pose: Pose, t: int, guess: int, work: Work, report: ContactReport) -> Samples3:
    """φ at the three points of a whole triangle."""
    x = corners_of(base, pose, t)
    points = (_towards(x, 0), _towards(x, 1), _towards(x, 2))
    return _ask_three(base, target, pose, points, t, guess, work, report)


@inline_kernel
def _region_of(cells: Cells, k: int) -> Region:
    """Region of the element in row k."""
    r = cells.region
    return Region(r[k, 0], r[k, 1], r[k, 2], r[k, 3], r[k, 4], r[k, 5], r[k, 6], r[k, 7])


@kernel
def _ask_region(
    base: Side, target: Side, pose: Pose, plane: Plane, region: Region, t: int, work: Work, report: ContactReport
) -> Samples3:
    """φ at the three points of the inside part of a cut triangle."""
    p = three_points(region)
    points = (from_plane(plane, p[0]), from_plane(plane, p[1]), from_plane(plane, p[2]))
    return _ask_three(base, target, pose, points, t, as_index(base.hit[t]), work, report)


# The elements ------------------------------------------------------------------------------------------------


@kernel
def _add_whole(
    base: Side,
    target: Side,
    pose: Pose,
    t: int,
    guess: int,
    state: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Element of a whole triangle, whatever of it lies inside."""
    s = _ask_whole(base, target, pose, t, guess, work, report)
    normal = base_direction(base, pose, t)
    part = part_of_samples(s, to_own_direction(target, pose, normal))
    base.hit[t] = s[0].triangle
    append_row(base, t, 0, base.mesh.areas[t], normal, part, s, state, elements, cells, report)


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
    first = cells.n_border
    n = list_border(base, segments, plane, t, state, first, cells)
    if n == 0:
        return
    region = region_within(cells.edges, first, n)
    area = base.mesh.areas[t] * region.area / REFERENCE_AREA
    k = elements.n
    if not area > 0.0 or k >= elements.room:
        elements.n = k + 1 if area > 0.0 else k
        if elements.n > elements.room:
            report.status |= Status.OVERFLOW_ELEMENTS
            report.needed = elements.n
        return
    cells.n_border = first + n
    cells.border[k, 0] = first
    cells.border[k, 1] = n
    r = cells.region
    r[k, 0], r[k, 1], r[k, 2] = region.area, region.x, region.y
    r[k, 3], r[k, 4], r[k, 5] = region.xx, region.xy, region.yy
    r[k, 6], r[k, 7] = region.cosine, region.sine
    sampled = _ask_region(base, target, pose, plane, region, t, work, report)
    base.hit[t] = sampled[0].triangle
    normal = base_direction(base, pose, t)
    part = part_of_samples(sampled, to_own_direction(target, pose, normal))
    append_row(base, t, 0, area, normal, part, sampled, state, elements, cells, report)


@kernel
def _find_limit(
    base: Side,
    target: Side,
    pose: Pose,
    first: int,
    tolerance: float,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> Limit:
    """What cells may miss: a share of the load of the elements from row ``first``, of scattered ones by an estimate."""
    load = 0.0
    size = 0.0
    for k in range(first, elements.n):
        area = elements.area[k]
        if cells.state[k] >= 0 and is_scattered(_region_of(cells, k)):
            load += estimate_scattered(base, target, pose, k, _region_of(cells, k), elements, cells, work, report)
        else:
            load += area * elements.depth[k]
        size += area * math.sqrt(area)
    missed = tolerance * max(load, _SHALLOWEST * size)
    return Limit(missed, 2.0 * missed)


@kernel
def _divide_rows(
    base: Side,
    target: Side,
    pose: Pose,
    first: int,
    limit: Limit,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Divide elements over which three samples do not tell enough of the depth."""
    for k in range(first, elements.n):
        if cells.state[k] == NEVER:
            continue
        area = elements.area[k]
        is_cut = cells.state[k] >= 0
        region = _region_of(cells, k) if is_cut else _WHOLE_REGION
        t = elements.base_triangle[k]
        near = as_index(base.hit[t])
        u = depths_at(base, target, pose, t, near, work, report)
        values = row(cells.sampled, k)
        edge = as_index(cells.border[k, 0]) if is_cut else 0
        n = as_index(cells.border[k, 1]) if is_cut else -1
        share = division_of(
            base, target, pose, t, values, near, area, region, REFERENCE, u, edge, n, limit, cells, work, report
        )
        if share > 0.0:
            elements.area[k] = (1.0 - share) * area
            divide_element(base, target, pose, k, share, u, limit, True, elements, cells, work, report)
            if report.status & Status.OVERFLOW_ELEMENTS:
                return


@kernel
def _search_behind_target(
    base: Side, target: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport
) -> None:
    """Inner triangles where polygons are open: neighbours of active ones with a sample behind the target."""
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
            found = _ask_whole(base, target, pose, s, as_index(base.hit[t]), work, report)
            base.hit[s] = found[0].triangle
            if found[0].depth > 0.0 or found[1].depth > 0.0 or found[2].depth > 0.0:
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
            elements.turned[kept] = elements.turned[k]
            elements.energy_rise[kept] = elements.energy_rise[k]
            elements.base_triangle[kept] = elements.base_triangle[k]
            elements.target_triangle[kept] = elements.target_triangle[k]
            elements.side[kept] = elements.side[k]
            elements.part[kept] = elements.part[k]
            elements.target_place[kept, 0] = elements.target_place[k, 0]
            elements.target_place[kept, 1] = elements.target_place[k, 1]
        kept += 1
    elements.n = kept


@kernel
def _notice_far_sides(first: int, elements: ElementTable, report: ContactReport) -> None:
    """Set the status where faces that look out of the target, away from its nearest surface, carry much of the load."""
    load = 0.0
    behind = 0.0
    for k in range(first, elements.n):
        own = elements.area[k] * elements.depth[k]
        load += own
        if elements.energy_rise[k] < -1.0 - _LOOKS_AWAY:
            behind += own
    if behind > _FAR_SIDE * load:
        report.status |= Status.PRESSED_THROUGH


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
    cells.n_border = 0
    if base.is_open and base.n_cut > 0:
        _search_behind_target(base, target, pose, segments, work, report)
    list_contained(base)
    as_whole = setup.element_kind == ElementKind.WHOLE
    closed = not base.is_open and not target.is_open
    for k in range(base.n_cut):
        t = base.cut[k]
        state = base.cut_state[k]
        start = as_index(segments.triangles[base.head[t], 1 - base.is_f])
        if as_whole or state & Cut.OPEN:
            _add_whole(base, target, pose, t, start, NEVER, elements, cells, work, report)
        else:
            _add_cut(base, target, pose, segments, t, state, start, elements, cells, work, report)
    for k in range(base.n_inner):
        t = base.inner[k]
        start = as_index(base.hit[base.inner_parent[k]])
        state = NEVER if as_whole or not closed else WHOLE
        _add_whole(base, target, pose, t, start, state, elements, cells, work, report)
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    if not as_whole:
        limit = _find_limit(base, target, pose, first, setup.tolerance, elements, cells, work, report)
        _divide_rows(base, target, pose, first, limit, elements, cells, work, report)
    if not report.status & Status.OVERFLOW_ELEMENTS:
        _leave_out_empty(first, elements)
        if not report.status & (Status.E_INSIDE_F | Status.F_INSIDE_E):
            _notice_far_sides(first, elements, report)
