"""Impulses of one step: contacts stop, yield or rebound, and never give more energy than they have taken.

A point that is not yet so deep as the slop may close what is left of it during the step, with the rest speed at most.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem, block_entry, find_coordinates
from polycontact.kernels.response.following_steps import StepLength
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.solve_step import solve_in_step
from polycontact.kernels.response.step_views import RigidPoints, RigidRules, Solves, StepWork
from polycontact.kernels.views import Doubles
from polycontact.tolerances import CLOSING_SPEED, LEAST_INVERSE_MASS, LEAST_RESTITUTION


@kernel
def find_impulses(
    rules: RigidRules,
    length: StepLength,
    points: RigidPoints,
    system: ContactSystem,
    work: StepWork,
    settings: SolverSettings,
    memory: ResponseMemory,
    solves: Solves,
) -> bool:
    """Impulses (3n, N s) of a step into ``work.impulse``, from the velocities ``work.before`` and ``work.free``.

    False where they are not finite.
    """
    n = points.n
    throws = _set_aims(rules, length, points, system, work)
    if not solve_in_step(system, work.thrown, work.friction, points, work.impulse, settings, memory, solves):
        return False
    for k in range(3 * n):
        work.mean[k] = 0.5 * (work.before[k] + work.free[k])
    if throws and _contact_work(system, work.impulse, work.mean, work.z, 3 * n) > 0.0:
        stopped = work.other_impulse
        if not solve_in_step(system, work.held, work.friction, points, stopped, settings, memory, solves):
            return False
        _take_without_gain(system, work, 3 * n)
    return True


@kernel
def _set_aims(
    rules: RigidRules, length: StepLength, points: RigidPoints, system: ContactSystem, work: StepWork
) -> bool:
    """Right-hand sides that stop and that throw back points; whether any rebounds while all contacts are rigid."""
    throws, all_rigid = False, True
    for i in range(points.n):
        k, pair, depth = 3 * i, points.pair[i], points.support[i, 6]
        work.friction[i] = rules.friction[pair]
        for a in range(3):
            work.held[k + a] = work.free[k + a]
        approach = work.before[k]
        rest = 0.0
        if rules.stiffness[pair] == math.inf:
            room = min(max((rules.slop - depth) / work.h, 0.0), CLOSING_SPEED * rules.rest_speed)
            work.held[k] += room
            is_quiet = length.quiet == 1 and length.held[pair] == 1
            if work.rebounds == 1 and not is_quiet and approach < -rules.rest_speed:
                rest = rules.restitution[pair] * approach - room
                throws = True
        else:
            all_rigid = False
            _let_yield(rules, points, system, work, i)
        for a in range(3):
            work.thrown[k + a] = work.held[k + a]
        work.thrown[k] += rest
    return throws and all_rigid


@kernel
def _let_yield(rules: RigidRules, points: RigidPoints, system: ContactSystem, work: StepWork, i: int) -> None:
    """Let a point give way: p = h [k (δ - (h/2) u_n⁺) - d u_n⁺], with δ in the middle of the step.

    d follows from the restitution e and the mass that the point feels, as for a spring with a damper: the share ζ
    of the critical damping is -ln e/√(π² + ln² e).
    """
    pair, h, depth = points.pair[i], work.h, points.support[i, 6]
    k = rules.stiffness[pair] * points.support[i, 7]
    log = math.log(max(rules.restitution[pair], LEAST_RESTITUTION))
    share = -log / math.sqrt(math.pi * math.pi + log * log)
    damping = 2.0 * share * math.sqrt(k / max(block_entry(system, 3 * i, 3 * i), LEAST_INVERSE_MASS))
    gives = 1.0 / (0.5 * h * h * k + h * damping)
    system.soft[3 * i] = gives
    work.held[3 * i] -= h * k * max(depth, 0.0) * gives


@kernel
def _contact_work(system: ContactSystem, p: Doubles, mean: Doubles, z: Doubles, m: int) -> float:
    """Work (J) of impulses p; ``mean`` (m/s): of the velocities before and after, were there no impulses."""
    find_coordinates(system, p, z)
    total = 0.0
    for k in range(m):
        total += p[k] * mean[k]
    for j in range(system.width):
        total += 0.5 * z[j] * z[j]
    return total


@kernel
def _take_without_gain(system: ContactSystem, work: StepWork, m: int) -> None:
    """Impulses between those that stop points and those that throw them back, as far as they make no energy.

    Both lie in the cones and keep points apart, hence also what is between; the work is quadratic in the share θ.
    """
    stopped, thrown, mean, z, more = work.other_impulse, work.impulse, work.mean, work.z, work.other_z
    lost = -_contact_work(system, stopped, mean, z, m)
    find_coordinates(system, thrown, more)
    square, linear = 0.0, 0.0
    for j in range(system.width):
        more[j] -= z[j]
        square += 0.5 * more[j] * more[j]
        linear += z[j] * more[j]
    for k in range(m):
        linear += (thrown[k] - stopped[k]) * mean[k]
    share = 0.0
    if lost > 0.0 and square > 0.0:
        root = math.sqrt(linear * linear + 4.0 * square * lost)
        share = (root - linear) / (2.0 * square) if linear <= 0.0 else 2.0 * lost / (root + linear)
    for k in range(m):
        thrown[k] = stopped[k] + min(share, 1.0) * (thrown[k] - stopped[k])
