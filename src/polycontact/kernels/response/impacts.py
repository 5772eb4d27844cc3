"""Impacts at one instant: velocities jump by impulses until no contact approaches (S2.9, S2.20).

In: how contacts give way, velocities before, friction and restitution. Out: impulses, and how it ended.

    (1) propagation: the fastest approaching contact alone, then the fastest that is left, and so on (`single_impact`)
    (2) otherwise:   all contacts at once, again where some approach afterwards (`simultaneous_impact`)
    (3) what still approaches then, slower than the rest speed, after too many rounds, or after a problem that was not
        solved, is stopped without restitution, all at once
    (4) what approaches even after that: UNSOLVED
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import ImpactEnd, Update
from polycontact.kernels.response.cone_sweeps import own_block
from polycontact.kernels.response.contact_system import ContactSystem, find_own, find_velocities, push, velocity_by
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.simultaneous_impact import compress, impact_of_all
from polycontact.kernels.response.single_impact import resolve_single_impact
from polycontact.kernels.views import Doubles


@kernel
def resolve_impacts(
    system: ContactSystem,
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

    u (3n, m/s) are the velocities before, mu and e (n) friction and restitution, ``hypothesis`` and ``update`` codes of
    `Hypothesis` and `Update`. Contacts that meet more slowly than ``rest_speed``
    (m/s) have no restitution. Velocities afterwards are left in ``memory.velocity``, what it took and the energy that
    was added in ``memory.report``. What still approaches after the given number of rounds, or after a problem that was
    not solved, is stopped without restitution, all at once.
    """
    n, m = mu.shape[0], u.shape[0]
    report = memory.report
    report.rounds, report.steps, report.residual, report.energy_added = 0, 0, 0.0, 0.0
    p[:] = 0.0
    if m > memory.triple or system.width > memory.width:
        return ImpactEnd.NO_ROOM
    velocity = memory.velocity[:m]
    velocity[:] = u
    if not _are_finite(system, u, mu, e, rest_speed):
        return ImpactEnd.BAD_NUMBERS
    find_own(system)
    if update == Update.PROPAGATION:  # (1)
        _propagate(system, mu, e, hypothesis, p, rest_speed, settings, memory)
    else:  # (2)
        for _ in range(settings.rounds):
            if _fastest(system, mu, p, settings, memory) < 0:
                break
            impact_of_all(system, mu, e, hypothesis, p, rest_speed, settings, memory)
            find_velocities(system, u, p, memory.z, velocity)
            report.rounds += 1
            if not report.residual <= settings.tolerance:
                break
    end = ImpactEnd.RESOLVED
    left = _fastest(system, mu, p, settings, memory)
    if left >= 0:  # (3)
        if not velocity[3 * left] > -rest_speed:
            end = ImpactEnd.WITHOUT_RESTITUTION
        compress(system, mu, p, settings, memory)
        find_velocities(system, u, p, memory.z, velocity)
        if _fastest(system, mu, p, settings, memory) >= 0:
            end = ImpactEnd.UNSOLVED  # (4)
    # The work of an impulse is its product with the mean of the velocities before and after.
    for k in range(3 * n):
        report.energy_added += 0.5 * p[k] * (u[k] + velocity[k])
    return end


@kernel
def _are_finite(system: ContactSystem, u: Doubles, mu: Doubles, e: Doubles, rest_speed: float) -> bool:
    """Whether every number of the problem is finite."""
    total = abs(rest_speed)
    for i in range(u.shape[0]):
        total += abs(u[i])
        for j in range(system.n_columns[i // 3]):
            total += abs(system.rows[i, j])
    for i in range(mu.shape[0]):
        total += abs(mu[i]) + abs(e[i])
    return math.isfinite(total)


@kernel
def _fastest(system: ContactSystem, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory) -> int:
    """Contact that approaches fastest; -1 where none does, beyond what solvers leave."""
    found, lowest = -1, 0.0
    for i in range(mu.shape[0]):
        speed = memory.velocity[3 * i]
        if system.own[i] > 0.0 and speed < -2.0 * settings.tolerance and speed < lowest:
            found, lowest = i, speed
    return found


@kernel
def _propagate(
    system: ContactSystem,
    mu: Doubles,
    e: Doubles,
    hypothesis: int,
    p: Doubles,
    rest_speed: float,
    settings: SolverSettings,
    memory: ResponseMemory,
) -> None:
    """Single impacts, the fastest contact first, until none approaches faster than the rest speed (m/s).

    Or until one cannot be resolved alone.
    """
    velocity = memory.velocity
    for _ in range(settings.rounds * mu.shape[0]):
        i = _fastest(system, mu, p, settings, memory)
        if i < 0 or velocity[3 * i] > -rest_speed:
            return
        k = 3 * i
        u = (velocity[k], velocity[k + 1], velocity[k + 2])
        impulse = resolve_single_impact(own_block(system, i), u, mu[i], e[i], hypothesis)
        memory.report.rounds += 1
        if not impulse[0] > 0.0:
            return
        for a in range(3):
            p[k + a] += impulse[a]
        for j in range(system.width):
            memory.z[j] = 0.0
        push(system, i, impulse, memory.z)
        for j in range(system.n):
            change = velocity_by(system, memory.z, j)
            for a in range(3):
                velocity[3 * j + a] += change[a]
