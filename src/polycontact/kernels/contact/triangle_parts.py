r"""Cut triangles whose inside part has several loops: one contact element for each connected part (decision 0006).

Problem: a coarse base triangle may carry several patches (the four legs of a table on one triangle of the floor). Their
borders are a heap of directed segments and inside stretches of the triangle's sides; which belong to one part?

In: the segments of a cut triangle, in no order. Out: area and first moments of each connected part, and on request
which part each segment and each inside corner belongs to.

           c2             Part 1: the chain a→b, then along the sides over corner 2 back to a. The hole h belongs to it.
          /  \            Part 2: the loop p, closed within the triangle.
         / (h)\
        a----->b          Segments run with the inside to their left: loop p counter-clockwise, hole h clockwise.
       / outside\
      /   (p)    \
    c0------------c1

    (1) chains: a segment that ends within the triangle ends on an edge of the other surface, where exactly one other
        segment starts: they are linked by the number of that edge, never by coordinates (decision 0004)
    (2) loops: where a chain leaves through a side, the border of the inside part runs on along the triangle's sides to
        the next crossing, where a chain starts; passing corners on its way
    (3) moments of each loop are summed about a common point (`clipping`)
    (4) holes: loops of negative area. Each belongs to the smallest part whose box holds its own
    (5) no crossings, and corners inside: the whole border of the triangle is one more loop, with holes in it
    (6) crossings of a side in an impossible order, by rounding: 0 parts are told, and the caller takes all as one

Segments of one loop are joined by union–find; the root stands for the loop.
"""

from __future__ import annotations

from polycontact.kernels.contact.clipping import add_stretch, end_point, side_of_end
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Parts, Segments, Side
from polycontact.kernels.contact.sides import corners_of, normal_of
from polycontact.kernels.geometry.sorting import sort_rows
from polycontact.kernels.geometry.vectors import Vector, dot, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Ints, Longs
from polycontact.tolerances import BEFORE_THE_CORNER, NO_BOUND

_FEW_SEGMENTS = 16
"""Up to so many segments a chain is followed by looking at all of them for each; more are split by sorting."""


@inline_kernel
def node_key(segments: Segments, their_edges: Ints, is_f: int, segment: int, start: bool) -> int:
    """The edge of the other surface at which a segment starts or ends inside a triangle of E or F.

    ``their_edges``: edges of the other surface's triangles.
    """
    j = side_of_end(segments.kinds, segment, 1 - is_f, not start)
    return int(their_edges[segments.triangles[segment, 1 - is_f], j])


@kernel
def is_single_loop(side: Side, their_edges: Ints, segments: Segments, t: int) -> bool:
    """Whether the segments of a cut triangle form one chain or one closed loop (nearly always).

    Then there is one part. False also where there are many segments: `split_loops` finds out.
    """
    # A chain starts on a side of the triangle; a closed loop has no such start.
    is_f = side.is_f
    kinds = segments.kinds
    following = segments.following
    head = side.head[t]
    count = 0
    chains = 0
    first = head
    segment = head
    while segment >= 0:
        count += 1
        if side_of_end(kinds, segment, is_f, True) >= 0:
            chains += 1
            first = segment
        segment = following[is_f, segment]
    if count == 1:
        return True
    # Two chains are two parts, or one with two borders; else follow the one from its start, or from any segment.
    if chains > 1 or count > _FEW_SEGMENTS:
        return False
    reached = 1
    current = first
    # Follow the chain from edge to edge of the other surface: does it reach all segments?
    while side_of_end(kinds, current, is_f, False) < 0 and reached < count:
        key = node_key(segments, their_edges, is_f, current, False)
        segment = head
        while segment >= 0:
            starts_inside = side_of_end(kinds, segment, is_f, True) < 0
            if starts_inside and node_key(segments, their_edges, is_f, segment, True) == key:
                break
            segment = following[is_f, segment]
        if segment < 0 or segment == first:
            break
        current = segment
        reached += 1
    return reached == count


@inline_kernel
def _root(parent: Longs, k: int) -> int:
    """The member that stands for the loop of member k."""
    while parent[k] != k:
        k = parent[k]
    return k


@inline_kernel
def _join(parent: Longs, a: int, b: int) -> None:
    """Make one loop of those of members a and b; the lower root stays."""
    a = _root(parent, a)
    b = _root(parent, b)
    if a < b:
        parent[b] = a
    else:
        parent[a] = b


