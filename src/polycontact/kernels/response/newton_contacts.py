"""Many contacts with Coulomb friction by a nonsmooth Newton method, which finishes what sweeps have begun.

The residual of `coulomb_residual` is made zero as Alart and Curnier (1991) do: each contact has one of the states open,
sticking and slipping, the equations of its state are linearised, and all are solved at once (a semismooth Newton
method). In: impulses p in their cones. Out: impulses with a smaller residual, or the same. Near a solution a few
steps reach rounding, where sweeps need hundreds, and thousands where a small compliance has to share the load of
redundant contacts. Far from one it may fail; it then leaves the impulses that it was given.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.coulomb_residual import coulomb_residual, least_yielding, velocity_of
from polycontact.kernels.response.response_views import Factors
from polycontact.kernels.views import Doubles
from polycontact.tolerances import NEWTON_PIVOT, NEWTON_PROXIMITY

SHORTENINGS = 5
"""How often a step is halved."""

BOLD_STEPS = 6
"""Whole steps that are taken though no part of them lowers the residual: states have to change before it falls."""


@kernel
def polish_contacts(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    limit: int,
    tolerance: float,
    compliance: float,
    factors: Factors,
) -> tuple[int, float]:
    """Bring p (3n, N s) nearer to a solution by at most ``limit`` steps; returns steps and residual (m/s).

    The residual never grows. Other arguments are those of `sweep_cones_above`.
    """
    m = p.shape[0]
    residual = coulomb_residual(W, b, mu, floor, p, compliance)
    if m > factors.width:
        return 0, residual
    step, A, here = factors.step[:m], factors.matrix, factors.here[:m]
    here[:] = p
    at_here, bold = residual, 0
    for iteration in range(limit):
        if not tolerance < residual < math.inf:
            return iteration, residual
        # Linearise, solve, choose how much of the step to take; the best so far is kept in p.
        _linearise(W, b, mu, floor, here, compliance, A, step)
        if not _solve(A, step):
            return iteration, residual
        length, reached = _best_length(W, b, mu, floor, compliance, factors, at_here)
        if not reached < at_here:
            bold += 1
            if bold > BOLD_STEPS:
                return iteration + 1, residual
        _move(here, length, step, mu, floor, here)
        at_here = reached
        if at_here < residual:
            residual = at_here
            p[:] = here
    return limit, residual


@kernel
def _best_length(
    W: Doubles, b: Doubles, mu: Doubles, floor: Doubles, compliance: float, factors: Factors, before: float
) -> tuple[float, float]:
    """Share of a step that lowers the residual most, and the residual there; the whole step where none does.

    Halved up to `SHORTENINGS` times, until the residual has fallen by half.
    """
    m = b.shape[0]
    here, step, trial = factors.here[:m], factors.step[:m], factors.trial[:m]
    best, share, whole = before, 0.0, before
    length = 1.0
    for _ in range(SHORTENINGS):
        _move(here, length, step, mu, floor, trial)
        reached = coulomb_residual(W, b, mu, floor, trial, compliance)
        if length == 1.0:
            whole = reached
        if reached < best:
            best, share = reached, length
        if best < 0.5 * before:
            break
        length *= 0.5
    return (share, best) if share > 0.0 else (1.0, whole)


@kernel
def _move(p: Doubles, length: float, step: Doubles, mu: Doubles, floor: Doubles, out: Doubles) -> None:
    """Impulses after a part of a step, brought into their cones."""
    for i in range(mu.shape[0]):
        k = 3 * i
        lowest = floor[i] if floor.shape[0] > 0 else 0.0
        normal = max(p[k] + length * step[k], lowest)
        x, y = p[k + 1] + length * step[k + 1], p[k + 2] + length * step[k + 2]
        size, limit = math.hypot(x, y), mu[i] * normal
        share = limit / size if size > limit else 1.0
        out[k], out[k + 1], out[k + 2] = normal, share * x, share * y


@kernel
def _linearise(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    compliance: float,
    A: Doubles,
    right: Doubles,
) -> None:
    """Equations A dp = right of the states of all contacts.

    Of contact i, normal row: (1) open: p_n = floor, (2) closed: u_n = 0. Tangential rows: (3) sticking: u_t = 0,
    (4) slipping, with x = r p_t - u_t and ρ = μ r p_n: r p_t = ρ x/|x|, (5) no friction to speak of: p_t = 0. Contacts
    between fixed bodies have p = 0. r is a third of the trace of the contact's own block (1/kg).
    """
    m = p.shape[0]
    least = least_yielding(W)
    for i in range(mu.shape[0]):
        k = 3 * i
        for a in range(k, k + 3):
            for j in range(m):
                A[a, j] = 0.0
            A[a, a] = 1.0
            right[a] = -p[a]
        if not W[k, k] > least:
            continue
        u = velocity_of(W, b, p, i, compliance)
        r = (W[k, k] + W[k + 1, k + 1] + W[k + 2, k + 2]) / 3.0 + compliance
        lowest = floor[i] if floor.shape[0] > 0 else 0.0
        softness = compliance + NEWTON_PROXIMITY * r
        if r * (p[k] - lowest) > u[0]:
            _copy_row(W, k, softness, A)  # (2)
            right[k] = -u[0]
        else:  # (1)
            right[k] = lowest - p[k]
        x, y = r * p[k + 1] - u[1], r * p[k + 2] - u[2]
        size, limit = math.hypot(x, y), mu[i] * r * max(p[k], 0.0)
        if size <= limit and limit > 0.0:  # (3)
            _copy_row(W, k + 1, softness, A)
            _copy_row(W, k + 2, softness, A)
            right[k + 1], right[k + 2] = -u[1], -u[2]
        elif size > 0.0 and mu[i] > 0.0:  # (4), else (5)
            _slip_rows(W, k, (x / size, y / size), limit / size, mu[i], r, softness, A)
            right[k + 1] = limit * x / size - r * p[k + 1]
            right[k + 2] = limit * y / size - r * p[k + 2]


@kernel
def _copy_row(W: Doubles, row: int, softness: float, A: Doubles) -> None:
    """Write row ``row`` of W to A, with ``softness`` added on the diagonal."""
    for j in range(W.shape[0]):
        A[row, j] = W[row, j]
    A[row, row] += softness


@kernel
def _slip_rows(
    W: Doubles,
    k: int,
    d: tuple[float, float],
    share: float,
    mu: float,
    r: float,
    softness: float,
    A: Doubles,
) -> None:
    """r dp_t - μ r d dp_n - (ρ/|x|) (1 - d dᵀ) (r dp_t - du_t) of a contact that slips along -d."""
    across = (-d[1], d[0])
    for j in range(W.shape[0]):
        turning = W[k + 1, j] * across[0] + W[k + 2, j] * across[1]
        A[k + 1, j] = share * across[0] * turning
        A[k + 2, j] = share * across[1] * turning
    for a in range(2):
        A[k + 1 + a, k] -= mu * r * d[a]
        A[k + 1 + a, k + 1 + a] += r
        for c in range(2):
            A[k + 1 + a, k + 1 + c] += share * (softness - r) * across[a] * across[c]


@kernel
def _solve(A: Doubles, x: Doubles) -> bool:
    """Solve A y = x in place by Gaussian elimination with row pivots; false where A is singular."""
    m = x.shape[0]
    # Pivots are compared with the largest entry.
    largest = 0.0
    for i in range(m):
        for j in range(m):
            largest = max(largest, abs(A[i, j]))
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if not abs(A[best, k]) > NEWTON_PIVOT * largest:
            return False
        if best != k:
            for j in range(k, m):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            x[k], x[best] = x[best], x[k]
        for i in range(k + 1, m):
            share = A[i, k] / A[k, k]
            if share != 0.0:
                for j in range(k + 1, m):
                    A[i, j] -= share * A[k, j]
                x[i] -= share * x[k]
    for k in range(m - 1, -1, -1):
        for j in range(k + 1, m):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
    return True
