"""Collision detection: which triangles of E and F intersect, and in which segments (section 3.1).

In: the pose. Out: candidates (leaf pairs whose boxes overlap) and intersection segments in irregular order.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.exact import BUFFER_LENGTH
from polycontact.kernels.frames import (
    Matrix,
    apply,
    apply_transposed,
    load_matrix,
    load_vector,
    moved_corner,
)
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    BOXES,
    BUFFER,
    BV_CHECKS,
    CANDIDATE_SCRATCH,
    CANDIDATES,
    CORNERS,
    DRIFT,
    GAPS,
    INCONSISTENT,
    MARGIN,
    MAX_CANDIDATES,
    MAX_SEGMENTS,
    MOVED,
    N_CANDIDATES,
    N_SEGMENTS,
    N_TRIANGLES,
    NEEDED,
    OVERFLOW_CANDIDATES,
    OVERFLOW_SEGMENTS,
    PAD,
    POSE,
    POSE_LENGTH,
    POSITION,
    REBUILDS,
    SEGMENT_ENDS,
    SEGMENT_KINDS,
    SEGMENT_TRIANGLES,
    STACK,
    STACK_LENGTH,
    STATUS,
    TRIANGLE_CHECKS,
    TRIANGLE_PAIR,
    TRIANGLES,
    E,
    F,
    doubles,
    index_table,
    key_table,
    table,
    vectors,
)
from polycontact.kernels.oriented_boxes import (
    COLUMNS,
    PARALLEL,
    box_pairs_overlap,
)
from polycontact.kernels.tree import left_count
from polycontact.kernels.triangle_pairs import triangle_pairs_meet
from polycontact.kernels.triangles import intersect_triangles, planes_separate
from polycontact.kernels.vectors import Vector, triangle


@inline_kernel
def _absolute(R: Matrix) -> Matrix:
    return (
        (abs(R[0][0]), abs(R[0][1]), abs(R[0][2])),
        (abs(R[1][0]), abs(R[1][1]), abs(R[1][2])),
        (abs(R[2][0]), abs(R[2][1]), abs(R[2][2])),
    )


@inline_kernel
def boxes_overlap(e: Any, i: int, c: Vector, h: Vector, reach: Vector, R: Matrix, A: Matrix, pad: float) -> bool:
    """Box i of E against a box of F: centre c and half-extents ``reach`` in frame E, h in frame F (S0.31).

    Tests the three axes of E and the three of F.
    """
    t = (c[0] - e[i, 0], c[1] - e[i, 1], c[2] - e[i, 2])
    g = (e[i, 3] + pad, e[i, 4] + pad, e[i, 5] + pad)
    if abs(t[0]) > g[0] + reach[0] or abs(t[1]) > g[1] + reach[1] or abs(t[2]) > g[2] + reach[2]:
        return False
    s = apply_transposed(R, t)
    k = apply_transposed(A, g)
    return abs(s[0]) <= h[0] + k[0] and abs(s[1]) <= h[1] + k[1] and abs(s[2]) <= h[2] + k[2]


@inline_kernel
def roots_overlap(p: Any, margin: float) -> bool:
    """Whether the boxes around the whole surfaces come closer than ``margin``."""
    pose = doubles(p, POSE, POSE_LENGTH)
    pad = pose[PAD] + margin
    e = table(p, E + BOXES, 1, 6)
    f = table(p, F + BOXES, 1, 6)
    R = load_matrix(pose, 0)
    A = _absolute(R)
    c = apply(R, (f[0, 0], f[0, 1], f[0, 2]))
    r = load_vector(pose, POSITION)
    h = (f[0, 3], f[0, 4], f[0, 5])
    return boxes_overlap(e, 0, (c[0] + r[0], c[1] + r[1], c[2] + r[2]), h, apply(A, h), R, A, pad)


@inline_kernel
def _push(stack: Any, depth: int, i: int, leaf_i: int, n_i: int, j: int, leaf_j: int, n_j: int) -> int:
    stack[depth, 0] = i
    stack[depth, 1] = leaf_i
    stack[depth, 2] = n_i
    stack[depth, 3] = j
    stack[depth, 4] = leaf_j
    stack[depth, 5] = n_j
    return depth + 1


@kernel
def find_candidates(p: Any, boxes_slot_e: int, boxes_slot_f: int, margin: float) -> None:
    """Leaf pairs whose boxes come closer than ``margin``, by simultaneous descent of both trees (S0.30)."""
    n_e = p[E + N_TRIANGLES]
    n_f = p[F + N_TRIANGLES]
    e = table(p, boxes_slot_e, 2 * n_e - 1, COLUMNS)
    f = table(p, boxes_slot_f, 2 * n_f - 1, COLUMNS)
    pose = doubles(p, POSE, POSE_LENGTH)
    pad = pose[PAD] + margin
    skew = PARALLEL + 4.0 * pose[DRIFT]
    stack = index_table(p, STACK, STACK_LENGTH, 6)
    most = p[MAX_CANDIDATES]
    out = index_table(p, CANDIDATES, most, 2)
    count = 0
    checks = 1
    depth = 0
    if box_pairs_overlap(e, 0, 0, f, 0, 0, pose, pad, skew):
        depth = _push(stack, 0, 0, 0, n_e, 0, 0, n_f)
    while depth > 0:
        depth -= 1
        i = stack[depth, 0]
        leaf_i = stack[depth, 1]
        n_i = stack[depth, 2]
        j = stack[depth, 3]
        leaf_j = stack[depth, 4]
        n_j = stack[depth, 5]
        if n_i == 1 and n_j == 1:
            if count < most:
                out[count, 0] = leaf_i
                out[count, 1] = leaf_j
            count += 1
            continue
        # Both boxes are split, unless one is much the larger: then only that.
        size_i = e[i, 3] + e[i, 4] + e[i, 5]
        size_j = f[j, 3] + f[j, 4] + f[j, 5]
        split_e = n_i > 1 and (n_j == 1 or 2.0 * size_i > size_j)
        split_f = n_j > 1 and (n_i == 1 or 2.0 * size_j > size_i)
        left_i = left_count(n_i) if split_e else n_i
        left_j = left_count(n_j) if split_f else n_j
        i0 = i + 1 if split_e else i
        i1 = i + 2 * left_i if split_e else i
        j0 = j + 1 if split_f else j
        j1 = j + 2 * left_j if split_f else j
        near = box_pairs_overlap(e, i0, i1, f, j0, j1, pose, pad, skew)
        checks += (2 if split_e else 1) * (2 if split_f else 1)
        if near & 1:
            depth = _push(stack, depth, i0, leaf_i, left_i, j0, leaf_j, left_j)
        if near & 2 and split_e:
            depth = _push(stack, depth, i1, leaf_i + left_i, n_i - left_i, j0, leaf_j, left_j)
        if near & 4 and split_f:
            depth = _push(stack, depth, i0, leaf_i, left_i, j1, leaf_j + left_j, n_j - left_j)
        if near & 8 and split_e and split_f:
            depth = _push(stack, depth, i1, leaf_i + left_i, n_i - left_i, j1, leaf_j + left_j, n_j - left_j)
    p[BV_CHECKS] += checks
    p[REBUILDS] += 1
    p[N_CANDIDATES] = count
    if count > most:
        p[STATUS] |= OVERFLOW_CANDIDATES
        p[NEEDED] = count


@inline_kernel
def _select_candidates(p: Any, chosen: Any) -> int:
    """Put into the first column of ``chosen`` which candidates may have met since the list was built: how many."""
    pose = doubles(p, POSE, POSE_LENGTH)
    n = p[N_CANDIDATES]
    if pose[MARGIN] == 0.0:
        for k in range(n):
            chosen[k, 0] = k
        return int(n)
    gaps = doubles(p, GAPS, n)
    reach = pose[MOVED] + 4.0 * pose[PAD]
    count = 0
    for k in range(n):
        chosen[count, 0] = k
        count += 1 if gaps[k] <= reach else 0
    return count


@inline_kernel
def _drop_apart(p: Any, chosen: Any, n: int) -> int:
    """Keep only those of n chosen candidates whose triangles are not certainly apart: how many."""
    pose = doubles(p, POSE, POSE_LENGTH)
    corners_e = table(p, E + CORNERS, p[E + N_TRIANGLES], 9)
    corners_f = table(p, F + CORNERS, p[F + N_TRIANGLES], 9)
    pairs = index_table(p, CANDIDATES, p[N_CANDIDATES], 2)
    count = 0
    for start in range(0, n, 4):
        k0 = chosen[start, 0]
        k1 = chosen[min(start + 1, n - 1), 0]
        k2 = chosen[min(start + 2, n - 1), 0]
        k3 = chosen[min(start + 3, n - 1), 0]
        meet = triangle_pairs_meet(
            corners_e,
            pairs[k0, 0],
            pairs[k1, 0],
            pairs[k2, 0],
            pairs[k3, 0],
            corners_f,
            pairs[k0, 1],
            pairs[k1, 1],
            pairs[k2, 1],
            pairs[k3, 1],
            pose,
        )
        meet &= (1 << min(4, n - start)) - 1
        chosen[count, 0] = k0
        count += meet & 1
        chosen[count, 0] = k1
        count += (meet >> 1) & 1
        chosen[count, 0] = k2
        count += (meet >> 2) & 1
        chosen[count, 0] = k3
        count += (meet >> 3) & 1
    return count


@kernel
def detect_collision(p: Any) -> None:
    """Intersect the candidate triangles: all segments, each with its two triangles (S0.34)."""
    pose = doubles(p, POSE, POSE_LENGTH)
    R = load_matrix(pose, 0)
    r = load_vector(pose, POSITION)
    tri_e = index_table(p, E + TRIANGLES, p[E + N_TRIANGLES], 3)
    tri_f = index_table(p, F + TRIANGLES, p[F + N_TRIANGLES], 3)
    corners_e = table(p, E + CORNERS, p[E + N_TRIANGLES], 9)
    corners_f = table(p, F + CORNERS, p[F + N_TRIANGLES], 9)
    pairs = index_table(p, CANDIDATES, p[N_CANDIDATES], 2)
    most = p[MAX_SEGMENTS]
    triangles = index_table(p, SEGMENT_TRIANGLES, most, 2)
    kinds = index_table(p, SEGMENT_KINDS, most, 2)
    ends = table(p, SEGMENT_ENDS, most, 6)
    buffer = doubles(p, BUFFER, BUFFER_LENGTH)
    work = vectors(p, TRIANGLE_PAIR, 12)
    hand = work[9:]
    chosen = key_table(p, CANDIDATE_SCRATCH, p[N_CANDIDATES] + 4)
    n_chosen = _select_candidates(p, chosen)
    n_left = _drop_apart(p, chosen, n_chosen)
    count = 0
    for m in range(n_left):
        k = chosen[m, 0]
        t = pairs[k, 0]
        s = pairs[k, 1]
        e = triangle(corners_e, t)
        f = (
            moved_corner(corners_f, s, 0, R, r),
            moved_corner(corners_f, s, 1, R, r),
            moved_corner(corners_f, s, 2, R, r),
        )
        if planes_separate(e, f, work):
            continue
        ids = (tri_e[t, 0], tri_e[t, 1], tri_e[t, 2], tri_f[s, 0], tri_f[s, 1], tri_f[s, 2])
        found = intersect_triangles(work, hand, ids, ends, kinds, min(count, most - 1), buffer)
        if found == 1:
            if count < most:
                triangles[count, 0] = t
                triangles[count, 1] = s
            count += 1
        elif found < 0:
            p[STATUS] |= INCONSISTENT
    p[TRIANGLE_CHECKS] += n_chosen
    p[N_SEGMENTS] = count
    if count > most:
        p[STATUS] |= OVERFLOW_SEGMENTS
        p[NEEDED] = count
