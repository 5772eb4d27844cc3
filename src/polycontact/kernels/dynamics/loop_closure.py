"""Closed loops: constraints between two bodies, on the level of accelerations, and projection of the drift.

Every loop joint is a set of scalar constraints of three kinds, with d from point A on body a to point B on body b:
a distance along a direction of a, u·d = 0; two perpendicular directions, u·w = 0; a length, (d·d - L²)/2L = 0.
The multipliers follow from the Delassus matrix G M⁻¹ Gᵀ, whose columns are responses of the tree. Rows that
depend on others (a planar linkage has three) are found while factorising and left out.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.dynamics.articulated import solve
from polycontact.kernels.dynamics.matrices import store_vector
from polycontact.kernels.dynamics.system_slots import (
    ACCELERATIONS,
    APPLIED,
    CONSTANTS,
    CONSTRAINT_DATA,
    CONSTRAINTS,
    CURVATURE,
    DELASSUS,
    DIRECTIONS,
    DISTANCE,
    DRIFT,
    EFFORTS,
    EMPTY_APPLIED,
    EMPTY_EFFORTS,
    MULTIPLIERS,
    N_BODIES,
    N_CONSTRAINTS,
    N_SPEEDS,
    PERPENDICULAR,
    PIVOTS,
    POSES,
    RATES,
    RESPONSES,
    RIGHT_SIDE,
    VELOCITIES,
    VIOLATION,
)
from polycontact.kernels.frames import apply, load_matrix, load_vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import doubles, index_table, indices, table
from polycontact.kernels.vectors import add, cross, dot, scale, sub

_RANK = 1e-10
"""A constraint whose remaining part is smaller than this, relative to itself, depends on the others."""


@kernel
def describe_constraints(s: Any) -> None:
    """Violation, its rate, its second derivative at zero acceleration, and the direction of each constraint."""
    for i in range(s[N_CONSTRAINTS]):
        _describe(s, i)


@kernel
def _describe(s: Any, i: int) -> None:
    n, m = s[N_BODIES], s[N_CONSTRAINTS]
    entry = index_table(s, CONSTRAINTS, m, 3)[i]
    data = table(s, CONSTRAINT_DATA, m, 13)[i]
    poses = table(s, POSES, n, 12)
    velocities = table(s, VELOCITIES, n, 6)
    kind, a, b = entry[0], entry[1], entry[2]
    R_a, R_b = load_matrix(poses[a], 0), load_matrix(poses[b], 0)
    w_a, w_b = load_vector(velocities[a], 0), load_vector(velocities[b], 0)
    out = table(s, DIRECTIONS, m, 12)[i]
    u = apply(R_a, load_vector(data, 3))
    violation = doubles(s, VIOLATION, m)
    drift = doubles(s, DRIFT, m)
    curvature = doubles(s, CURVATURE, m)
    if kind == PERPENDICULAR:
        w = apply(R_b, load_vector(data, 9))
        torque = cross(u, w)
        out[:] = 0.0
        store_vector(out, 0, torque)
        store_vector(out, 6, scale(-1.0, torque))
        violation[i] = dot(u, w)
        drift[i] = dot(sub(w_a, w_b), torque)
        u_dot, w_dot = cross(w_a, u), cross(w_b, w)
        curvature[i] = dot(cross(w_a, u_dot), w) + 2.0 * dot(u_dot, w_dot) + dot(u, cross(w_b, w_dot))
        return
    arm_a, arm_b = apply(R_a, load_vector(data, 0)), apply(R_b, load_vector(data, 6))
    d = sub(add(load_vector(poses[b], 9), arm_b), add(load_vector(poses[a], 9), arm_a))
    v_a = add(load_vector(velocities[a], 3), cross(w_a, arm_a))
    v_b = add(load_vector(velocities[b], 3), cross(w_b, arm_b))
    v = sub(v_b, v_a)
    turning = sub(cross(w_b, cross(w_b, arm_b)), cross(w_a, cross(w_a, arm_a)))
    lever = (0.0, 0.0, 0.0)
    if kind == DISTANCE:
        length = data[12]
        u = scale(1.0 / length, d)
        violation[i] = 0.5 * (dot(d, d) / length - length)
        drift[i] = dot(u, v)
        curvature[i] = dot(v, v) / length + dot(u, turning)
    else:
        u_dot = cross(w_a, u)
        lever = cross(u, d)
        violation[i] = dot(u, d)
        drift[i] = dot(u_dot, d) + dot(u, v)
        curvature[i] = dot(cross(w_a, u_dot), d) + 2.0 * dot(u_dot, v) + dot(u, turning)
    store_vector(out, 0, sub(lever, cross(arm_a, u)))
    store_vector(out, 3, scale(-1.0, u))
    store_vector(out, 6, cross(arm_b, u))
    store_vector(out, 9, u)


@kernel
def factorise_loops(s: Any) -> None:
    """Responses of the tree to a unit multiplier each, and the factor of the Delassus matrix."""
    n, m = s[N_BODIES], s[N_CONSTRAINTS]
    directions = table(s, DIRECTIONS, m, 12)
    bodies = index_table(s, CONSTRAINTS, m, 3)
    applied = table(s, EMPTY_APPLIED, n, 6)
    efforts = doubles(s, EMPTY_EFFORTS, s[N_SPEEDS])
    responses = table(s, RESPONSES, m, s[N_SPEEDS])
    delassus = table(s, DELASSUS, m, m)
    accelerations = table(s, ACCELERATIONS, n, 6)
    for j in range(m):
        a, b = bodies[j, 1], bodies[j, 2]
        for i in range(6):
            applied[a, i] += directions[j, i]
            applied[b, i] += directions[j, 6 + i]
        solve(s, applied, efforts, 0.0, responses[j])
        for i in range(m):
            delassus[i, j] = _along(directions[i], accelerations[bodies[i, 1]], accelerations[bodies[i, 2]])
        for i in range(6):
            applied[a, i] = 0.0
            applied[b, i] = 0.0
    _factorise_independent(delassus, indices(s, PIVOTS, m))


@kernel
def _along(direction: Any, a: Any, b: Any) -> float:
    """Second derivative of a constraint due to the accelerations of its bodies."""
    total = 0.0
    for i in range(6):
        total += direction[i] * a[i] + direction[6 + i] * b[i]
    return total


@kernel
def _factorise_independent(A: Any, pivots: Any) -> None:
    """Cholesky factor in place, rows in order; a row that depends on earlier ones gets pivot 0 and is left out."""
    m = len(pivots)
    for k in range(m):
        size = A[k, k]
        for j in range(k):
            if pivots[j] == 0:
                A[k, j] = 0.0
                continue
            total = A[k, j]
            for i in range(j):
                total -= A[k, i] * A[j, i]
            A[k, j] = total / A[j, j]
        total = size
        for i in range(k):
            total -= A[k, i] * A[k, i]
        pivots[k] = 1 if total > _RANK * size else 0
        A[k, k] = total**0.5 if pivots[k] == 1 else 1.0
        if pivots[k] == 0:
            for i in range(k):
                A[k, i] = 0.0


@kernel
def solve_multipliers(s: Any) -> None:
    """Multipliers for RIGHT_SIDE; zero for constraints that depend on others."""
    m = s[N_CONSTRAINTS]
    A = table(s, DELASSUS, m, m)
    pivots = indices(s, PIVOTS, m)
    x = doubles(s, MULTIPLIERS, m)
    b = doubles(s, RIGHT_SIDE, m)
    for k in range(m):
        total = b[k]
        for j in range(k):
            total -= A[k, j] * x[j]
        x[k] = total / A[k, k] if pivots[k] == 1 else 0.0
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= A[j, k] * x[j]
        x[k] = total / A[k, k] if pivots[k] == 1 else 0.0


@kernel
def close_loops(s: Any) -> None:
    """Apply the constraint forces and solve again, so that G v̇ = -curvature, stabilised (Baumgarte 1972)."""
    m = s[N_CONSTRAINTS]
    describe_constraints(s)
    bodies = index_table(s, CONSTRAINTS, m, 3)
    directions = table(s, DIRECTIONS, m, 12)
    accelerations = table(s, ACCELERATIONS, s[N_BODIES], 6)
    b = doubles(s, RIGHT_SIDE, m)
    rate = doubles(s, CONSTANTS, 8)[3]
    violation, drift = doubles(s, VIOLATION, m), doubles(s, DRIFT, m)
    curvature = doubles(s, CURVATURE, m)
    for i in range(m):
        free = _along(directions[i], accelerations[bodies[i, 1]], accelerations[bodies[i, 2]])
        b[i] = -free - curvature[i] - 2.0 * rate * drift[i] - rate * rate * violation[i]
    factorise_loops(s)
    solve_multipliers(s)
    applied = table(s, APPLIED, s[N_BODIES], 6)
    multipliers = doubles(s, MULTIPLIERS, m)
    for i in range(m):
        for k in range(6):
            applied[bodies[i, 1], k] += multipliers[i] * directions[i, k]
            applied[bodies[i, 2], k] += multipliers[i] * directions[i, 6 + k]
    solve(s, applied, doubles(s, EFFORTS, s[N_SPEEDS]), 1.0, doubles(s, RATES, s[N_SPEEDS]))


@kernel
def add_responses(s: Any, out: Any) -> None:
    """Add Σ λ_i M⁻¹ G_iᵀ to a vector of joint speeds or accelerations."""
    m = s[N_CONSTRAINTS]
    responses = table(s, RESPONSES, m, s[N_SPEEDS])
    multipliers = doubles(s, MULTIPLIERS, m)
    for i in range(m):
        for k in range(s[N_SPEEDS]):
            out[k] += multipliers[i] * responses[i, k]
