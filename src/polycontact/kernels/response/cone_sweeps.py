"""Many contacts with Coulomb friction by sweeps: block Gauss–Seidel over circular cones.

One contact after the other is given the impulse that satisfies Coulomb's law exactly while the others keep theirs
(Jean, The non-smooth contact dynamics method, 1999; Moreau, Some numerical methods in multibody dynamics, 1994). Sweeps
end where no impulse changes its contact's velocity by more than the tolerance and the residual is small enough. They
converge for nearly every problem, but slowly for long chains of contacts and for redundant ones.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.coulomb_residual import coulomb_residual, least_yielding, velocity_of
from polycontact.kernels.response.local_contact import block_of, solve_contact
from polycontact.kernels.views import Doubles


@kernel
def sweep_cones(
    W: Doubles, b: Doubles, mu: Doubles, p: Doubles, limit: int, tolerance: float, compliance: float = 0.0
) -> tuple[int, float]:
    """Impulses p (3n, N s) with u = W p + b, u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction; returns sweeps and residual (m/s).

    W (3n, 3n; 1/kg) is symmetric and positive semidefinite, rows of a contact: normal, two tangents. p is where sweeps
    start and may be anything finite. At most ``limit`` sweeps are made; the residual is that of `coulomb_residual`,
    infinite where a number is not finite. With a compliance (1/kg), W + compliance takes the place of W, which makes
    the impulses of redundant contacts unique. The impulse of a contact between fixed bodies is zero.
    """
    return sweep_cones_above(W, b, mu, mu[:0], p, limit, tolerance, compliance)


@kernel
def sweep_cones_above(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    limit: int,
    tolerance: float,
    compliance: float,
) -> tuple[int, float]:
    """As `sweep_cones` with u_n ≥ 0 ⟂ p_n - floor ≥ 0; ``floor`` (n, N s) has no entry where all are zero."""
    residual = coulomb_residual(W, b, mu, floor, p, compliance)
    for sweep in range(limit):
        if not tolerance < residual < math.inf:
            return sweep, residual
        change = _sweep(W, b, mu, floor, p, compliance)
        if change <= tolerance or sweep == limit - 1:
            residual = coulomb_residual(W, b, mu, floor, p, compliance)
    return limit, residual


@kernel
def _sweep(W: Doubles, b: Doubles, mu: Doubles, floor: Doubles, p: Doubles, compliance: float) -> float:
    """One sweep; returns the largest change of an impulse as a velocity of its own contact (m/s)."""
    least = least_yielding(W)
    largest = 0.0
    for i in range(mu.shape[0]):
        k = 3 * i
        if not W[k, k] > least:
            p[k], p[k + 1], p[k + 2] = 0.0, 0.0, 0.0
            continue
        block = block_of(W, i, compliance)
        u = velocity_of(W, b, p, i, compliance)
        c = (
            u[0] - block[0][0] * p[k] - block[0][1] * p[k + 1] - block[0][2] * p[k + 2],
            u[1] - block[1][0] * p[k] - block[1][1] * p[k + 1] - block[1][2] * p[k + 2],
            u[2] - block[2][0] * p[k] - block[2][1] * p[k + 1] - block[2][2] * p[k + 2],
        )
        new = solve_contact(block, c, mu[i], floor[i] if floor.shape[0] > 0 else 0.0)
        moved = max(abs(new[0] - p[k]), max(abs(new[1] - p[k + 1]), abs(new[2] - p[k + 2])))
        largest = max(largest, moved * (block[0][0] + block[1][1] + block[2][2]))
        p[k], p[k + 1], p[k + 2] = new[0], new[1], new[2]
    return largest