@kernel
def _join_chains(is_f: int, their_edges: Ints, segments: Segments, n: int, parts: Parts) -> None:
    """Join segments that meet at an edge of the target, case (1), by sorting starts and a bisection for each end."""
    kinds = segments.kinds
    keys = parts.keys
    members = parts.segment
    parent = parts.parent
    starts = 0
    for k in range(n):
        segment = members[k]
        if side_of_end(kinds, segment, is_f, True) < 0:
            keys[starts, 0] = node_key(segments, their_edges, is_f, segment, True)
            keys[starts, 1] = k
            starts += 1
    sort_rows(keys, parts.key_room, starts)
    for k in range(n):
        segment = members[k]
        if side_of_end(kinds, segment, is_f, False) >= 0:
            continue  # it leaves through a side: case (2)
        key = node_key(segments, their_edges, is_f, segment, False)
        lo = 0
        hi = starts
        while lo < hi:
            middle = (lo + hi) // 2
            if keys[middle, 0] < key:
                lo = middle + 1
            else:
                hi = middle
        if lo < starts and keys[lo, 0] == key:
            parts.following[k] = keys[lo, 1]
            _join(parent, k, keys[lo, 1])


@inline_kernel
def _perimeter_key(x: tuple[Vector, Vector, Vector], i: int, point: Vector) -> int:
    """Place of a point of side i along the border of the triangle, as an integer that sorts: 2⁵⁰ a side."""
    along = sub(x[(i + 1) % 3], x[i])
    t = dot(sub(point, x[i]), along) / dot(along, along)
    return int((i + min(max(t, 0.0), 1.0) * BEFORE_THE_CORNER) * 2.0**50)


@kernel
def _sides_in_order(side: Side, pose: Pose, segments: Segments, t: int, n: int, parts: Parts) -> int:
    """Crossings of the sides in order around the triangle: rows (key, 2·segment + (1: entering)) of ``keys``."""
    is_f = side.is_f
    ends = segments.ends
    kinds = segments.kinds
    x = corners_of(side, pose, t)
    keys = parts.keys
    members = parts.segment
    count = 0
    for k in range(n):
        segment = members[k]
        i = side_of_end(kinds, segment, is_f, True)
        if i >= 0:
            keys[count, 0] = _perimeter_key(x, i, end_point(ends, segment, is_f, True))
            keys[count, 1] = 2 * k
            count += 1
        i = side_of_end(kinds, segment, is_f, False)
        if i >= 0:
            keys[count, 0] = _perimeter_key(x, i, end_point(ends, segment, is_f, False))
            keys[count, 1] = 2 * k + 1
            count += 1
    sort_rows(keys, parts.key_room, count)
    return count


@inline_kernel
def _clear(parts: Parts, k: int) -> None:
    """No moments and an empty box for loop k."""
    for c in range(4):
        parts.moments[k, c] = 0.0
    for c in range(3):
        parts.lowest[k, c] = NO_BOUND
        parts.highest[k, c] = -NO_BOUND


@inline_kernel
def _accumulate(parts: Parts, k: int, n: Vector, o: Vector, a: Vector, b: Vector) -> None:
    """Add the stretch a → b to moments (about o, normal n) and box of loop k."""
    moments = parts.moments
    lowest = parts.lowest
    highest = parts.highest
    m = add_stretch((moments[k, 0], moments[k, 1], moments[k, 2], moments[k, 3]), 1.0, n, o, a, b)
    for c in range(4):
        moments[k, c] = m[c]
    for c in range(3):
        lowest[k, c] = min(lowest[k, c], min(a[c], b[c]))
        highest[k, c] = max(highest[k, c], max(a[c], b[c]))


@inline_kernel
def _take_segments(side: Side, segments: Segments, t: int, parts: Parts) -> int:
    """List the segments of a triangle, each a root of its own: how many."""
    following = segments.following
    is_f = side.is_f
    segment = side.head[t]
    n = 0
    while segment >= 0:
        parts.parent[n] = n
        parts.segment[n] = segment
        parts.following[n] = -1
        parts.corners_passed[n] = 0
        n += 1
        segment = following[is_f, segment]
    return n


