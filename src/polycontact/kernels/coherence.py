"""Coherence: candidates found with a margin are kept while no point has moved farther than the margin.

In a simulation one pose follows closely on another, and most of the search would find the same pairs again. What is
kept changes how much work is done, never the segments.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.detection import find_candidates
from polycontact.kernels.frames import (
    Matrix,
    apply,
    apply_transposed,
    load_matrix,
    load_vector,
)
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    AGE,
    BOXES,
    BUILT,
    CANDIDATE_SCRATCH,
    CANDIDATES,
    CORNERS,
    MARGIN,
    MAX_MARGIN,
    N_CANDIDATES,
    N_PARAMETERS,
    N_TRIANGLES,
    NORMALS,
    ORIENTED_BOXES,
    OVERFLOW_CANDIDATES,
    PAD,
    PARAMETERS,
    POSE,
    POSE_LENGTH,
    POSITION,
    SORT_SCRATCH,
    STATUS,
    E,
    F,
    doubles,
    index_table,
    key_table,
    table,
    vectors,
)
from polycontact.kernels.sorting import sort_rows
from polycontact.kernels.vectors import Vector, dot, norm, row, sub, triangle

_STEPS = 10.0
"""Margin of kept candidates in steps of the motion: a longer list is tested in each evaluation, a shorter one
found anew more often."""


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
