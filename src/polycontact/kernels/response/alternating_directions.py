"""Many contacts with Coulomb friction by alternating directions (ADMM), for stacks and redundant contacts.

Carpentier, Le Lidec and Montaut, From compliant to rigid contact simulation, 2024. Coulomb's law is that of a convex
problem in which the normal velocities are raised by μ |u_t| (De Saxcé 1998): ½ pᵀW p + pᵀ(b + μ |u_t| n) is least over
the cones. In: impulses in their cones. Out: impulses nearer to a solution.

The impulses have two copies: x minimises, p lies in the cones, and multipliers y, which become the raised velocities,
pull both together; |u_t| is taken from them. A step:

    (1) x: one linear system for all contacts at once, (W + weight) x = y + weight p − b − μ |y_t| n, whose Cholesky
        factor is kept
    (2) p: the nearest point in its cone, contact by contact (`cone_projection`)
    (3) y: by how far the two are apart, times the weight
    (4) every ten steps the weight is balanced: raised where copies stay apart, lowered where they hold each other back

Every step sees all contacts at once, so that a stack needs tens of steps where sweeps, which pass impulses on from
neighbour to neighbour, need thousands. It soon finds the states of the contacts; digits are left to Newton's method.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.cone_projection import nearest_in_cone
from polycontact.kernels.response.coulomb_residual import least_yielding, velocity_of
from polycontact.kernels.response.response_views import Factors
from polycontact.kernels.views import Doubles
from polycontact.tolerances import FAR_OUT_OF_BALANCE, FIRST_WEIGHT, LARGEST_WEIGHT, LEAST_WEIGHT, OUT_OF_BALANCE

BALANCED_EVERY = 10
"""Steps after which the weight is changed, where one copy moves faster than the other follows."""


@kernel
def begin_alternation(W: Doubles, b: Doubles, mu: Doubles, p: Doubles, compliance: float, factors: Factors) -> bool:
    """Multipliers and factors for impulses p in their cones; false where the memory has no room or W is not finite."""
    if p.shape[0] > factors.width:
        return False
    least = least_yielding(W)
    for i in range(mu.shape[0]):
        k = 3 * i
        u = velocity_of(W, b, p, i, compliance)
        factors.multipliers[k] = u[0] + mu[i] * math.hypot(u[1], u[2])
        factors.multipliers[k + 1], factors.multipliers[k + 2] = u[1], u[2]
        r = (W[k, k] + W[k + 1, k + 1] + W[k + 2, k + 2]) / 3.0 + compliance
        factors.own[i] = r if W[k, k] > least else 0.0
    factors.weight = FIRST_WEIGHT
    return _factorise(W, compliance, factors)


@kernel
def alternate(
    W: Doubles, b: Doubles, mu: Doubles, floor: Doubles, p: Doubles, steps: int, compliance: float, factors: Factors
) -> bool:
    """Some steps from where the last ones, or `begin_alternation`, have ended; false where numbers are not finite.

    p (3n, N s) stays in the cones, and above the floors.
    """
    y, own = factors.multipliers, factors.own
    for step in range(steps):
        _minimise(b, mu, p, factors)  # (1)
        apart, moved = 0.0, 0.0
        for i in range(mu.shape[0]):
            k = 3 * i
            if own[i] == 0.0:
                p[k], p[k + 1], p[k + 2] = 0.0, 0.0, 0.0
                continue
            # (2), (3)
            w = factors.weight * own[i]
            x = (factors.step[k], factors.step[k + 1], factors.step[k + 2])
            lowest = floor[i] if floor.shape[0] > 0 else 0.0
            new = nearest_in_cone((x[0] - y[k] / w, x[1] - y[k + 1] / w, x[2] - y[k + 2] / w), mu[i], lowest)
            for a in range(3):
                apart = max(apart, own[i] * abs(x[a] - new[a]))
                moved = max(moved, w * abs(new[a] - p[k + a]))
                y[k + a] -= w * (x[a] - new[a])
                p[k + a] = new[a]
        if not math.isfinite(apart + moved):
            return False
        # (4)
        if (step + 1) % BALANCED_EVERY == 0 and not _balance(W, compliance, apart, moved, factors):
            return False
    return True


@kernel
def _minimise(b: Doubles, mu: Doubles, p: Doubles, factors: Factors) -> None:
    """The copy that minimises: (W + weight) x = y + weight p - b - μ |y_t| n, left in ``factors.step``.

    Forward and back substitution with the factor of `_factorise`.
    """
    x, y, L = factors.step, factors.multipliers, factors.cholesky
    m = p.shape[0]
    for i in range(mu.shape[0]):
        k, w = 3 * i, factors.weight * factors.own[i]
        for a in range(k, k + 3):
            x[a] = y[a] + w * p[a] - b[a]
        x[k] -= mu[i] * math.hypot(y[k + 1], y[k + 2])
    for i in range(m):
        total = x[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]
    for i in range(m - 1, -1, -1):
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]


@kernel
def _balance(W: Doubles, compliance: float, apart: float, moved: float, factors: Factors) -> bool:
    """Raise the weight where the copies stay apart, lower it where they hold each other back."""
    if apart > OUT_OF_BALANCE * moved:
        factors.weight *= OUT_OF_BALANCE if apart > FAR_OUT_OF_BALANCE * moved else 3.0
    elif moved > OUT_OF_BALANCE * apart:
        factors.weight /= OUT_OF_BALANCE if moved > FAR_OUT_OF_BALANCE * apart else 3.0
    else:
        return True
    factors.weight = min(max(factors.weight, LEAST_WEIGHT), LARGEST_WEIGHT)
    return _factorise(W, compliance, factors)


@kernel
def _factorise(W: Doubles, compliance: float, factors: Factors) -> bool:
    """L Lᵀ = W + weight (Cholesky); rows of contacts between fixed bodies are those of the identity.

    False where W + weight is not positive definite, or a number is not finite.
    """
    L, own = factors.cholesky, factors.own
    for i in range(W.shape[0]):
        for j in range(i + 1):
            total = W[i, j] if own[i // 3] > 0.0 and own[j // 3] > 0.0 else 0.0
            if i == j:
                total += compliance + factors.weight * own[i // 3] if own[i // 3] > 0.0 else 1.0
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i > j:
                L[i, j] = total / L[j, j]
            elif total > 0.0:
                L[i, i] = math.sqrt(total)
            else:
                return False
    return True
