"""Contact elements: one for each active base triangle or part of one (section 3.2, step 3, eqs 6–11).

In: active areas. Out: the table of elements: point on the base, normal n_k, area, depth, flank weight, triangles.
"""

from __future__ import annotations

import math
from typing import Any

from polycontact.kernels.active import INNER_MARK
from polycontact.kernels.clip import area_and_barycentre, clip_triangle, end_point
from polycontact.kernels.flanks import is_flat, smooth_cosine, weight_at
from polycontact.kernels.frames import Matrix, apply, apply_transposed, load_matrix, load_vector
from polycontact.kernels.inside import from_own_direction, to_own_direction
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.last_hits import (
    DEPTH_AT,
    EDGE,
    NORMAL_AT,
    PLACE_AT,
    POINT_AT,
    lines_from_e,
    lines_from_f,
)
from polycontact.kernels.loops import LOOP_COLUMNS, is_single_loop, split_loops
from polycontact.kernels.memory import (
    AREAS,
    BARYCENTRES,
    COARSE_BASE,
    CORNERS,
    CROWDED,
    CUT,
    CUT_STATE,
    DEPTH_KIND,
    ELEMENT,
    ELEMENT_KIND,
    ELEMENT_TRIANGLES,
    FACET_FULL_E,
    FACET_FULL_F,
    HEAD,
    HIT,
    INNER,
    INNER_PARENT,
    LOOP,
    MARK,
    MAX_ELEMENTS,
    MAX_SEGMENTS,
    N_CUT,
    N_ELEMENTS,
    N_INNER,
    N_PARAMETERS,
    N_SEGMENTS,
    N_TRIANGLES,
    NEEDED,
    NEIGHBOURS,
    NORMAL,
    NORMALS,
    OPEN,
    OPEN_TRIANGLE,
    OVERFLOW_ELEMENTS,
    PARAMETERS,
    POINT,
    POSE,
    POSE_LENGTH,
    POSITION,
    REBUILDS,
    SEGMENT_ENDS,
    SEGMENT_TRIANGLES,
    STAMP,
    STATUS,
    TARGET_POINT,
    TRIANGLE_PAIR,
    E,
    F,
    doubles,
    index_table,
    indices,
    stamps,
    table,
    vectors,
)
from polycontact.kernels.penetration import Hit, first_hit, walk_to_hit
from polycontact.kernels.vectors import Vector, add, dot, norm, row, scale, sub

_FAR = 1e300
_COS_45 = 0.7071067811865476

Line = tuple[Vector, Vector, Vector, Vector]
"""A point of the base and the direction n_k there, in frame E, and both in the target's own frame."""


@inline_kernel
def line_in_both_frames(base_is_f: bool, R: Matrix, r: Vector, c: Vector, n: Vector) -> Line:
    """Barycentre normal of a base triangle, given in frame E, in the frame of the target too."""
    if base_is_f:
        return (c, n, c, n)
    return (c, n, apply_transposed(R, sub(c, r)), apply_transposed(R, n))


@inline_kernel
def base_line(p: Any, base: int, t: int, R: Matrix, r: Vector) -> Line:
    """Barycentre normal of base triangle t, eq. (8)."""
    n_triangles = p[base + N_TRIANGLES]
    c = row(vectors(p, base + BARYCENTRES, n_triangles), t)
    n = scale(-1.0, row(vectors(p, base + NORMALS, n_triangles), t))
    if base == F:
        return line_in_both_frames(True, R, r, add(apply(R, c), r), apply(R, n))
    return line_in_both_frames(False, R, r, c, n)


@inline_kernel
def _append(p: Any, base: int, t: int, part: int, area_depth_weight: Vector, c: Vector, n: Vector, hit: Hit) -> None:
    """Write an element with point c and normal n in frame E to the end of the table."""
    k = p[N_ELEMENTS]
    p[N_ELEMENTS] = k + 1
    if k >= p[MAX_ELEMENTS]:
        p[STATUS] |= OVERFLOW_ELEMENTS
        p[NEEDED] = k + 1
        return
    point = vectors(p, POINT, k + 1)
    normal = vectors(p, NORMAL, k + 1)
    element = vectors(p, ELEMENT, k + 1)
    triangles = index_table(p, ELEMENT_TRIANGLES, k + 1, 4)
    place = table(p, TARGET_POINT, k + 1, 2)
    for a in range(3):
        point[k, a] = c[a]
        normal[k, a] = n[a]
        element[k, a] = area_depth_weight[a]
    triangles[k, 0] = t
    triangles[k, 1] = hit[0]
    triangles[k, 2] = 0 if base == E else 1
    triangles[k, 3] = part
    place[k, 0] = hit[2]
    place[k, 1] = hit[3]


