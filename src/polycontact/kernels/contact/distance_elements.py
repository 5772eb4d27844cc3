"""Contact elements with a potential: the pressure is c·φ, φ the distance to the target's surface (decision 0018).

Problem: integrate φ, its centre of pressure and its energy over each base triangle, or what of it lies inside the
target, from as few values of φ as the tolerance allows, so that force and torque change continuously with the pose.
In: active area of the base. Out: a row a triangle, or several: mean depth at the centre of pressure.

The force −c ∫ φ n dA over the base inside the target is the derivative of U = c ∫ φ dV over the overlap, whatever the
shapes. This is a quadrature that is refined where it has to be, as far as the bend of φ (by how much a linear function
misses what is known) tells that too much would be missed:

    (1) one sample at the mean of the region, and the corners of the triangle, which neighbours share  `part_of_centre`
    (2) three samples, which integrate quadratics exactly                                              `plane_moments`
    (3) halves of halves of the triangle, where no quadratic explains what is known                    `distance_cells`
    (4) in contacts of about 10 to 60 elements, those that matter most: cells along the target's       `facet_shares`
        facets, over each of which φ is linear (decision 0026)                                         `facet_cells`

Between these an element is blended: shares from 0 to 1 of each, which depend on areas and values of φ alone. These are
continuous in the pose (gradients of φ are not), so the force is continuous too.

Cut triangles get a row first and their depth later (`_begin_cut`, `_finish_cut`), as the load of all elements must be
known before any of them is refined.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.active_area import add_inner, is_passive, neighbour_at
from polycontact.kernels.contact.base_cells import (
    from_plane,
    list_border,
    plane_of,
)
from polycontact.kernels.contact.base_lines import base_direction
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.distance_cells import (
    WHOLE,
    Limit,
    divide_element,
    division_of,
    estimate_scattered,
    is_scattered,
    share_refined,
)
from polycontact.kernels.contact.distance_rows import (
    NEVER,
    Part,
    Samples3,
    add_part,
    append_row,
    part_of_centre,
    part_of_samples,
    share_of_row,
    write_part,
    write_row,
    write_share,
)
from polycontact.kernels.contact.distance_samples import ask_once, ask_sample, ask_vertex
from polycontact.kernels.contact.element_table import ElementTable, copy_row, new_row
from polycontact.kernels.contact.evaluation_view import (
    Cells,
    ContactSetup,
    Cut,
    ElementKind,
    Segments,
    Side,
    Work,
)
from polycontact.kernels.contact.facet_cells import Border, FacetCells, integrate_along_facets
from polycontact.kernels.contact.facet_shares import (
    Important,
    facet_share_by_element_count,
    find_important,
    share_covered,
    shares_of_small,
    three_point_weight,
)
from polycontact.kernels.contact.plane_moments import (
    REFERENCE,
    REFERENCE_AREA,
    Region,
    largest_on_border,
    linear_between,
    moments_within,
    put_edge,
    roundness,
    three_points,
    turned_region,
    value_at,
)
from polycontact.kernels.contact.sides import corners_of, to_own_direction
from polycontact.kernels.geometry.vectors import Vector, add, as_index, row, scale
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.tolerances import BEND_IN_MEAN_DEPTHS, FACES_AWAY, FAR_SIDE_LOAD, SHALLOW_CONTACT, SLIVER

_WHOLE_REGION = Region(REFERENCE_AREA, 0.5, REFERENCE[2][1] / 3.0, 1.0 / 24.0, 0.0, 1.0 / 24.0, 1.0, 0.0)
"""The reference triangle as a region."""


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
def _region_of(cells: Cells, k: int) -> Region:
    """Region of the element in row k, its three points not turned."""
    r = cells.region
    return Region(r[k, 0], r[k, 1], r[k, 2], r[k, 3], r[k, 4], r[k, 5], 1.0, 0.0)


@kernel
def _ask_three(
    base: Side, target: Side, pose: Pose, region: Region, t: int, guess: int, work: Work, report: ContactReport
) -> Samples3:
    """φ at the three points of a region of triangle t."""
    plane = plane_of(base, pose, t)
    p = three_points(region)
    s0 = ask_once(target, pose, from_plane(plane, p[0]), guess, work, report)
    s1 = ask_once(target, pose, from_plane(plane, p[1]), s0.triangle, work, report)
    s2 = ask_once(target, pose, from_plane(plane, p[2]), s1.triangle, work, report)
    return (s0, s1, s2)


# The elements ------------------------------------------------------------------------------------------------


@apart_kernel
def _add_on_border(
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
    """Element of a whole triangle where a border does not tell what lies inside: samples outside count nothing."""
    s = _ask_three(base, target, pose, _WHOLE_REGION, t, guess, work, report)
    normal = base_direction(base, pose, t)
    part = part_of_samples(s, to_own_direction(target, pose, normal))
    base.hit[t] = s[0].triangle
    append_row(base, t, 0, base.mesh.areas[t], normal, part, 0.0, NEVER, elements, cells, report)


@kernel
def _add_inner(
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
    """Element of a whole triangle inside the target, from one sample and its corners."""
    x = corners_of(base, pose, t)
    middle = scale(1.0 / 3.0, add(x[0], add(x[1], x[2])))
    s = ask_sample(target, pose, middle, base.samples, t, guess, work, report)
    base.hit[t] = s.triangle
    normal = base_direction(base, pose, t)
    u = depths_at(base, target, pose, t, s.triangle, work, report)
    bend = s.depth - (u[0] + u[1] + u[2]) * (1.0 / 3.0)
    part = part_of_centre(x, u, _WHOLE_REGION, s, linear_between(u), bend, to_own_direction(target, pose, normal))
    if elements.n < elements.room:
        cells.middle[elements.n] = s.depth
    append_row(base, t, 0, base.mesh.areas[t], normal, part, abs(bend), WHOLE, elements, cells, report)


@kernel
def _begin_cut(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    t: int,
    state: int,
    elements: ElementTable,
    cells: Cells,
    report: ContactReport,
) -> None:
    """A row for the inside part of a cut triangle, with its border and region; its depth comes later."""
    plane = plane_of(base, pose, t)
    first = cells.n_border
    n = list_border(base, segments, plane, t, state, first, cells)
    if n == 0:
        return
    region = moments_within(cells.edges, first, n)
    if not region.area > SLIVER * REFERENCE_AREA:
        return
    area = base.mesh.areas[t] * region.area / REFERENCE_AREA
    if not area > 0.0:
        return
    k = new_row(elements, report)
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
def _finish_cut(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    k: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Depth of the cut triangle in row k, from one sample and the corners of the triangle."""
    t = as_index(elements.base_triangle[k])
    guess = as_index(segments.triangles[base.head[t], 1 - base.is_f])
    region = _region_of(cells, k)
    point = from_plane(plane_of(base, pose, t), (region.x, region.y))
    normal = base_direction(base, pose, t)
    s = ask_sample(target, pose, point, base.samples, t, guess, work, report)
    u = depths_at(base, target, pose, t, s.triangle, work, report)
    linear = linear_between(u)
    bend = s.depth - value_at(linear, (region.x, region.y))
    part = part_of_centre(corners_of(base, pose, t), u, region, s, linear, bend, to_own_direction(target, pose, normal))
    base.hit[t] = s.triangle
    cells.middle[k] = s.depth
    most = max(abs(bend), largest_on_border(cells.edges, cells.border[k, 0], cells.border[k, 1], linear))
    write_row(base, k, t, 0, elements.area[k], normal, part, most, as_index(cells.state[k]), elements, cells)


