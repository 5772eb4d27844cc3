"""Contact elements with a potential: the pressure is c·φ, φ the distance to the target (decisions 0018, 0030).

Problem: integrate φ, its centre of pressure and its energy over each base triangle, or what of it lies inside the
target, to a tolerance of the whole force, so that force and torque change continuously with the pose.
In: active area of the base. Out: a row a triangle, or several: mean depth at the centre of pressure.

The force −c ∫ φ n dA over the base inside the target is the derivative of U = c ∫ φ dV over the overlap, whatever the
shapes. Below one facet of the target φ is linear, so that its integral over what lies below that facet is exact. That
costs several samples, and where the elements are fine, one is enough:

    (1) every element has one sample at its mean, and the corners of its triangle, which neighbours share: what these
        tell of its bend tells what the sample may miss                                            `part_of_centre`
    (2) elements that may miss much, all together more than the tolerance, are integrated along the target's facets;
        so are those that carry a large part of the contact, and those whose mean may lie beside
        them, as their region is bent or in pieces                                                  `error_budget`
                                                                                                    `facet_cells`
    (3) elements that carry much of the contact, that are scattered, or that facets do not cover, are divided
                                                                                                    `distance_cells`

Between these an element is blended: shares from 0 to 1 of each, which depend on areas and values of φ alone. These are
continuous in the pose (gradients of φ are not), so the force is continuous too.

Cut triangles get a row first and their depth later (`_begin_cut`, `_finish_cut`), as the region of all elements must be
known before any of them is divided.
"""

from __future__ import annotations

from polycontact.kernels.contact.active_area import add_inner, is_passive, neighbour_at
from polycontact.kernels.contact.base_cells import from_plane, list_border, plane_of
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_report import OVERFLOW, ContactReport, Status
from polycontact.kernels.contact.distance_cells import (
    ask_three,
    depth_of_strip,
    divide_element,
    in_e,
    put_border,
    share_divided,
    share_scattered,
)
from polycontact.kernels.contact.distance_rows import (
    SETTLED,
    WHOLE,
    add_part,
    append_row,
    part_of_centre,
    part_of_samples,
    share_of_row,
    write_row,
    write_share,
)
from polycontact.kernels.contact.distance_samples import ask_sample, ask_vertex
from polycontact.kernels.contact.element_table import ElementTable, copy_row, new_row
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.error_budget import Budget, find_budget, missed_by_sample, share_exact, with_known_load
from polycontact.kernels.contact.evaluation_view import Cells, ContactSetup, Cut, ElementKind, Segments, Side
from polycontact.kernels.contact.facet_cells import Border, integrate_along_facets, share_covered
from polycontact.kernels.contact.facet_sums import FacetCells
from polycontact.kernels.contact.gradient_sums import add_samples, blend_gradients, copy_gradients, put_gradient
from polycontact.kernels.contact.plane_moments import (
    REFERENCE,
    REFERENCE_AREA,
    Region,
    largest_on_border,
    linear_between,
    moments_within,
    three_points,
    value_at,
)
from polycontact.kernels.contact.sides import corners_of, from_own_direction, to_own_direction
from polycontact.kernels.geometry.vectors import Vector, add, as_index, scale
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.tolerances import COARSE_ELEMENT, FACES_AWAY, FAR_SIDE_LOAD, LEAST_OF_SAMPLE, SLIVER

_WHOLE_REGION = Region(REFERENCE_AREA, 0.5, REFERENCE[2][1] / 3.0, 1.0 / 24.0, 0.0, 1.0 / 24.0, 1.0, 0.0)
"""The reference triangle as a region."""


@inline_kernel
def depths_at(meeting: Encounter, t: int, guess: int) -> Vector:
    """φ at the corners of triangle t, m, negative outside."""
    v = meeting.base.mesh.triangles
    near = as_index(guess)
    return (
        ask_vertex(meeting, as_index(v[t, 0]), near),
        ask_vertex(meeting, as_index(v[t, 1]), near),
        ask_vertex(meeting, as_index(v[t, 2]), near),
    )


@inline_kernel
def _region_of(cells: Cells, k: int) -> Region:
    """Region of the element in row k, its three points not turned."""
    r = cells.region
    return Region(r[k, 0], r[k, 1], r[k, 2], r[k, 3], r[k, 4], r[k, 5], 1.0, 0.0)


# The elements ------------------------------------------------------------------------------------------------


