"""The built-in force elements of a system as the kernels see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from polycontact.kernels.dynamics.setup_views import (
    BallStops,
    Bushings,
    ForceElements,
    JointEfforts,
    JointForces,
    JointFrictions,
    Loads,
    Motors,
    Springs,
)
from polycontact.multibody.built_in_forces import (
    AppliedForce,
    BuiltInForce,
    EndStop,
    JointEffort,
    JointSpring,
    Motor,
    SpringDamper,
    SwingTwistStop,
)
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.motion_functions import Motion
from polycontact.multibody.rotations import shortest_turn

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem


def lay_out_elements(
    system: MultibodySystem,
    number: Mapping[str, int],
    first_q: Mapping[str, int],
    first_v: Mapping[str, int],
    motions: list[Motion],
) -> ForceElements:
    """All built-in elements; ``number``, ``first_q`` and ``first_v`` by body. Their functions of time join
    ``motions``.
    """
    view = ForceElements()
    elements = system.forces.values()

    def place(joint: str) -> tuple[int, int]:
        """First coordinate and first speed of a joint."""
        child = system.joints[joint].child
        return first_q[child], first_v[child]

    _fill_springs(view.springs, [each for each in elements if isinstance(each, SpringDamper)], system, number)
    along = [each for each in elements if isinstance(each, JointSpring | EndStop)]
    view.joint_forces.reserve(n=len(along))
    for i, each in enumerate(along):
        _fill_joint_force(view.joint_forces, i, each, *place(each.joint))
    stops = [each for each in elements if isinstance(each, SwingTwistStop)]
    view.ball_stops.reserve(n=len(stops))
    for i, stop in enumerate(stops):
        _fill_ball_stop(view.ball_stops, i, stop, *place(stop.joint))
    motors = [each for each in elements if isinstance(each, Motor)]
    view.motors.reserve(n=len(motors))
    for i, motor in enumerate(motors):
        _fill_motor(view.motors, i, motor, *place(motor.joint), len(motions))
        motions.append(motor.target)
    _fill_loads(view.loads, [each for each in elements if isinstance(each, AppliedForce)], system, number, motions)
    efforts = [each for each in elements if isinstance(each, JointEffort)]
    view.joint_efforts.reserve(n=len(efforts))
    for i, effort in enumerate(efforts):
        _fill_effort(view.joint_efforts, i, effort, *place(effort.joint), len(motions))
        motions.append(effort.function())
    frictions = [each for each in elements if isinstance(each, JointFriction)]
    view.frictions.reserve(n=len(frictions))
    for i, friction in enumerate(frictions):
        _fill_friction(view.frictions, i, friction, *place(friction.joint), len(motions))
        view.frictions.n_speeds[i] = n_friction_speeds(system, friction)
        motions.append(friction.function())
    _fill_bushings(view.bushings, [each for each in elements if isinstance(each, Bushing)], system, number)
    return view


def n_friction_speeds(system: MultibodySystem, element: JointFriction) -> int:
    """How many speeds of its joint friction acts against together: three of a ball joint."""
    return 3 if system.joints[element.joint].kind is JointKind.SPHERICAL else 1


def in_kernel_order(system: MultibodySystem) -> list[BuiltInForce]:
    """The built-in elements as the kernels count them, kind by kind."""
    kinds = (
        SpringDamper,
        (JointSpring, EndStop),
        SwingTwistStop,
        Motor,
        AppliedForce,
        JointEffort,
        JointFriction,
        Bushing,
    )
    return [each for kind in kinds for each in system.forces.values() if isinstance(each, kind)]


def _fill_springs(
    springs: Springs, elements: list[SpringDamper], system: MultibodySystem, number: Mapping[str, int]
) -> None:
    springs.reserve(n=len(elements))
    for i, each in enumerate(elements):
        a, b = system.marker(each.body_a), system.marker(each.body_b)
        springs.body_a[i], springs.body_b[i] = number[a.body], number[b.body]
        springs.point_a[i] = a.position + a.rotation @ np.asarray(each.point_a)
        springs.point_b[i] = b.position + b.rotation @ np.asarray(each.point_b)
        springs.stiffness[i], springs.damping[i], springs.length[i] = each.stiffness, each.damping, each.length


def _fill_joint_force(forces: JointForces, i: int, element: JointSpring | EndStop, q: int, v: int) -> None:
    forces.coordinate[i], forces.speed[i] = q + element.coordinate, v + element.coordinate
    if isinstance(element, JointSpring):
        forces.stiffness[i], forces.damping[i] = element.stiffness, element.damping
        forces.reference[i] = element.reference
        forces.lower[i], forces.upper[i] = -np.inf, np.inf
    else:
        forces.lower[i], forces.upper[i] = element.limits()
        forces.stop_stiffness[i], forces.stop_damping[i] = element.stiffness, element.damping


def _fill_ball_stop(stops: BallStops, i: int, element: SwingTwistStop, q: int, v: int) -> None:
    axis, cone = np.asarray(element.axis), np.asarray(element.cone)
    stops.quaternion[i], stops.speed[i] = q, v
    stops.cone[i] = cone
    stops.swing[i], stops.twist[i] = element.swing, element.twist
    stops.stiffness[i], stops.damping[i] = element.stiffness, element.damping
    stops.reference[i] = shortest_turn(axis, cone)


def _fill_motor(motors: Motors, i: int, element: Motor, q: int, v: int, motion: int) -> None:
    motors.coordinate[i], motors.speed[i] = q + element.coordinate, v + element.coordinate
    motors.motion[i] = motion
    motors.stiffness[i], motors.damping[i] = element.stiffness, element.damping
    motors.limit[i] = np.inf if element.limit is None else element.limit


def _fill_loads(
    loads: Loads,
    elements: list[AppliedForce],
    system: MultibodySystem,
    number: Mapping[str, int],
    motions: list[Motion],
) -> None:
    loads.reserve(n=len(elements))
    for i, each in enumerate(elements):
        marker = system.marker(each.body)
        loads.body[i], loads.turns[i], loads.motion[i] = number[marker.body], each.axes == "body", len(motions)
        loads.point[i] = marker.position + marker.rotation @ np.asarray(each.point)
        loads.axes[i] = marker.rotation.ravel()
        motions.extend(each.components())


def _fill_effort(efforts: JointEfforts, i: int, element: JointEffort, q: int, v: int, motion: int) -> None:
    efforts.coordinate[i], efforts.speed[i] = q + element.coordinate, v + element.coordinate
    efforts.motion[i] = motion


def _fill_friction(frictions: JointFrictions, i: int, element: JointFriction, q: int, v: int, motion: int) -> None:
    frictions.coordinate[i], frictions.speed[i] = q + element.coordinate, v + element.coordinate
    frictions.motion[i] = motion
    frictions.viscous[i], frictions.velocity[i] = element.viscous, element.velocity


def _fill_bushings(
    bushings: Bushings, elements: list[Bushing], system: MultibodySystem, number: Mapping[str, int]
) -> None:
    bushings.reserve(n=len(elements))
    for i, each in enumerate(elements):
        a, b = system.marker(each.body_a), system.marker(each.body_b)
        bushings.body_a[i], bushings.body_b[i] = number[a.body], number[b.body]
        bushings.point_a[i] = a.position + a.rotation @ np.asarray(each.point_a)
        bushings.point_b[i] = b.position + b.rotation @ np.asarray(each.point_b)
        bushings.frame_a[i] = (a.rotation @ np.asarray(each.rotation_a)).ravel()
        bushings.frame_b[i] = (b.rotation @ np.asarray(each.rotation_b)).ravel()
        bushings.stiffness[i], bushings.damping[i] = np.ravel(each.stiffness), np.ravel(each.damping)
        bushings.preload[i] = each.preload
