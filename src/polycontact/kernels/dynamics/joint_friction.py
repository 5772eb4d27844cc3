"""Friction in joints: dry, c(t), which fades out below a small speed as in eq. (20), and viscous; a brake is the same.

The effort is -S v with the secant S(t, v) ≥ 0, for a ball joint with the angular velocity v: it never puts energy in.
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.evaluation_views import AppliedForces, JointState, Ledger
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.motion_values import function_at
from polycontact.kernels.dynamics.setup_views import JointFrictions, Motions
from polycontact.kernels.jit import kernel


@kernel
def speed_of_friction(frictions: JointFrictions, speeds: Array, k: int) -> float:
    """Amount of the speed that an element acts against, rad/s or m/s."""
    total = 0.0
    for i in range(frictions.speed[k], frictions.speed[k] + frictions.n_speeds[k]):
        total += speeds[i] * speeds[i]
    return math.sqrt(total)


@kernel
def friction_secant(frictions: JointFrictions, motions: Motions, joints: JointState, t: float, k: int) -> float:
    """S at time t (s), N m s/rad or N s/m: c (2 - s)/v_s + d with s = |v|/v_s < 1, c/|v| + d beyond.

    A dry friction that a function makes negative counts as none.
    """
    speed, slow = speed_of_friction(frictions, joints.v, k), frictions.velocity[k]
    x, rate = 0.0, 0.0
    if frictions.n_speeds[k] == 1:
        x, rate = joints.q[frictions.coordinate[k]], joints.v[frictions.speed[k]]
    dry = function_at(motions, frictions.motion[k], t, x, rate)[0]
    if dry < 0.0:
        dry = 0.0
    if speed >= slow:
        return float(frictions.viscous[k] + dry / speed)
    return float(frictions.viscous[k] + dry * (2.0 - speed / slow) / slow)


@kernel
def apply_frictions(
    frictions: JointFrictions, motions: Motions, joints: JointState, forces: AppliedForces, ledger: Ledger, t: float
) -> None:
    """Friction of all joints; what it takes is lost."""
    for k in range(frictions.n):
        secant = friction_secant(frictions, motions, joints, t, k)
        for i in range(frictions.speed[k], frictions.speed[k] + frictions.n_speeds[k]):
            forces.efforts[i] -= secant * joints.v[i]
            ledger.powers.damping += secant * joints.v[i] * joints.v[i]


@kernel
def make_frictions_implicit(
    frictions: JointFrictions,
    motions: Motions,
    joints: JointState,
    ledger: Ledger,
    added_inertia: Array,
    t: float,
    h: float,
) -> None:
    """Friction -S v⁺ at the end of a step h (s), with S at its start: the inertia h S is added, and it never reverses
    a speed. What `apply_frictions` put into the ledger is taken out.
    """
    for k in range(frictions.n):
        secant = friction_secant(frictions, motions, joints, t, k)
        for i in range(frictions.speed[k], frictions.speed[k] + frictions.n_speeds[k]):
            added_inertia[i] += h * secant
            ledger.powers.damping -= secant * joints.v[i] * joints.v[i]


@kernel
def work_of_frictions(
    frictions: JointFrictions, motions: Motions, joints: JointState, after: Array, t: float, h: float
) -> tuple[float, float]:
    """What friction took during a step h (s) about its middle t (s), J, at the mean speed, and what it took besides
    because it is that of the end of the step; ``joints`` and ``after`` as in `work_of_joints`.
    """
    lost, by_rule = 0.0, 0.0
    for k in range(frictions.n):
        secant = friction_secant(frictions, motions, joints, t, k)
        for i in range(frictions.speed[k], frictions.speed[k] + frictions.n_speeds[k]):
            mean = 0.5 * (joints.v[i] + after[i])
            lost += h * secant * mean * mean
            by_rule += h * secant * mean * (after[i] - mean)
    return lost, by_rule
