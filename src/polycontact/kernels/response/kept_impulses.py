"""The impulses and slips that a softened problem starts from, its prices, and the best impulses so far."""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem, find_velocities
from polycontact.kernels.response.coulomb_residual import coulomb_residual
from polycontact.kernels.response.response_views import SolverWork


@kernel
def set_price(system: ContactSystem, share: float, work: SolverWork) -> None:
    """Prices as a share of what contacts between the same groups give way on average: these share loads evenly."""
    work.share = share
    for i in range(system.n):
        work.softness[i] = -1.0
    for i in range(system.n):
        if work.softness[i] >= 0.0:
            continue
        total, number = 0.0, 0
        for j in range(i, system.n):
            if system.group[j, 0] == system.group[i, 0] and system.group[j, 1] == system.group[i, 1]:
                total += system.own[j]
                number += 1 if system.own[j] > 0.0 else 0
        for j in range(i, system.n):
            if system.group[j, 0] == system.group[i, 0] and system.group[j, 1] == system.group[i, 1]:
                work.softness[j] = share * total / max(number, 1)


@kernel
def note_impulses(system: ContactSystem, work: SolverWork) -> float:
    """Residual (m/s) of the impulses at hand, with their velocities in ``change``; they are kept if the best so far."""
    find_velocities(system, work.b, work.impulse, work.other, work.change)
    reached = coulomb_residual(system, work.mu, work.floor, work.impulse, work.change)
    if reached < work.residual:
        work.residual = reached
        for k in range(3 * system.n):
            work.best[k] = work.impulse[k]
    return reached


@kernel
def keep_impulses(system: ContactSystem, work: SolverWork, pace: float) -> tuple[float, float]:
    """Measure the price from the impulses at hand, and raise the velocities by their slip.

    Returns how far both were from that (m/s). ``pace``: how much of the way to their slip the velocities are raised.
    """
    held, slipped = 0.0, 0.0
    for i in range(system.n):
        k = 3 * i
        raised = work.mu[i] * math.hypot(work.change[k + 1], work.change[k + 2])
        slipped = max(slipped, abs(raised - work.raised[i]))
        work.raised[i] += pace * (raised - work.raised[i])
        for a in range(k, k + 3):
            held = max(held, work.softness[i] * abs(work.impulse[a] - work.kept[a]))
            work.kept[a] = work.impulse[a]
    return held, slipped
