"""Forces of the contact elements and their sum (section 3.3, eqs 13–24).

In: the table of elements and the relative velocity. Out: force and torque on E at the location of marker F.
Knows nothing of meshes.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.frames import load_vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    ANGULAR_VELOCITY,
    AREA,
    BASE,
    DAMPING,
    DAMPING_POWER,
    DEPTH,
    ELEMENT,
    ELEMENT_TRIANGLES,
    ENERGY,
    FORCE,
    FRICTION,
    FRICTION_POWER,
    FRICTION_VELOCITY,
    N_ELEMENTS,
    N_PARAMETERS,
    N_SUMMARY,
    NORMAL,
    PARAMETERS,
    POINT,
    POSE,
    POSE_LENGTH,
    POSITION,
    PRESSURE,
    SPLIT_E,
    STIFFNESS,
    SUMMARY,
    TRANSITION_DEPTH,
    VELOCITY,
    doubles,
    index_table,
    table,
    vectors,
)
from polycontact.kernels.vectors import Vector, add, cross, dot, norm, row, scale, sub

FORCE_COLUMNS = 12
"""Position C_k (3), force on E (3), normal force, friction force, slip velocity (3), normal velocity."""


@inline_kernel
def normal_force(c_l: float, d_l: float, u_d: float, area: float, u: float, v_n: float) -> float:
    """F_nk ≥ 0 of an element of given area, depth u and approach speed v_n, eqs (14), (15) and (18), N."""
    damping = d_l * area * v_n
    if u < u_d:
        damping *= u / u_d
    return max(c_l * area * u + damping, 0.0)


@inline_kernel
def friction_force(mu: float, v_eps: float, f_n: float, v_t: float) -> float:
    """F_tk of an element that slips with v_t, eq. (20), N: Coulomb, quadratic below v_eps."""
    if v_t >= v_eps:
        return mu * f_n
    s = v_t / v_eps
    return mu * f_n * s * (2.0 - s)


@kernel
def element_forces(p: Any, out: Any, keep: bool) -> None:
    """Sum of all element forces and torques into ``out`` (6), N and N m; with ``keep`` also each element's own.

    SUMMARY gets the area, the extremes, the elastic energy Σ ½c_lAu² and the powers lost in damping and friction.
    """
    parameters = doubles(p, PARAMETERS, N_PARAMETERS)
    c_l = parameters[STIFFNESS]
    d_l = parameters[DAMPING]
    u_d = parameters[TRANSITION_DEPTH]
    mu = parameters[FRICTION]
    v_eps = parameters[FRICTION_VELOCITY]
    pose = doubles(p, POSE, POSE_LENGTH)
    r = load_vector(pose, POSITION)
    v = load_vector(pose, VELOCITY)
    w = load_vector(pose, ANGULAR_VELOCITY)
    n = p[N_ELEMENTS]
    points = vectors(p, POINT, n)
    normals = vectors(p, NORMAL, n)
    elements = vectors(p, ELEMENT, n)
    triangles = index_table(p, ELEMENT_TRIANGLES, n, 4)
    rows = table(p, FORCE, n, FORCE_COLUMNS)
    share = 0.5 if p[BASE] == 2 else 1.0
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    total_area = 0.0
    deepest = 0.0
    highest = 0.0
    stored = 0.0
    damped = 0.0
    rubbed = 0.0
    for k in range(n):
        n_k = row(normals, k)
        split = parameters[SPLIT_E]
        into_e = n_k
        if triangles[k, 2] == 1:
            split = 1.0 - split
            into_e = scale(-1.0, n_k)
        u = elements[k, 1]
        c_k = add(row(points, k), scale(split * u, n_k))  # (13)
        arm = sub(c_k, r)
        v_k = add(v, cross(w, arm))  # (17)
        v_n = dot(into_e, v_k)  # (16)
        weight = share * elements[k, 2]
        f_n = weight * normal_force(c_l, d_l, u_d, elements[k, 0], u, v_n)
        f_k = scale(f_n, into_e)
        slip = sub(v_k, scale(v_n, into_e))
        v_t = norm(slip)  # (19)
        f_t = 0.0
        if v_t > 0.0 and mu > 0.0:
            f_t = friction_force(mu, v_eps, f_n, v_t)
            f_k = add(f_k, scale(f_t / v_t, slip))  # (21)
        elastic = weight * c_l * elements[k, 0] * u
        total_area += share * elements[k, 0]
        deepest = max(deepest, u)
        highest = max(highest, f_n / (share * elements[k, 0]))
        stored += 0.5 * elastic * u
        damped += (f_n - elastic) * v_n
        rubbed += f_t * v_t
        force = add(force, f_k)  # (23)
        torque = add(torque, cross(arm, f_k))  # (22), (24)
        if keep:
            for a in range(3):
                rows[k, a] = c_k[a]
                rows[k, 3 + a] = f_k[a]
                rows[k, 8 + a] = slip[a]
            rows[k, 6] = f_n
            rows[k, 7] = f_t
            rows[k, 11] = v_n
    for a in range(3):
        out[a] = force[a]
        out[3 + a] = torque[a]
    summary = doubles(p, SUMMARY, N_SUMMARY)
    summary[AREA] = total_area
    summary[DEPTH] = deepest
    summary[PRESSURE] = highest
    summary[ENERGY] = stored
    summary[DAMPING_POWER] = damped
    summary[FRICTION_POWER] = rubbed
