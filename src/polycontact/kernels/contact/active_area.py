"""Active areas: the part of each surface inside the other (section 3.2, step 2, S0.41–S0.45).

Problem: intersection segments tell where the border of the contact runs over a surface; which triangles lie inside it?

In: intersection segments. Out, for each surface: cut triangles with the state of their corners, and inner triangles
(wholly inside the other surface).

        +-----+-----+-----+-----+         x  cut triangles: the intersection polygon runs through them
        |  .  | x x | x x |  .  |         #  inner triangles: found by a search over neighbours that starts at sides
        +-----+-----+-----+-----+            of cut triangles with both corners inside, and never passes a cut one
        | x x | # # | # # | x x |         .  never looked at
        +-----+-----+-----+-----+

Nothing here asks where a point lies, if it can be avoided: a segment that ends on a side of its triangle is a crossing
of the polygon and that side, entering or leaving. Segments run with the inside to their left, so crossings are signed,
and their sums along the border of the triangle tell which corners are inside, up to a constant (a winding number):

    (1) some side has more crossings of one sign         -> the corner with the lowest sum is outside: all is known
    (2) every side has as many of each sign, or none     -> UNKNOWN. Corners are all inside or all outside:
        (a) a neighbour knows one of the corners         -> the same
        (b) the other surface is open                    -> the sense in which the loops run in the triangle decides
        (c) else                                         -> the winding number of one corner (`inside`)
    (3) sums do not close, or the polygon ends at the border of the other surface -> OPEN

Where any triangle is OPEN the search for inner triangles is not made: it could run out over the whole surface. Which
triangles lie behind the target is then decided one by one when elements are made (`elements`, `distance_elements`).

States are bits: 1, 2, 4 corners 0 to 2 are inside; 8, 16, 32 sides 0 to 2 are crossed; and `Cut`.
"""

from __future__ import annotations

import numpy as np

from polycontact.kernels.contact.clipping import clip_triangle, side_of_end
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.evaluation_view import Cut, Segments, Side, Work
from polycontact.kernels.contact.inside import winding_number
from polycontact.kernels.contact.sides import vertex_in_e
from polycontact.kernels.geometry.sorting import sort_many_rows
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Ints, Longs

CUT_MARK = 1
INNER_MARK = 2
OUTSIDE = 1
INSIDE = 2

_CROWD = 12
"""A triangle with more segments than this is much larger than the triangles that cross it (equal sizes give two to
four; a convex corner of a box on a coarse floor up to ten)."""


@kernel
def order_segments(n_triangles_f: int, segments: Segments, work: Work) -> None:
    """Put the segments into the order of their triangles, so that sums do not depend on how they were found."""
    n = segments.n
    triangles = segments.triangles
    order = segments.order
    keys = segments.keys
    for k in range(n):
        keys[k, 0] = np.int64(triangles[k, 0]) * n_triangles_f + triangles[k, 1]
        keys[k, 1] = k
    sort_many_rows(keys, segments.key_room, work.digits, n)
    for k in range(n):
        order[k] = keys[k, 1]


@kernel
def collect_cut_triangles(side: Side, segments: Segments) -> None:
    """List the cut triangles of a surface, each with its segments in order: a linked list from ``head``."""
    column = side.is_f
    triangles = segments.triangles
    order = segments.order
    following = segments.following
    mark = side.mark
    head = side.head
    cut = side.cut
    is_cut = 4 * side.stamp + CUT_MARK
    count = 0
    for k in range(segments.n - 1, -1, -1):  # backwards, so that the first segment becomes the head
        segment = order[k]
        t = triangles[segment, column]
        if mark[t] != is_cut:
            mark[t] = is_cut
            head[t] = -1
            cut[count] = t
            count += 1
        following[column, segment] = head[t]
        head[t] = segment
    side.n_cut = count


