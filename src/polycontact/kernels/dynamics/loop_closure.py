"""Closed loops: constraints between two bodies, on the level of accelerations, and projection of the drift.

Every loop joint is a set of scalar constraints of three kinds, with d from point A on body a to point B on body b:
a distance along a direction of a, u·d = 0; two perpendicular directions, u·w = 0; a length, (d·d - L²)/2L = 0.
The multipliers follow from the Delassus matrix G M⁻¹ Gᵀ, whose columns are responses of the tree. Rows that
depend on others (a planar linkage has three) are found while factorising and left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.articulated import solve
from polycontact.kernels.dynamics.evaluation_views import (
    AppliedForces,
    Articulated,
    BodyState,
    JointState,
    LoopForces,
)
from polycontact.kernels.dynamics.matrices import Array, load_vector, rotation_of, store_vector
from polycontact.kernels.dynamics.setup_views import ConstraintCode, Loops, Tree
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import add, cross, dot, row, scale, sub
from polycontact.kernels.jit import kernel
from polycontact.tolerances import DEPENDENT_CONSTRAINT


@kernel
def describe_constraints(loops: Loops, bodies: BodyState, loop_forces: LoopForces) -> None:
    """Violation, its rate, its second derivative at zero acceleration, and the direction of each constraint."""
    for i in range(loops.n):
        if loops.kind[i] == ConstraintCode.PERPENDICULAR:
            _describe_perpendicular(loops, bodies, loop_forces, i)
        else:
            _describe_distance(loops, bodies, loop_forces, i)


@kernel
def _describe_perpendicular(loops: Loops, bodies: BodyState, loop_forces: LoopForces, i: int) -> None:
    """u·w = 0 of two directions."""
    a, b = loops.body_a[i], loops.body_b[i]
    w_a, w_b = load_vector(bodies.velocity[a], 0), load_vector(bodies.velocity[b], 0)
    u = apply(rotation_of(bodies.rotation, a), row(loops.direction_a, i))
    w = apply(rotation_of(bodies.rotation, b), row(loops.direction_b, i))
    torque = cross(u, w)
    out = loop_forces.directions[i]
    out[:] = 0.0
    store_vector(out, 0, torque)
    store_vector(out, 6, scale(-1.0, torque))
    loop_forces.violation[i] = dot(u, w)
    loop_forces.drift[i] = dot(sub(w_a, w_b), torque)
    u_dot, w_dot = cross(w_a, u), cross(w_b, w)
    loop_forces.curvature[i] = dot(cross(w_a, u_dot), w) + 2.0 * dot(u_dot, w_dot) + dot(u, cross(w_b, w_dot))


@kernel
def _describe_distance(loops: Loops, bodies: BodyState, loop_forces: LoopForces, i: int) -> None:
    """u·d = 0 along a direction, or a length of d."""
    a, b = loops.body_a[i], loops.body_b[i]
    velocity_a, velocity_b = bodies.velocity[a], bodies.velocity[b]
    R_a, R_b = rotation_of(bodies.rotation, a), rotation_of(bodies.rotation, b)
    w_a, w_b = load_vector(velocity_a, 0), load_vector(velocity_b, 0)
    arm_a, arm_b = apply(R_a, row(loops.point_a, i)), apply(R_b, row(loops.point_b, i))
    d = sub(add(row(bodies.position, b), arm_b), add(row(bodies.position, a), arm_a))
    v_a = add(load_vector(velocity_a, 3), cross(w_a, arm_a))
    v_b = add(load_vector(velocity_b, 3), cross(w_b, arm_b))
    v = sub(v_b, v_a)
    turning = sub(cross(w_b, cross(w_b, arm_b)), cross(w_a, cross(w_a, arm_a)))
    u = apply(R_a, row(loops.direction_a, i))
    lever = (0.0, 0.0, 0.0)
    if loops.kind[i] == ConstraintCode.DISTANCE:
        length = loops.length[i]
        u = scale(1.0 / length, d)
        loop_forces.violation[i] = 0.5 * (dot(d, d) / length - length)
        loop_forces.drift[i] = dot(u, v)
        loop_forces.curvature[i] = dot(v, v) / length + dot(u, turning)
    else:
        u_dot = cross(w_a, u)
        lever = cross(u, d)
        loop_forces.violation[i] = dot(u, d)
        loop_forces.drift[i] = dot(u_dot, d) + dot(u, v)
        loop_forces.curvature[i] = dot(cross(w_a, u_dot), d) + 2.0 * dot(u_dot, v) + dot(u, turning)
    out = loop_forces.directions[i]
    store_vector(out, 0, sub(lever, cross(arm_a, u)))
    store_vector(out, 3, scale(-1.0, u))
    store_vector(out, 6, cross(arm_b, u))
    store_vector(out, 9, u)


@kernel
def factorise_loops(
    tree: Tree, loops: Loops, bodies: BodyState, articulated: Articulated, prescribed: Array, loop_forces: LoopForces
) -> None:
    """Responses of the tree to a unit multiplier each, and the factor of the Delassus matrix."""
    directions, delassus, applied = loop_forces.directions, loop_forces.delassus, loop_forces.unit_applied
    acceleration = bodies.acceleration
    for j in range(loops.n):
        a, b = loops.body_a[j], loops.body_b[j]
        for i in range(6):
            applied[a, i] += directions[j, i]
            applied[b, i] += directions[j, 6 + i]
        response = loop_forces.responses[j]
        solve(tree, bodies, articulated, applied, loop_forces.no_efforts, prescribed, 0.0, response)
        for i in range(loops.n):
            delassus[i, j] = _along(directions[i], acceleration[loops.body_a[i]], acceleration[loops.body_b[i]])
        for i in range(6):
            applied[a, i] = 0.0
            applied[b, i] = 0.0
    _factorise_independent(delassus, loop_forces.independent)


@kernel
def _along(direction: Array, a: Array, b: Array) -> float:
    """Second derivative of a constraint due to the accelerations of its bodies."""
    total = 0.0
    for i in range(6):
        total += direction[i] * a[i] + direction[6 + i] * b[i]
    return total


@kernel
def _factorise_independent(A: Array, independent: NDArray[np.int32]) -> None:
    """Cholesky factor in place, rows in order; a row that depends on earlier ones is marked 0 and left out."""
    m = len(independent)
    for k in range(m):
        size = A[k, k]
        for j in range(k):
            if independent[j] == 0:
                A[k, j] = 0.0
                continue
            total = A[k, j]
            for i in range(j):
                total -= A[k, i] * A[j, i]
            A[k, j] = total / A[j, j]
        total = size
        for i in range(k):
            total -= A[k, i] * A[k, i]
        independent[k] = 1 if total > DEPENDENT_CONSTRAINT * size else 0
        A[k, k] = total**0.5 if independent[k] == 1 else 1.0
        if independent[k] == 0:
            for i in range(k):
                A[k, i] = 0.0


@kernel
def solve_multipliers(loop_forces: LoopForces) -> None:
    """Multipliers for the right side; zero for constraints that depend on others."""
    m, A, independent = loop_forces.n, loop_forces.delassus, loop_forces.independent
    x, b = loop_forces.multipliers, loop_forces.right_side
    for k in range(m):
        total = b[k]
        for j in range(k):
            total -= A[k, j] * x[j]
        x[k] = total / A[k, k] if independent[k] == 1 else 0.0
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= A[j, k] * x[j]
        x[k] = total / A[k, k] if independent[k] == 1 else 0.0


@kernel
def close_loops(
    tree: Tree,
    loops: Loops,
    joints: JointState,
    bodies: BodyState,
    articulated: Articulated,
    forces: AppliedForces,
    loop_forces: LoopForces,
) -> None:
    """Apply the constraint forces and solve again, so that G v̇ = -curvature, stabilised (Baumgarte 1972)."""
    describe_constraints(loops, bodies, loop_forces)
    _ask_for_closure(loops, bodies, loop_forces)
    factorise_loops(tree, loops, bodies, articulated, joints.prescribed, loop_forces)
    solve_multipliers(loop_forces)
    applied, directions, multipliers = forces.applied, loop_forces.directions, loop_forces.multipliers
    for i in range(loops.n):
        for k in range(6):
            applied[loops.body_a[i], k] += multipliers[i] * directions[i, k]
            applied[loops.body_b[i], k] += multipliers[i] * directions[i, 6 + k]
    solve(tree, bodies, articulated, applied, forces.efforts, joints.prescribed, 1.0, joints.rates)


@kernel
def _ask_for_closure(loops: Loops, bodies: BodyState, loop_forces: LoopForces) -> None:
    """What the constraint forces must add to the accelerations of the free tree."""
    rate, acceleration = loops.stabilisation, bodies.acceleration
    for i in range(loops.n):
        a, b = acceleration[loops.body_a[i]], acceleration[loops.body_b[i]]
        free = _along(loop_forces.directions[i], a, b)
        drift, violation = loop_forces.drift[i], loop_forces.violation[i]
        loop_forces.right_side[i] = -free - loop_forces.curvature[i] - 2.0 * rate * drift - rate * rate * violation


@kernel
def add_responses(loop_forces: LoopForces, out: Array) -> None:
    """Add Σ λ_i M⁻¹ G_iᵀ to a vector of joint speeds or accelerations."""
    for i in range(loop_forces.n):
        for k in range(loop_forces.n_speeds):
            out[k] += loop_forces.multipliers[i] * loop_forces.responses[i, k]
