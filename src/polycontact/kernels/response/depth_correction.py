"""What bodies lie too deep in each other is taken back by a motion without speed, a part of it in each step.

Bodies are parted with friction: without it normals that differ by rounding would drive a light body out from under a
heavy one.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.solve_contacts import solve_contacts
from polycontact.kernels.response.step_views import RigidPoints, RigidRules, StepWork
from polycontact.tolerances import CORRECTION_THRESHOLD, DEPTH_CORRECTION_SHARE, PARTING_FRICTION


@kernel
def lies_too_deep(rules: RigidRules, points: RigidPoints) -> bool:
    """Whether a point of a rigid contact lies deeper than is left alone."""
    for i in range(points.n):
        is_rigid = rules.stiffness[points.pair[i]] == math.inf
        if is_rigid and points.support[i, 6] - rules.slop > CORRECTION_THRESHOLD * rules.slop:
            return True
    return False


@kernel
def find_pushes(
    rules: RigidRules,
    points: RigidPoints,
    system: ContactSystem,
    work: StepWork,
    settings: SolverSettings,
    memory: ResponseMemory,
) -> float:
    """Pushes (3n, N s) that make points part fast enough, with friction, into ``work.other_impulse``.

    Returns the residual, m/s.
    """
    for i in range(points.n):
        k = 3 * i
        excess = points.support[i, 6] - rules.slop if rules.stiffness[points.pair[i]] == math.inf else 0.0
        work.held[k] = -max(DEPTH_CORRECTION_SHARE * excess / work.h, 0.0)
        work.held[k + 1] = work.held[k + 2] = 0.0
        work.parting_friction[i] = PARTING_FRICTION * work.friction[i]
        for a in range(3):
            work.other_impulse[k + a] = 0.0
    n = points.n
    pushes = work.other_impulse[: 3 * n]
    b, no_floor = work.held[: 3 * n], pushes[:0]
    return solve_contacts(system, b, work.parting_friction[:n], no_floor, pushes, settings, memory.work)[1]


@kernel
def affordable_share(work: StepWork, price: float) -> float:
    """Part of the correction that contacts can pay with what they have taken so far; ``price`` (J): its work.

    So they never give more than they have taken. Bodies that overlap at the start are parted, whatever that costs.
    """
    if not price > 0.0 or work.overlapped == 1:
        return 1.0
    return min(1.0, max(work.taken, 0.0) / price)
