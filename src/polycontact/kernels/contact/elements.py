r"""Contact elements: one for each active base triangle or part of one (section 3.2, step 3, eqs 6–11).

Problem: turn the active area of the base into elements, each with a point, a normal, an area and one depth.

In: active areas of both surfaces (`active_area`), intersection segments, the pose. Out: rows appended to the table of
elements, in frame E: point on the base, normal n_k, area (m²), depth (m), flank weight, triangles of base and target.

    target (its inside is below)          a base triangle is
    ~~~~~~~~~~~~~~\                         (1) cut, and clipped:   one element for each connected inside part
     ^  ^  ^  ^    \                        (2) cut, taken whole:   one element; a border of the target ends in it, or
     |  |  |  | u   \                                               the options ask for whole triangles
    -+--+--+--+------X-----+--- base         (3) inner:              one element, its whole area
    inner triangles   cut   outside

The depth u of an element is found along the line through its barycentre (eq. 8). Where the line leaves the target is
looked for in three ways, from the cheapest to the surest; all three give the same bits (decision 0007):

    (a) four lines at once, each against the triangle that it met in the evaluation before (`last_hits`);
    (b) a walk over neighbours, where a line can meet the active target only once;
    (c) the tree.

An element is left out where its line does not leave the target, and where area, depth or weight is not positive.
"""

from __future__ import annotations

from polycontact.kernels.contact.active_area import add_inner, is_passive, neighbour_at
from polycontact.kernels.contact.base_lines import Line, base_direction, base_line, line_in_both_frames
from polycontact.kernels.contact.clipping import Moments, area_and_barycentre, clip_triangle, end_point
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.depth_search import find_hit, lines_meet_once, search_hit
from polycontact.kernels.contact.element_table import Element, append_element
from polycontact.kernels.contact.encounter import Encounter
from polycontact.kernels.contact.evaluation_view import Cut, DepthKind, ElementKind, Parts, Segments
from polycontact.kernels.contact.flanks import is_flat, smooth_cosine, weight_at
from polycontact.kernels.contact.last_hits import (
    DEPTH_AT,
    NORMAL_AT,
    PLACE_AT,
    POINT_AT,
    lines_from_e,
    lines_from_f,
)
from polycontact.kernels.contact.line_slope import put_line_slope
from polycontact.kernels.contact.penetration import Hit
from polycontact.kernels.contact.triangle_parts import is_single_loop, split_loops
from polycontact.kernels.jit import inline_kernel, kernel


@inline_kernel
def add_element(meeting: Encounter, t: int, part: int, area: float, line: Line, hit: Hit) -> None:
    """Append the element of connected part ``part`` (0: the only one) of base triangle t, whose line meets the target.

    ``area`` in m². By the base normal an element on a flank loses weight, with the angle to the target's smooth normal;
    by the target normal it loses depth, by the cosine of that angle, which damping and friction know then, too.
    """
    target = meeting.target.mesh
    u = hit.depth
    weight = 1.0
    cosine = 1.0
    if meeting.depth_kind == DepthKind.BASE_NORMAL:
        weight = weight_at(target, hit.triangle, hit.b0, hit.b1, line.own_normal)
    else:
        cosine = smooth_cosine(target, hit.triangle, hit.b0, hit.b1, line.own_normal)
        u *= cosine
    if not (u > 0.0 and weight > 0.0 and area > 0.0):
        return
    side = meeting.base.is_f
    place = (hit.b0, hit.b1)
    element = Element(side, t, part, hit.triangle, area, u, weight, cosine, line.point, line.normal, place)
    append_element(meeting.elements, element, meeting.report)
    if meeting.report.slope_state == 1:
        put_line_slope(meeting)


# Cases (1) and (2): cut triangles -----------------------------------------------------------------------------


@inline_kernel
def _add_whole(meeting: Encounter, t: int, guess: int, start: int) -> None:
    """Element of a whole triangle, eqs (6)–(11).

    The walk begins at target triangle ``guess``, and where that leads nowhere at ``start``. The triangle that was met,
    or ``start`` where none was, is noted: the neighbours' walks and the next evaluation begin there.
    """
    base = meeting.base
    line = base_line(base, meeting.pose, t)
    hit = find_hit(meeting.target, guess, start, line, meeting.pose.pad, meeting.work, meeting.report)
    base.hit[t] = start
    if hit.triangle >= 0:
        base.hit[t] = hit.triangle
        add_element(meeting, t, 0, base.mesh.areas[t], line, hit)


@kernel
def _add_part(meeting: Encounter, t: int, part: int, m: Moments, start: int, state: int) -> None:
    """Element of a connected part of cut triangle t, with area and barycentre ``m`` (m², frame E).

    ``state``: bits of `Cut`. The status tells COARSE_BASE where many target triangles cross a base triangle and the
    target is curved there: one depth is then too few. A part without area (rounding) gives no element.
    """
    if not m[0] > 0.0:
        return
    base, target = meeting.base, meeting.target
    line = line_in_both_frames(base, meeting.pose, (m[1], m[2], m[3]), base_direction(base, meeting.pose, t))
    hit = find_hit(target, start, start, line, meeting.pose.pad, meeting.work, meeting.report)
    if state & Cut.CROWDED and (hit.triangle < 0 or not is_flat(target.mesh, hit.triangle)):
        meeting.report.status |= Status.COARSE_BASE
    if hit.triangle >= 0:
        base.hit[t] = hit.triangle
        add_element(meeting, t, part, m[0], line, hit)


