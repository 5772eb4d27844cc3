"""Contact elements: one for each active base triangle or part of one (section 3.2, step 3, eqs 6–11).

In: active areas. Out: the table of elements: point on the base, normal n_k, area, depth, flank weight, triangles.
"""

from __future__ import annotations

from polycontact.kernels.contact.active_area import add_inner, is_passive, neighbour_at
from polycontact.kernels.contact.base_lines import Line, base_direction, base_line, line_in_both_frames
from polycontact.kernels.contact.clipping import Moments, area_and_barycentre, clip_triangle, end_point
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.depth_search import find_hit, lines_meet_once, search_hit
from polycontact.kernels.contact.element_table import ElementTable, new_row
from polycontact.kernels.contact.evaluation_view import (
    ContactSetup,
    Cut,
    DepthKind,
    ElementKind,
    Parts,
    Segments,
    Side,
    Work,
)
from polycontact.kernels.contact.flanks import is_flat, smooth_cosine, weight_at
from polycontact.kernels.contact.last_hits import (
    DEPTH_AT,
    NORMAL_AT,
    PLACE_AT,
    POINT_AT,
    lines_from_e,
    lines_from_f,
)
from polycontact.kernels.contact.penetration import Hit
from polycontact.kernels.contact.triangle_parts import is_single_loop, split_loops
from polycontact.kernels.geometry.vectors import Vector, as_index
from polycontact.kernels.jit import inline_kernel, kernel


@inline_kernel
def _append(
    elements: ElementTable,
    is_f: int,
    t: int,
    part: int,
    area: float,
    depth: float,
    weight: float,
    point: Vector,
    normal: Vector,
    hit: Hit,
    report: ContactReport,
) -> None:
    """Write an element with point and normal in frame E to the end of the table."""
    k = new_row(elements, report)
    if k < 0:
        return
    base_point = elements.base_point
    normals = elements.normal
    for a in range(3):
        base_point[k, a] = point[a]
        normals[k, a] = normal[a]
    elements.area[k] = area
    elements.depth[k] = depth
    elements.weight[k] = weight
    elements.peak[k] = 1.0
    elements.turned[k] = 0.0
    elements.energy_rise[k] = 0.0
    elements.base_triangle[k] = t
    elements.target_triangle[k] = hit.triangle
    elements.side[k] = is_f
    elements.part[k] = part
    place = elements.target_place
    place[k, 0] = hit.b0
    place[k, 1] = hit.b1


@inline_kernel
def add_element(
    base: Side,
    target: Side,
    depth_kind: int,
    t: int,
    part: int,
    area: float,
    line: Line,
    hit: Hit,
    elements: ElementTable,
    report: ContactReport,
) -> None:
    """Append an element if it carries a load: in front of the target's surface, and not on a flank."""
    u = hit.depth
    weight = 1.0
    if depth_kind == DepthKind.BASE_NORMAL:
        weight = weight_at(target.mesh, hit.triangle, hit.b0, hit.b1, line.own_normal)
    else:
        u *= smooth_cosine(target.mesh, hit.triangle, hit.b0, hit.b1, line.own_normal)
    if not (u > 0.0 and weight > 0.0 and area > 0.0):
        return
    _append(elements, base.is_f, t, part, area, u, weight, line.point, line.normal, hit, report)


@inline_kernel
def _add_whole(
    base: Side,
    target: Side,
    pose: Pose,
    depth_kind: int,
    t: int,
    guess: int,
    start: int,
    elements: ElementTable,
    work: Work,
    report: ContactReport,
) -> None:
    """Element of a whole triangle, eqs (6)–(11)."""
    line = base_line(base, pose, t)
    hit = find_hit(target, guess, start, line, pose.pad, work, report)
    found = base.hit
    found[t] = start
    if hit.triangle >= 0:
        found[t] = hit.triangle
        add_element(base, target, depth_kind, t, 0, base.mesh.areas[t], line, hit, elements, report)


@kernel
def _add_part(
    base: Side,
    target: Side,
    pose: Pose,
    depth_kind: int,
    t: int,
    part: int,
    m: Moments,
    start: int,
    state: int,
    elements: ElementTable,
    work: Work,
    report: ContactReport,
) -> None:
    """Element of a connected part of a triangle: area and barycentre m."""
    if not m[0] > 0.0:
        return
    line = line_in_both_frames(base, pose, (m[1], m[2], m[3]), base_direction(base, pose, t))
    hit = find_hit(target, start, start, line, pose.pad, work, report)
    if state & Cut.CROWDED and (hit.triangle < 0 or not is_flat(target.mesh, hit.triangle)):
        report.status |= Status.COARSE_BASE
    if hit.triangle >= 0:
        base.hit[t] = hit.triangle
        add_element(base, target, depth_kind, t, part, m[0], line, hit, elements, report)