@inline_kernel
def add_element(p: Any, base: int, t: int, part: int, area: float, line: Line, hit: Hit) -> None:
    """Append an element if it carries a load: in front of the target's surface, and not on a flank."""
    target = F if base == E else E
    u = hit[1]
    weight = 1.0
    if p[DEPTH_KIND] == 0:
        weight = weight_at(p, target, hit[0], hit[2], hit[3], line[3])
    else:
        u *= smooth_cosine(p, target, hit[0], hit[2], hit[3], line[3])
    if not (u > 0.0 and weight > 0.0 and area > 0.0):
        return
    _append(p, base, t, part, (area, u, weight), line[0], line[1], hit)


@inline_kernel
def _least_cosine(p: Any, side: int, axis: Vector) -> float:
    """Smallest cosine between ``axis`` (own frame) and the outward normals of the active triangles of a surface."""
    n = p[side + N_TRIANGLES]
    normals = vectors(p, side + NORMALS, n)
    cut = indices(p, side + CUT, n)
    inner = indices(p, side + INNER, n)
    least = 1.0
    for k in range(p[side + N_CUT]):
        least = min(least, dot(axis, row(normals, cut[k])))
    for k in range(p[side + N_INNER]):
        least = min(least, dot(axis, row(normals, inner[k])))
    return least


@kernel
def lines_meet_once(p: Any, base: int, target: int) -> bool:
    """Whether the barycentre normal of any active base triangle can meet the active target only once.

    So it is where base normals lie within 45° of their mean and no base normal is perpendicular to a target
    normal: between two crossings the line would have to enter the target, or leave the base, through an active
    triangle of the opposite orientation. Then a walk over neighbours finds the crossing; otherwise the tree does.
    """
    n = p[base + N_TRIANGLES]
    normals = vectors(p, base + NORMALS, n)
    areas = doubles(p, base + AREAS, n)
    cut = indices(p, base + CUT, n)
    inner = indices(p, base + INNER, n)
    total = (0.0, 0.0, 0.0)
    for k in range(p[base + N_CUT]):
        total = add(total, scale(areas[cut[k]], row(normals, cut[k])))
    for k in range(p[base + N_INNER]):
        total = add(total, scale(areas[inner[k]], row(normals, inner[k])))
    length = norm(total)
    if length == 0.0:
        return False
    axis = scale(1.0 / length, total)
    cosine_base = _least_cosine(p, base, axis)
    if cosine_base <= _COS_45:
        return False
    opposite = to_own_direction(p, target, from_own_direction(p, base, scale(-1.0, axis)))
    cosine_target = _least_cosine(p, target, opposite)
    # cos(angle_base + angle_target) > 0
    sine_base = math.sqrt(max(0.0, 1.0 - cosine_base * cosine_base))
    sine_target = math.sqrt(max(0.0, 1.0 - cosine_target * cosine_target))
    return cosine_target > 0.0 and cosine_base * cosine_target > sine_base * sine_target


@inline_kernel
def _well_inside(hit: Hit) -> bool:
    """Whether a walk has ended so far inside a triangle that it would have ended there from any start."""
    return hit[0] >= 0 and min(min(hit[2], hit[3]), 1.0 - hit[2] - hit[3]) > EDGE


@inline_kernel
def find_hit(p: Any, target: int, guess: int, start: int, line: Line, once: bool) -> Hit:
    """Where a base line leaves the target.

    Walks begin at the active triangle ``guess``, else at ``start``. What comes out does not depend on the guess.
    """
    if once:
        n = p[target + N_TRIANGLES]
        corners = table(p, target + CORNERS, n, 9)
        neighbours = index_table(p, target + NEIGHBOURS, n, 3)
        mark = stamps(p, target + MARK, n)
        hit = walk_to_hit(corners, neighbours, mark, 4 * p[STAMP], guess, line[2], line[3])
        if guess != start and not _well_inside(hit):
            hit = walk_to_hit(corners, neighbours, mark, 4 * p[STAMP], start, line[2], line[3])
        if hit[0] >= 0:
            return hit
    return first_hit(p, target, line[2], line[3], _FAR, not p[target + OPEN])


