"""Newton's method for the direction in which two convex shapes meet: pieces that are level, none of them missing.

Problem: GJK and the expanding polytope come near the direction n of the least h(n), but on round shapes they need
hundreds of points for the last digits. In: a direction and the pieces (`support`) that seem to meet there, with
weights. Out: n, h(n) and the points to rounding, or False.

Near the least h(n), h is the greatest of up to three smooth pieces h_k (a rim, a vertex, an ellipsoid, each minus one
of the other body). There n solves

    h_k(n) = t,   Σ λ_k s_k(n) = t n,   λ_k ≥ 0,   Σ λ_k = 1,

where s_k is the point of piece k and the gradient of h_k: t n is the point of the difference that is nearest to the
origin. Unknown are two components of a turn of n, t and the λ_k: up to six equations, linearised with the second
derivatives of the pieces and solved by Gaussian elimination.

    (0) a flat cap against a point          -> its direction is known (`flat_caps`): Newton's method does not come to it
    (1) steps lead nowhere, or a singular system -> leave out the piece of least weight, and start again
    (2) a weight is negative                -> that piece does not carry: leave it out
    (3) another piece lies higher           -> it is missing: add it, with weight zero
    (4) else                                -> settled, if t n really is a point of the difference
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.convex_pair import (
    ConvexPair,
    Meeting,
    add_support,
    difference_bend,
    difference_point,
    from_f,
    into_f,
)
from polycontact.kernels.geometry.flat_caps import put_meeting, settle_on_cap
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.support import piece_point
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import (
    ADDED_CURVATURE,
    ASIDE,
    LONGEST_TURN,
    MEETING_PIVOT,
    NEWTON_RESIDUAL,
    TURN_NEAR_ROUNDING,
    TURN_OF_ROUNDING,
    TURN_TO_NOWHERE,
    WILD_TURN,
)

_MOST_STEPS = 12
"""Newton steps with the same pieces: from a good start, convergence is quadratic."""
_MOST_CHANGES = 6
"""Pieces left out or added."""


@inline_kernel
def across(n: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors across n and across each other."""
    if abs(n[0]) < ASIDE:
        u = (0.0, n[2], -n[1])
    else:
        u = (-n[2], 0.0, n[0])
    u = scale(1.0 / norm(u), u)
    return u, cross(n, u)


@kernel
def _solve(system: Doubles, n: int) -> bool:
    """Gaussian elimination, with row pivots, of n equations whose right-hand side is in column n, as is the solution.

    False where they are singular. Entries are of the order of 1.
    """
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(system[i, k]) > abs(system[pivot, k]):
                pivot = i
        if not abs(system[pivot, k]) > MEETING_PIVOT:
            return False
        if pivot != k:
            for j in range(k, n + 1):
                system[k, j], system[pivot, j] = system[pivot, j], system[k, j]
        for i in range(k + 1, n):
            factor = system[i, k] / system[k, k]
            for j in range(k + 1, n + 1):
                system[i, j] -= factor * system[k, j]
    for back in range(n):
        k = n - 1 - back
        for j in range(k + 1, n):
            system[k, n] -= system[k, j] * system[j, n]
        system[k, n] /= system[k, k]
    return True


@kernel
def _step(pair: ConvexPair, trial: Meeting) -> float:
    """One Newton step of direction, height and weights, lengths in units of the scale; its turn (rad), or -1.

    Unknowns and columns: turn along u and v, new height t, new weights λ_k. Rows 0 and 1: Σ λ_k s_k − t n has no part
    along u and v; row 2: Σ λ_k = 1; rows 3 + k: h_k(n) = t. Bends are second derivatives of the heights of the pieces.
    Long turns are shortened; -1 where the system is singular.
    """
    n = as_vector(trial.normal)
    u, v = across(n)
    m = trial.n
    inverse = 1.0 / pair.scale
    system = pair.system
    for i in range(m + 3):
        for j in range(m + 4):
            system[i, j] = 0.0
    uu, uv, vv, t = 0.0, 0.0, 0.0, 0.0
    for k in range(m):
        piece_e, piece_f = int(trial.piece[k, 0]), int(trial.piece[k, 1])
        s = scale(inverse, difference_point(pair, piece_e, piece_f, n))
        bend = difference_bend(pair, piece_e, piece_f, n, u, v)
        weight = trial.weight[k]
        height = dot(n, s)
        uu += weight * inverse * bend[0]
        uv += weight * inverse * bend[1]
        vv += weight * inverse * bend[2]
        t += weight * height
        g_u, g_v = dot(u, s), dot(v, s)
        system[0, 3 + k] = g_u
        system[1, 3 + k] = g_v
        system[2, 3 + k] = 1.0
        system[3 + k, 0] = g_u
        system[3 + k, 1] = g_v
        system[3 + k, 2] = -1.0
        system[3 + k, m + 3] = -height
    # On round shapes about a common axis h does not change around it: the system must not be singular for that.
    system[0, 0], system[0, 1], system[1, 0], system[1, 1] = uu - t + ADDED_CURVATURE, uv, uv, vv - t + ADDED_CURVATURE
    system[2, m + 3] = 1.0
    if not _solve(system, m + 3):
        return -1.0
    y_u, y_v = system[0, m + 3], system[1, m + 3]
    length = math.hypot(y_u, y_v)
    if not length < WILD_TURN:
        return -1.0
    shorter = min(1.0, LONGEST_TURN / length) if length > 0.0 else 1.0
    n = add(n, add(scale(shorter * y_u, u), scale(shorter * y_v, v)))
    n = scale(1.0 / norm(n), n)
    for a in range(3):
        trial.normal[a] = n[a]
    for k in range(m):
        trial.weight[k] = system[3 + k, m + 3]
    return length


