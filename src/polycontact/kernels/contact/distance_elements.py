"""Contact elements with a potential: the pressure is c·φ, φ the distance to the target's surface (`depth="distance"`).

The force −c ∫ φ n dA over the base inside the target is the derivative of U = c ∫ φ dV over the overlap, whatever the
shapes. An element is a base triangle or what of it lies inside, and φ is integrated over it as far as it bends:

1. from its values at the vertices, which triangles share, and what is known besides: that it vanishes on the border of
   the contact, and its values at the vertices of the neighbours;
2. from samples at three points that integrate quadratics exactly (`plane_moments`);
3. over cells, halves of halves of the triangle, where no quadratic will do (`distance_cells`).

How far is decided by values of φ alone, which are continuous in the pose, and each stage is blended in, so that the force
is continuous too.
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
    smooth_step,
)
from polycontact.kernels.contact.distance_rows import (
    Part,
    Samples3,
    append_row,
    keep_samples,
    kept_part,
    part_of_samples,
    set_part,
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
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel

_WHOLE_REGION = Region(REFERENCE_AREA, 0.5, REFERENCE[2][1] / 3.0, 1.0 / 24.0, 0.0, 1.0 / 24.0)
"""The reference triangle as a region."""

_SHALLOWEST = 1e-4
"""Depth of a contact in widths of its elements below which bends are no longer looked at: they are bounded by it."""

_TRUSTED = 0.3
_DOUBTFUL = 0.7
"""Between these shares of its depth by which φ bends in an element, samples take the place of values at vertices."""

_LEAST_TURN = 0.3
"""Neighbours whose far vertices tell the three curvatures apart less well than this (4 where all are alike) are not
asked; samples are."""


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
def _turn_of(base: Side, t: int, own_normal: Vector) -> float:
    """Mean of ∇φ·n at the corners of triangle t; ``own_normal`` into the base, target's frame."""
    v = base.mesh.triangles
    g = base.samples.vertex_gradient
    total = add(row(g, v[t, 0]), add(row(g, v[t, 1]), row(g, v[t, 2])))
    return -dot(own_normal, total) / 3.0


# Stage 1: from values at vertices ----------------------------------------------------------------------------


@inline_kernel
def _products(base: Side, t: int, v: int) -> Vector:
    """Products λ1·λ2, λ2·λ0, λ0·λ1 of the barycentric coordinates of vertex v with respect to triangle t, own frame."""
    corners = base.mesh.triangles
    vertices = base.mesh.vertices
    x0 = row(vertices, corners[t, 0])
    e1 = sub(row(vertices, corners[t, 1]), x0)
    e2 = sub(row(vertices, corners[t, 2]), x0)
    p = sub(row(vertices, v), x0)
    a = dot(e1, e1)
    b = dot(e1, e2)
    c = dot(e2, e2)
    p1 = dot(p, e1)
    p2 = dot(p, e2)
    inverse = 1.0 / max(a * c - b * b, 1e-300)
    l1 = (c * p1 - b * p2) * inverse
    l2 = (a * p2 - b * p1) * inverse
    l0 = 1.0 - l1 - l2
    return (l1 * l2, l2 * l0, l0 * l1)


@inline_kernel
def _far_vertex(base: Side, t: int, i: int) -> int:
    """The vertex of the neighbour across side i of triangle t that t does not have; -1 at a border."""
    s = base.mesh.neighbours[t, i]
    if s < 0:
        return -1
    corners = base.mesh.triangles
    own = as_index(corners[t, 0]) + corners[t, 1] + corners[t, 2]
    own -= corners[t, (i + 2) % 3]
    return as_index(corners[s, 0]) + corners[s, 1] + corners[s, 2] - own


@inline_kernel
def _is_smooth(base: Side, t: int) -> bool:
    """Whether the base is smooth at the corners of triangle t and of its neighbours: the same in every pose.

    At a sharp edge values at vertices see nothing of the depth beside it.
    """
    corners = base.mesh.triangles
    sharp = base.mesh.sharp_vertex
    count = sharp[corners[t, 0]] + sharp[corners[t, 1]] + sharp[corners[t, 2]]
    for i in range(3):
        v = _far_vertex(base, t, i)
        count += 1 if v < 0 else sharp[v]
    return bool(count == 0)


