"""Forces of the built-in force elements: on bodies (torque at the origin, force; world axes) or along joint speeds."""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.applied_loads import apply_efforts, apply_loads
from polycontact.kernels.dynamics.bushings import apply_bushings
from polycontact.kernels.dynamics.evaluation_views import AppliedForces, BodyState, JointState, Ledger
from polycontact.kernels.dynamics.joint_friction import apply_frictions
from polycontact.kernels.dynamics.matrices import Array, add_vector, from_quaternion, load_vector, rotation_of
from polycontact.kernels.dynamics.motion_values import motion_at
from polycontact.kernels.dynamics.setup_views import (
    BallStops,
    ForceElements,
    JointForces,
    Motions,
    Motors,
    Springs,
    Tree,
)
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel


@kernel
def apply_forces(
    tree: Tree,
    elements: ForceElements,
    motions: Motions,
    joints: JointState,
    bodies: BodyState,
    forces: AppliedForces,
    ledger: Ledger,
    t: float,
) -> None:
    """Sum up all force elements but contacts; their potential energy and powers too."""
    _clear(ledger)
    _take_user_forces(joints, bodies, forces, ledger)
    _apply_gravity(tree, bodies, forces, ledger)
    _apply_springs(elements.springs, bodies, forces, ledger)
    _apply_joint_forces(elements.joint_forces, joints, forces, ledger)
    _apply_ball_stops(elements.ball_stops, joints, forces, ledger)
    _apply_motors(elements.motors, motions, joints, forces, ledger, t)
    apply_loads(elements.loads, motions, bodies, forces, ledger, t)
    apply_efforts(elements.joint_efforts, motions, joints, forces, ledger, t)
    apply_frictions(elements.frictions, motions, joints, forces, ledger, t)
    apply_bushings(elements.bushings, bodies, forces, ledger)


@kernel
def _clear(ledger: Ledger) -> None:
    """Powers and energies of this evaluation begin at zero."""
    powers, energies = ledger.powers, ledger.energies
    powers.contact = 0.0
    powers.contact_damping = 0.0
    powers.layers = 0.0
    powers.friction = 0.0
    powers.damping = 0.0
    powers.input = 0.0
    energies.kinetic = 0.0
    energies.gravity = 0.0
    energies.springs = 0.0
    energies.contact = 0.0


@inline_kernel
def push(applied: Array, body: int, arm: Vector, f: Vector) -> None:
    """Apply a force to a body at ``arm`` from its origin."""
    add_vector(applied[body], 0, cross(arm, f))
    add_vector(applied[body], 3, f)


@kernel
def _take_user_forces(joints: JointState, bodies: BodyState, forces: AppliedForces, ledger: Ledger) -> None:
    """Begin with the forces that Python functions gave; their power counts as input."""
    applied, given, velocity = forces.applied, forces.user_applied, bodies.velocity
    power = 0.0
    for b in range(bodies.n_bodies):
        for i in range(6):
            applied[b, i] = given[b, i]
            power += given[b, i] * velocity[b, i]
    efforts, along, speeds = forces.efforts, forces.user_efforts, joints.v
    for k in range(joints.n_speeds):
        efforts[k] = along[k]
        power += along[k] * speeds[k]
    ledger.powers.input += power


@kernel
def _apply_gravity(tree: Tree, bodies: BodyState, forces: AppliedForces, ledger: Ledger) -> None:
    """Weight at the centre of mass."""
    g = load_vector(tree.gravity, 0)
    applied = forces.applied
    energy = 0.0
    for b in range(1, tree.n_bodies):
        h = apply(rotation_of(bodies.rotation, b), row(tree.first_moment, b))
        weight = scale(tree.mass[b], g)
        add_vector(applied[b], 0, cross(h, g))
        add_vector(applied[b], 3, weight)
        energy -= dot(weight, row(bodies.position, b)) + dot(h, g)
    ledger.energies.gravity = energy


@kernel
def _apply_springs(springs: Springs, bodies: BodyState, forces: AppliedForces, ledger: Ledger) -> None:
    """All springs with dampers between two points."""
    for k in range(springs.n):
        apply_spring(springs, bodies, forces.applied, ledger, k)


@kernel
def apply_spring(springs: Springs, bodies: BodyState, applied: Array, ledger: Ledger, k: int) -> float:
    """One spring with its damper, nothing where its points coincide; returns its tension, N."""
    a, b, stiffness, damping = springs.body_a[k], springs.body_b[k], springs.stiffness[k], springs.damping[k]
    velocity_a, velocity_b = bodies.velocity[a], bodies.velocity[b]
    arm_a = apply(rotation_of(bodies.rotation, a), row(springs.point_a, k))
    arm_b = apply(rotation_of(bodies.rotation, b), row(springs.point_b, k))
    d = sub(add(row(bodies.position, b), arm_b), add(row(bodies.position, a), arm_a))
    length = norm(d)
    stretch = length - springs.length[k]
    ledger.energies.springs += 0.5 * stiffness * stretch * stretch
    if length == 0.0:
        return 0.0
    u = scale(1.0 / length, d)
    v_a = add(load_vector(velocity_a, 3), cross(load_vector(velocity_a, 0), arm_a))
    v_b = add(load_vector(velocity_b, 3), cross(load_vector(velocity_b, 0), arm_b))
    rate = dot(u, sub(v_b, v_a))
    tension: float = stiffness * stretch + damping * rate
    f = scale(tension, u)
    ledger.powers.damping += damping * rate * rate
    push(applied, a, arm_a, f)
    push(applied, b, arm_b, scale(-1.0, f))
    return tension


@inline_kernel
def stop_effort(excess: float, rate: float, stiffness: float, damping: float) -> float:
    """Effort ≥ 0 against an excess > 0 that grows with ``rate``: linear, never pulling."""
    return max(stiffness * excess + damping * rate, 0.0)