@kernel
def _iterate(pair: ConvexPair, trial: Meeting) -> bool:
    """Newton steps with the pieces as they are; False where they lead nowhere.

    Converged where a step is rounding, or small and no longer halved from one step to the next.
    """
    before = math.inf
    for _ in range(_MOST_STEPS):
        length = _step(pair, trial)
        if length < 0.0:
            return False
        if length < TURN_OF_ROUNDING or (length < TURN_NEAR_ROUNDING and length >= 0.5 * before):
            return True
        before = length
    return before < TURN_TO_NOWHERE


@kernel
def _leave_out(trial: Meeting, k: int) -> None:
    """Take piece k out of the trial."""
    trial.n -= 1
    for i in range(k, trial.n):
        trial.piece[i, 0], trial.piece[i, 1] = trial.piece[i + 1, 0], trial.piece[i + 1, 1]
        trial.weight[i] = trial.weight[i + 1]


@kernel
def _least_weight(trial: Meeting) -> int:
    """The piece that carries least."""
    least = 0
    for k in range(1, trial.n):
        if trial.weight[k] < trial.weight[least]:
            least = k
    return least


@kernel
def _has(trial: Meeting, piece_e: int, piece_f: int) -> bool:
    """Whether a pair of pieces is one of the trial's."""
    is_there = False
    for k in range(trial.n):
        is_there = is_there or (trial.piece[k, 0] == piece_e and trial.piece[k, 1] == piece_f)
    return is_there


@kernel
def _is_nearest(pair: ConvexPair, trial: Meeting) -> bool:
    """Whether t n is a point of the difference and, with h(n) = t, so the one nearest to the origin near n."""
    n = as_vector(trial.normal)
    a: Vector = (0.0, 0.0, 0.0)
    b: Vector = (0.0, 0.0, 0.0)
    for k in range(trial.n):
        on_e = piece_point(pair.e, int(trial.piece[k, 0]), n, pair.asked)
        on_f = piece_point(pair.f, int(trial.piece[k, 1]), into_f(pair, n), pair.asked)
        a = add(a, scale(trial.weight[k], on_e))
        b = add(b, scale(trial.weight[k], from_f(pair, on_f)))
    put_meeting(trial, a, b)
    return norm(sub(sub(a, b), scale(trial.height, n))) <= NEWTON_RESIDUAL * pair.scale


@kernel
def settle(pair: ConvexPair, spare: int) -> bool:
    """Bring ``trial`` (direction, pieces, weights) to where pieces are level; False where that fails.

    ``spare``: a row of the points that may be written over. The trial is then a local minimum of h, or a saddle of it:
    its height tells whether it is better than what is known.
    """
    trial = pair.trial
    points = pair.points
    if settle_on_cap(pair, spare):  # (0)
        return True
    for _ in range(_MOST_CHANGES):
        start = as_vector(trial.normal)
        if not _iterate(pair, trial):  # (1)
            if trial.n == 1:
                return False
            for k in range(3):
                trial.normal[k] = start[k]
            for k in range(trial.n):
                trial.weight[k] = min(max(trial.weight[k], 0.0), 1.0)
            _leave_out(trial, _least_weight(trial))
            continue
        least = _least_weight(trial)
        if trial.weight[least] < 0.0:  # (2)
            if trial.n == 1:
                return False
            _leave_out(trial, least)
            continue
        n = as_vector(trial.normal)
        trial.height = add_support(pair, spare, n)
        p = difference_point(pair, int(trial.piece[0, 0]), int(trial.piece[0, 1]), n)
        if trial.height - dot(n, p) > NEWTON_RESIDUAL * pair.scale:  # (3)
            if trial.n == 3 or _has(trial, points.piece[spare, 0], points.piece[spare, 1]):
                return False
            trial.piece[trial.n, 0] = points.piece[spare, 0]
            trial.piece[trial.n, 1] = points.piece[spare, 1]
            trial.weight[trial.n] = 0.0
            trial.n += 1
            continue
        return _is_nearest(pair, trial)  # (4)
    return False