@inline_kernel
def _solve(m: Triangle, r: Vector) -> tuple[float, Vector]:
    """Determinant of a 3×3 matrix of rows, and the solution of m·x = r where it is not small."""
    c0 = m[1][1] * m[2][2] - m[1][2] * m[2][1]
    c1 = m[1][2] * m[2][0] - m[1][0] * m[2][2]
    c2 = m[1][0] * m[2][1] - m[1][1] * m[2][0]
    determinant = m[0][0] * c0 + m[0][1] * c1 + m[0][2] * c2
    if abs(determinant) < _LEAST_TURN:
        return determinant, (0.0, 0.0, 0.0)
    inverse = 1.0 / determinant
    d0 = m[0][2] * m[2][1] - m[0][1] * m[2][2]
    d1 = m[0][0] * m[2][2] - m[0][2] * m[2][0]
    d2 = m[0][1] * m[2][0] - m[0][0] * m[2][1]
    e0 = m[0][1] * m[1][2] - m[0][2] * m[1][1]
    e1 = m[0][2] * m[1][0] - m[0][0] * m[1][2]
    e2 = m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return determinant, (
        inverse * (c0 * r[0] + d0 * r[1] + e0 * r[2]),
        inverse * (c1 * r[0] + d1 * r[1] + e1 * r[2]),
        inverse * (c2 * r[0] + d2 * r[1] + e2 * r[2]),
    )


@kernel
def _curve(
    base: Side, target: Side, pose: Pose, t: int, normal: Vector, u: Vector, work: Work, report: ContactReport
) -> tuple[Part, float]:
    """φ over an inner triangle, by the quadratic through its corners and the far vertices of its neighbours.

    Also how far the latter lie off the linear function through the corners, m.
    """
    guess = as_index(base.hit[t])
    v0, v1, v2 = _far_vertex(base, t, 0), _far_vertex(base, t, 1), _far_vertex(base, t, 2)
    curve = (0.0, 0.0, 0.0)
    bend = 1e300
    if v0 >= 0 and v1 >= 0 and v2 >= 0:
        # Side i runs from corner i to i + 1: the far vertex of side 1 lies opposite corner 0.
        p = (_products(base, t, v1), _products(base, t, v2), _products(base, t, v0))
        far = (
            ask_vertex(base, target, pose, v1, guess, work, report),
            ask_vertex(base, target, pose, v2, guess, work, report),
            ask_vertex(base, target, pose, v0, guess, work, report),
        )
        miss = (
            far[0] - _linear_at(base, t, v1, u),
            far[1] - _linear_at(base, t, v2, u),
            far[2] - _linear_at(base, t, v0, u),
        )
        determinant, curve = _solve(p, miss)
        if abs(determinant) >= _LEAST_TURN:
            bend = 0.5 * max(abs(miss[0]), max(abs(miss[1]), abs(miss[2])))
    x = corners_of(base, pose, t)
    total = u[0] + u[1] + u[2]
    mean = total / 3.0 + (curve[0] + curve[1] + curve[2]) / 12.0
    moment: Vector = (0.0, 0.0, 0.0)
    for i in range(3):
        weight = (u[i] + total) / 12.0 + curve[i] / 60.0 + (curve[(i + 1) % 3] + curve[(i + 2) % 3]) / 30.0
        moment = add(moment, scale(weight, x[i]))
    own_normal = to_own_direction(target, pose, normal)
    square = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[0] * u[1] + u[1] * u[2] + u[2] * u[0]) / 6.0
    deepest = max(u[0], max(u[1], u[2]))
    return Part(mean, moment, square * _turn_of(base, t, own_normal), deepest, guess), bend


@inline_kernel
def _linear_at(base: Side, t: int, v: int, u: Vector) -> float:
    """The linear function with values u at the corners of triangle t, at vertex v (own frame)."""
    corners = base.mesh.triangles
    vertices = base.mesh.vertices
    x0 = row(vertices, corners[t, 0])
    e1 = sub(row(vertices, corners[t, 1]), x0)
    e2 = sub(row(vertices, corners[t, 2]), x0)
    p = sub(row(vertices, v), x0)
    a = dot(e1, e1)
    b = dot(e1, e2)
    c = dot(e2, e2)
    p1 = dot(p, e1)
    p2 = dot(p, e2)
    inverse = 1.0 / max(a * c - b * b, 1e-300)
    l1 = (c * p1 - b * p2) * inverse
    l2 = (a * p2 - b * p1) * inverse
    return u[0] + l1 * (u[1] - u[0]) + l2 * (u[2] - u[0])


