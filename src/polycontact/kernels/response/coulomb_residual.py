"""How far impulses are from Coulomb's law: the natural map of Alart and Curnier (1991) as a velocity."""

from __future__ import annotations

import math

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.views import Doubles


@inline_kernel
def residual_of_contact(system: ContactSystem, i: int, mu: float, lowest: float, p: Vector, u: Vector) -> float:
    """Residual of one contact (m/s), see `coulomb_residual`; ``lowest``: least normal impulse, N s."""
    if system.own[i] == 0.0:
        return 0.0
    k = 3 * i
    r = system.own[i] + (system.soft[k] + system.soft[k + 1] + system.soft[k + 2]) / 3.0
    normal = abs(min(u[0], r * (p[0] - lowest)))
    x, y = r * p[1] - u[1], r * p[2] - u[2]
    size, limit = math.hypot(x, y), mu * r * max(p[0], 0.0)
    if size > limit:
        x, y = x * (limit / size), y * (limit / size)
    return float(max(normal, math.hypot(r * p[1] - x, r * p[2] - y)))


@kernel
def coulomb_residual(system: ContactSystem, mu: Doubles, floor: Doubles, p: Doubles, u: Doubles) -> float:
    """Largest residual of all contacts (m/s): 0 at a solution and nowhere else, infinite where a number is not finite.

    With the velocities u by the impulses p, and r a third of the trace of the contact's block of W, it is the larger of
    |min(u_n, r (p_n - floor))| and |r p_t - Π(r p_t - u_t)|, where Π goes to the nearest point of the disc of radius
    μ r p_n. ``floor`` has the least normal impulses, or no entry where these are zero. Contacts between fixed bodies
    have no part in it: no impulse changes their velocity.
    """
    worst = 0.0
    for i in range(system.n):
        k = 3 * i
        if not math.isfinite(u[k] + u[k + 1] + u[k + 2] + mu[i] + p[k] + p[k + 1] + p[k + 2]):
            return math.inf
        lowest = floor[i] if floor.shape[0] > 0 else 0.0
        impulse, velocity = (p[k], p[k + 1], p[k + 2]), (u[k], u[k + 1], u[k + 2])
        worst = max(worst, residual_of_contact(system, i, mu[i], lowest, impulse, velocity))
    return worst