@kernel
def _apply_joint_forces(elements: JointForces, joints: JointState, forces: AppliedForces, ledger: Ledger) -> None:
    """Springs, dampers and linear-elastic end stops along single coordinates of joints (S0.77)."""
    for k in range(elements.n):
        forces.efforts[elements.speed[k]] += effort_of_joint_force(elements, joints, ledger, k)


@kernel
def effort_of_joint_force(elements: JointForces, joints: JointState, ledger: Ledger, k: int) -> float:
    """Effort of one spring, damper or pair of end stops along its coordinate."""
    x, rate = joints.q[elements.coordinate[k]], joints.v[elements.speed[k]]
    stiffness, damping = elements.stiffness[k], elements.damping[k]
    stop_stiffness, stop_damping = elements.stop_stiffness[k], elements.stop_damping[k]
    stretch = x - elements.reference[k]
    effort: float = -stiffness * stretch - damping * rate
    ledger.energies.springs += 0.5 * stiffness * stretch * stretch
    ledger.powers.damping += damping * rate * rate
    for sign, limit in ((-1.0, elements.lower[k]), (1.0, elements.upper[k])):
        excess = sign * (x - limit)
        if excess > 0.0:
            back = stop_effort(excess, sign * rate, stop_stiffness, stop_damping)
            effort -= sign * back
            ledger.energies.springs += 0.5 * stop_stiffness * excess * excess
            ledger.powers.damping += (back - stop_stiffness * excess) * sign * rate
    return effort


@kernel
def _apply_ball_stops(stops: BallStops, joints: JointState, forces: AppliedForces, ledger: Ledger) -> None:
    """All end stops of spherical joints."""
    for k in range(stops.n):
        apply_ball_stop(stops, joints, forces.efforts, ledger, k)


@kernel
def apply_ball_stop(stops: BallStops, joints: JointState, efforts: Array, ledger: Ledger, k: int) -> None:
    """End stops of a spherical joint: swing of the body's axis away from the cone's, and twist about it.

    The rotation is taken from the one that puts the body's axis on the cone's by the shortest turn; its twist about the
    cone's axis is singular only opposite to the cone.
    """
    first = stops.speed[k]
    stiffness, damping = stops.stiffness[k], stops.damping[k]
    cone = row(stops.cone, k)
    w = load_vector(joints.v, first)
    real, x = _less_reference(joints.q, stops.quaternion[k], stops.reference[k])
    swung = apply(from_quaternion(real, x[0], x[1], x[2]), cone)
    normal = cross(cone, swung)
    sine = norm(normal)
    excess = math.atan2(sine, dot(cone, swung)) - stops.swing[k]
    if excess > 0.0 and sine > 0.0:
        _stop_turn(efforts, ledger, first, excess, scale(1.0 / sine, normal), w, stiffness, damping)
    own = dot(x, cone)
    twist = 2.0 * math.atan2(own, real)
    if twist > math.pi:
        twist -= 2.0 * math.pi
    elif twist < -math.pi:
        twist += 2.0 * math.pi
    excess = abs(twist) - stops.twist[k]
    length = real * real + own * own
    if excess > 0.0 and length > 0.0:
        direction = _twist_direction(real, x, cone, own)
        sign = 1.0 if twist > 0.0 else -1.0
        _stop_turn(efforts, ledger, first, excess, scale(sign / length, direction), w, stiffness, damping)


@inline_kernel
def _less_reference(q: Array, at: int, reference: Array) -> tuple[float, Vector]:
    """Real part and vector of the joint's quaternion times the inverse of the reference."""
    w, x = q[at], (q[at + 1], q[at + 2], q[at + 3])
    real, y = reference[0], (-reference[1], -reference[2], -reference[3])
    return w * real - dot(x, y), add(add(scale(w, y), scale(real, x)), cross(x, y))


@inline_kernel
def _twist_direction(w: float, x: Vector, axis: Vector, own: float) -> Vector:
    """Rate of the twist angle 2 atan(own/w) per unit angular velocity, times w² + own²."""
    return add(scale(w * w, axis), add(scale(w, cross(x, axis)), scale(own, x)))


@kernel
def _stop_turn(
    efforts: Array,
    ledger: Ledger,
    first: int,
    excess: float,
    direction: Vector,
    w: Vector,
    stiffness: float,
    damping: float,
) -> None:
    """Torque against an angle that exceeds its limit and grows with ``direction``·ω."""
    rate = dot(direction, w)
    back = stop_effort(excess, rate, stiffness, damping)
    for i in range(3):
        efforts[first + i] -= back * direction[i]
    ledger.energies.springs += 0.5 * stiffness * excess * excess
    ledger.powers.damping += (back - stiffness * excess) * rate


@kernel
def _apply_motors(
    motors: Motors, motions: Motions, joints: JointState, forces: AppliedForces, ledger: Ledger, t: float
) -> None:
    """All motors; their power is input."""
    for k in range(motors.n):
        effort = effort_of_motor(motors, motions, joints, t, k)
        forces.efforts[motors.speed[k]] += effort
        ledger.powers.input += effort * joints.v[motors.speed[k]]


@kernel
def effort_of_motor(motors: Motors, motions: Motions, joints: JointState, t: float, k: int) -> float:
    """Effort of a motor that follows a motion by PD control, within its limit."""
    x, rate, limit = joints.q[motors.coordinate[k]], joints.v[motors.speed[k]], motors.limit[k]
    target = motion_at(motions, motors.motion[k], t)
    effort = motors.stiffness[k] * (target[0] - x) + motors.damping[k] * (target[1] - rate)
    limited: float = min(max(effort, -limit), limit)
    return limited