@kernel
def _corner_states(side: Side, their_neighbours: Ints, segments: Segments, t: int) -> int:
    """State of cut triangle t: which corners are inside the other surface, from the crossings of its sides (S0.43).

    ``their_neighbours``: neighbours of the other surface's triangles. Cases (1) to (3) of the head of this file.
    """
    is_f = side.is_f
    kinds = segments.kinds
    triangles = segments.triangles
    following = segments.following
    segment = side.head[t]
    rises0 = 0
    rises1 = 0
    rises2 = 0
    state = 0
    count = 0
    while segment >= 0:
        count += 1
        # An end on a side of t crosses that side: a start leaves the inside along the border, an end enters it.
        for which in range(2):
            i = side_of_end(kinds, segment, is_f, which == 0)
            rise = -1 if which == 0 else 1
            if i == 0:
                rises0 += rise
                state |= 8
            elif i == 1:
                rises1 += rise
                state |= 16
            elif i == 2:
                rises2 += rise
                state |= 32
            else:
                # An end within t lies on a side of the other triangle: is there a triangle beyond that goes on?
                j = side_of_end(kinds, segment, 1 - is_f, which != 0)
                if their_neighbours[triangles[segment, 1 - is_f], j] < 0:
                    state |= Cut.OPEN
        segment = following[is_f, segment]
    if rises0 + rises1 + rises2 != 0:  # (3)
        state |= Cut.OPEN
    if count > _CROWD:
        state |= Cut.CROWDED
    if rises0 == 0 and rises1 == 0 and rises2 == 0:  # (2)
        return state | Cut.UNKNOWN
    # (1) Winding numbers of the corners, up to a constant (corner 0 has 0): the lowest of them is outside.
    w1 = rises0
    w2 = rises0 + rises1
    lowest = min(0, min(w1, w2))
    if lowest < 0:
        state |= 1
    if w1 > lowest:
        state |= 2
    if w2 > lowest:
        state |= 4
    return state


@inline_kernel
def _remember_corners(corners: Ints, vertex_state: Longs, t: int, state: int, stamp: int) -> None:
    """Note at its vertices what is known of the corners of triangle t."""
    for i in range(3):
        vertex_state[corners[t, i]] = 4 * stamp + (INSIDE if state & (1 << i) else OUTSIDE)


@kernel
def _state_from_neighbours(side: Side, t: int) -> int:
    """State of the corners of a triangle without net crossings from what vertices know: 7 inside, 0 outside, -1 not
    known. Case (a)."""
    corners = side.mesh.triangles
    vertex_state = side.vertex_state
    for i in range(3):
        known = vertex_state[corners[t, i]] - 4 * side.stamp
        if known == INSIDE:
            return 7
        if known == OUTSIDE:
            return 0
    return -1


@kernel
def _search_inner(side: Side, t: int, state: int, first: int) -> None:
    """Add the inner triangles reached from cut triangle t with a state; ``first``: how many were found before.

    Breadth first: from the neighbours across sides of t whose corners are both inside and that no polygon crosses, to
    their neighbours, until only marked triangles are left. Each notes the triangle from which it was reached.
    """
    neighbours = side.mesh.neighbours
    mark = side.mark
    inner = side.inner
    parent = side.inner_parent
    floor = 4 * side.stamp
    count = first
    # From t across sides of which both corners are inside and that no polygon crosses; then from each that was found.
    for i in range(3):
        both = (1 << i) | (1 << ((i + 1) % 3))
        if (state & both) == both and not state & (8 << i):
            s = neighbours[t, i]
            if s >= 0 and mark[s] < floor:
                mark[s] = floor + INNER_MARK
                inner[count] = s
                parent[count] = t
                count += 1
    k = first
    while k < count:
        t = inner[k]
        for i in range(3):
            s = neighbours[t, i]
            if s >= 0 and mark[s] < floor:
                mark[s] = floor + INNER_MARK
                inner[count] = s
                parent[count] = t
                count += 1
        k += 1
    side.n_inner = count


@inline_kernel
def neighbour_at(side: Side, place: int) -> tuple[int, int]:
    """Active triangle t and its neighbour s (-1: none) at a ``place``: three to a triangle, the cut ones first."""
    k = place // 3 - side.n_cut
    t = side.inner[k] if k >= 0 else side.cut[k + side.n_cut]
    return t, side.mesh.neighbours[t, place % 3]