@kernel
def _add_clipped(
    base: Side,
    target: Side,
    pose: Pose,
    depth_kind: int,
    segments: Segments,
    t: int,
    state: int,
    start: int,
    parts: Parts,
    elements: ElementTable,
    work: Work,
    report: ContactReport,
) -> None:
    """Elements of the inside part of a cut triangle: one for each connected part."""
    their_edges = target.mesh.triangle_edges
    base.hit[t] = start
    n_parts = 0
    if not is_single_loop(base, their_edges, segments, t):
        n_parts = split_loops(base, their_edges, pose, segments, t, state, parts)
    if n_parts == 0:
        whole = clip_triangle(base, pose, segments, t, state)
        _add_part(base, target, pose, depth_kind, t, 0, whole, start, state, elements, work, report)
        return
    moments = parts.moments
    o = end_point(segments.ends, base.head[t], base.is_f, True)
    for k in range(n_parts):
        m = area_and_barycentre((moments[k, 0], moments[k, 1], moments[k, 2], moments[k, 3]), o)
        _add_part(base, target, pose, depth_kind, t, k, m, start, state, elements, work, report)


@kernel
def _search_behind_target(base: Side, target: Side, pose: Pose, work: Work, report: ContactReport) -> None:
    """Inner triangles where polygons are open: neighbours of active ones whose barycentre lies behind the target."""
    base.n_inner = 0
    place = 0
    while place < 3 * (base.n_cut + base.n_inner):
        t, s = neighbour_at(base, place)
        if is_passive(base, s) and search_hit(target, base_line(base, pose, s), pose.pad, work, report).triangle >= 0:
            add_inner(base, s, t)
        place += 1


@kernel
def _look_again(base: Side, target: Side, pose: Pose, k: int, work: Work) -> int:
    """Which of the inner triangles k to k + 3 meet the target where they did in the evaluation before: bits 0 to 3."""
    inner = base.inner
    found = base.hit
    active = target.mark
    floor = 4 * target.stamp
    own = base.mesh
    other = target.mesh
    t = (inner[k], inner[k + 1], inner[k + 2], inner[k + 3])
    s = (found[t[0]], found[t[1]], found[t[2]], found[t[3]])
    full = other.facet_full
    rotation = pose.rotation
    position = pose.position
    out = work.lines
    if base.is_f:
        bits = lines_from_f(
            own.barycentres, own.normals, t, other.corners, other.normals, s, rotation, position, full, out
        )
    else:
        bits = lines_from_e(
            own.barycentres, own.normals, t, other.corners, other.normals, s, rotation, position, full, out
        )
    if active[s[0]] < floor or active[s[1]] < floor or active[s[2]] < floor or active[s[3]] < floor:
        return 0
    return int(bits)


@inline_kernel
def _add_again(base: Side, t: int, lane: int, elements: ElementTable, work: Work, report: ContactReport) -> None:
    """Element of a whole triangle from what `_look_again` found."""
    area = base.mesh.areas[t]
    if not area > 0.0:
        return
    found = work.lines
    point = (found[POINT_AT, lane], found[POINT_AT + 1, lane], found[POINT_AT + 2, lane])
    normal = (found[NORMAL_AT, lane], found[NORMAL_AT + 1, lane], found[NORMAL_AT + 2, lane])
    u = found[DEPTH_AT, lane]
    hit = Hit(as_index(base.hit[t]), u, found[PLACE_AT, lane], found[PLACE_AT + 1, lane])
    _append(elements, base.is_f, t, 0, area, u, 1.0, point, normal, hit, report)


@kernel
def _add_inner(
    base: Side,
    target: Side,
    pose: Pose,
    depth_kind: int,
    elements: ElementTable,
    work: Work,
    report: ContactReport,
) -> None:
    """Elements of the inner triangles.

    Where the pose is near the last one, so is the hit; else it is near that of the neighbour.
    """
    inner = base.inner
    parent = base.inner_parent
    found = base.hit
    active = target.mark
    floor = 4 * target.stamp
    n = base.n_inner
    near_last = report.tree_searches == 0
    four_at_once = near_last and target.meets_once == 1 and depth_kind == DepthKind.BASE_NORMAL
    again = 0
    for k in range(n):
        lane = k % 4
        if lane == 0:
            again = _look_again(base, target, pose, k, work) if four_at_once and k + 4 <= n else 0
        t = inner[k]
        if (again >> lane) & 1:
            _add_again(base, t, lane, elements, work, report)
            continue
        start = found[parent[k]]
        guess = found[t] if near_last and active[found[t]] >= floor else start
        _add_whole(base, target, pose, depth_kind, t, guess, start, elements, work, report)


@kernel
def generate_elements(
    base: Side,
    target: Side,
    pose: Pose,
    setup: ContactSetup,
    segments: Segments,
    parts: Parts,
    elements: ElementTable,
    work: Work,
    report: ContactReport,
) -> None:
    """Append the elements of the active area of surface ``base`` to the table."""
    cut = base.cut
    states = base.cut_state
    head = base.head
    segment_triangles = segments.triangles
    column = 1 - base.is_f
    whole = setup.element_kind == ElementKind.WHOLE
    depth_kind = setup.depth_kind
    if base.is_open:
        _search_behind_target(base, target, pose, work, report)
    closed = not base.is_open and not target.is_open
    target.meets_once = 1 if closed and lines_meet_once(base, target, pose) else 0
    for k in range(base.n_cut):
        t = cut[k]
        state = states[k]
        start = segment_triangles[head[t], column]
        if whole or state & Cut.OPEN:
            _add_whole(base, target, pose, depth_kind, t, start, start, elements, work, report)
        else:
            _add_clipped(base, target, pose, depth_kind, segments, t, state, start, parts, elements, work, report)
    _add_inner(base, target, pose, depth_kind, elements, work, report)
