"""Collision detection: which triangles of E and F intersect, and in which segments (section 3.1).

In: the pose. Out: candidates (leaf pairs whose boxes overlap) and intersection segments in irregular order.
Candidates found with a margin are reused while no point has moved farther than the margin; the segments are the
same either way.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.exact import BUFFER_LENGTH
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    AGE,
    BOXES,
    BUFFER,
    BUILT,
    BV_CHECKS,
    CANDIDATE_SCRATCH,
    CANDIDATES,
    CORNERS,
    DRIFT,
    DUST,
    INCONSISTENT,
    MARGIN,
    MAX_CANDIDATES,
    MAX_MARGIN,
    MAX_SEGMENTS,
    N_CANDIDATES,
    N_PARAMETERS,
    N_SEGMENTS,
    N_TRIANGLES,
    NEEDED,
    NORMALS,
    ORIENTED_BOXES,
    OVERFLOW_CANDIDATES,
    OVERFLOW_SEGMENTS,
    PAD,
    PARAMETERS,
    POSE,
    POSE_LENGTH,
    POSITION,
    REACH,
    REBUILDS,
    SEGMENT_ENDS,
    SEGMENT_KINDS,
    SEGMENT_TRIANGLES,
    SORT_SCRATCH,
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
    Placed,
    aligned_boxes_apart,
    axes_of,
    oriented_boxes_overlap,
    reach_along_axes,
)
from polycontact.kernels.sorting import sort_rows
from polycontact.kernels.tree import left_count
from polycontact.kernels.triangles import intersect_triangles, planes_separate
from polycontact.kernels.vectors import Vector, cross, dot, max_abs, norm, row, sub, triangle
from polycontact.tolerances import EPS

Matrix = tuple[Vector, Vector, Vector]

_STEPS = 10.0
"""Margin of kept candidates in steps of the motion: a longer list is tested in each evaluation, a shorter one
found anew more often."""


@inline_kernel
def load_matrix(pose: Any, at: int) -> Matrix:
    """Rotation stored at ``pose[at:at + 9]``."""
    return (
        (pose[at], pose[at + 1], pose[at + 2]),
        (pose[at + 3], pose[at + 4], pose[at + 5]),
        (pose[at + 6], pose[at + 7], pose[at + 8]),
    )


@inline_kernel
def load_vector(pose: Any, at: int) -> Vector:
    """Vector stored at ``pose[at:at + 3]``."""
    return (pose[at], pose[at + 1], pose[at + 2])


@inline_kernel
def apply(R: Matrix, a: Vector) -> Vector:
    """R·a."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