# Stage 2: from three samples ---------------------------------------------------------------------------------


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
    return Region(r[k, 0], r[k, 1], r[k, 2], r[k, 3], r[k, 4], r[k, 5])


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
def _add_open(
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
    """Element of a whole triangle, whatever of it lies inside."""
    s = _ask_whole(base, target, pose, t, guess, work, report)
    normal = base_direction(base, pose, t)
    part = part_of_samples(s, to_own_direction(target, pose, normal))
    base.hit[t] = s[0].triangle
    append_row(base, t, 0, base.mesh.areas[t], normal, part, NEVER, elements, cells, report)


@kernel
def _take_samples(
    base: Side,
    target: Side,
    pose: Pose,
    k: int,
    elements: ElementTable,
    cells: Cells,
    work: Work,
    report: ContactReport,
) -> None:
    """Samples of the inner element in row k, which are kept beside it."""
    t = elements.base_triangle[k]
    s = _ask_whole(base, target, pose, t, as_index(base.hit[t]), work, report)
    base.hit[t] = s[0].triangle
    normal = row(elements.normal, k)
    keep_samples(cells, k, s, part_of_samples(s, to_own_direction(target, pose, normal)))


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
    """Element of the inside part of a cut triangle, from its vertices."""
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
    sampled = _ask_region(base, target, pose, plane, region, t, work, report)
    base.hit[t] = sampled[0].triangle
    normal = base_direction(base, pose, t)
    part = part_of_samples(sampled, to_own_direction(target, pose, normal))
    append_row(base, t, 0, area, normal, part, state, elements, cells, report)
    keep_samples(cells, k, sampled, part)
    cells.local[k] = 1.0


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
    """Element of an inner triangle, from vertices where the base is smooth and that tells enough, else from samples."""
    base.hit[t] = guess
    normal = base_direction(base, pose, t)
    k = elements.n
    share = 1.0
    if _is_smooth(base, t):
        u = depths_at(base, target, pose, t, guess, work, report)
        part, bend = _curve(base, target, pose, t, normal, u, work, report)
        append_row(base, t, 0, base.mesh.areas[t], normal, part, WHOLE, elements, cells, report)
        if k >= elements.room:
            return
        cells.bend[k] = bend
        if part.depth > 0.0:
            share = smooth_step((bend / part.depth - _TRUSTED) / (_DOUBTFUL - _TRUSTED))
        if share > 0.0:
            _take_samples(base, target, pose, k, elements, cells, work, report)
            set_part(elements, k, share, kept_part(cells, k))
        cells.local[k] = share
        return
    s = _ask_whole(base, target, pose, t, guess, work, report)
    base.hit[t] = s[0].triangle
    part = part_of_samples(s, to_own_direction(target, pose, normal))
    append_row(base, t, 0, base.mesh.areas[t], normal, part, WHOLE, elements, cells, report)
    if k < elements.room:
        keep_samples(cells, k, s, part)
        cells.local[k] = 1.0


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
def _sample_rows(
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
    """Take samples where values at vertices do not suffice, and divide elements where samples do not."""
    for k in range(first, elements.n):
        if cells.state[k] == NEVER:
            continue
        area = elements.area[k]
        is_cut = cells.state[k] >= 0
        region = _region_of(cells, k) if is_cut else _WHOLE_REGION
        local = cells.local[k]
        sampled = 1.0
        if local < 1.0:
            more = smooth_step(area * cells.bend[k] / (1.5 * limit.bend) - 1.0 / 3.0)
            sampled = local + more * (1.0 - local)
            if not sampled > 0.0:
                continue
            if local == 0.0:
                _take_samples(base, target, pose, k, elements, cells, work, report)
            set_part(elements, k, more, kept_part(cells, k))
        t = elements.base_triangle[k]
        plane = plane_of(base, pose, t)
        near = as_index(cells.sampled_near[k])
        u = depths_at(base, target, pose, t, near, work, report)
        values = row(cells.sampled_depth, k)
        edge = as_index(cells.border[k, 0]) if is_cut else 0
        n = as_index(cells.border[k, 1]) if is_cut else -1
        share = sampled * division_of(
            target, pose, plane, values, near, area, region, REFERENCE, u, edge, n, limit, cells, work, report
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
            _add_open(base, target, pose, t, start, elements, cells, work, report)
        else:
            _add_cut(base, target, pose, segments, t, state, start, elements, cells, work, report)
    for k in range(base.n_inner):
        t = base.inner[k]
        start = as_index(base.hit[base.inner_parent[k]])
        if as_whole or not closed:
            _add_open(base, target, pose, t, start, elements, cells, work, report)
        else:
            _add_inner(base, target, pose, t, start, elements, cells, work, report)
    if report.status & Status.OVERFLOW_ELEMENTS:
        return
    if not as_whole:
        limit = _find_limit(base, target, pose, first, setup.tolerance, elements, cells, work, report)
        _sample_rows(base, target, pose, first, limit, elements, cells, work, report)
    if not report.status & Status.OVERFLOW_ELEMENTS:
        _leave_out_empty(first, elements)
