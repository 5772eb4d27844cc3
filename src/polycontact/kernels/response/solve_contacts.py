"""Impulses of all contacts: which solver is asked, and which answer is kept.

Problem: u = W p + b for n contacts with u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction. There may be several solutions, or,
with jammed mechanisms, none. In: W (3n, 3n; 1/kg), b (3n, m/s), μ (n). Out: p (3n, N s), steps, residual, who answered.

    (1) sweeps over the contacts (`cone_sweeps`)      20: they find who is open, sticks and slips
    (2) Newton's method (`newton_contacts`)           a few steps to rounding, if states are right
    (3) alternating directions                        where states take long to be found; every 20 steps (2) again
    (4) sweeps again, up to their limit
    (5) pivots (`friction_pyramid`), of few contacts  exact on a pyramid; from its solution (1) to (4) again

Each ends the search as soon as the residual (`coulomb_residual`) is below the tolerance; the better of the answers
before and after (5) is kept.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.alternating_directions import alternate, begin_alternation
from polycontact.kernels.response.codes import LcpStatus, Solver
from polycontact.kernels.response.cone_sweeps import sweep_cones_above
from polycontact.kernels.response.friction_pyramid import solve_by_pivots_above
from polycontact.kernels.response.newton_contacts import polish_contacts
from polycontact.kernels.response.response_views import Factors, ResponseMemory, SolverSettings
from polycontact.kernels.views import Doubles

FIRST_SWEEPS = 20
"""Sweeps before Newton's method is tried: they tell which contacts are open, stick and slip."""

FIRST_ALTERNATIONS = 20
"""Steps of alternating directions before Newton's method is tried again."""

NEWTON_STEPS = 30
"""Steps of Newton's method at most."""


@kernel
def solve_contacts(
    W: Doubles, b: Doubles, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory
) -> tuple[int, float, int]:
    """Impulses p (3n, N s) with u = W p + b, u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction.

    Returns the number of sweeps and steps, the residual (m/s, see `coulomb_residual`; infinite where a number is not
    finite) and which solver has answered: `Solver.SWEEPS`, `Solver.NEWTON` or `Solver.LEMKE`. p is where it starts.

    By default some sweeps are made, then alternating directions are tried, from time to time with Newton's method, and
    where these do not lead to a solution, sweeps go on to their limit. A problem that is still not solved, and for
    which the memory has room, is solved by pivots too: exactly without friction; with friction on a pyramid, and from
    its solution as before. The better of both answers is kept. `Solver.SWEEPS` makes sweeps alone, and
    so does a memory with room for fewer contacts; `Solver.LEMKE` begins with pivots.
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
    # Sweeps alone need no memory.
    if settings.solver == Solver.SWEEPS or p.shape[0] > memory.width:
        sweeps, residual = sweep_cones_above(
            W, b, mu, floor, p, settings.sweeps, settings.tolerance, settings.compliance
        )
        return sweeps, residual, Solver.SWEEPS
    steps, residual, used = 0, math.inf, int(Solver.SWEEPS.value)
    if settings.solver == Solver.AUTO:  # (1) to (4)
        steps, residual, used = _descend(W, b, mu, floor, p, settings, memory.factors)
        # An infinite residual means bad numbers: pivots would be lost on them too.
        if not settings.tolerance < residual < math.inf:
            return steps, residual, used
    # (5)
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
    """Sweeps, Newton's method, alternating directions, sweeps again: steps, residual (m/s), and who came to an end."""
    tolerance, compliance = settings.tolerance, settings.compliance
    first = min(FIRST_SWEEPS, settings.sweeps)
    sweeps, residual = sweep_cones_above(W, b, mu, floor, p, first, tolerance, compliance)
    if not tolerance < residual < math.inf:
        return sweeps, residual, Solver.SWEEPS
    steps, residual = polish_contacts(W, b, mu, floor, p, NEWTON_STEPS, tolerance, compliance, factors)
    if residual > tolerance:
        more, residual = _alternate_and_polish(W, b, mu, floor, p, residual, settings, factors)
        steps += more
    if residual <= tolerance:
        return sweeps + steps, residual, Solver.NEWTON
    more, residual = sweep_cones_above(W, b, mu, floor, p, settings.sweeps - first, tolerance, compliance)
    return sweeps + steps + more, residual, Solver.SWEEPS


@kernel
def _alternate_and_polish(
    W: Doubles,
    b: Doubles,
    mu: Doubles,
    floor: Doubles,
    p: Doubles,
    residual: float,
    settings: SolverSettings,
    factors: Factors,
) -> tuple[int, float]:
    """Alternating directions, after 20, 40, 80 … steps Newton's method from there; the best impulses are left in p."""
    tolerance, compliance = settings.tolerance, settings.compliance
    steps, batch = 0, FIRST_ALTERNATIONS
    if not begin_alternation(W, b, mu, p, compliance, factors):
        return steps, residual
    best = factors.best[: p.shape[0]]
    best[:] = p
    while steps + batch <= settings.sweeps and tolerance < residual < math.inf:
        if not alternate(W, b, mu, floor, p, batch, compliance, factors):
            break
        steps, batch = steps + batch, max(steps, FIRST_ALTERNATIONS)
        kept = factors.kept[: p.shape[0]]
        kept[:] = p
        more, reached = polish_contacts(W, b, mu, floor, p, NEWTON_STEPS, tolerance, compliance, factors)
        steps += more
        if reached < residual:
            residual = reached
            best[:] = p
        p[:] = kept
    p[:] = best
    return steps, residual
