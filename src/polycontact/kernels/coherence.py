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
    GAPS,
    MARGIN,
    MAX_MARGIN,
    MOVED,
    N_CANDIDATES,
    N_PARAMETERS,
    N_TRIANGLES,
    ORIENTED_BOXES,
    OVERFLOW_CANDIDATES,
    PAD,
    PARAMETERS,
    POSE,
    POSE_LENGTH,
    POSITION,
    SORT_SCRATCH,
    STACK,
    STATUS,
    TRIANGLE_PAIR,
    E,
    F,
    doubles,
    index_table,
    indices,
    key_table,
    table,
)
from polycontact.kernels.sorting import DIGITS, sort_many_rows
from polycontact.kernels.triangle_pairs import triangle_gaps
from polycontact.kernels.vectors import Vector, norm, sub

_STEPS = 10.0
"""Margin of kept candidates in steps of the motion: a longer list takes longer to find and to look through, a shorter
one is found anew more often."""

_GAP_UNITS = 2.0**20
"""Gaps are noted, rounded down, in this fraction of the margin."""


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


@kernel
def _keep_near_pairs(p: Any, margin: float) -> None:
    """Drop candidates whose triangles are farther apart than the margin, sort the rest and note their gaps."""
    pose = doubles(p, POSE, POSE_LENGTH)
    corners_e = table(p, E + CORNERS, p[E + N_TRIANGLES], 9)
    corners_f = table(p, F + CORNERS, p[F + N_TRIANGLES], 9)
    n = p[N_CANDIDATES]
    pairs = index_table(p, CANDIDATES, n, 2)
    gaps = doubles(p, GAPS, n)
    four = doubles(p, TRIANGLE_PAIR, 4)
    keys = key_table(p, CANDIDATE_SCRATCH, n + 4)
    unit = margin / _GAP_UNITS
    reach = margin * (1.0 + 1e-9) + 4.0 * pose[PAD]
    kept = 0
    for k in range(0, n, 4):
        k1 = min(k + 1, n - 1)
        k2 = min(k + 2, n - 1)
        k3 = min(k + 3, n - 1)
        triangle_gaps(
            corners_e,
            pairs[k, 0],
            pairs[k1, 0],
            pairs[k2, 0],
            pairs[k3, 0],
            corners_f,
            pairs[k, 1],
            pairs[k1, 1],
            pairs[k2, 1],
            pairs[k3, 1],
            pose,
            four,
        )
        for lane in range(min(4, n - k)):
            keys[kept, 0] = pairs[k + lane, 0] * p[F + N_TRIANGLES] + pairs[k + lane, 1]
            keys[kept, 1] = int(min(four[lane], reach) / unit)
            kept += 1 if four[lane] <= reach else 0
    sort_many_rows(keys, key_table(p, SORT_SCRATCH, n), indices(p, STACK, DIGITS), kept)
    for k in range(kept):
        t = keys[k, 0] // p[F + N_TRIANGLES]
        pairs[k, 0] = t
        pairs[k, 1] = keys[k, 0] - t * p[F + N_TRIANGLES]
        gaps[k] = unit * keys[k, 1]
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
    pose[MOVED] = 0.0
    if age > 0.0:
        moved = motion_since_build(p)
        if moved + 4.0 * pose[PAD] < pose[MARGIN]:
            pose[AGE] = age + 1.0
            pose[MOVED] = moved
            return
        step = moved / age
        if 2.0 * step < parameters[MAX_MARGIN]:
            margin = min(max(_STEPS * step, 0.2 * parameters[MAX_MARGIN]), parameters[MAX_MARGIN])
    find_candidates(p, E + ORIENTED_BOXES, F + ORIENTED_BOXES, margin)
    for i in range(12):
        pose[BUILT + i] = pose[i]
    pose[MARGIN] = margin
    pose[AGE] = 1.0
    if p[STATUS] & OVERFLOW_CANDIDATES:
        pose[AGE] = 0.0
    elif margin > 0.0:
        _keep_near_pairs(p, margin)
