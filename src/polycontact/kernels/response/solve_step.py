"""Problems of contacts within a step: where the search begins, what it did, and what it left."""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem, find_velocities
from polycontact.kernels.response.coulomb_residual import residual_of_contact
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.solve_contacts import solve_contacts
from polycontact.kernels.response.step_views import RigidPoints, Solves
from polycontact.kernels.views import Doubles


@kernel
def solve_in_step(
    system: ContactSystem,
    b: Doubles,
    mu: Doubles,
    points: RigidPoints,
    p: Doubles,
    settings: SolverSettings,
    memory: ResponseMemory,
    solves: Solves,
) -> bool:
    """Impulses p (N s) with u = W p + b, u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction; counted. False where not finite.

    The search starts from the last answer, see `_take_last`.
    """
    n = points.n
    m = 3 * n
    _take_last(points, p, solves)
    steps, residual = solve_contacts(system, b[:m], mu[:n], p[:0], p[:m], settings, memory.work)
    if not math.isfinite(residual):
        return False
    _keep_last(points, p, solves)
    solves.problems += 1
    solves.sweeps += steps
    solves.most_sweeps = max(solves.most_sweeps, steps)
    solves.most_points = max(solves.most_points, n)
    solves.worst_residual = max(solves.worst_residual, residual)
    if residual > settings.tolerance:
        _note_unsolved(system, b, mu, points, p, residual, memory, solves)
    return True


@kernel
def _take_last(points: RigidPoints, p: Doubles, solves: Solves) -> None:
    """Begin each point with the impulse that was nearest to it among those of its pair; zero where there was none.

    Points of a pair come in any order, and their tangents may turn by any angle from one step to the next.
    """
    at = 0
    for i in range(points.n):
        k, pair = 3 * i, points.pair[i]
        at, nearest, least = _first_of_pair(pair, at, solves), -1, math.inf
        j = at
        while j < solves.n_last and solves.last_pair[j] == pair:
            away = 0.0
            for a in range(3):
                away += (points.point[i, a] - solves.last_point[j, a]) ** 2
            if away < least:
                nearest, least = j, away
            j += 1
        for a in range(3):
            p[k + a] = 0.0
            for c in range(3):
                p[k + a] += points.frame[i, 3 * a + c] * solves.last[nearest, c] if nearest >= 0 else 0.0
        p[k] = max(p[k], 0.0)


@kernel
def _first_of_pair(pair: int, at: int, solves: Solves) -> int:
    """The first of the last points that belongs to a pair, looked for from ``at`` on and round; their number if none.

    Points of one pair stand together, and pairs mostly in the same order as the last time.
    """
    if at < solves.n_last and solves.last_pair[at] == pair:
        return at
    for step in range(1, solves.n_last + 1):
        j = (at + step) % solves.n_last
        if solves.last_pair[j] == pair and (j == 0 or solves.last_pair[j - 1] != pair):
            return j
    return solves.n_last


@kernel
def _keep_last(points: RigidPoints, p: Doubles, solves: Solves) -> None:
    """Keep impulses and where they are, for the next problem."""
    solves.n_last = points.n
    for i in range(points.n):
        k = 3 * i
        solves.last_pair[i] = points.pair[i]
        for c in range(3):
            solves.last_point[i, c] = points.point[i, c]
            solves.last[i, c] = 0.0
            for a in range(3):
                solves.last[i, c] += p[k + a] * points.frame[i, 3 * a + c]


@kernel
def _note_unsolved(
    system: ContactSystem,
    b: Doubles,
    mu: Doubles,
    points: RigidPoints,
    p: Doubles,
    residual: float,
    memory: ResponseMemory,
    solves: Solves,
) -> None:
    """Count a problem that was left with a residual (m/s), and note where it is."""
    fastest = 0.0
    for k in range(3 * system.n):
        fastest = max(fastest, abs(b[k]))
    share = residual / fastest
    solves.unsolved += 1
    solves.worst_share = max(solves.worst_share, share)
    if residual > solves.left:
        find_velocities(system, b, p, memory.z, memory.velocity)
        worst, most = 0, -1.0
        for i in range(system.n):
            k = 3 * i
            velocity = (memory.velocity[k], memory.velocity[k + 1], memory.velocity[k + 2])
            off = residual_of_contact(system, i, mu[i], 0.0, (p[k], p[k + 1], p[k + 2]), velocity)
            if off > most:
                worst, most = i, off
        solves.left, solves.left_share, solves.left_pair = residual, share, points.pair[worst]