@apart_kernel
def _add_on_border(meeting: Encounter, t: int, guess: int) -> None:
    """Element of a whole triangle where a border does not tell what lies inside: samples outside count nothing."""
    base, pose = meeting.base, meeting.pose
    s = ask_three(meeting, plane_of(base, pose, t), _WHOLE_REGION, guess)
    normal = base_direction(base, pose, t)
    part = part_of_samples(s, to_own_direction(meeting.target, pose, normal))
    base.hit[t] = s[0].triangle
    k = append_row(meeting, t, 0, base.mesh.areas[t], normal, part)
    if k >= 0 and meeting.report.slope_state == 1:
        meeting.cells.found[:] = 0.0
        add_samples(meeting.cells, three_points(_WHOLE_REGION), in_e(meeting, s), 1.0)
        blend_gradients(meeting.cells, k, 0.0, 1.0)


@inline_kernel
def _note_missed(meeting: Encounter, k: int, bend: float) -> None:
    """Note what the element in row k, which has one sample, may miss, and what it carries at least.

    An element that is coarser than the facets of the target may bend where no sample tells it: it misses what it
    carries. Its load is at least what it does not miss, and that of a cone over its sample.
    """
    cells, elements, target = meeting.cells, meeting.elements, meeting.target
    area, depth = elements.area[k], elements.depth[k]
    missed = missed_by_sample(area, depth, bend)
    coarse = area / (COARSE_ELEMENT * 0.5 * target.mesh.mean_edge * target.mesh.mean_edge) - 1.0
    if coarse > 0.0:
        missed += min(coarse, 1.0) * area * depth
    cells.missed[k] = missed
    cells.load[k] = max(area * depth - missed, LEAST_OF_SAMPLE * area * depth)


@kernel
def add_whole(meeting: Encounter, t: int, guess: int) -> None:
    """Element of a whole triangle inside the target, from one sample and its corners."""
    base, pose = meeting.base, meeting.pose
    x = corners_of(base, pose, t)
    middle = scale(1.0 / 3.0, add(x[0], add(x[1], x[2])))
    s = ask_sample(meeting, middle, t, guess)
    base.hit[t] = s.triangle
    normal = base_direction(base, pose, t)
    u = depths_at(meeting, t, s.triangle)
    bend = s.depth - (u[0] + u[1] + u[2]) * (1.0 / 3.0)
    own_normal = to_own_direction(meeting.target, pose, normal)
    part = part_of_centre(x, u, _WHOLE_REGION, s, linear_between(u), bend, own_normal)
    k = append_row(meeting, t, 0, base.mesh.areas[t], normal, part)
    if k >= 0:
        meeting.cells.state[k] = WHOLE
        _note_missed(meeting, k, abs(bend))
        if meeting.report.slope_state == 1:
            put_gradient(meeting.cells, k, _WHOLE_REGION, from_own_direction(meeting.target, pose, s.gradient))


@kernel
def _begin_cut(meeting: Encounter, segments: Segments, t: int, state: int) -> None:
    """A row for the inside part of a cut triangle, with its border and region; its depth comes later."""
    base, elements, cells = meeting.base, meeting.elements, meeting.cells
    first = cells.n_border
    n = list_border(base, segments, plane_of(base, meeting.pose, t), t, state, first, cells)
    if n == 0:
        return
    region = moments_within(cells.edges, first, n)
    if not region.area > SLIVER * REFERENCE_AREA:
        return
    area = base.mesh.areas[t] * region.area / REFERENCE_AREA
    if not area > 0.0:
        return
    k = new_row(elements, meeting.report)
    if k < 0:
        return
    cells.n_border = first + n
    cells.border[k, 0] = first
    cells.border[k, 1] = n
    r = cells.region
    r[k, 0], r[k, 1], r[k, 2] = region.area, region.x, region.y
    r[k, 3], r[k, 4], r[k, 5] = region.xx, region.xy, region.yy
    cells.state[k] = state
    elements.area[k] = area
    elements.base_triangle[k] = t