@inline_kernel
def _add_whole(
    p: Any, base: int, target: int, t: int, guess: int, start: int, once: bool, R: Matrix, r: Vector
) -> None:
    """Element of a whole triangle, eqs (6)–(11)."""
    n = p[base + N_TRIANGLES]
    line = base_line(p, base, t, R, r)
    hit = find_hit(p, target, guess, start, line, once)
    found = indices(p, base + HIT, n)
    found[t] = start
    if hit[0] >= 0:
        found[t] = hit[0]
        add_element(p, base, t, 0, doubles(p, base + AREAS, n)[t], line, hit)


@kernel
def _add_part(
    p: Any,
    base: int,
    target: int,
    t: int,
    part: int,
    m: Any,
    start: int,
    state: int,
    once: bool,
    R: Matrix,
    r: Vector,
) -> None:
    """Element of a connected part of a triangle: area and barycentre m."""
    if not m[0] > 0.0:
        return
    n = base_line(p, base, t, R, r)[1]
    line = line_in_both_frames(base == F, R, r, (m[1], m[2], m[3]), n)
    hit = find_hit(p, target, start, start, line, once)
    if state & CROWDED and (hit[0] < 0 or not is_flat(p, target, hit[0])):
        p[STATUS] |= COARSE_BASE
    if hit[0] >= 0:
        indices(p, base + HIT, p[base + N_TRIANGLES])[t] = hit[0]
        add_element(p, base, t, part, m[0], line, hit)


@kernel
def _add_clipped(
    p: Any, base: int, target: int, t: int, state: int, start: int, once: bool, R: Matrix, r: Vector
) -> None:
    """Elements of the inside part of a cut triangle: one for each connected part."""
    indices(p, base + HIT, p[base + N_TRIANGLES])[t] = start
    parts = 0
    if not is_single_loop(p, base, t):
        parts = split_loops(p, base, t, state)
    if parts == 0:
        _add_part(p, base, target, t, 0, clip_triangle(p, base, t, state), start, state, once, R, r)
        return
    loops = table(p, LOOP, p[MAX_SEGMENTS] + 1, LOOP_COLUMNS)
    head = indices(p, base + HEAD, p[base + N_TRIANGLES])[t]
    o = end_point(table(p, SEGMENT_ENDS, p[N_SEGMENTS], 6), head, base, True)
    for k in range(parts):
        m = area_and_barycentre((loops[k, 0], loops[k, 1], loops[k, 2], loops[k, 3]), o)
        _add_part(p, base, target, t, k, m, start, state, once, R, r)


@kernel
def _search_behind_target(p: Any, base: int, target: int, R: Matrix, r: Vector) -> None:
    """Inner triangles where polygons are open: neighbours of active ones whose barycentre lies behind the target."""
    n = p[base + N_TRIANGLES]
    neighbours = index_table(p, base + NEIGHBOURS, n, 3)
    mark = stamps(p, base + MARK, n)
    cut = indices(p, base + CUT, n)
    inner = indices(p, base + INNER, n)
    parent = indices(p, base + INNER_PARENT, n)
    floor = 4 * p[STAMP]
    count = 0
    k = -p[base + N_CUT]
    while k < count:
        t = inner[k] if k >= 0 else cut[k + p[base + N_CUT]]
        for i in range(3):
            s = neighbours[t, i]
            if s < 0 or mark[s] >= floor:
                continue
            line = base_line(p, base, s, R, r)
            if first_hit(p, target, line[2], line[3], _FAR, not p[target + OPEN])[0] >= 0:
                mark[s] = floor + INNER_MARK
                inner[count] = s
                parent[count] = t
                count += 1
        k += 1
    p[base + N_INNER] = count