@inline_kernel
def _put_whole_border(cells: Cells) -> Border:
    """The border of a whole triangle, behind those of all cut ones; none where there is no room."""
    first = cells.n_border
    if first + 3 > cells.room:
        return Border(first, 0)
    for i in range(3):
        put_edge(cells.edges, first + i, REFERENCE[i], REFERENCE[(i + 1) % 3], 0.0)
    return Border(first, 3)


@kernel
def _divide_along_facets(
    base: Side, target: Side, pose: Pose, segments: Segments, k: int, elements: ElementTable, cells: Cells, work: Work
) -> FacetCells:
    """φ over the element in row k from its cells along facets."""
    t = as_index(elements.base_triangle[k])
    near = as_index(base.hit[t])
    if cells.state[k] >= 0:
        border = Border(as_index(cells.border[k, 0]), as_index(cells.border[k, 1]))
        return integrate_along_facets(
            base, target, pose, t, border, near, segments, as_index(base.head[t]), cells, work
        )
    return integrate_along_facets(
        base, target, pose, t, _put_whole_border(cells), near, segments, as_index(-1), cells, work
    )


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
    """What cells may miss (m³): a share of the load of the elements from row ``first``; of scattered ones an estimate.

    Never less than that of a very shallow contact, whose elements would be divided for nothing.
    """
    load = 0.0
    total = 0.0
    for k in range(first, elements.n):
        area = elements.area[k]
        total += area
        if cells.state[k] >= 0 and is_scattered(_region_of(cells, k)):
            load += estimate_scattered(base, target, pose, k, _region_of(cells, k), elements, cells, work, report)
        else:
            load += area * elements.depth[k]
    if load < SHALLOW_CONTACT * total * math.sqrt(total):
        size = 0.0
        for k in range(first, elements.n):
            size += elements.area[k] * math.sqrt(elements.area[k])
        load = max(load, SHALLOW_CONTACT * size)
    missed = tolerance * load
    return Limit(missed, 2.0 * missed, BEND_IN_MEAN_DEPTHS * missed / total if total > 0.0 else math.inf)


