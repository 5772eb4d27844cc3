"""Forces of the built-in force elements: on bodies (torque at the origin, force; world axes) or along joint speeds."""

from __future__ import annotations

import math
from typing import Any

from polycontact.kernels.dynamics.matrices import add_vector, from_quaternion
from polycontact.kernels.dynamics.motion_values import motion_at
from polycontact.kernels.dynamics.system_slots import (
    APPLIED,
    BALL_STOP_DATA,
    BALL_STOPS,
    BODY_DATA,
    CONSTANTS,
    DATA_COLUMNS,
    E_GRAVITY,
    E_SPRINGS,
    EFFORTS,
    ENERGIES,
    FIRST_MOMENT,
    JOINT_FORCE_DATA,
    JOINT_FORCES,
    MASS,
    MOTOR_DATA,
    MOTORS,
    N_BALL_STOPS,
    N_BODIES,
    N_COORDINATES,
    N_ENERGIES,
    N_JOINT_FORCES,
    N_MOTORS,
    N_POWERS,
    N_SPEEDS,
    N_SPRINGS,
    P_DAMPING,
    P_INPUT,
    POSES,
    POWERS,
    SPRING_DATA,
    SPRINGS,
    USER_APPLIED,
    USER_EFFORTS,
    VELOCITIES,
    Q,
    V,
)
from polycontact.kernels.frames import apply, load_matrix, load_vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import doubles, index_table, table
from polycontact.kernels.vectors import Vector, add, cross, dot, norm, scale, sub


@kernel
def apply_forces(s: Any, t: float) -> None:
    """Sum up all force elements but contacts; their potential energy and powers too."""
    doubles(s, POWERS, N_POWERS)[:] = 0.0
    doubles(s, ENERGIES, N_ENERGIES)[:] = 0.0
    _take_user_forces(s)
    _apply_gravity(s)
    _apply_springs(s)
    _apply_joint_forces(s)
    _apply_ball_stops(s)
    _apply_motors(s, t)


@inline_kernel
def push(applied: Any, body: int, arm: Vector, f: Vector) -> None:
    """Apply a force to a body at ``arm`` from its origin."""
    add_vector(applied[body], 0, cross(arm, f))
    add_vector(applied[body], 3, f)


@kernel
def _take_user_forces(s: Any) -> None:
    """Begin with the forces that Python functions gave; their power counts as input."""
    n = s[N_BODIES]
    applied = table(s, APPLIED, n, 6)
    given = table(s, USER_APPLIED, n, 6)
    velocities = table(s, VELOCITIES, n, 6)
    power = 0.0
    for b in range(n):
        for i in range(6):
            applied[b, i] = given[b, i]
            power += given[b, i] * velocities[b, i]
    efforts = doubles(s, EFFORTS, s[N_SPEEDS])
    along = doubles(s, USER_EFFORTS, s[N_SPEEDS])
    speeds = doubles(s, V, s[N_SPEEDS])
    for k in range(s[N_SPEEDS]):
        efforts[k] = along[k]
        power += along[k] * speeds[k]
    doubles(s, POWERS, N_POWERS)[P_INPUT] += power


@kernel
def _apply_gravity(s: Any) -> None:
    """Weight at the centre of mass."""
    n = s[N_BODIES]
    g = load_vector(doubles(s, CONSTANTS, 8), 0)
    data = table(s, BODY_DATA, n, DATA_COLUMNS)
    poses = table(s, POSES, n, 12)
    applied = table(s, APPLIED, n, 6)
    energy = 0.0
    for b in range(1, n):
        h = apply(load_matrix(poses[b], 0), load_vector(data[b], FIRST_MOMENT))
        weight = scale(data[b, MASS], g)
        add_vector(applied[b], 0, cross(h, g))
        add_vector(applied[b], 3, weight)
        energy -= dot(weight, load_vector(poses[b], 9)) + dot(h, g)
    doubles(s, ENERGIES, N_ENERGIES)[E_GRAVITY] = energy


