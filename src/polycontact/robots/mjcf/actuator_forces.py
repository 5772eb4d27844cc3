"""Actuators, springs, dampers and limits of a model as force elements of a system."""

from __future__ import annotations

import math
from collections.abc import Iterator

from polycontact.errors import RobotError
from polycontact.multibody.built_in_forces import EndStop, JointEffort, JointSpring, Motor
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.motion_functions import ConstantVelocity, ExpressionMotion, FunctionOfTime, Motion
from polycontact.robots.adding import told_at
from polycontact.robots.mjcf.mjcf_model import MjcfActuator, MjcfJoint, MjcfModel
from polycontact.surfaces.reading.source import shown

JointForce = JointSpring | JointFriction | EndStop | Motor | JointEffort


def joint_forces(
    joint: MjcfJoint, name: str, stop_stiffness: float | None, stop_damping: float
) -> Iterator[JointForce]:
    """Spring, damper and friction of a joint, which the system calls ``name``, and its stops, if they are stiff."""
    if joint.stiffness or joint.damping:
        what = "spring" if joint.stiffness else "damping"
        reference = joint.spring_reference - joint.reference
        yield JointSpring(f"{name} {what}", name, 0, joint.stiffness, joint.damping, reference)
    if joint.friction:
        yield JointFriction(f"{name} friction", name, dry=joint.friction)
    lower, upper = (None if math.isinf(each) else each - joint.reference for each in (joint.lower, joint.upper))
    if stop_stiffness is not None and (lower is not None or upper is not None):
        yield EndStop(f"{name} stop", name, 0, lower, upper, stop_stiffness, stop_damping)


def actuator_force(
    model: MjcfModel, actuator: MjcfActuator, prefix: str, control: FunctionOfTime
) -> Motor | JointEffort | None:
    """A motor where the actuator has stiffness or damping, else an effort; None for an effort that is always zero.

    effort = g (k c + b₀ + b₁ g q + b₂ g q̇) is that of a motor with the stiffness -b₁ g², the damping -b₂ g² and the
    target (k c + b₀)/(-b₁ g), or, without stiffness, the target's speed (k c + b₀)/(-b₂ g).
    """
    name, joint = prefix + actuator.name, prefix + actuator.joint
    b0, b1, b2 = actuator.bias
    gear = actuator.gear
    limit = None if math.isinf(actuator.force) else actuator.force * abs(gear)
    with told_at(model.file, actuator.line):
        if gear == 0.0 or (b1 == b2 == 0.0):
            drive = _signal(model, actuator, control, gear * actuator.gain, gear * b0, limit)
            return None if drive == 0.0 else JointEffort(name, joint, drive)
        if b1:
            reference = model.joints[actuator.joint].reference
            target = _signal(model, actuator, control, actuator.gain / (-b1 * gear), b0 / (-b1 * gear) - reference)
            motion = ConstantVelocity(speed=0.0, start=target) if isinstance(target, float) else target
        else:
            speed = _signal(model, actuator, control, actuator.gain / (-b2 * gear), b0 / (-b2 * gear))
            if not isinstance(speed, float):
                raise RobotError(
                    f"{model.file.name}: line {actuator.line}: actuator {shown(actuator.name)} follows a speed: its "
                    f"control must be a number; prescribe the joint's motion, or take a JointEffort"
                )
            motion = ConstantVelocity(speed)
        return Motor(name, joint, motion, abs(b1) * gear**2, abs(b2) * gear**2, 0, limit)


def _signal(
    model: MjcfModel,
    actuator: MjcfActuator,
    control: FunctionOfTime,
    factor: float,
    offset: float,
    limit: float | None = None,
) -> float | Motion:
    """factor · ctrl + offset, ctrl within its range and the whole within ± ``limit``."""
    low, high = actuator.control
    if isinstance(control, Motion):
        raise RobotError(
            f"{model.file.name}: line {actuator.line}: the control of actuator {shown(actuator.name)} is {control!r}; "
            f'give a number or a formula of time, such as "0.5 * sin(t)"'
        )
    if isinstance(control, str):
        inner = f"({control})"
        inner = f"max({_written(low)}, {inner})" if math.isfinite(low) else inner
        inner = f"min({_written(high)}, {inner})" if math.isfinite(high) else inner
        text = f"{_written(factor)} * {inner} + {_written(offset)}"
        return ExpressionMotion(text if limit is None else f"min({_written(limit)}, max({_written(-limit)}, {text}))")
    if isinstance(control, bool) or not isinstance(control, int | float) or not low <= control <= high:
        raise RobotError(
            f"{model.file.name}: line {actuator.line}: the control of actuator {shown(actuator.name)} is {control!r}; "
            f"give a number from {low:g} to {high:g}, or a formula of time"
        )
    value = factor * float(control) + offset
    return value if limit is None else min(limit, max(-limit, value))


def _written(value: float) -> str:
    return f"({value!r})"
