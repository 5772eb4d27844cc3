"""Active areas: the part of each surface inside the other (section 3.2, step 2, S0.41–S0.45).

In: intersection segments. Out, for each surface: cut triangles with the state of their corners, and inner
triangles found by a search over the half-edges that starts at the cut ones and ends wherever an intersection
polygon runs, so that patches with several borders need no special care.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.clip import clip_triangle, side_of_end
from polycontact.kernels.inside import corner, winding_number
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    CANDIDATE_SCRATCH,
    CLOSED,
    CROWDED,
    CUT,
    CUT_STATE,
    HEAD,
    INNER,
    INNER_PARENT,
    MARK,
    MAX_SEGMENTS,
    N_CUT,
    N_INNER,
    N_SEGMENTS,
    N_TRIANGLES,
    N_VERTICES,
    NEIGHBOURS,
    NEXT,
    OPEN,
    OPEN_POLYGON,
    OPEN_TRIANGLE,
    ORDER,
    SEGMENT_KINDS,
    SEGMENT_TRIANGLES,
    SORT_SCRATCH,
    STACK,
    STAMP,
    STATUS,
    TRIANGLES,
    UNKNOWN,
    VERTEX_STAMP,
    VERTEX_STATE,
    VERTICES,
    E,
    F,
    X,
    index_table,
    indices,
    key_table,
    stamps,
    vectors,
)
from polycontact.kernels.sorting import DIGITS, sort_many_rows

CUT_MARK = 1
INNER_MARK = 2
OUTSIDE = 1
INSIDE = 2

_CROWD = 12
"""A triangle with more segments than this is much larger than the triangles that cross it (equal sizes give two to
four; a convex corner of a box on a coarse floor up to ten)."""


@kernel
def order_segments(p: Any) -> None:
    """Put the segments into the order of their triangles, so that sums do not depend on how they were found."""
    n = p[N_SEGMENTS]
    triangles = index_table(p, SEGMENT_TRIANGLES, n, 2)
    order = indices(p, ORDER, n)
    keys = key_table(p, CANDIDATE_SCRATCH, n)
    for k in range(n):
        keys[k, 0] = triangles[k, 0] * p[F + N_TRIANGLES] + triangles[k, 1]
        keys[k, 1] = k
    sort_many_rows(keys, key_table(p, SORT_SCRATCH, n), indices(p, STACK, DIGITS), n)
    for k in range(n):
        order[k] = keys[k, 1]


@kernel
def collect_cut_triangles(p: Any, side: int) -> None:
    """List the cut triangles of a surface, each with its segments in order."""
    n = p[N_SEGMENTS]
    column = 0 if side == E else 1
    triangles = index_table(p, SEGMENT_TRIANGLES, n, 2)
    order = indices(p, ORDER, n)
    n_triangles = p[side + N_TRIANGLES]
    mark = stamps(p, side + MARK, n_triangles)
    head = indices(p, side + HEAD, n_triangles)
    cut = indices(p, side + CUT, n_triangles)
    following = indices(p, side + NEXT, p[MAX_SEGMENTS])
    is_cut = 4 * p[STAMP] + CUT_MARK
    count = 0
    for k in range(n - 1, -1, -1):
        segment = order[k]
        t = triangles[segment, column]
        if mark[t] != is_cut:
            mark[t] = is_cut
            head[t] = -1
            cut[count] = t
            count += 1
        following[segment] = head[t]
        head[t] = segment
    p[side + N_CUT] = count


@kernel
def _corner_states(p: Any, side: int, t: int) -> int:
    """Which corners of cut triangle t are inside the other surface, from the crossings of its sides (S0.43)."""
    other = F if side == E else E
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    triangles = index_table(p, SEGMENT_TRIANGLES, p[N_SEGMENTS], 2)
    following = indices(p, side + NEXT, p[MAX_SEGMENTS])
    their_neighbours = index_table(p, other + NEIGHBOURS, p[other + N_TRIANGLES], 3)
    segment = indices(p, side + HEAD, p[side + N_TRIANGLES])[t]
    rises0 = 0
    rises1 = 0
    rises2 = 0
    state = 0
    count = 0
    while segment >= 0:
        count += 1
        for which in range(2):
            i = side_of_end(kinds, segment, side, which == 0)
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
                j = side_of_end(kinds, segment, other, which != 0)
                if their_neighbours[triangles[segment, 1 if side == E else 0], j] < 0:
                    state |= OPEN_TRIANGLE
        segment = following[segment]
    if rises0 + rises1 + rises2 != 0:
        state |= OPEN_TRIANGLE
    if count > _CROWD:
        state |= CROWDED
    if rises0 == 0 and rises1 == 0 and rises2 == 0:
        return state | UNKNOWN
    # Winding numbers of the corners, up to a constant: the lowest of them is outside.
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
def _remember_corners(corners: Any, vertex_state: Any, t: int, state: int, stamp: int) -> None:
    for i in range(3):
        vertex_state[corners[t, i]] = 4 * stamp + (INSIDE if state & (1 << i) else OUTSIDE)


@kernel
def _state_from_neighbours(p: Any, side: int, t: int) -> int:
    """State of the corners of a triangle without net crossings, where the search has met one of them: 7, 0 or -1."""
    corners = index_table(p, side + TRIANGLES, p[side + N_TRIANGLES], 3)
    vertex_state = stamps(p, side + VERTEX_STATE, p[side + N_VERTICES])
    for i in range(3):
        known = vertex_state[corners[t, i]] - 4 * p[STAMP]
        if known == INSIDE:
            return 7
        if known == OUTSIDE:
            return 0
    return -1


@kernel
def _search_inner(p: Any, side: int, t: int, state: int, first: int) -> None:
    """Add the inner triangles reached from cut triangle t; ``first``: where in the list of inner ones to start."""
    n_triangles = p[side + N_TRIANGLES]
    neighbours = index_table(p, side + NEIGHBOURS, n_triangles, 3)
    mark = stamps(p, side + MARK, n_triangles)
    inner = indices(p, side + INNER, n_triangles)
    parent = indices(p, side + INNER_PARENT, n_triangles)
    floor = 4 * p[STAMP]
    count = first
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
    p[side + N_INNER] = count


@kernel
def _remember_inner(p: Any, side: int) -> None:
    """Note that the corners of inner triangles are inside (needed only where a cut triangle is still unknown)."""
    corners = index_table(p, side + TRIANGLES, p[side + N_TRIANGLES], 3)
    vertex_state = stamps(p, side + VERTEX_STATE, p[side + N_VERTICES])
    inner = indices(p, side + INNER, p[side + N_TRIANGLES])
    for k in range(p[side + N_INNER]):
        for i in range(3):
            vertex_state[corners[inner[k], i]] = 4 * p[STAMP] + INSIDE


@kernel
def _ask_winding(p: Any, side: int, t: int) -> int:
    """State of the corners of a triangle that no crossing tells about: 7 or 0.

    Where the other surface is open, the sense in which the loops run decides.
    """
    other = F if side == E else E
    if not p[other + CLOSED]:
        return 7 if clip_triangle(p, side, t, 0)[0] < 0.0 else 0
    v = index_table(p, side + TRIANGLES, p[side + N_TRIANGLES], 3)[t, 0]
    own = vectors(p, side + VERTICES, p[side + N_VERTICES])
    x = vectors(p, side + X, p[side + N_VERTICES])
    fresh = stamps(p, side + VERTEX_STAMP, p[side + N_VERTICES])
    return 7 if winding_number(p, other, corner(p, side, own, x, fresh, v)) > 0 else 0


@kernel
def find_active_area(p: Any, side: int) -> None:
    """Cut and inner triangles of a surface (S0.41–S0.45).

    Where a polygon ends inside this surface (a border of the other one in the contact zone, S0.9) only cut triangles
    are listed here and OPEN is set: which others lie behind the target is then decided one by one, never by an
    unbounded search.
    """
    collect_cut_triangles(p, side)
    n_triangles = p[side + N_TRIANGLES]
    cut = indices(p, side + CUT, n_triangles)
    states = indices(p, side + CUT_STATE, n_triangles)
    corners = index_table(p, side + TRIANGLES, n_triangles, 3)
    vertex_state = stamps(p, side + VERTEX_STATE, p[side + N_VERTICES])
    p[side + OPEN] = 0
    p[side + N_INNER] = 0
    unknown = 0
    for k in range(p[side + N_CUT]):
        state = _corner_states(p, side, cut[k])
        states[k] = state
        if state & OPEN_TRIANGLE:
            p[side + OPEN] = 1
        if state & UNKNOWN:
            unknown += 1
        else:
            _remember_corners(corners, vertex_state, cut[k], state, p[STAMP])
    if p[side + OPEN]:
        p[STATUS] |= OPEN_POLYGON
    else:
        for k in range(p[side + N_CUT]):
            if not states[k] & UNKNOWN:
                _search_inner(p, side, cut[k], states[k], p[side + N_INNER])
    if unknown:
        _settle_unknown(p, side)


@kernel
def _settle_unknown(p: Any, side: int) -> None:
    """Decide the cut triangles whose sides have no net crossing: from their neighbours, else by one line."""
    n_triangles = p[side + N_TRIANGLES]
    cut = indices(p, side + CUT, n_triangles)
    states = indices(p, side + CUT_STATE, n_triangles)
    corners = index_table(p, side + TRIANGLES, n_triangles, 3)
    vertex_state = stamps(p, side + VERTEX_STATE, p[side + N_VERTICES])
    _remember_inner(p, side)
    for k in range(p[side + N_CUT]):
        if not states[k] & UNKNOWN:
            continue
        t = cut[k]
        settled = _state_from_neighbours(p, side, t)
        if settled < 0:
            settled = _ask_winding(p, side, t)
        states[k] = (states[k] & ~UNKNOWN) | settled
        _remember_corners(corners, vertex_state, t, settled, p[STAMP])
        if settled == 7 and not p[side + OPEN]:
            before = p[side + N_INNER]
            _search_inner(p, side, t, states[k], before)
            if p[side + N_INNER] > before:
                _remember_inner(p, side)