@inline_kernel
def is_passive(side: Side, s: int) -> bool:
    """Whether s is a triangle, and neither a cut nor an inner one."""
    return s >= 0 and side.mark[s] < 4 * side.stamp


@inline_kernel
def add_inner(side: Side, s: int, t: int) -> None:
    """Note triangle s as an inner one, to which the search came from triangle t."""
    side.mark[s] = 4 * side.stamp + INNER_MARK
    side.inner[side.n_inner] = s
    side.inner_parent[side.n_inner] = t
    side.n_inner += 1


@kernel
def _remember_inner(side: Side) -> None:
    """Note that the corners of inner triangles are inside (needed only where a cut triangle is still unknown)."""
    corners = side.mesh.triangles
    vertex_state = side.vertex_state
    inner = side.inner
    inside = 4 * side.stamp + INSIDE
    for k in range(side.n_inner):
        for i in range(3):
            vertex_state[corners[inner[k], i]] = inside


@kernel
def _ask_winding(
    side: Side, other: Side, pose: Pose, segments: Segments, t: int, work: Work, report: ContactReport
) -> int:
    """State of the corners of a triangle that no crossing tells about: 7 inside or 0 outside."""
    if (
        not other.mesh.closed
    ):  # (b) loops that run clockwise, of negative area, are holes: what is around them is inside
        return 7 if clip_triangle(side, pose, segments, t, 0)[0] < 0.0 else 0
    point = vertex_in_e(side, pose, side.mesh.triangles[t, 0])  # (c)
    return 7 if winding_number(other, pose, point, work, report) > 0 else 0


@kernel
def find_active_area(
    side: Side, other: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport
) -> None:
    """Cut and inner triangles of a surface (S0.41–S0.45).

    Where a polygon ends inside this surface (a border of the other one in the contact zone, S0.9) only cut triangles
    are listed here, ``is_open`` is set, and the status tells OPEN_POLYGON: which others lie behind the target is then
    decided one by one, never by an unbounded search.
    """
    collect_cut_triangles(side, segments)
    cut = side.cut
    states = side.cut_state
    corners = side.mesh.triangles
    vertex_state = side.vertex_state
    their_neighbours = other.mesh.neighbours
    side.is_open = 0
    side.n_inner = 0
    unknown = 0
    for k in range(side.n_cut):
        state = _corner_states(side, their_neighbours, segments, cut[k])
        states[k] = state
        if state & Cut.OPEN:
            side.is_open = 1
        if state & Cut.UNKNOWN:
            unknown += 1
        else:
            _remember_corners(corners, vertex_state, cut[k], state, side.stamp)
    if side.is_open:
        report.status |= Status.OPEN_POLYGON
    else:
        # From the triangles that are known; what is unknown is settled after, with what this search has found.
        for k in range(side.n_cut):
            if not states[k] & Cut.UNKNOWN:
                _search_inner(side, cut[k], states[k], side.n_inner)
    if unknown:
        _settle_unknown(side, other, pose, segments, work, report)


@kernel
def _settle_unknown(side: Side, other: Side, pose: Pose, segments: Segments, work: Work, report: ContactReport) -> None:
    """Decide the cut triangles whose sides have no net crossing, case (2), one after the other.

    Each that turns out inside may lead to more inner triangles, and these tell about the next.
    """
    cut = side.cut
    states = side.cut_state
    corners = side.mesh.triangles
    vertex_state = side.vertex_state
    _remember_inner(side)
    for k in range(side.n_cut):
        if not states[k] & Cut.UNKNOWN:
            continue
        t = cut[k]
        settled = _state_from_neighbours(side, t)
        if settled < 0:
            settled = _ask_winding(side, other, pose, segments, t, work, report)
        states[k] = (states[k] & ~Cut.UNKNOWN) | settled
        _remember_corners(corners, vertex_state, t, settled, side.stamp)
        if settled == 7 and not side.is_open:
            before = side.n_inner
            _search_inner(side, t, states[k], before)
            if side.n_inner > before:
                _remember_inner(side)