@kernel
def _refine_rows(
    base: Side,
    target: Side,
    pose: Pose,
    segments: Segments,
    first: int,
    facet_share: float,
    limit: Limit,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Give elements, from row ``first`` on, more samples where their depth bends much, or divide them: (2) to (4).

    ``facet_share``: how far, 0 to 1, they are treated as those of a small contact (`facet_share_by_element_count`). The
    shares of an element add up to 1: ``exact`` by cells along facets, ``four`` by one sample and three, ``rest`` by
    three or halves, and what is left by one.
    """
    important = find_important(first, limit.bend, elements, cells) if facet_share > 0.0 else Important(0.0, 0.0)
    for k in range(first, elements.n):
        if cells.state[k] == NEVER:
            continue
        is_cut = cells.state[k] >= 0
        round_share = roundness(_region_of(cells, k)) if is_cut else 1.0
        exact = 0.0
        four = 0.0
        rest = 1.0
        part = share_of_row(elements, k, 0.0)
        if facet_share > 0.0:
            shares = shares_of_small(
                facet_share, round_share, elements.area[k], elements.depth[k], cells.bend[k], important
            )
            four = shares.four
            # (4), as far as the cells that were found cover the element; what they do not cover is left to the rest.
            if shares.facets > 0.0:
                found = _divide_along_facets(base, target, pose, segments, k, elements, cells, work)
                exact = shares.facets * share_covered(found, cells.region[k, 0] if is_cut else REFERENCE_AREA)
                part = add_part(part, found.part, exact)
                report.subdivisions += 1
            rest = shares.rest + shares.facets - exact
        # (2), (3)
        if rest > 0.0:
            rest *= share_refined(elements.area[k], cells.bend[k], round_share, limit)
        if rest + four + exact == 0.0:
            continue
        # What the first sample still counts for.
        part = add_part(share_of_row(elements, k, 1.0 - exact - four - rest), part, 1.0)
        if rest + four > 0.0:
            _refine_row(base, target, pose, k, part, rest, four, limit, elements, cells, work, report)
        else:
            write_part(elements, k, part)
        if report.status & Status.OVERFLOW_ELEMENTS:
            return


@kernel
def _refine_row(
    base: Side,
    target: Side,
    pose: Pose,
    k: int,
    part: Part,
    share: float,
    four: float,
    limit: Limit,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Give shares of the element in row k three samples, and write the row.

    ``share``: by three samples alone, and divided where these do not suffice (3); ``four``: by the first sample and
    three, weighted (`three_point_weight`); ``part``: the sum of what is known of the other shares.
    """
    t = as_index(elements.base_triangle[k])
    near = as_index(base.hit[t])
    is_cut = cells.state[k] >= 0
    edge = as_index(cells.border[k, 0]) if is_cut else 0
    n = as_index(cells.border[k, 1]) if is_cut else -1
    region = turned_region(cells.edges, edge, n, _region_of(cells, k)) if is_cut else _WHOLE_REGION
    s = _ask_three(base, target, pose, region, t, near, work, report)
    divided = 0.0
    if share > 0.0:  # (3)
        values = (s[0].depth, s[1].depth, s[2].depth)
        u = depths_at(base, target, pose, t, near, work, report)
        divided = share * division_of(
            base,
            target,
            pose,
            t,
            values,
            cells.middle[k],
            near,
            elements.area[k],
            region,
            REFERENCE,
            u,
            edge,
            n,
            limit,
            cells,
            work,
            report,
        )
        if divided > 0.0:
            divide_element(base, target, pose, k, divided, u, limit, True, elements, cells, work, report)
    # The row keeps what was not divided.
    found = part_of_samples(s, to_own_direction(target, pose, row(elements.normal, k)))
    three = four * three_point_weight(elements.depth[k], cells.bend[k], found.depth)
    part = add_part(part, share_of_row(elements, k, 1.0), four - three)
    write_share(elements, k, add_part(part, found, share + three - divided), 1.0 - divided)
    report.subdivisions += 1


@apart_kernel
def _search_behind_target(
    base: Side, target: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport
) -> None:
    """Inner triangles where polygons are open: neighbours of active ones with a sample behind the target."""
    for k in range(base.n_cut):
        base.hit[base.cut[k]] = segments.triangles[base.head[base.cut[k]], 1 - base.is_f]
    base.n_inner = 0
    place = 0
    while place < 3 * (base.n_cut + base.n_inner):
        t, s = neighbour_at(base, place)
        if is_passive(base, s):
            found = _ask_three(base, target, pose, _WHOLE_REGION, s, as_index(base.hit[t]), work, report)
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
def _leave_out_empty(first: int, elements: ElementTable) -> None:
    """Take rows without area or depth out of the table."""
    kept = first
    for k in range(first, elements.n):
        if not (elements.area[k] > 0.0 and elements.depth[k] > 0.0):
            continue
        if kept != k:
            copy_row(elements, k, kept)
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
    """Append the elements of the active area of surface ``base`` to the table.

    (a) cut triangles: rows with regions; (b) their depths; (c) inner triangles; (d) refinement; (e) empty rows go, and
    far sides are noticed. Triangles at a border, or all where whole triangles are asked for, get three samples each,
    and those outside count nothing.
    """
    first = elements.n
    cells.n_border = 0
    if base.is_open and base.n_cut > 0:
        _search_behind_target(base, target, pose, segments, work, report)
    list_contained(base)
    as_whole = setup.element_kind == ElementKind.WHOLE
    closed = not base.is_open and not target.is_open
    for k in range(base.n_cut):  # (a)
        t = base.cut[k]
        state = base.cut_state[k]
        start = as_index(segments.triangles[base.head[t], 1 - base.is_f])
        if as_whole or state & Cut.OPEN:
            _add_on_border(base, target, pose, t, start, elements, cells, work, report)
        else:
            _begin_cut(base, target, pose, segments, t, state, elements, cells, report)
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    for k in range(first, elements.n):  # (b)
        if cells.state[k] != NEVER:
            _finish_cut(base, target, pose, segments, k, elements, cells, work, report)
    for k in range(base.n_inner):  # (c)
        t = base.inner[k]
        start = as_index(base.hit[base.inner_parent[k]])
        if as_whole or not closed:
            _add_on_border(base, target, pose, t, start, elements, cells, work, report)
        else:
            _add_inner(base, target, pose, t, start, elements, cells, work, report)
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    if not as_whole:  # (d)
        limit = _find_limit(base, target, pose, first, setup.tolerance, elements, cells, work, report)
        facet_share = facet_share_by_element_count(target, first, elements) if closed else 0.0
        _refine_rows(base, target, pose, segments, first, facet_share, limit, elements, cells, work, report)
    if not report.status & Status.OVERFLOW_ELEMENTS:  # (e)
        _leave_out_empty(first, elements)
        if not report.status & (Status.E_INSIDE_F | Status.F_INSIDE_E):
            _notice_far_sides(first, elements, report)
