"""Cut triangles whose inside part has several loops: one contact element for each connected part.

A coarse base triangle may carry several patches (the four legs of a table on one triangle of the floor). The
segments are joined to chains at the edges of the target that they share, the chains to loops along the inside
stretches of the triangle's sides; loops that run clockwise are holes and belong to the part around them.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.clip import add_stretch, corners_of, end_point, normal_of, side_of_end
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    CANDIDATE_SCRATCH,
    CUT,
    CUT_STATE,
    HEAD,
    LOOP,
    LOOP_IDS,
    MAX_SEGMENTS,
    N_CUT,
    N_SEGMENTS,
    N_TRIANGLES,
    NEXT,
    SEGMENT_ENDS,
    SEGMENT_KINDS,
    SEGMENT_TRIANGLES,
    SORT_SCRATCH,
    TRIANGLE_EDGES,
    E,
    F,
    index_table,
    indices,
    key_table,
    table,
)
from polycontact.kernels.sorting import sort_rows
from polycontact.kernels.vectors import Vector, dot, sub

LOOP_COLUMNS = 10  # moments (4), box (6)
_FAST = 16
_PARENT = 0
_SEGMENT = 1


@inline_kernel
def node_key(p: Any, side: int, segment: int, start: bool) -> int:
    """The edge of the other surface at which a segment starts or ends inside a triangle of ``side``."""
    other = F if side == E else E
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    triangles = index_table(p, SEGMENT_TRIANGLES, p[N_SEGMENTS], 2)
    edges = index_table(p, other + TRIANGLE_EDGES, p[other + N_TRIANGLES], 3)
    j = side_of_end(kinds, segment, other, not start)
    return int(edges[triangles[segment, 1 if side == E else 0], j])


@kernel
def is_single_loop(p: Any, side: int, t: int) -> bool:
    """Whether the segments of a cut triangle form one chain or one closed loop (nearly always)."""
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    following = indices(p, side + NEXT, p[MAX_SEGMENTS])
    head = indices(p, side + HEAD, p[side + N_TRIANGLES])[t]
    count = 0
    chains = 0
    first = head
    segment = head
    while segment >= 0:
        count += 1
        if side_of_end(kinds, segment, side, True) >= 0:
            chains += 1
            first = segment
        segment = following[segment]
    if count == 1:
        return True
    if chains > 1 or count > _FAST:
        return False
    reached = 1
    current = first
    while side_of_end(kinds, current, side, False) < 0 and reached < count:
        key = node_key(p, side, current, False)
        segment = head
        while segment >= 0:
            if side_of_end(kinds, segment, side, True) < 0 and node_key(p, side, segment, True) == key:
                break
            segment = following[segment]
        if segment < 0 or segment == first:
            break
        current = segment
        reached += 1
    return reached == count


@inline_kernel
def _root(ids: Any, k: int) -> int:
    while ids[k, _PARENT] != k:
        k = ids[k, _PARENT]
    return k


@inline_kernel
def _join(ids: Any, a: int, b: int) -> None:
    a = _root(ids, a)
    b = _root(ids, b)
    if a < b:
        ids[b, _PARENT] = a
    else:
        ids[a, _PARENT] = b


@kernel
def _join_chains(p: Any, side: int, n: int, ids: Any) -> None:
    """Join segments that meet at an edge of the target."""
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    keys = key_table(p, CANDIDATE_SCRATCH, n)
    starts = 0
    for k in range(n):
        segment = ids[k, _SEGMENT]
        if side_of_end(kinds, segment, side, True) < 0:
            keys[starts, 0] = node_key(p, side, segment, True)
            keys[starts, 1] = k
            starts += 1
    sort_rows(keys, key_table(p, SORT_SCRATCH, n), starts)
    for k in range(n):
        segment = ids[k, _SEGMENT]
        if side_of_end(kinds, segment, side, False) >= 0:
            continue
        key = node_key(p, side, segment, False)
        lo = 0
        hi = starts
        while lo < hi:
            middle = (lo + hi) // 2
            if keys[middle, 0] < key:
                lo = middle + 1
            else:
                hi = middle
        if lo < starts and keys[lo, 0] == key:
            _join(ids, k, keys[lo, 1])


@inline_kernel
def _perimeter_key(x: Any, i: int, point: Vector) -> int:
    """Place of a point of side i along the border of the triangle, as an integer that sorts."""
    along = sub(x[(i + 1) % 3], x[i])
    t = dot(sub(point, x[i]), along) / dot(along, along)
    return int((i + min(max(t, 0.0), 1.0) * (1.0 - 1e-12)) * 2.0**50)


@kernel
def _sides_in_order(p: Any, side: int, t: int, n: int, ids: Any) -> int:
    """Crossings of the sides in order around the triangle: rows (key, 2·segment + (1: entering)) in the scratch."""
    ends = table(p, SEGMENT_ENDS, p[N_SEGMENTS], 6)
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    x = corners_of(p, side, t)
    keys = key_table(p, CANDIDATE_SCRATCH, 2 * n)
    count = 0
    for k in range(n):
        segment = ids[k, _SEGMENT]
        i = side_of_end(kinds, segment, side, True)
        if i >= 0:
            keys[count, 0] = _perimeter_key(x, i, end_point(ends, segment, side, True))
            keys[count, 1] = 2 * k
            count += 1
        i = side_of_end(kinds, segment, side, False)
        if i >= 0:
            keys[count, 0] = _perimeter_key(x, i, end_point(ends, segment, side, False))
            keys[count, 1] = 2 * k + 1
            count += 1
    sort_rows(keys, key_table(p, SORT_SCRATCH, 2 * n), count)
    return count


@inline_kernel
def _clear(loops: Any, k: int) -> None:
    for c in range(4):
        loops[k, c] = 0.0
    for c in range(3):
        loops[k, 4 + c] = 1e308
        loops[k, 7 + c] = -1e308


@inline_kernel
def _accumulate(loops: Any, k: int, n: Vector, o: Vector, a: Vector, b: Vector) -> None:
    m = add_stretch((loops[k, 0], loops[k, 1], loops[k, 2], loops[k, 3]), 1.0, n, o, a, b)
    for c in range(4):
        loops[k, c] = m[c]
    for c in range(3):
        loops[k, 4 + c] = min(loops[k, 4 + c], min(a[c], b[c]))
        loops[k, 7 + c] = max(loops[k, 7 + c], max(a[c], b[c]))


@kernel
def split_loops(p: Any, side: int, t: int, state: int) -> int:
    """Moments of each connected inside part of triangle t, in rows 0… of LOOP; returns their number.

    Moments are about the first segment's start. Where rounding has put crossings of a side into an impossible
    order, 0 is returned: the caller then takes all parts together. `assign_parts` reads
    afterwards which part the triangle's segments and corners belong to.
    """
    ends = table(p, SEGMENT_ENDS, p[N_SEGMENTS], 6)
    kinds = index_table(p, SEGMENT_KINDS, p[N_SEGMENTS], 2)
    following = indices(p, side + NEXT, p[MAX_SEGMENTS])
    ids = table_of_ids(p)
    loops = table(p, LOOP, p[MAX_SEGMENTS] + 1, LOOP_COLUMNS)
    segment = indices(p, side + HEAD, p[side + N_TRIANGLES])[t]
    o = end_point(ends, segment, side, True)
    n = 0
    while segment >= 0:
        ids[n, _PARENT] = n
        ids[n, _SEGMENT] = segment
        n += 1
        segment = following[segment]
    _join_chains(p, side, n, ids)
    crossings = _sides_in_order(p, side, t, n, ids)
    keys = key_table(p, CANDIDATE_SCRATCH, 2 * n)
    for c in range(crossings):
        here = keys[c, 1]
        after = keys[(c + 1) % crossings, 1]
        if here % 2 == 1:
            if after % 2 == 1:
                return 0
            _join(ids, here // 2, after // 2)
    x = corners_of(p, side, t)
    normal = normal_of(p, side, t)
    labels = key_table(p, SORT_SCRATCH, n + 4)  # rows 0 to n: part of a root; the last three: root at a corner
    ids[n, _PARENT] = n
    for k in range(n + 1):
        _clear(loops, k)
    for k in range(n):
        segment = ids[k, _SEGMENT]
        a = end_point(ends, segment, side, True)
        _accumulate(loops, _root(ids, k), normal, o, a, end_point(ends, segment, side, False))
    for c in range(crossings):
        if keys[c, 1] % 2 == 1:
            into = ids[keys[c, 1] // 2, _SEGMENT]
            out = ids[keys[(c + 1) % crossings, 1] // 2, _SEGMENT]
            label = _root(ids, keys[c, 1] // 2)
            a = end_point(ends, into, side, False)
            b = end_point(ends, out, side, True)
            i = side_of_end(kinds, into, side, False)
            j = side_of_end(kinds, out, side, True)
            if i != j or keys[(c + 1) % crossings, 0] < keys[c, 0]:
                while True:
                    i = (i + 1) % 3
                    _accumulate(loops, label, normal, o, a, x[i])
                    labels[n + 1 + i, 0] = label
                    a = x[i]
                    if i == j:
                        break
            _accumulate(loops, label, normal, o, a, b)
    if crossings == 0 and state & 7 == 7:
        for i in range(3):
            _accumulate(loops, n, normal, o, x[i], x[(i + 1) % 3])
            labels[n + 1 + i, 0] = n
    return _gather_parts(loops, ids, labels, n + 1)


@inline_kernel
def table_of_ids(p: Any) -> Any:
    """Labels of the segments of one triangle: (max_segments + 1, 2) int64."""
    return key_table(p, LOOP_IDS, p[MAX_SEGMENTS] + 1)


@kernel
def _gather_parts(loops: Any, ids: Any, labels: Any, n: int) -> int:
    """Give each hole to the smallest part whose box holds it; compact the parts into the first rows."""
    for k in range(n):
        labels[k, 1] = k  # the root whose part a root belongs to: itself, or the part around a hole
    for k in range(n):
        if ids[k, _PARENT] == k and loops[k, 0] < 0.0:
            owner = -1
            for j in range(n):
                if ids[j, _PARENT] != j or loops[j, 0] <= 0.0:
                    continue
                holds = True
                for c in range(3):
                    holds = holds and loops[j, 4 + c] <= loops[k, 4 + c] and loops[j, 7 + c] >= loops[k, 7 + c]
                if holds and (owner < 0 or loops[j, 0] < loops[owner, 0]):
                    owner = j
            if owner >= 0:
                labels[k, 1] = owner
                for c in range(4):
                    loops[owner, c] += loops[k, c]
    count = 0
    for k in range(n):
        labels[k, 0] = -1
        if ids[k, _PARENT] == k and loops[k, 0] > 0.0:
            labels[k, 0] = count
            for c in range(4):
                loops[count, c] = loops[k, c]
            count += 1
    return count


@kernel
def assign_parts(p: Any, side: int, segment_part: Any, corner_part: Any) -> None:
    """Part of its triangle to which each segment, and each inside corner of each cut triangle, belongs.

    ``segment_part`` (n_segments,) and ``corner_part`` (n_cut, 3) int32; 0 where a triangle has one part.
    """
    n_triangles = p[side + N_TRIANGLES]
    cut = indices(p, side + CUT, n_triangles)
    states = indices(p, side + CUT_STATE, n_triangles)
    ids = table_of_ids(p)
    for c in range(p[side + N_CUT]):
        if is_single_loop(p, side, cut[c]) or split_loops(p, side, cut[c], states[c]) == 0:
            continue
        following = indices(p, side + NEXT, p[MAX_SEGMENTS])
        segment = indices(p, side + HEAD, n_triangles)[cut[c]]
        n = 0
        while segment >= 0:
            n += 1
            segment = following[segment]
        labels = key_table(p, SORT_SCRATCH, n + 4)
        for k in range(n):
            segment_part[ids[k, _SEGMENT]] = labels[labels[_root(ids, k), 1], 0]
        for i in range(3):
            if states[c] & (1 << i):
                corner_part[c, i] = labels[labels[labels[n + 1 + i, 0], 1], 0]
