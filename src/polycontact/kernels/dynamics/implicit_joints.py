"""Efforts of joint springs, stops, motors and friction in steps of given length: taken at the end of the step.

A controller of stiffness k and damping d that is taken at the start of a step h shakes as soon as h exceeds 2 d/k or
so. Taken at the end, τ = τ₀ + k (h/2)(ẋ_target - v⁺) + d (v⁻ - v⁺) with τ₀ in the middle of the step, it only adds the
inertia h d + h²k/2 along its joint speed, and the effort (h k/2)(ẋ_target - v⁻): the equations stay linear in v⁺.

    (1) springs and dampers: always so
    (2) an end stop: with its stiffness and damping while it pushes
    (3) a motor below its limit: as (1); at its limit it exerts that, whatever the speed
    (4) friction: -S v⁺ with the secant S at the start (`joint_friction`)
"""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import JointState, Ledger
from polycontact.kernels.dynamics.force_elements import stop_effort
from polycontact.kernels.dynamics.joint_friction import make_frictions_implicit, work_of_frictions
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.motion_values import motion_at
from polycontact.kernels.dynamics.setup_views import ForceElements, JointForces, Motions, Motors
from polycontact.kernels.jit import inline_kernel, kernel


@inline_kernel
def _active(elements: JointForces, k: int, x: float, rate: float) -> tuple[float, float]:
    """Stiffness and damping of a joint's spring and of the stop that it touches."""
    stiffness, damping = elements.stiffness[k], elements.damping[k]
    for sign, limit in ((-1.0, elements.lower[k]), (1.0, elements.upper[k])):
        excess = sign * (x - limit)
        if (
            excess > 0.0
            and stop_effort(excess, sign * rate, elements.stop_stiffness[k], elements.stop_damping[k]) > 0.0
        ):
            stiffness += elements.stop_stiffness[k]
            damping += elements.stop_damping[k]
    return stiffness, damping


@inline_kernel
def _joint_effort(elements: JointForces, k: int, x: float, rate: float) -> float:
    """Effort of a joint's spring and stops, as the force elements have it."""
    effort = -elements.stiffness[k] * (x - elements.reference[k]) - elements.damping[k] * rate
    for sign, limit in ((-1.0, elements.lower[k]), (1.0, elements.upper[k])):
        excess = sign * (x - limit)
        if excess > 0.0:
            effort -= sign * stop_effort(excess, sign * rate, elements.stop_stiffness[k], elements.stop_damping[k])
    return float(effort)


@inline_kernel
def _joint_energy(elements: JointForces, k: int, x: float) -> float:
    """Elastic energy of a joint's spring and stops, J."""
    stretch = x - elements.reference[k]
    energy = 0.5 * elements.stiffness[k] * stretch * stretch
    for sign, limit in ((-1.0, elements.lower[k]), (1.0, elements.upper[k])):
        excess = max(sign * (x - limit), 0.0)
        if excess > 0.0:
            energy += 0.5 * elements.stop_stiffness[k] * excess * excess
    return float(energy)


@inline_kernel
def _motor_effort(motors: Motors, k: int, target: tuple[float, float, float], x: float, rate: float) -> float:
    """Effort that a motor would exert without its limit."""
    return float(motors.stiffness[k] * (target[0] - x) + motors.damping[k] * (target[1] - rate))


@kernel
def make_implicit(
    elements: ForceElements,
    motions: Motions,
    joints: JointState,
    ledger: Ledger,
    added_inertia: Array,
    efforts: Array,
    t: float,
    h: float,
) -> None:
    """Turn the efforts at the middle t (s) of a step h (s) into those of its end; after `apply_forces`.

    What these elements put into the powers of the ledger is taken out: `work_of_joints` counts them for the whole step.
    A motor at its limit exerts that, whatever the speed.
    """
    added_inertia[:] = 0.0
    springs = elements.joint_forces
    for k in range(springs.n):
        at = springs.speed[k]
        x, rate = joints.q[springs.coordinate[k]], joints.v[at]
        stiffness, damping = _active(springs, k, x, rate)
        added_inertia[at] += h * damping + 0.5 * h * h * stiffness
        efforts[at] -= 0.5 * h * stiffness * rate
        lost = -_joint_effort(springs, k, x, rate) * rate
        ledger.powers.damping -= lost - _stored_power(springs, k, x, rate)
    motors = elements.motors
    for k in range(motors.n):
        at = motors.speed[k]
        x, rate, limit = joints.q[motors.coordinate[k]], joints.v[at], motors.limit[k]
        target = motion_at(motions, motors.motion[k], t)
        effort = _motor_effort(motors, k, target, x, rate)
        if abs(effort) < limit:
            added_inertia[at] += h * motors.damping[k] + 0.5 * h * h * motors.stiffness[k]
            efforts[at] += 0.5 * h * motors.stiffness[k] * (target[1] - rate)
        ledger.powers.input -= min(max(effort, -limit), limit) * rate
    make_frictions_implicit(elements.frictions, motions, joints, ledger, added_inertia, t, h)


@inline_kernel
def _stored_power(elements: JointForces, k: int, x: float, rate: float) -> float:
    """Rate of the elastic energy of a joint's spring and stops, W."""
    power = elements.stiffness[k] * (x - elements.reference[k]) * rate
    for sign, limit in ((-1.0, elements.lower[k]), (1.0, elements.upper[k])):
        excess = sign * (x - limit)
        if excess > 0.0:
            power += elements.stop_stiffness[k] * excess * sign * rate
    return float(power)


@kernel
def work_of_joints(
    elements: ForceElements, motions: Motions, joints: JointState, after: Array, t: float, h: float
) -> tuple[float, float, float]:
    """What dampers and friction of joints lost, what the rule of the step lost in them besides, and what motors put in
    during a step h (s) about its middle t (s), J.

    ``joints`` as in the middle, with the speeds before the step; ``after``: joint speeds after it. Dampers lose what
    they would at the mean speed; efforts at the end of a step take more than that, also from springs without any.
    """
    lost, by_rule = work_of_frictions(elements.frictions, motions, joints, after, t, h)
    put_in = 0.0
    springs = elements.joint_forces
    for k in range(springs.n):
        at = springs.speed[k]
        x, before, end = joints.q[springs.coordinate[k]], joints.v[at], after[at]
        stiffness, damping = _active(springs, k, x, before)
        effort = _joint_effort(springs, k, x, before) - 0.5 * h * stiffness * end + damping * (before - end)
        stored = _joint_energy(springs, k, x + 0.5 * h * end) - _joint_energy(springs, k, x - 0.5 * h * before)
        damped = 0.25 * h * damping * (before + end) ** 2
        lost += damped
        by_rule -= 0.5 * h * effort * (before + end) + stored + damped
    motors = elements.motors
    for k in range(motors.n):
        at = motors.speed[k]
        x, before, end, limit = joints.q[motors.coordinate[k]], joints.v[at], after[at], motors.limit[k]
        target = motion_at(motions, motors.motion[k], t)
        effort = _motor_effort(motors, k, target, x, before)
        if abs(effort) < limit:
            effort += 0.5 * h * motors.stiffness[k] * (target[1] - end) + motors.damping[k] * (before - end)
        else:
            effort = min(max(effort, -limit), limit)
        put_in += 0.5 * h * effort * (before + end)
    return lost, by_rule, put_in
