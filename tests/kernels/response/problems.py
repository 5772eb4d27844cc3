"""Random problems of contacts, Coulomb's law checked directly, and answers by an interior-point method."""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from polycontact.kernels.response.contact_system import ContactSystem, order_groups
from polycontact.kernels.response.envelope import Envelope, lay_out
from polycontact.kernels.response.response_views import ResponseMemory, response_memory, solver_settings
from polycontact.kernels.response.solve_contacts import solve_contacts

Array = NDArray[np.float64]
NO_FLOOR = np.zeros(0)


@dataclass(frozen=True)
class Problem:
    """Delassus matrix, velocities and friction of n contacts."""

    W: Array
    b: Array
    mu: Array

    @property
    def n(self) -> int:
        return len(self.mu)


def system_of(W: Array) -> ContactSystem:
    """Contacts on one group of speeds, W = A Aᵀ by its eigenvectors."""
    values, vectors = np.linalg.eigh(W)
    # Eigenvalues of a singular matrix are zero to some roundings.
    kept = values > 1e-14 * max(values.max(), 0.0)
    return system_of_rows(vectors[:, kept] * np.sqrt(values[kept]))


def system_of_rows(A: Array, group: NDArray[np.int64] | None = None, n_groups: int = 1) -> ContactSystem:
    """Contacts with rows A (3n, width) whose columns belong to groups of equal size; ``group`` (n, 2), -1 for none."""
    n, dimension = len(A) // 3, A.shape[1] // n_groups
    if group is None:
        group = np.tile(np.array([0, -1]), (n, 1))
    place = np.zeros(n_groups, np.int64)
    order_groups(np.ascontiguousarray(group, np.int64), n_groups, place)
    system = ContactSystem()
    system.reserve(room=max(n, 1), triple=3 * max(n, 1), most=2 * max(dimension, 1))
    system.n, system.n_groups, system.width = n, n_groups, A.shape[1]
    for i in range(n):
        at = 0
        for side in range(2):
            g = int(group[i, side])
            system.group[i, side] = place[g] if g >= 0 else -1
            if g >= 0:
                part = A[3 * i : 3 * i + 3, g * dimension : (g + 1) * dimension]
                system.rows[3 * i : 3 * i + 3, at : at + dimension] = part
                system.column[i, at : at + dimension] = dimension * place[g] + np.arange(dimension)
                at += dimension
        system.n_columns[i] = at
    return system


def memory_for(system: ContactSystem) -> ResponseMemory:
    """Memory that is as large as needed."""
    width = max(system.width, 1)
    envelope = Envelope()
    envelope.reserve(size=1, room=width)
    return response_memory(max(system.n, 1), width, max(lay_out(system, envelope), 1))


def solved(
    system: ContactSystem,
    b: Array,
    mu: Array,
    *,
    tolerance: float = 1e-10,
    steps: int = 500,
    start: Array | None = None,
) -> tuple[Array, float, int]:
    """Impulses, residual (m/s) and steps."""
    p = np.zeros(len(b)) if start is None else start.copy()
    settings = solver_settings(steps=steps, tolerance=tolerance)
    taken, residual = solve_contacts(system, b, mu, NO_FLOOR, p, settings, memory_for(system).work)
    return p, residual, taken


def random_problem(rng: np.random.Generator, n: int, freedoms: int, mu: float) -> Problem:
    """Contacts on a system of random bodies whose masses spread over a decade, moving somehow."""
    J = rng.normal(size=(3 * n, freedoms)) * np.sqrt(10.0 ** rng.uniform(-0.5, 0.5, freedoms) / freedoms)
    return Problem(J @ J.T, J @ rng.normal(size=freedoms), rng.uniform(0.0, mu, n))


def coulomb_violation(problem: Problem, p: Array) -> float:
    """Largest violation of Coulomb's law, in m/s, N s and J, from its own words: no natural map, no projection."""
    u = (problem.W @ p + problem.b).reshape(-1, 3)
    q = p.reshape(-1, 3)
    slip, grip = np.hypot(u[:, 1], u[:, 2]), np.hypot(q[:, 1], q[:, 2])
    work = q[:, 1] * u[:, 1] + q[:, 2] * u[:, 2]
    rules = (
        -u[:, 0],
        -q[:, 0],
        np.abs(q[:, 0] * u[:, 0]),
        grip - problem.mu * q[:, 0],
        np.abs(work + problem.mu * q[:, 0] * slip),
    )
    return float(max(rule.max() for rule in rules))


def clarabel_cones(W: Array, b: Array, mu: Array) -> Array:
    """Least ½ pᵀW p + pᵀb over the cones |p_t| ≤ μ p_n."""
    m = len(b)
    A = np.zeros((m, m))
    for i, coefficient in enumerate(mu):
        A[3 * i, 3 * i] = -coefficient
        A[3 * i + 1, 3 * i + 1] = A[3 * i + 2, 3 * i + 2] = -1.0
    return minimised(W, b, A, np.zeros(m), [clarabel.SecondOrderConeT(3) for _ in mu])


def clarabel_bounded(M: Array, q: Array) -> Array:
    """Least ½ zᵀM z + zᵀq over z ≥ 0."""
    m = len(q)
    return minimised(M, q, -np.eye(m), np.zeros(m), [clarabel.NonnegativeConeT(m)])


def clarabel_low_rank(root: Array, g: Array) -> Array:
    """Least ½ |y|² + yᵀg over y = rootᵀz, z ≥ 0: as `clarabel_bounded` with M = root rootᵀ and q = root g, but without
    a singular matrix, over whose null space rounding lets a solver run away."""
    m, rank = root.shape
    P = np.diag(np.concatenate((np.zeros(m), np.ones(rank))))
    A = np.block([[-root.T, np.eye(rank)], [-np.eye(m), np.zeros((m, rank))]])
    cones = [clarabel.ZeroConeT(rank), clarabel.NonnegativeConeT(m)]
    return minimised(P, np.concatenate((np.zeros(m), g)), A, np.zeros(m + rank), cones)[m:]


def minimised(P: Array, q: Array, A: Array, limits: Array, cones: list[object]) -> Array:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    upper = sparse.csc_matrix(np.triu(P))
    solution = clarabel.DefaultSolver(upper, q, sparse.csc_matrix(A), limits, cones, settings).solve()
    return np.array(solution.x)


def de_saxce_velocity(problem: Problem, steps: int = 200) -> Array | None:
    """Velocities by the fixed point of De Saxcé's problem (Acary and Cadoux 2013), None where it does not settle.

    Each step is a convex problem with the normal velocities raised by μ |u_t| of the step before.
    """
    raised = np.zeros(problem.n)
    for _ in range(steps):
        shifted = problem.b.copy()
        shifted[::3] += problem.mu * raised
        p = clarabel_cones(problem.W, shifted, problem.mu)
        u = (problem.W @ p + problem.b).reshape(-1, 3)
        slip = np.hypot(u[:, 1], u[:, 2])
        if np.abs(slip - raised).max() < 1e-9:
            return u.ravel()
        raised = slip
    return None