@kernel
def _finish_cut(meeting: Encounter, segments: Segments, k: int) -> None:
    """Depth of the cut triangle in row k, from one sample and the corners of the triangle."""
    base, target, pose, cells = meeting.base, meeting.target, meeting.pose, meeting.cells
    state = as_index(cells.state[k])
    area = meeting.elements.area[k]
    t = as_index(meeting.elements.base_triangle[k])
    guess = as_index(segments.triangles[base.head[t], 1 - base.is_f])
    region = _region_of(cells, k)
    point = from_plane(plane_of(base, pose, t), (region.x, region.y))
    normal = base_direction(base, pose, t)
    s = ask_sample(meeting, point, t, guess)
    u = depths_at(meeting, t, s.triangle)
    linear = linear_between(u)
    bend = s.depth - value_at(linear, (region.x, region.y))
    own_normal = to_own_direction(target, pose, normal)
    part = part_of_centre(corners_of(base, pose, t), u, region, s, linear, bend, own_normal)
    base.hit[t] = s.triangle
    most = max(abs(bend), largest_on_border(cells.edges, cells.border[k, 0], cells.border[k, 1], linear))
    write_row(meeting, k, t, 0, area, normal, part)
    cells.state[k] = state
    _note_missed(meeting, k, most)
    if meeting.report.slope_state == 1:
        put_gradient(cells, k, region, from_own_direction(target, pose, s.gradient))
    scattered = share_scattered(region)
    if scattered > 0.0:
        _settle_scattered(meeting, k, scattered, region.area)


@kernel
def _divide_along_facets(meeting: Encounter, k: int) -> FacetCells:
    """φ over the element in row k from its cells along facets."""
    cells = meeting.cells
    t = as_index(meeting.elements.base_triangle[k])
    near = as_index(meeting.base.hit[t])
    if cells.state[k] >= 0:
        border = Border(as_index(cells.border[k, 0]), as_index(cells.border[k, 1]))
        return integrate_along_facets(meeting, t, border, near)
    return integrate_along_facets(meeting, t, put_border(cells, REFERENCE, cells.n_border, -1), near)


@apart_kernel
def _settle_scattered(meeting: Encounter, k: int, scattered: float, region_area: float) -> None:
    """Give the element in row k, whose region is scattered, its cells along facets, before anything is decided by what
    it carries: its mean, where the sample is, may lie elsewhere.

    As far as facets do not cover it, it is taken to be a strip along its border, and to miss all that it carries.
    """
    elements, cells = meeting.elements, meeting.cells
    found = _divide_along_facets(meeting, k)
    covered = scattered * share_covered(found, region_area)
    part = add_part(share_of_row(elements, k, 1.0 - scattered), found.part, covered)
    sampled = 1.0 - scattered
    uncovered = scattered - covered
    area = elements.area[k]
    load = sampled * cells.load[k] + covered * area * found.part.depth
    missed = sampled * cells.missed[k]
    if uncovered > 0.0:
        plane = plane_of(meeting.base, meeting.pose, as_index(elements.base_triangle[k]))
        border = Border(as_index(cells.border[k, 0]), as_index(cells.border[k, 1]))
        strip = area * depth_of_strip(cells, plane, border, area)
        part = add_part(part, share_of_row(elements, k, 1.0), uncovered)
        load += uncovered * strip
        missed += uncovered * (strip + area * elements.depth[k])
    write_share(elements, k, part, 1.0)
    if meeting.report.slope_state == 1:
        blend_gradients(cells, k, 1.0 - covered, covered)
    cells.load[k] = load
    cells.missed[k] = missed


@kernel
def _integrate_rows(meeting: Encounter, first: int, budget: Budget) -> None:
    """Integrate the elements from row ``first`` on that may miss much along facets: (2).

    What facets do not cover of an element is noted, as a share of it, and left out of its row.
    """
    elements, cells = meeting.elements, meeting.cells
    for k in range(first, elements.n):
        cells.uncovered[k] = 0.0
        if cells.state[k] == SETTLED:
            continue
        exact = share_exact(cells.load[k], cells.missed[k], budget)
        if not exact > 0.0:
            continue
        region_area = cells.region[k, 0] if cells.state[k] >= 0 else REFERENCE_AREA
        found = _divide_along_facets(meeting, k)
        covered = exact * share_covered(found, region_area)
        part = add_part(share_of_row(elements, k, 1.0 - exact), found.part, covered)
        cells.load[k] += covered * (elements.area[k] * found.part.depth - cells.load[k])
        cells.missed[k] *= 1.0 - exact
        cells.uncovered[k] = exact - covered
        write_share(elements, k, part, 1.0 - cells.uncovered[k])
        if meeting.report.slope_state == 1 and cells.uncovered[k] < 1.0:
            inverse = 1.0 / (1.0 - cells.uncovered[k])
            blend_gradients(cells, k, inverse * (1.0 - exact), inverse * covered)


