"""Poses and velocities of all bodies from the state (recursion from the world outwards)."""

from __future__ import annotations

from typing import Any

from polycontact.kernels.dynamics.joint_kinematics import (
    column_rotation,
    column_translation,
    joint_position,
    joint_rotation,
    turning,
)
from polycontact.kernels.dynamics.matrices import (
    add_vector,
    product,
    product_transposed,
    store_matrix,
    store_vector,
)
from polycontact.kernels.dynamics.motion_values import motion_at
from polycontact.kernels.dynamics.system_slots import (
    BIAS,
    BODY,
    BODY_COLUMNS,
    BODY_DATA,
    COUNT_Q,
    COUNT_V,
    DATA_COLUMNS,
    FIRST_Q,
    FIRST_V,
    KIND,
    MOTION,
    MOTION_RATES,
    N_BODIES,
    N_COORDINATES,
    N_SPEEDS,
    OWN_POINT,
    OWN_ROTATION,
    PARENT,
    PARENT_POINT,
    PARENT_ROTATION,
    POSES,
    STATE_Q,
    STATE_V,
    SUBSPACE,
    VELOCITIES,
    Q,
    V,
)
from polycontact.kernels.frames import apply, load_matrix, load_vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import doubles, index_table, table
from polycontact.kernels.vectors import add, cross, scale, sub


@kernel
def take_state(s: Any, t: float, y: Any) -> None:
    """Coordinates and speeds of all joints: from the state, or from the motion that is prescribed."""
    q = doubles(s, Q, s[N_COORDINATES])
    v = doubles(s, V, s[N_SPEEDS])
    rates = doubles(s, MOTION_RATES, s[N_SPEEDS])
    body = index_table(s, BODY, s[N_BODIES], BODY_COLUMNS)
    for b in range(1, s[N_BODIES]):
        first_q, first_v = body[b, FIRST_Q], body[b, FIRST_V]
        if body[b, MOTION] >= 0:
            for k in range(body[b, COUNT_V]):
                x = motion_at(s, body[b, MOTION] + k, t)
                q[first_q + k] = x[0]
                v[first_v + k] = x[1]
                rates[first_v + k] = x[2]
        else:
            for k in range(body[b, COUNT_Q]):
                q[first_q + k] = y[body[b, STATE_Q] + k]
            for k in range(body[b, COUNT_V]):
                v[first_v + k] = y[body[b, STATE_V] + k]


@kernel
def place_bodies(s: Any) -> None:
    """Pose, velocity, columns of the joint and bias acceleration of every body."""
    for b in range(1, s[N_BODIES]):
        _place_body(s, b)


@kernel
def _place_body(s: Any, b: int) -> None:
    n = s[N_BODIES]
    entry = index_table(s, BODY, n, BODY_COLUMNS)[b]
    data = table(s, BODY_DATA, n, DATA_COLUMNS)[b]
    poses = table(s, POSES, n, 12)
    velocities = table(s, VELOCITIES, n, 6)
    parent, kind = entry[PARENT], entry[KIND]
    q = doubles(s, Q, s[N_COORDINATES])[entry[FIRST_Q] : entry[FIRST_Q] + entry[COUNT_Q]]
    v = doubles(s, V, s[N_SPEEDS])[entry[FIRST_V] : entry[FIRST_V] + entry[COUNT_V]]
    R_p, r_p = load_matrix(poses[parent], 0), load_vector(poses[parent], 9)
    w_p, v_p = load_vector(velocities[parent], 0), load_vector(velocities[parent], 3)
    R_P = product(R_p, load_matrix(data, PARENT_ROTATION))
    R_j = joint_rotation(kind, q)
    to_c = add(apply(R_p, load_vector(data, PARENT_POINT)), apply(R_P, joint_position(kind, q)))
    R_b = product_transposed(product(R_P, R_j), load_matrix(data, OWN_ROTATION))
    e = apply(R_b, load_vector(data, OWN_POINT))  # from the body's origin to C
    store_matrix(poses[b], 0, R_b)
    store_vector(poses[b], 9, sub(add(r_p, to_c), e))
    w_j = (0.0, 0.0, 0.0)
    v_j = (0.0, 0.0, 0.0)
    columns = table(s, SUBSPACE, n, 36)[b]
    for k in range(entry[COUNT_V]):
        turn = apply(R_P, column_rotation(kind, k, R_j))
        move = apply(R_P, column_translation(kind, k))
        w_j = add(w_j, scale(v[k], turn))
        v_j = add(v_j, scale(v[k], move))
        store_vector(columns, 6 * k, turn)
        store_vector(columns, 6 * k + 3, sub(move, cross(turn, e)))
    w_b = add(w_p, w_j)
    v_c = add(add(v_p, cross(w_p, to_c)), v_j)
    store_vector(velocities[b], 0, w_b)
    store_vector(velocities[b], 3, sub(v_c, cross(w_b, e)))
    # Acceleration of the body where the parent's and the joint's own are zero.
    bias_w = add(cross(w_p, w_j), apply(R_P, turning(kind, R_j, v)))
    bias_v = add(cross(w_p, cross(w_p, to_c)), scale(2.0, cross(w_p, v_j)))
    bias = table(s, BIAS, n, 6)[b]
    store_vector(bias, 0, bias_w)
    store_vector(bias, 3, sub(bias_v, cross(bias_w, e)))
    add_vector(bias, 3, scale(-1.0, cross(w_b, cross(w_b, e))))