@inline_kernel
def apply_transposed(R: Matrix, a: Vector) -> Vector:
    """Rᵀ·a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


@inline_kernel
def _absolute(R: Matrix) -> Matrix:
    return (
        (abs(R[0][0]), abs(R[0][1]), abs(R[0][2])),
        (abs(R[1][0]), abs(R[1][1]), abs(R[1][2])),
        (abs(R[2][0]), abs(R[2][1]), abs(R[2][2])),
    )


@inline_kernel
def without_dust(x: float) -> float:
    """A coordinate too small for exact products (their error terms would underflow) is zero."""
    return x if abs(x) > DUST else 0.0


@inline_kernel
def moved_corner(corners: Any, t: int, k: int, R: Matrix, r: Vector) -> Vector:
    """Corner k of triangle t of F in frame E: the same bits as `place` gives."""
    moved = apply(R, (corners[t, 3 * k], corners[t, 3 * k + 1], corners[t, 3 * k + 2]))
    return (without_dust(moved[0] + r[0]), without_dust(moved[1] + r[1]), without_dust(moved[2] + r[2]))


@inline_kernel
def place(own: Any, x: Any, fresh: Any, v: int, stamp: int, R: Matrix, r: Vector) -> Vector:
    """Vertex v of F in frame E, computed once per evaluation."""
    if fresh[v] != stamp:
        fresh[v] = stamp
        moved = apply(R, row(own, v))
        x[v, 0] = without_dust(moved[0] + r[0])
        x[v, 1] = without_dust(moved[1] + r[1])
        x[v, 2] = without_dust(moved[2] + r[2])
    return (x[v, 0], x[v, 1], x[v, 2])


@inline_kernel
def boxes_overlap(
    e: Any, i: int, c: Vector, h: Vector, reach: Vector, R: Matrix, A: Matrix, pad: float
) -> bool:
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
def _placed(boxes: Any, i: int, R: Matrix, r: Vector) -> Placed:
    """Box i of F in frame E."""
    c = apply(R, (boxes[i, 0], boxes[i, 1], boxes[i, 2]))
    b = axes_of(boxes, i)
    return (
        (c[0] + r[0], c[1] + r[1], c[2] + r[2]),
        (boxes[i, 3], boxes[i, 4], boxes[i, 5]),
        (apply(R, b[0]), apply(R, b[1]), apply(R, b[2])),
    )


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
def find_candidates(p: Any, aligned_slot_e: int, boxes_slot_e: int, boxes_slot_f: int, margin: float) -> None:
    """Leaf pairs whose boxes come closer than ``margin``, by simultaneous descent of both trees (S0.30)."""
    n_e = p[E + N_TRIANGLES]
    n_f = p[F + N_TRIANGLES]
    e = table(p, boxes_slot_e, 2 * n_e - 1, COLUMNS)
    aligned = table(p, aligned_slot_e, 2 * n_e - 1, 6)
    f = table(p, boxes_slot_f, 2 * n_f - 1, COLUMNS)
    pose = doubles(p, POSE, POSE_LENGTH)
    pad = pose[PAD] + margin
    skew = PARALLEL + 4.0 * pose[DRIFT]
    R = load_matrix(pose, 0)
    r = load_vector(pose, POSITION)
    stack = index_table(p, STACK, STACK_LENGTH, 6)
    most = p[MAX_CANDIDATES]
    out = index_table(p, CANDIDATES, most, 2)
    count = 0
    checks = 1
    depth = 0
    if oriented_boxes_overlap(e, 0, _placed(f, 0, R, r), pad, skew):
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
        left_i = left_count(n_i)
        left_j = left_count(n_j)
        for b in range(2 if split_f else 1):
            node_j = j
            at_j = leaf_j
            count_j = n_j
            if split_f:
                node_j = j + 1 if b == 0 else j + 2 * left_j
                at_j = leaf_j if b == 0 else leaf_j + left_j
                count_j = left_j if b == 0 else n_j - left_j
            placed = _placed(f, node_j, R, r)
            reach = reach_along_axes(placed, pad)
            for a in range(2 if split_e else 1):
                node_i = i
                at_i = leaf_i
                count_i = n_i
                if split_e:
                    node_i = i + 1 if a == 0 else i + 2 * left_i
                    at_i = leaf_i if a == 0 else leaf_i + left_i
                    count_i = left_i if a == 0 else n_i - left_i
                checks += 1
                if aligned_boxes_apart(aligned, node_i, placed[0], reach):
                    continue
                if oriented_boxes_overlap(e, node_i, placed, pad, skew):
                    depth = _push(stack, depth, node_i, at_i, count_i, node_j, at_j, count_j)
    p[BV_CHECKS] += checks
    p[REBUILDS] += 1
    p[N_CANDIDATES] = count
    if count > most:
        p[STATUS] |= OVERFLOW_CANDIDATES
        p[NEEDED] = count


@inline_kernel
def _largest_motion(D: Matrix, d: Vector, box: Any) -> float:
    """Largest |D·x + d| over the corners x of a box: a bound for all points in it, as the norm is convex."""
    c = apply(D, (box[0, 0], box[0, 1], box[0, 2]))
    m = (c[0] + d[0], c[1] + d[1], c[2] + d[2])
    largest = 0.0
    for corner in range(8):
        s0 = box[0, 3] if corner & 1 else -box[0, 3]
        s1 = box[0, 4] if corner & 2 else -box[0, 4]
        s2 = box[0, 5] if corner & 4 else -box[0, 5]
        q = apply(D, (s0, s1, s2))
        largest = max(largest, norm((m[0] + q[0], m[1] + q[1], m[2] + q[2])))
    return largest


@inline_kernel
def _matrix_difference(A: Matrix, B: Matrix) -> Matrix:
    return (sub(A[0], B[0]), sub(A[1], B[1]), sub(A[2], B[2]))


@inline_kernel
def _transposed(A: Matrix) -> Matrix:
    return ((A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2]))


@kernel
def motion_since_build(p: Any) -> float:
    """How far any point can have moved, relative to the other body, since the candidates were built (m)."""
    pose = doubles(p, POSE, POSE_LENGTH)
    R = load_matrix(pose, 0)
    r = load_vector(pose, POSITION)
    R0 = load_matrix(pose, BUILT)
    r0 = load_vector(pose, BUILT + 9)
    seen_from_e = _largest_motion(_matrix_difference(R, R0), sub(r, r0), table(p, F + BOXES, 1, 6))
    Rt = _transposed(R)
    R0t = _transposed(R0)
    shift = sub(apply(R0t, r0), apply(Rt, r))
    seen_from_f = _largest_motion(_matrix_difference(Rt, R0t), shift, table(p, E + BOXES, 1, 6))
    return min(seen_from_e, seen_from_f)


@inline_kernel
def _beyond(n: Vector, y: Any, x: Any, distance: float) -> bool:
    """Triangles x and y are farther apart than ``distance``, as seen along the normal n of y.

    How far y leaves its plane counts too: the normal of a needle may be poor.
    """
    d0 = dot(n, sub(x[0], y[0]))
    d1 = dot(n, sub(x[1], y[0]))
    d2 = dot(n, sub(x[2], y[0]))
    limit = distance + max(abs(dot(n, sub(y[1], y[0]))), abs(dot(n, sub(y[2], y[0]))))
    return min(d0, min(d1, d2)) > limit or max(d0, max(d1, d2)) < -limit


@kernel
def _keep_near_pairs(p: Any, margin: float) -> None:
    """Drop candidates whose triangles are farther apart than the margin, and sort the rest.

    Worked out in the frame of F, where only the triangle of E has to be moved, once for each run of its candidates.
    """
    pose = doubles(p, POSE, POSE_LENGTH)
    R = load_matrix(pose, 0)
    r = load_vector(pose, POSITION)
    corners_e = table(p, E + CORNERS, p[E + N_TRIANGLES], 9)
    corners_f = table(p, F + CORNERS, p[F + N_TRIANGLES], 9)
    normals_e = vectors(p, E + NORMALS, p[E + N_TRIANGLES])
    normals_f = vectors(p, F + NORMALS, p[F + N_TRIANGLES])
    n = p[N_CANDIDATES]
    pairs = index_table(p, CANDIDATES, n, 2)
    keys = key_table(p, CANDIDATE_SCRATCH, n)
    reach = margin * (1.0 + 1e-9) + 4.0 * pose[PAD]
    kept = 0
    current = -1
    e = triangle(corners_e, 0)
    normal_e = row(normals_e, 0)
    for k in range(n):
        t = pairs[k, 0]
        s = pairs[k, 1]
        if t != current:
            current = t
            x = triangle(corners_e, t)
            e = (
                apply_transposed(R, sub(x[0], r)),
                apply_transposed(R, sub(x[1], r)),
                apply_transposed(R, sub(x[2], r)),
            )
            normal_e = apply_transposed(R, row(normals_e, t))
        f = triangle(corners_f, s)
        if _beyond(normal_e, e, f, reach) or _beyond(row(normals_f, s), f, e, reach):
            continue
        keys[kept, 0] = t * p[F + N_TRIANGLES] + s
        keys[kept, 1] = 0
        kept += 1
    sort_rows(keys, key_table(p, SORT_SCRATCH, n), kept)
    for k in range(kept):
        pairs[k, 0] = keys[k, 0] // p[F + N_TRIANGLES]
        pairs[k, 1] = keys[k, 0] % p[F + N_TRIANGLES]
    p[N_CANDIDATES] = kept


@kernel
def update_candidates(p: Any) -> None:
    """Keep the candidates while the pose stays within their margin, else build them anew.

    The margin follows the motion: ten steps' worth while poses follow each other closely, none at all for
    unrelated poses. It changes only how much work is done, never the segments.
    """
    pose = doubles(p, POSE, POSE_LENGTH)
    parameters = doubles(p, PARAMETERS, N_PARAMETERS)
    age = pose[AGE]
    margin = 0.0
    if age > 0.0:
        moved = motion_since_build(p)
        if moved + 4.0 * pose[PAD] < pose[MARGIN]:
            pose[AGE] = age + 1.0
            return
        step = moved / age
        if 2.0 * step < parameters[MAX_MARGIN]:
            margin = min(max(_STEPS * step, 0.2 * parameters[MAX_MARGIN]), parameters[MAX_MARGIN])
    find_candidates(p, E + BOXES, E + ORIENTED_BOXES, F + ORIENTED_BOXES, margin)
    for i in range(12):
        pose[BUILT + i] = pose[i]
    pose[MARGIN] = margin
    pose[AGE] = 1.0
    if p[STATUS] & OVERFLOW_CANDIDATES:
        pose[AGE] = 0.0
    elif margin > 0.0:
        _keep_near_pairs(p, margin)


@inline_kernel
def _plane_in_f(e: Any, R: Matrix, r: Vector, reach: float) -> tuple[Vector, float, float]:
    """Plane of a triangle of E for points y in the frame of F: normal·y - offset, and its error bound.

    ``reach``: largest coordinates (m). A first look at most candidates that spares moving their corners to frame E.
    """
    u = sub(e[1], e[0])
    v = sub(e[2], e[0])
    n = cross(u, v)
    bound = 128.0 * EPS * (max_abs(n) + max_abs(u) * max_abs(v)) * (reach + max_abs(r))
    return apply_transposed(R, n), dot(n, sub(e[0], r)), bound


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
    reach = doubles(p, PARAMETERS, N_PARAMETERS)[REACH]
    current = -1
    e = triangle(corners_e, 0)
    normal, offset, bound = _plane_in_f(e, R, r, reach)
    count = 0
    for k in range(p[N_CANDIDATES]):
        t = pairs[k, 0]
        s = pairs[k, 1]
        if t != current:
            current = t
            e = triangle(corners_e, t)
            normal, offset, bound = _plane_in_f(e, R, r, reach)
        d0 = dot(normal, (corners_f[s, 0], corners_f[s, 1], corners_f[s, 2])) - offset
        d1 = dot(normal, (corners_f[s, 3], corners_f[s, 4], corners_f[s, 5])) - offset
        d2 = dot(normal, (corners_f[s, 6], corners_f[s, 7], corners_f[s, 8])) - offset
        if min(d0, min(d1, d2)) > bound or max(d0, max(d1, d2)) < -bound:
            continue
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
    p[TRIANGLE_CHECKS] += p[N_CANDIDATES]
    p[N_SEGMENTS] = count
    if count > most:
        p[STATUS] |= OVERFLOW_SEGMENTS
        p[NEEDED] = count