@kernel
def _divide_rows(meeting: Encounter, first: int, budget: Budget) -> None:
    """Divide elements from row ``first`` on: (3)."""
    elements, cells, report = meeting.elements, meeting.cells, meeting.report
    for k in range(first, elements.n):
        if cells.state[k] == SETTLED:
            continue
        scattered = share_scattered(_region_of(cells, k)) if cells.state[k] >= 0 else 0.0
        divided = share_divided(cells.load[k], scattered, budget)
        report.missed += (1.0 - divided) * cells.missed[k]
        uncovered = cells.uncovered[k]
        if divided + uncovered == 0.0:
            continue
        t = as_index(elements.base_triangle[k])
        u = depths_at(meeting, t, as_index(meeting.base.hit[t]))
        divide_element(meeting, k, uncovered + (1.0 - uncovered) * divided, u, budget)
        if report.status & Status.OVERFLOW_ELEMENTS:
            return
        elements.area[k] *= 1.0 - divided


@apart_kernel
def _search_behind_target(meeting: Encounter, segments: Segments) -> None:
    """Inner triangles where polygons are open: neighbours of active ones with a sample behind the target."""
    base = meeting.base
    for k in range(base.n_cut):
        base.hit[base.cut[k]] = segments.triangles[base.head[base.cut[k]], 1 - base.is_f]
    base.n_inner = 0
    place = 0
    while place < 3 * (base.n_cut + base.n_inner):
        t, s = neighbour_at(base, place)
        if is_passive(base, s):
            found = ask_three(meeting, plane_of(base, meeting.pose, s), _WHOLE_REGION, as_index(base.hit[t]))
            base.hit[s] = found[0].triangle
            if found[0].depth > 0.0 or found[1].depth > 0.0 or found[2].depth > 0.0:
                add_inner(base, s, t)
        place += 1


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
def settle_elements(meeting: Encounter, tolerance: float, first: int) -> None:
    """Integrate the elements from row ``first`` on to a tolerance, (2) and (3), and leave out those without depth."""
    elements, report = meeting.elements, meeting.report
    meeting.target.cells.wanted = 1 if report.slope_state == 1 else 0
    budget = find_budget(first, tolerance, elements, meeting.cells)
    _integrate_rows(meeting, first, budget)
    _divide_rows(meeting, first, with_known_load(budget, first, elements, meeting.cells))
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    kept = first
    for k in range(first, elements.n):
        if not (elements.area[k] > 0.0 and elements.depth[k] > 0.0):
            continue
        report.load += elements.area[k] * elements.depth[k]
        if kept != k:
            copy_row(elements, k, kept)
            if report.slope_state == 1:
                copy_gradients(meeting.cells, k, kept)
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
        if elements.energy_rise[k] < -1.0 - FACES_AWAY:
            behind += own
    if behind > FAR_SIDE_LOAD * load:
        report.status |= Status.PRESSED_THROUGH


@kernel
def generate_distance_elements(meeting: Encounter, setup: ContactSetup, segments: Segments) -> None:
    """Append the elements of the active area of the base to the table.

    (a) cut triangles: rows with regions; (b) their depths; (c) inner triangles; (d) all of them to the tolerance;
    (e) far sides are noticed. Triangles at a border, or all where whole triangles are asked for, get three samples
    each, and those outside count nothing.
    """
    base, elements, cells, report = meeting.base, meeting.elements, meeting.cells, meeting.report
    first = elements.n
    cells.n_border = 0
    meeting.target.cells.wanted = 1 if report.slope_state == 1 else 0
    if base.is_open and base.n_cut > 0:
        _search_behind_target(meeting, segments)
    list_contained(base)
    as_whole = setup.element_kind == ElementKind.WHOLE
    closed = not base.is_open and not meeting.target.is_open
    for k in range(base.n_cut):  # (a)
        t = base.cut[k]
        state = base.cut_state[k]
        start = as_index(segments.triangles[base.head[t], 1 - base.is_f])
        if as_whole or state & Cut.OPEN:
            _add_on_border(meeting, t, start)
        else:
            _begin_cut(meeting, segments, t, state)
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    for k in range(first, elements.n):  # (b)
        if cells.state[k] != SETTLED:
            _finish_cut(meeting, segments, k)
    for k in range(base.n_inner):  # (c)
        t = base.inner[k]
        start = as_index(base.hit[base.inner_parent[k]])
        if as_whole or not closed:
            _add_on_border(meeting, t, start)
        else:
            add_whole(meeting, t, start)
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    settle_elements(meeting, setup.tolerance, first)  # (d)
    if not report.status & (OVERFLOW | Status.E_INSIDE_F | Status.F_INSIDE_E):  # (e)
        _notice_far_sides(first, elements, report)