@kernel
def _add_clipped(meeting: Encounter, segments: Segments, parts: Parts, t: int, state: int, start: int) -> None:
    """Elements of the inside part of cut triangle t: one for each connected part (decision 0006)."""
    base, target = meeting.base, meeting.target
    their_edges = target.mesh.triangle_edges
    base.hit[t] = start
    n_parts = 0
    if not is_single_loop(base, their_edges, segments, t):
        n_parts = split_loops(base, their_edges, meeting.pose, segments, t, state, parts)
    if n_parts == 0:
        # Nearly always: one loop. Also where rounding has spoilt the order of crossings: all parts as one.
        whole = clip_triangle(base, meeting.pose, segments, t, state)
        _add_part(meeting, t, 0, whole, start, state)
        return
    moments = parts.moments
    o = end_point(segments.ends, base.head[t], base.is_f, True)
    for k in range(n_parts):
        m = area_and_barycentre((moments[k, 0], moments[k, 1], moments[k, 2], moments[k, 3]), o)
        _add_part(meeting, t, k, m, start, state)


# Case (3): inner triangles ------------------------------------------------------------------------------------


@kernel
def _search_behind_target(meeting: Encounter) -> None:
    """List the inner triangles where polygons are open: a search over neighbours that is bounded by the target.

    A triangle counts as inner if its line leaves the target, which the tree decides. The search spreads from cut
    triangles and ends where lines miss, so it cannot run out over the whole surface through an open polygon.
    """
    base = meeting.base
    base.n_inner = 0
    place = 0
    while place < 3 * (base.n_cut + base.n_inner):
        t, s = neighbour_at(base, place)
        if is_passive(base, s):
            line = base_line(base, meeting.pose, s)
            hit = search_hit(meeting.target, line, meeting.pose.pad, meeting.work, meeting.report)
            if hit.triangle >= 0:
                add_inner(base, s, t)
        place += 1


@kernel
def _look_again(meeting: Encounter, k: int) -> int:
    """Which of the inner triangles k to k + 3 meet the target where they did in the evaluation before: bits 0 to 3.

    Points, normals, depths and places of these are left in ``work.lines``. None is told where one of the four target
    triangles is no longer active: then its hit would not count.
    """
    base, target = meeting.base, meeting.target
    inner = base.inner
    found = base.hit
    active = target.mark
    floor = 4 * target.stamp
    own = base.mesh
    other = target.mesh
    t = (inner[k], inner[k + 1], inner[k + 2], inner[k + 3])
    s = (found[t[0]], found[t[1]], found[t[2]], found[t[3]])
    full = other.facet_full
    rotation = meeting.pose.rotation
    position = meeting.pose.position
    out = meeting.work.lines
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
def _add_again(meeting: Encounter, t: int, lane: int) -> None:
    """Element of whole triangle t from what `_look_again` found in lane 0 to 3: it has full weight."""
    base = meeting.base
    area = base.mesh.areas[t]
    if not area > 0.0:
        return
    found = meeting.work.lines
    point = (found[POINT_AT, lane], found[POINT_AT + 1, lane], found[POINT_AT + 2, lane])
    normal = (found[NORMAL_AT, lane], found[NORMAL_AT + 1, lane], found[NORMAL_AT + 2, lane])
    place = (found[PLACE_AT, lane], found[PLACE_AT + 1, lane])
    element = Element(base.is_f, t, 0, base.hit[t], area, found[DEPTH_AT, lane], 1.0, 1.0, point, normal, place)
    append_element(meeting.elements, element, meeting.report)
    if meeting.report.slope_state == 1:
        put_line_slope(meeting)


@kernel
def _add_inner(meeting: Encounter) -> None:
    """Elements of the inner triangles, by the ways (a), (b) and (c) of the head of this file.

    A walk begins at the last hit of the same triangle where candidates were kept, so that the pose is near the last
    one; otherwise at the hit of the neighbour from which the search for inner triangles came.
    """
    base, target = meeting.base, meeting.target
    inner = base.inner
    parent = base.inner_parent
    found = base.hit
    active = target.mark
    floor = 4 * target.stamp
    n = base.n_inner
    near_last = meeting.report.tree_searches == 0
    four_at_once = near_last and target.meets_once == 1 and meeting.depth_kind == DepthKind.BASE_NORMAL
    again = 0
    for k in range(n):
        lane = k % 4
        if lane == 0:
            again = _look_again(meeting, k) if four_at_once and k + 4 <= n else 0
        t = inner[k]
        if (again >> lane) & 1:  # (a)
            _add_again(meeting, t, lane)
            continue
        start = found[parent[k]]
        guess = found[t] if near_last and active[found[t]] >= floor else start
        _add_whole(meeting, t, guess, start)  # (b), else (c)


@kernel
def generate_elements(meeting: Encounter, element_kind: int, segments: Segments, parts: Parts) -> None:
    """Append the elements of the active area of the base to the table; ``element_kind``: an `ElementKind`.

    Before: `find_active_area` of both surfaces. Cut triangles come first, so that each inner one has a neighbour whose
    hit is known.
    """
    base, target = meeting.base, meeting.target
    cut = base.cut
    states = base.cut_state
    head = base.head
    segment_triangles = segments.triangles
    column = 1 - base.is_f
    whole = element_kind == ElementKind.WHOLE
    if base.is_open:
        _search_behind_target(meeting)
    closed = not base.is_open and not target.is_open
    target.meets_once = 1 if closed and lines_meet_once(base, target, meeting.pose) else 0
    for k in range(base.n_cut):
        t = cut[k]
        state = states[k]
        start = segment_triangles[head[t], column]
        if whole or state & Cut.OPEN:  # (2)
            _add_whole(meeting, t, start, start)
        else:  # (1)
            _add_clipped(meeting, segments, parts, t, state, start)
    _add_inner(meeting)  # (3)