@kernel
def split_loops(side: Side, their_edges: Ints, pose: Pose, segments: Segments, t: int, state: int, parts: Parts) -> int:
    """Moments of each connected inside part of triangle t, in the first rows of ``moments``; returns their number.

    Moments (see `clipping.Moments`) are about the first segment's start, frame E. 0 where rounding has put crossings of
    a side into an impossible order, case (6). `assign_parts` reads afterwards which part the triangle's segments and
    corners belong to; `clip_outlines` which segment follows which. ``state``: bits of `active_area`.
    """
    is_f = side.is_f
    ends = segments.ends
    kinds = segments.kinds
    parent = parts.parent
    members = parts.segment
    o = end_point(ends, side.head[t], is_f, True)
    n = _take_segments(side, segments, t, parts)
    _join_chains(is_f, their_edges, segments, n, parts)
    crossings = _sides_in_order(side, pose, segments, t, n, parts)
    keys = parts.keys
    # (2) Around the triangle, crossings that enter it (odd) and leave it (even) must take turns: join each to the next.
    for c in range(crossings):
        here = keys[c, 1]
        after = keys[(c + 1) % crossings, 1]
        if here % 2 == 1:
            if after % 2 == 1:
                return 0  # (6)
            _join(parent, here // 2, after // 2)
    x = corners_of(side, pose, t)
    normal = normal_of(side, pose, t)
    corner_root = parts.corner_root
    parent[n] = n  # the triangle's own border, where no segment crosses it
    for k in range(n + 1):
        _clear(parts, k)
    for k in range(n):  # (3) the segments
        segment = members[k]
        a = end_point(ends, segment, is_f, True)
        _accumulate(parts, _root(parent, k), normal, o, a, end_point(ends, segment, is_f, False))
    for c in range(crossings):  # (3) the inside stretches of sides, from where a chain leaves to where the next starts
        if keys[c, 1] % 2 == 1:
            into = members[keys[c, 1] // 2]
            out = members[keys[(c + 1) % crossings, 1] // 2]
            root = _root(parent, keys[c, 1] // 2)
            parts.following[keys[c, 1] // 2] = keys[(c + 1) % crossings, 1] // 2
            a = end_point(ends, into, is_f, False)
            b = end_point(ends, out, is_f, True)
            i = side_of_end(kinds, into, is_f, False)
            j = side_of_end(kinds, out, is_f, True)
            # Corners lie between, unless the next crossing is farther along on the same side.
            if i != j or keys[(c + 1) % crossings, 0] < keys[c, 0]:
                while True:
                    i = (i + 1) % 3
                    parts.corners_passed[keys[c, 1] // 2] += 1
                    _accumulate(parts, root, normal, o, a, x[i])
                    corner_root[i] = root
                    a = x[i]
                    if i == j:
                        break
            _accumulate(parts, root, normal, o, a, b)
    if crossings == 0 and state & 7 == 7:  # (5)
        for i in range(3):
            _accumulate(parts, n, normal, o, x[i], x[(i + 1) % 3])
            corner_root[i] = n
    return _gather_parts(parts, n + 1)


@kernel
def _gather_parts(parts: Parts, n: int) -> int:
    """Give each hole to the smallest part whose box holds it, case (4); compact the parts into the first rows.

    A hole that no box holds (rounding) is left out. Loops are the roots among the n members.
    """
    parent = parts.parent
    moments = parts.moments
    lowest = parts.lowest
    highest = parts.highest
    owners = parts.owner
    part_number = parts.part_number
    for k in range(n):
        owners[k] = k
    for k in range(n):
        if parent[k] == k and moments[k, 0] < 0.0:
            owner = -1
            for j in range(n):
                if parent[j] != j or moments[j, 0] <= 0.0:
                    continue
                holds = True
                for c in range(3):
                    holds = holds and lowest[j, c] <= lowest[k, c] and highest[j, c] >= highest[k, c]
                if holds and (owner < 0 or moments[j, 0] < moments[owner, 0]):
                    owner = j
            if owner >= 0:
                owners[k] = owner
                for c in range(4):
                    moments[owner, c] += moments[k, c]
    # Parts are the loops with what is left positive.
    count = 0
    for k in range(n):
        part_number[k] = -1
        if parent[k] == k and moments[k, 0] > 0.0:
            part_number[k] = count
            for c in range(4):
                moments[count, c] = moments[k, c]
            count += 1
    return count


@kernel
def assign_parts(
    side: Side,
    their_edges: Ints,
    pose: Pose,
    segments: Segments,
    parts: Parts,
    segment_part: Ints,
    corner_part: Ints,
) -> None:
    """Part of its triangle to which each segment, and each inside corner of each cut triangle, belongs.

    ``segment_part`` (n_segments,) and ``corner_part`` (n_cut, 3) int32; 0 where a triangle has one part.
    """
    cut = side.cut
    states = side.cut_state
    following = segments.following
    is_f = side.is_f
    owners = parts.owner
    part_number = parts.part_number
    for c in range(side.n_cut):
        t = cut[c]
        if is_single_loop(side, their_edges, segments, t):
            continue
        if split_loops(side, their_edges, pose, segments, t, states[c], parts) == 0:
            continue
        segment = side.head[t]
        k = 0
        while segment >= 0:
            segment_part[segment] = part_number[owners[_root(parts.parent, k)]]
            k += 1
            segment = following[is_f, segment]
        for i in range(3):
            if states[c] & (1 << i):
                corner_part[c, i] = part_number[owners[parts.corner_root[i]]]
