"""How far impulses are from Coulomb's law: the natural map of Alart and Curnier (1991) as a velocity."""

from __future__ import annotations

import math

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import FIXED_CONTACT


@kernel
def least_yielding(W: Doubles) -> float:
    """Below this (1/kg) a contact point does not give way along its normal: both bodies are fixed."""
    largest = 0.0
    for k in range(W.shape[0]):
        largest = max(largest, W[k, k])
    return FIXED_CONTACT * largest


@kernel
def velocity_of(W: Doubles, b: Doubles, p: Doubles, i: int, compliance: float) -> Vector:
    """Velocity of contact i, (W + compliance) p + b."""
    k = 3 * i
    u0 = b[k] + compliance * p[k]
    u1 = b[k + 1] + compliance * p[k + 1]
    u2 = b[k + 2] + compliance * p[k + 2]
    for j in range(p.shape[0]):
        u0 += W[k, j] * p[j]
        u1 += W[k + 1, j] * p[j]
        u2 += W[k + 2, j] * p[j]
    return (u0, u1, u2)


@kernel
def coulomb_residual(W: Doubles, b: Doubles, mu: Doubles, floor: Doubles, p: Doubles, compliance: float) -> float:
    """Largest residual of all contacts (m/s): 0 at a solution and nowhere else, not finite where a number is not.

    With u = (W + compliance) p + b and r a third of the trace of the contact's block, it is the larger of
    |min(u_n, r (p_n - floor))| and |r p_t - Π(r p_t - u_t)|, where Π goes to the nearest point of the disc of radius
    μ r p_n. ``floor`` has the least normal impulses, or no entry where these are zero. Contacts between fixed bodies
    have no part in it: no impulse changes their velocity.
    """
    least = least_yielding(W)
    worst = 0.0
    for i in range(mu.shape[0]):
        k = 3 * i
        u = velocity_of(W, b, p, i, compliance)
        if not math.isfinite(u[0] + u[1] + u[2] + mu[i]):
            return math.inf
        if not W[k, k] > least:
            continue
        r = (W[k, k] + W[k + 1, k + 1] + W[k + 2, k + 2]) / 3.0 + compliance
        lowest = floor[i] if floor.shape[0] > 0 else 0.0
        worst = max(worst, abs(min(u[0], r * (p[k] - lowest))))
        x, y = r * p[k + 1] - u[1], r * p[k + 2] - u[2]
        size, limit = math.hypot(x, y), mu[i] * r * max(p[k], 0.0)
        if size > limit:
            x, y = x * (limit / size), y * (limit / size)
        worst = max(worst, math.hypot(r * p[k + 1] - x, r * p[k + 2] - y))
    return worst
