"""Coulomb's law by a nonsmooth Newton method, which finishes what convex problems have begun.

The residual of `coulomb_residual` is made zero as Alart and Curnier (1991) do: each contact has one of the states open,
sticking and slipping, the equations of its state are linearised, B δp + C δu = -R, and all are solved at once (a
semismooth Newton method). With δu = A δz + σ δp and δz = Aᵀδp these are

    (1 + AᵀK A) δz = Aᵀg,   K = (B + σ C)⁻¹ C,   g = -(B + σ C)⁻¹ R,   δp = g - K A δz

within the envelope of the contacts. σ, a small part of what a contact gives way, keeps the steps of redundant contacts
short where nothing asks for them. Near a solution a few steps reach rounding. Far from one it may fail; the impulses
then stay those that it was given.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from polycontact.kernels.geometry.frames import Matrix, apply
from polycontact.kernels.geometry.vectors import Vector, sub
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem, find_coordinates, velocity_by
from polycontact.kernels.response.envelope import add_contact, clear, factorise, substitute
from polycontact.kernels.response.kept_impulses import keep_impulses, note_impulses
from polycontact.kernels.response.response_views import SolverWork
from polycontact.tolerances import NEWTON_PROXIMITY

SHORTENINGS = 5
"""How often a step is halved."""

BOLD_STEPS = 6
"""Steps in a row that are taken without a residual below the best: states have to change before it falls."""


class Linear(NamedTuple):
    """What a contact does to first order: δp = g - K δu, δu by all contacts (K in kg, g in N s)."""

    K: Matrix
    g: Vector


@kernel
def polish(system: ContactSystem, work: SolverWork, limit: int, tolerance: float) -> int:
    """Newton's method from the impulses kept, ``limit`` steps at most; steps.

    Where it finds better ones than the best so far, these, their slips and coordinates become those kept; else nothing
    changes.
    """
    n, m = system.width, 3 * system.n
    for k in range(m):
        work.impulse[k] = work.kept[k]
    reached, start, bold, taken = note_impulses(system, work), work.residual, 0, 0
    for _ in range(limit):
        if not tolerance < work.residual or not math.isfinite(reached) or not _find_step(system, work):
            break
        taken += 1
        best = work.residual
        reached = _take_step(system, work, reached)
        bold = 0 if work.residual < best else bold + 1
        if bold > BOLD_STEPS:
            break
    if work.residual < start:
        for k in range(m):
            work.impulse[k] = work.best[k]
        note_impulses(system, work)
        keep_impulses(system, work, 1.0)
        for j in range(n):
            work.z[j] = work.other[j]
    return taken


@kernel
def _find_step(system: ContactSystem, work: SolverWork) -> bool:
    """The step of the impulses into ``trial``; velocities at hand are in ``change``. False where there is none."""
    clear(system, work.envelope)
    for i in range(system.n):
        k = 3 * i
        own = _linearised(system, work, i)
        for a in range(3):
            work.trial[k + a] = own.g[a]
        if system.own[i] > 0.0:
            add_contact(system, i, own.K, work.envelope)
    find_coordinates(system, work.trial, work.step)
    if not factorise(system.width, False, work.envelope):
        return False
    substitute(system.width, work.envelope, work.step)
    for i in range(system.n):
        k = 3 * i
        own = _linearised(system, work, i)
        step = sub(own.g, apply(own.K, velocity_by(system, work.step, i)))
        for a in range(3):
            work.trial[k + a] = step[a]
    return True


@kernel
def _linearised(system: ContactSystem, work: SolverWork, i: int) -> Linear:
    """The equations of a contact's state, solved for its own impulse.

    Normal: (1) open: p_n = floor, (2) closed: u_n = 0. Tangential: (3) sticking: u_t = 0, (4) slipping along d, with
    x = r p_t - u_t and ρ = μ r p_n: r p_t = ρ x/|x|, (5) no friction to speak of: p_t = 0. Contacts between fixed
    bodies have p = 0. r is the contact's own yielding (1/kg).
    """
    k, mu = 3 * i, work.mu[i]
    p = (work.impulse[k], work.impulse[k + 1], work.impulse[k + 2])
    u = (work.change[k], work.change[k + 1], work.change[k + 2])
    K: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    if system.own[i] == 0.0:
        return Linear(K, (-p[0], -p[1], -p[2]))
    r = system.own[i] + (system.soft[k] + system.soft[k + 1] + system.soft[k + 2]) / 3.0
    normal = tangential = NEWTON_PROXIMITY * r
    normal += system.soft[k]
    tangential += system.soft[k + 1]
    closed = r * (p[0] - work.floor[i]) > u[0]
    nn, gn = (1.0 / normal, -u[0] / normal) if closed else (0.0, work.floor[i] - p[0])  # (2), (1)
    x, y = r * p[1] - u[1], r * p[2] - u[2]
    size, limit = math.hypot(x, y), mu * r * max(p[0], 0.0)
    if size <= limit and limit > 0.0:  # (3)
        tt = 1.0 / tangential
        return Linear(((nn, 0.0, 0.0), (0.0, tt, 0.0), (0.0, 0.0, tt)), (gn, -u[1] * tt, -u[2] * tt))
    if not (size > 0.0 and mu > 0.0):  # (5)
        return Linear(((nn, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), (gn, -p[1], -p[2]))
    d, share = (x / size, y / size), limit / size  # (4)
    turning = share / (r * (1.0 - share) + tangential * share)
    wrong = (limit * d[0] - r * p[1], limit * d[1] - r * p[2])
    along = (wrong[0] * d[0] + wrong[1] * d[1]) / r + mu * gn
    across = (wrong[1] * d[0] - wrong[0] * d[1]) / (r * (1.0 - share) + tangential * share)
    K = (
        (nn, 0.0, 0.0),
        (mu * d[0] * nn, turning * d[1] * d[1], -turning * d[0] * d[1]),
        (mu * d[1] * nn, -turning * d[0] * d[1], turning * d[0] * d[0]),
    )
    return Linear(K, (gn, along * d[0] - across * d[1], along * d[1] + across * d[0]))


@kernel
def _take_step(system: ContactSystem, work: SolverWork, before: float) -> float:
    """Take as much of the step as lowers the residual most, the whole where none does; the residual there (m/s).

    Halved up to `SHORTENINGS` times, until the residual has fallen by half.
    """
    m = 3 * system.n
    for k in range(m):
        work.here[k] = work.impulse[k]
    best, share, length = before, 1.0, 1.0
    for _ in range(SHORTENINGS):
        _move(system, work, length)
        reached = note_impulses(system, work)
        if reached < best:
            best, share = reached, length
        if best < 0.5 * before:
            break
        length *= 0.5
    if share != length:
        _move(system, work, share)
        return note_impulses(system, work)
    return best


@kernel
def _move(system: ContactSystem, work: SolverWork, length: float) -> None:
    """Impulses after a part of a step, brought into their cones; those before are in ``here``."""
    for i in range(system.n):
        k = 3 * i
        normal = max(work.here[k] + length * work.trial[k], work.floor[i])
        x = work.here[k + 1] + length * work.trial[k + 1]
        y = work.here[k + 2] + length * work.trial[k + 2]
        size, limit = math.hypot(x, y), work.mu[i] * normal
        share = limit / size if size > limit else 1.0
        work.impulse[k], work.impulse[k + 1], work.impulse[k + 2] = normal, share * x, share * y
