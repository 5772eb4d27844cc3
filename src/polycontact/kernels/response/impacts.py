"""Impacts at one instant: velocities jump by impulses until no contact approaches (S2.9, S2.20).

In: Delassus matrix, velocities before, friction and restitution. Out: impulses, and how it ended.

    (1) propagation: the fastest approaching contact alone, then the fastest that is left, and so on (`single_impact`)
    (2) otherwise:   all contacts at once, again where some approach afterwards (`simultaneous_impact`)
    (3) what still approaches then, or after a problem that was not solved, is stopped without restitution, all at once
    (4) what approaches even after that: UNSOLVED
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import ImpactEnd, Update
from polycontact.kernels.response.coulomb_residual import least_yielding
from polycontact.kernels.response.local_contact import block_of
from polycontact.kernels.response.quadratic_forms import find_velocity
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.simultaneous_impact import compress, impact_of_all
from polycontact.kernels.response.single_impact import resolve_single_impact
from polycontact.kernels.views import Doubles


@kernel
def resolve_impacts(
    W: Doubles,
    u: Doubles,
    mu: Doubles,
    e: Doubles,
    hypothesis: int,
    update: int,
    p: Doubles,
    rest_speed: float,
    settings: SolverSettings,
    memory: ResponseMemory,
) -> int:
    """Impulses p (3n, N s) after which no contact approaches; how it ended is a code of `ImpactEnd`.

    W (3n, 3n; 1/kg) is the Delassus matrix, u (3n, m/s) the velocities before, mu and e (n) friction and restitution,
    ``hypothesis`` and ``update`` codes of `Hypothesis` and `Update`. Contacts that meet more slowly than ``rest_speed``
    (m/s) have no restitution. Velocities afterwards are left in ``memory.velocity``, what it took and the energy that
    was added in ``memory.report``. What still approaches after the given number of rounds, or after a problem that was
    not solved, is stopped without restitution, all at once.
    """
    n, m = mu.shape[0], u.shape[0]
    report = memory.report
    report.rounds, report.sweeps, report.residual, report.energy_added = 0, 0, 0.0, 0.0
    p[:] = 0.0
    if m > memory.width:
        return ImpactEnd.NO_ROOM
    velocity = memory.velocity[:m]
    velocity[:] = u
    if not _are_finite(W, u, mu, e, rest_speed):
        return ImpactEnd.BAD_NUMBERS
    least = least_yielding(W)
    if update == Update.PROPAGATION:  # (1)
        _propagate(W, mu, e, hypothesis, p, rest_speed, settings, memory, least)
    else:  # (2)
        for _ in range(settings.rounds):
            if _fastest(W, mu, p, settings, memory, least) < 0:
                break
            impact_of_all(W, mu, e, hypothesis, p, rest_speed, settings, memory)
            find_velocity(W, u, p, velocity)
            report.rounds += 1
            if not report.residual <= settings.tolerance:
                break
    end = ImpactEnd.RESOLVED
    if _fastest(W, mu, p, settings, memory, least) >= 0:  # (3)
        end = ImpactEnd.WITHOUT_RESTITUTION
        compress(W, mu, p, settings, memory)
        find_velocity(W, u, p, velocity)
        if _fastest(W, mu, p, settings, memory, least) >= 0:
            end = ImpactEnd.UNSOLVED  # (4)
    # The work of an impulse is its product with the mean of the velocities before and after.
    for k in range(3 * n):
        report.energy_added += 0.5 * p[k] * (u[k] + velocity[k])
    return end


@kernel
def _are_finite(W: Doubles, u: Doubles, mu: Doubles, e: Doubles, rest_speed: float) -> bool:
    """Whether every number of the problem is finite."""
    total = abs(rest_speed)
    for i in range(u.shape[0]):
        total += abs(u[i])
        for j in range(u.shape[0]):
            total += abs(W[i, j])
    for i in range(mu.shape[0]):
        total += abs(mu[i]) + abs(e[i])
    return math.isfinite(total)


@kernel
def _fastest(
    W: Doubles, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory, least: float
) -> int:
    """Contact that approaches fastest; -1 where none does, beyond what solvers leave."""
    found, lowest = -1, 0.0
    for i in range(mu.shape[0]):
        speed = memory.velocity[3 * i]
        left = 2.0 * settings.tolerance + settings.compliance * p[3 * i]
        if W[3 * i, 3 * i] > least and speed < -left and speed < lowest:
            found, lowest = i, speed
    return found


@kernel
def _propagate(
    W: Doubles,
    mu: Doubles,
    e: Doubles,
    hypothesis: int,
    p: Doubles,
    rest_speed: float,
    settings: SolverSettings,
    memory: ResponseMemory,
    least: float,
) -> None:
    """Single impacts, the fastest contact first, until none approaches or one cannot be resolved alone."""
    velocity = memory.velocity
    for _ in range(settings.rounds * mu.shape[0]):
        i = _fastest(W, mu, p, settings, memory, least)
        if i < 0:
            return
        k = 3 * i
        u = (velocity[k], velocity[k + 1], velocity[k + 2])
        restitution = e[i] if -u[0] >= rest_speed else 0.0
        impulse = resolve_single_impact(block_of(W, i, 0.0), u, mu[i], restitution, hypothesis)
        memory.report.rounds += 1
        if not impulse[0] > 0.0:
            return
        for a in range(3):
            p[k + a] += impulse[a]
        for j in range(p.shape[0]):
            velocity[j] += W[j, k] * impulse[0] + W[j, k + 1] * impulse[1] + W[j, k + 2] * impulse[2]