@kernel
def _apply_springs(s: Any) -> None:
    """Springs with dampers between two points; nothing where the points coincide."""
    n, count = s[N_BODIES], s[N_SPRINGS]
    bodies = index_table(s, SPRINGS, count, 2)
    data = table(s, SPRING_DATA, count, 9)
    poses = table(s, POSES, n, 12)
    velocities = table(s, VELOCITIES, n, 6)
    applied = table(s, APPLIED, n, 6)
    energies = doubles(s, ENERGIES, N_ENERGIES)
    powers = doubles(s, POWERS, N_POWERS)
    for k in range(count):
        a, b = bodies[k, 0], bodies[k, 1]
        arm_a = apply(load_matrix(poses[a], 0), load_vector(data[k], 0))
        arm_b = apply(load_matrix(poses[b], 0), load_vector(data[k], 3))
        d = sub(add(load_vector(poses[b], 9), arm_b), add(load_vector(poses[a], 9), arm_a))
        length = norm(d)
        stretch = length - data[k, 8]
        energies[E_SPRINGS] += 0.5 * data[k, 6] * stretch * stretch
        if length == 0.0:
            continue
        u = scale(1.0 / length, d)
        v_a = add(load_vector(velocities[a], 3), cross(load_vector(velocities[a], 0), arm_a))
        v_b = add(load_vector(velocities[b], 3), cross(load_vector(velocities[b], 0), arm_b))
        rate = dot(u, sub(v_b, v_a))
        f = scale(data[k, 6] * stretch + data[k, 7] * rate, u)
        powers[P_DAMPING] += data[k, 7] * rate * rate
        push(applied, a, arm_a, f)
        push(applied, b, arm_b, scale(-1.0, f))


@inline_kernel
def stop_effort(excess: float, rate: float, stiffness: float, damping: float) -> float:
    """Effort ≥ 0 against an excess > 0 that grows with ``rate``: linear, never pulling."""
    return max(stiffness * excess + damping * rate, 0.0)


@kernel
def _apply_joint_forces(s: Any) -> None:
    """Springs, dampers and linear-elastic end stops along single coordinates of joints (S0.77)."""
    count = s[N_JOINT_FORCES]
    where = index_table(s, JOINT_FORCES, count, 2)
    data = table(s, JOINT_FORCE_DATA, count, 7)
    q = doubles(s, Q, s[N_COORDINATES])
    v = doubles(s, V, s[N_SPEEDS])
    efforts = doubles(s, EFFORTS, s[N_SPEEDS])
    energies = doubles(s, ENERGIES, N_ENERGIES)
    powers = doubles(s, POWERS, N_POWERS)
    for k in range(count):
        x, rate = q[where[k, 0]], v[where[k, 1]]
        stretch = x - data[k, 2]
        effort = -data[k, 0] * stretch - data[k, 1] * rate
        energies[E_SPRINGS] += 0.5 * data[k, 0] * stretch * stretch
        powers[P_DAMPING] += data[k, 1] * rate * rate
        for side in range(2):
            sign = -1.0 if side == 0 else 1.0
            excess = sign * (x - data[k, 3 + side])
            if excess > 0.0:
                back = stop_effort(excess, sign * rate, data[k, 5], data[k, 6])
                effort -= sign * back
                energies[E_SPRINGS] += 0.5 * data[k, 5] * excess * excess
                powers[P_DAMPING] += (back - data[k, 5] * excess) * sign * rate
        efforts[where[k, 1]] += effort


