"""Contacts with friction by complementary pivoting: Coulomb's cone replaced by an inscribed pyramid.

Stewart and Trinkle, 1996; Anitescu and Potra, 1997. With directions d_j round the contact plane, p_t = Σ β_j d_j, and
for each contact

    u_n ≥ 0            ⟂ p_n - floor ≥ 0
    λ + d_jᵀu_t ≥ 0    ⟂ β_j ≥ 0
    μ p_n - Σ β_j ≥ 0  ⟂ λ ≥ 0

λ being the speed of slip: a linear complementarity problem, solved by Lemke's method (`lemke`). Without friction p_n
alone remains, and the problem is exact. Of a contact with friction and m sides these are m + 2 complementary pairs, in
this order: p_n, β_1 … β_m, λ. In: W, b, μ, floors. Out: impulses within the pyramid, which lies within the cone.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import LcpStatus
from polycontact.kernels.response.coulomb_residual import least_yielding
from polycontact.kernels.response.lemke import solve_lcp
from polycontact.kernels.response.response_views import Pivoting
from polycontact.kernels.views import Doubles


@kernel
def solve_by_pivots(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    facets: int,
    p: Doubles,
    limit: int,
    pivoting: Pivoting,
    compliance: float = 0.0,
) -> int:
    """Impulses p (3n, N s) of contacts with a friction pyramid of ``facets`` sides; a status of `LcpStatus`.

    The pyramid lies within the cone. Unless the status is SOLVED, p is zero. Contacts between fixed bodies are left
    out.
    """
    return solve_by_pivots_above(W, b, mu, mu[:0], facets, p, limit, pivoting, compliance)


@kernel
def solve_by_pivots_above(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    facets: int,
    p: Doubles,
    limit: int,
    pivoting: Pivoting,
    compliance: float,
) -> int:
    """As `solve_by_pivots` with u_n ≥ 0 ⟂ p_n - floor ≥ 0; ``floor`` (n, N s) has no entry where all are zero."""
    p[:] = 0.0
    m = pairs_of(W, mu, facets)
    if m > pivoting.room or facets < 3:
        return LcpStatus.LIMIT
    mass = _typical_mass(W, compliance)
    if not math.isfinite(mass):
        return LcpStatus.BAD_NUMBERS
    _fill_problem(W, b, mu, floor, facets, mass, compliance, pivoting)
    status = solve_lcp(pivoting.M, pivoting.q[:m], pivoting.z, limit, pivoting)
    if status == LcpStatus.SOLVED:
        _read_impulses(W, mu, floor, facets, mass, pivoting.z, p)
    return status


@kernel
def pairs_of(W: Doubles, mu: Doubles, facets: int) -> int:
    """Complementary pairs of the problem."""
    least = least_yielding(W)
    pairs = 0
    for i in range(mu.shape[0]):
        if W[3 * i, 3 * i] > least:
            pairs += _pairs_of_contact(mu[i], facets)
    return pairs


@kernel
def _pairs_of_contact(mu: float, facets: int) -> int:
    """Complementary pairs of a contact: p_n, the sides of the pyramid and λ."""
    return facets + 2 if mu > 0.0 else 1


@kernel
def _typical_mass(W: Doubles, compliance: float) -> float:
    """Impulses divided by this are velocities like the others: the rows of the problem are then of one size."""
    total = 0.0
    for k in range(W.shape[0]):
        total += W[k, k] + compliance
    return W.shape[0] / total if total != 0.0 else 1.0


@kernel
def _direction(column: int, facets: int) -> tuple[float, float, float]:
    """Impulse (normal, two tangents) of variable ``column`` of a contact, zero for λ."""
    if column == 0:
        return (1.0, 0.0, 0.0)
    if column > facets:
        return (0.0, 0.0, 0.0)
    angle = 2.0 * math.pi * (column - 1) / facets
    return (0.0, math.cos(angle), math.sin(angle))


@kernel
def _fill_problem(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    facets: int,
    mass: float,
    compliance: float,
    pivoting: Pivoting,
) -> None:
    """Matrix and right-hand side of the complementarity problem, impulses divided by ``mass`` (kg).

    Rows and columns of a contact with friction: (1) p_n and β: velocities along their directions by all impulses;
    (2) the column of λ: 1 in the rows of β; (3) the row of λ: μ p_n − Σ β. A floor is an impulse that is there already:
    it goes to the right-hand side.
    """
    M, q = pivoting.M, pivoting.q
    least = least_yielding(W)
    row = 0
    for i in range(mu.shape[0]):
        if not W[3 * i, 3 * i] > least:
            continue
        pairs = _pairs_of_contact(mu[i], facets)
        lowest = floor[i] if floor.shape[0] > 0 else 0.0
        for r in range(pairs):  # (1)
            along = _direction(r, facets)
            q[row + r] = 0.0
            for a in range(3):
                shifted = b[3 * i + a]
                if floor.shape[0] > 0:
                    for j in range(mu.shape[0]):
                        shifted += (W[3 * i + a, 3 * j] + (compliance if i == j and a == 0 else 0.0)) * floor[j]
                q[row + r] += along[a] * shifted
            column = 0
            for j in range(mu.shape[0]):
                if W[3 * j, 3 * j] > least:
                    others = _pairs_of_contact(mu[j], facets)
                    for s in range(others):
                        M[row + r, column + s] = mass * _coupling(W, i, along, j, _direction(s, facets), compliance)
                    column += others
        if pairs > 1:  # (2), (3)
            last = row + pairs - 1
            q[last] = mu[i] * lowest / mass
            M[last, row] = mu[i]
            for r in range(1, pairs - 1):
                M[row + r, last] = 1.0
                M[last, row + r] = -1.0
        row += pairs


@kernel
def _coupling(
    W: Doubles,
    i: int,
    along: tuple[float, float, float],
    j: int,
    pushed: tuple[float, float, float],
    compliance: float,
) -> float:
    """Velocity of contact i along a direction by an impulse of contact j."""
    total = 0.0
    for a in range(3):
        for c in range(3):
            total += along[a] * W[3 * i + a, 3 * j + c] * pushed[c]
        if i == j:
            total += along[a] * compliance * pushed[a]
    return total


@kernel
def _read_impulses(W: Doubles, mu: Doubles, floor: Doubles, facets: int, mass: float, z: Doubles, p: Doubles) -> None:
    """Impulses of the contacts from the solution of the problem."""
    least = least_yielding(W)
    row = 0
    for i in range(mu.shape[0]):
        if not W[3 * i, 3 * i] > least:
            continue
        pairs = _pairs_of_contact(mu[i], facets)
        p[3 * i] = floor[i] if floor.shape[0] > 0 else 0.0
        for r in range(pairs):
            along = _direction(r, facets)
            for a in range(3):
                p[3 * i + a] += mass * z[row + r] * along[a]
        row += pairs