@kernel
def _look_again(p: Any, base: int, target: int, k: int, work: Any) -> int:
    """Which of the inner triangles k to k + 3 meet the target where they did in the evaluation before: bits 0 to 3."""
    n = p[base + N_TRIANGLES]
    n_target = p[target + N_TRIANGLES]
    inner = indices(p, base + INNER, n)
    found = indices(p, base + HIT, n)
    active = stamps(p, target + MARK, n_target)
    barycentres = vectors(p, base + BARYCENTRES, n)
    normals = vectors(p, base + NORMALS, n)
    corners = table(p, target + CORNERS, n_target, 9)
    target_normals = vectors(p, target + NORMALS, n_target)
    pose = doubles(p, POSE, POSE_LENGTH)
    parameters = doubles(p, PARAMETERS, N_PARAMETERS)
    floor = 4 * p[STAMP]
    t0 = inner[k]
    t1 = inner[k + 1]
    t2 = inner[k + 2]
    t3 = inner[k + 3]
    s0 = found[t0]
    s1 = found[t1]
    s2 = found[t2]
    s3 = found[t3]
    if base == E:
        bits = lines_from_e(
            barycentres,
            normals,
            t0,
            t1,
            t2,
            t3,
            corners,
            target_normals,
            s0,
            s1,
            s2,
            s3,
            pose,
            parameters[FACET_FULL_F],
            work,
        )
    else:
        bits = lines_from_f(
            barycentres,
            normals,
            t0,
            t1,
            t2,
            t3,
            corners,
            target_normals,
            s0,
            s1,
            s2,
            s3,
            pose,
            parameters[FACET_FULL_E],
            work,
        )
    if active[s0] < floor or active[s1] < floor or active[s2] < floor or active[s3] < floor:
        return 0
    return int(bits)


@inline_kernel
def _add_again(p: Any, base: int, t: int, lane: int, work: Any) -> None:
    """Element of a whole triangle from what `_look_again` found."""
    n = p[base + N_TRIANGLES]
    area = doubles(p, base + AREAS, n)[t]
    if not area > 0.0:
        return
    c = (work[POINT_AT + lane], work[POINT_AT + 4 + lane], work[POINT_AT + 8 + lane])
    n_k = (work[NORMAL_AT + lane], work[NORMAL_AT + 4 + lane], work[NORMAL_AT + 8 + lane])
    u = work[DEPTH_AT + lane]
    hit = (indices(p, base + HIT, n)[t], u, work[PLACE_AT + lane], work[PLACE_AT + 4 + lane])
    _append(p, base, t, 0, (area, u, 1.0), c, n_k, hit)


@kernel
def _add_inner(p: Any, base: int, target: int, once: bool, R: Matrix, r: Vector) -> None:
    """Elements of the inner triangles.

    Where the pose is near the last one, so is the hit; else it is near that of the neighbour.
    """
    n = p[base + N_TRIANGLES]
    inner = indices(p, base + INNER, n)
    parent = indices(p, base + INNER_PARENT, n)
    found = indices(p, base + HIT, n)
    active = stamps(p, target + MARK, p[target + N_TRIANGLES])
    work = doubles(p, TRIANGLE_PAIR, 36)
    floor = 4 * p[STAMP]
    near_last = p[REBUILDS] == 0
    four_at_once = near_last and once and p[DEPTH_KIND] == 0
    again = 0
    for k in range(p[base + N_INNER]):
        lane = k % 4
        if lane == 0:
            again = _look_again(p, base, target, k, work) if four_at_once and k + 4 <= p[base + N_INNER] else 0
        t = inner[k]
        if (again >> lane) & 1:
            _add_again(p, base, t, lane, work)
            continue
        start = found[parent[k]]
        guess = found[t] if near_last and active[found[t]] >= floor else start
        _add_whole(p, base, target, t, guess, start, once, R, r)


@kernel
def generate_elements(p: Any, base: int) -> None:
    """Append the elements of the active area of surface ``base`` to the table."""
    target = F if base == E else E
    n = p[base + N_TRIANGLES]
    cut = indices(p, base + CUT, n)
    states = indices(p, base + CUT_STATE, n)
    head = indices(p, base + HEAD, n)
    segment_triangles = index_table(p, SEGMENT_TRIANGLES, p[N_SEGMENTS], 2)
    pose = doubles(p, POSE, POSE_LENGTH)
    R = load_matrix(pose, 0)
    r = load_vector(pose, POSITION)
    column = 1 if base == E else 0
    if p[base + OPEN]:
        _search_behind_target(p, base, target, R, r)
    once = not p[base + OPEN] and not p[target + OPEN] and lines_meet_once(p, base, target)
    for k in range(p[base + N_CUT]):
        t = cut[k]
        start = segment_triangles[head[t], column]
        if p[ELEMENT_KIND] == 0 or states[k] & OPEN_TRIANGLE:
            _add_whole(p, base, target, t, start, start, once, R, r)
        else:
            _add_clipped(p, base, target, t, states[k], start, once, R, r)
    _add_inner(p, base, target, once, R, r)
