"""Poses and velocities of all bodies from the state (recursion from the world outwards)."""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import BodyState, JointState
from polycontact.kernels.dynamics.joint_kinematics import (
    column_rotation,
    column_translation,
    joint_position,
    joint_rotation,
    turning,
)
from polycontact.kernels.dynamics.matrices import (
    Array,
    add_vector,
    load_vector,
    product,
    product_transposed,
    rotation_of,
    store_matrix,
    store_vector,
)
from polycontact.kernels.dynamics.motion_values import motion_at
from polycontact.kernels.dynamics.setup_views import Motions, Tree
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import add, cross, row, scale, sub
from polycontact.kernels.jit import kernel


@kernel
def take_state(tree: Tree, motions: Motions, joints: JointState, t: float, y: Array) -> None:
    """Coordinates and speeds of all joints: from the state, or from the motion that is prescribed."""
    q, v, prescribed = joints.q, joints.v, joints.prescribed
    for b in range(1, tree.n_bodies):
        first_q, first_v, motion = tree.first_q[b], tree.first_v[b], tree.motion[b]
        if motion >= 0:
            for k in range(tree.count_v[b]):
                x = motion_at(motions, motion + k, t)
                q[first_q + k] = x[0]
                v[first_v + k] = x[1]
                prescribed[first_v + k] = x[2]
        else:
            state_q, state_v = tree.state_q[b], tree.state_v[b]
            for k in range(tree.count_q[b]):
                q[first_q + k] = y[state_q + k]
            for k in range(tree.count_v[b]):
                v[first_v + k] = y[state_v + k]


@kernel
def place_bodies(tree: Tree, joints: JointState, bodies: BodyState) -> None:
    """Pose, velocity, columns of the joint and bias acceleration of every body."""
    for b in range(1, tree.n_bodies):
        _place_body(tree, joints, bodies, b)


@kernel
def _place_body(tree: Tree, joints: JointState, bodies: BodyState, b: int) -> None:
    """Pose, velocity, joint columns and bias acceleration of body b, whose parent has been placed; world axes.

    P: marker on the parent, C: marker on the body, e: from the body's origin to C. Rigid-body kinematics along
    parent → P → C → body; the bias is the acceleration of the body where the joint has none.
    """
    parent, kind, count = tree.parent[b], tree.kind[b], tree.count_v[b]
    first_q, first_v = tree.first_q[b], tree.first_v[b]
    q = joints.q[first_q : first_q + tree.count_q[b]]
    v = joints.v[first_v : first_v + count]
    velocity = bodies.velocity
    R_p, r_p = rotation_of(bodies.rotation, parent), row(bodies.position, parent)
    w_p, v_p = load_vector(velocity[parent], 0), load_vector(velocity[parent], 3)
    R_P = product(R_p, rotation_of(tree.parent_rotation, b))
    R_j = joint_rotation(kind, q)
    to_c = add(apply(R_p, row(tree.parent_point, b)), apply(R_P, joint_position(kind, q)))
    R_b = product_transposed(product(R_P, R_j), rotation_of(tree.own_rotation, b))
    e = apply(R_b, row(tree.own_point, b))  # from the body's origin to C
    store_matrix(bodies.rotation[b], 0, R_b)
    store_vector(bodies.position[b], 0, sub(add(r_p, to_c), e))
    w_j = (0.0, 0.0, 0.0)
    v_j = (0.0, 0.0, 0.0)
    columns = bodies.columns[b]
    for k in range(count):
        turn = apply(R_P, column_rotation(kind, k, R_j))
        move = apply(R_P, column_translation(kind, k))
        w_j = add(w_j, scale(v[k], turn))
        v_j = add(v_j, scale(v[k], move))
        store_vector(columns, 6 * k, turn)
        store_vector(columns, 6 * k + 3, sub(move, cross(turn, e)))
    w_b = add(w_p, w_j)
    v_c = add(add(v_p, cross(w_p, to_c)), v_j)
    store_vector(velocity[b], 0, w_b)
    store_vector(velocity[b], 3, sub(v_c, cross(w_b, e)))
    # Acceleration of the body where the parent's and the joint's own are zero.
    bias_w = add(cross(w_p, w_j), apply(R_P, turning(kind, R_j, v)))
    bias_v = add(cross(w_p, cross(w_p, to_c)), scale(2.0, cross(w_p, v_j)))
    bias = bodies.bias[b]
    store_vector(bias, 0, bias_w)
    store_vector(bias, 3, sub(bias_v, cross(bias_w, e)))
    add_vector(bias, 3, scale(-1.0, cross(w_b, cross(w_b, e))))
