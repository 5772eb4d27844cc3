"""Impulses of all contacts: which solver is asked, and which answer is kept."""

from __future__ import annotations

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import LcpStatus, Solver
from polycontact.kernels.response.cone_sweeps import sweep_cones_above
from polycontact.kernels.response.friction_pyramid import pairs_of, solve_by_pivots_above
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.views import Doubles


@kernel
def solve_contacts(
    W: Doubles, b: Doubles, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory
) -> tuple[int, float, int]:
    """Impulses p (3n, N s) with u = W p + b, u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction.

    Returns the number of sweeps, the residual (m/s, see `coulomb_residual`; infinite where a number is not finite) and
    which solver has answered, `Solver.SWEEPS` or `Solver.LEMKE`. p is where sweeps start.

    By default sweeps answer. A problem for which the memory has room and whose residual is still above the tolerance at
    the limit of sweeps is solved by pivots too: exactly without friction; with friction on a pyramid, from whose
    solution sweeps go on. The better of both answers is kept.
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
    tolerance, compliance = settings.tolerance, settings.compliance
    sweeps = 0
    residual = 1e300
    if settings.solver != Solver.LEMKE:
        sweeps, residual = sweep_cones_above(W, b, mu, floor, p, settings.sweeps, tolerance, compliance)
        # An infinite residual means bad numbers: pivots would be lost on them too.
        if settings.solver == Solver.SWEEPS or not tolerance < residual < 1e300:
            return sweeps, residual, Solver.SWEEPS
    swept = memory.start[: p.shape[0]]
    swept[:] = p
    if pairs_of(W, mu, settings.facets) <= memory.pivoting.room:
        status = solve_by_pivots_above(
            W, b, mu, floor, settings.facets, p, settings.pivots, memory.pivoting, compliance
        )
        if status == LcpStatus.SOLVED:
            more, pivoted = sweep_cones_above(W, b, mu, floor, p, settings.sweeps, tolerance, compliance)
            if pivoted < residual:
                return sweeps + more, pivoted, Solver.LEMKE
    p[:] = swept
    if settings.solver == Solver.LEMKE:
        sweeps, residual = sweep_cones_above(W, b, mu, floor, p, settings.sweeps, tolerance, compliance)
    return sweeps, residual, Solver.SWEEPS
