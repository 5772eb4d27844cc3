"""Impulses of all contacts: which solver is asked, and which answer is kept."""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import LcpStatus, Solver
from polycontact.kernels.response.cone_sweeps import sweep_cones_above
from polycontact.kernels.response.friction_pyramid import solve_by_pivots_above
from polycontact.kernels.response.newton_contacts import polish_contacts
from polycontact.kernels.response.response_views import Factors, ResponseMemory, SolverSettings
from polycontact.kernels.views import Doubles

FIRST_SWEEPS = 20
"""Sweeps before Newton's method is tried: they tell which contacts are open, stick and slip."""

NEWTON_STEPS = 30
"""Steps of Newton's method at most."""


@kernel
def solve_contacts(
    W: Doubles, b: Doubles, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory
) -> tuple[int, float, int]:
    """Impulses p (3n, N s) with u = W p + b, u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction.

    Returns the number of sweeps and steps, the residual (m/s, see `coulomb_residual`; infinite where a number is not
    finite) and which solver has answered: `Solver.SWEEPS`, `Solver.NEWTON` or `Solver.LEMKE`. p is where it starts.

    By default some sweeps are made, then Newton's method is tried and, where that does not lead to a solution, sweeps
    go on to their limit. A problem that is still not solved, and for which the memory has room, is solved by pivots
    too: exactly without friction; with friction on a pyramid, and from its solution as before. The better of both
    answers is kept. `Solver.SWEEPS` makes sweeps alone, `Solver.LEMKE` begins with pivots.
    """
    return solve_contacts_above(W, b, mu, mu[:0], p, settings, memory)


@kernel
def solve_contacts_above(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    settings: SolverSettings,
    memory: ResponseMemory,
) -> tuple[int, float, int]:
    """As `solve_contacts` with u_n ≥ 0 ⟂ p_n - floor ≥ 0; ``floor`` (n, N s) has no entry where all are zero."""
    if settings.solver == Solver.SWEEPS:
        sweeps, residual = sweep_cones_above(
            W, b, mu, floor, p, settings.sweeps, settings.tolerance, settings.compliance
        )
        return sweeps, residual, Solver.SWEEPS
    steps, residual, used = 0, math.inf, Solver.SWEEPS
    if settings.solver == Solver.AUTO:
        steps, residual, used = _descend(W, b, mu, floor, p, settings, memory.factors)
        # An infinite residual means bad numbers: pivots would be lost on them too.
        if not settings.tolerance < residual < math.inf:
            return steps, residual, used
    before = memory.start[: p.shape[0]]
    before[:] = p
    status = solve_by_pivots_above(
        W, b, mu, floor, settings.facets, p, settings.pivots, memory.pivoting, settings.compliance
    )
    if status == LcpStatus.SOLVED:
        more, pivoted, _ = _descend(W, b, mu, floor, p, settings, memory.factors)
        if pivoted < residual:
            return steps + more, pivoted, Solver.LEMKE
    p[:] = before
    if settings.solver == Solver.LEMKE:
        steps, residual, used = _descend(W, b, mu, floor, p, settings, memory.factors)
    return steps, residual, used


@kernel
def _descend(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    settings: SolverSettings,
    factors: Factors,
) -> tuple[int, float, int]:
    """Sweeps, Newton's method in between, and sweeps again: how many, the residual (m/s), and who came to an end."""
    tolerance, compliance = settings.tolerance, settings.compliance
    first = min(FIRST_SWEEPS, settings.sweeps)
    sweeps, residual = sweep_cones_above(W, b, mu, floor, p, first, tolerance, compliance)
    if not tolerance < residual < math.inf:
        return sweeps, residual, Solver.SWEEPS
    steps, residual = polish_contacts(W, b, mu, floor, p, NEWTON_STEPS, tolerance, compliance, factors)
    if residual <= tolerance:
        return sweeps + steps, residual, Solver.NEWTON
    more, residual = sweep_cones_above(W, b, mu, floor, p, settings.sweeps - first, tolerance, compliance)
    return sweeps + steps + more, residual, Solver.SWEEPS