@kernel
def _apply_ball_stops(s: Any) -> None:
    """End stops of spherical joints: swing of the body's axis away from the cone's, and twist about it.

    The rotation is taken from the one that puts the body's axis on the cone's by the shortest turn; its twist about the
    cone's axis is singular only opposite to the cone.
    """
    count = s[N_BALL_STOPS]
    where = index_table(s, BALL_STOPS, count, 2)
    data = table(s, BALL_STOP_DATA, count, 11)
    q = doubles(s, Q, s[N_COORDINATES])
    v = doubles(s, V, s[N_SPEEDS])
    for k in range(count):
        at, first = where[k, 0], where[k, 1]
        cone = load_vector(data[k], 0)
        w = load_vector(v, first)
        real, x = _less_reference(q, at, data[k])
        swung = apply(from_quaternion(real, x[0], x[1], x[2]), cone)
        normal = cross(cone, swung)
        sine = norm(normal)
        excess = math.atan2(sine, dot(cone, swung)) - data[k, 3]
        if excess > 0.0 and sine > 0.0:
            _stop_turn(s, first, excess, scale(1.0 / sine, normal), w, data[k, 5], data[k, 6])
        own = dot(x, cone)
        twist = 2.0 * math.atan2(own, real)
        if twist > math.pi:
            twist -= 2.0 * math.pi
        elif twist < -math.pi:
            twist += 2.0 * math.pi
        excess = abs(twist) - data[k, 4]
        length = real * real + own * own
        if excess > 0.0 and length > 0.0:
            direction = _twist_direction(real, x, cone, own)
            sign = 1.0 if twist > 0.0 else -1.0
            _stop_turn(s, first, excess, scale(sign / length, direction), w, data[k, 5], data[k, 6])


@inline_kernel
def _less_reference(q: Any, at: int, data: Any) -> tuple[float, Vector]:
    """Real part and vector of the joint's quaternion times the inverse of the reference at ``data[7:11]``."""
    w, x = q[at], (q[at + 1], q[at + 2], q[at + 3])
    real, y = data[7], (-data[8], -data[9], -data[10])
    return w * real - dot(x, y), add(add(scale(w, y), scale(real, x)), cross(x, y))


@inline_kernel
def _twist_direction(w: float, x: Vector, axis: Vector, own: float) -> Vector:
    """Rate of the twist angle 2 atan(own/w) per unit angular velocity, times w² + own²."""
    return add(scale(w * w, axis), add(scale(w, cross(x, axis)), scale(own, x)))


@kernel
def _stop_turn(
    s: Any, first: int, excess: float, direction: Vector, w: Vector, stiffness: float, damping: float
) -> None:
    """Torque against an angle that exceeds its limit and grows with ``direction``·ω."""
    rate = dot(direction, w)
    back = stop_effort(excess, rate, stiffness, damping)
    efforts = doubles(s, EFFORTS, s[N_SPEEDS])
    for i in range(3):
        efforts[first + i] -= back * direction[i]
    doubles(s, ENERGIES, N_ENERGIES)[E_SPRINGS] += 0.5 * stiffness * excess * excess
    doubles(s, POWERS, N_POWERS)[P_DAMPING] += (back - stiffness * excess) * rate


@kernel
def _apply_motors(s: Any, t: float) -> None:
    """Motors that follow a motion by PD control, with a limit of their effort; their power is input."""
    count = s[N_MOTORS]
    where = index_table(s, MOTORS, count, 3)
    data = table(s, MOTOR_DATA, count, 3)
    q = doubles(s, Q, s[N_COORDINATES])
    v = doubles(s, V, s[N_SPEEDS])
    efforts = doubles(s, EFFORTS, s[N_SPEEDS])
    powers = doubles(s, POWERS, N_POWERS)
    for k in range(count):
        x, rate = q[where[k, 0]], v[where[k, 1]]
        target = motion_at(s, where[k, 2], t)
        effort = data[k, 0] * (target[0] - x) + data[k, 1] * (target[1] - rate)
        effort = min(max(effort, -data[k, 2]), data[k, 2])
        efforts[where[k, 1]] += effort
        powers[P_INPUT] += effort * rate
