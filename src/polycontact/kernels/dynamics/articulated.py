"""Accelerations of a tree of bodies by the articulated-body algorithm (Featherstone 2008, sections 7.3 and 9.2).

`factorise` finds the articulated inertias, which depend on the pose only; `solve` finds the accelerations for given
forces and may be called again for others. A joint whose motion is prescribed passes its whole inertia on.
"""

from __future__ import annotations

import math
from typing import Any

from polycontact.kernels.dynamics.matrices import product, product_transposed, store_vector
from polycontact.kernels.dynamics.system_slots import (
    ACCELERATIONS,
    ASKED,
    BIAS,
    BODY,
    BODY_COLUMNS,
    BODY_DATA,
    COUNT_V,
    DATA_COLUMNS,
    EFFORTS,
    FACTORS,
    FIRST_MOMENT,
    FIRST_V,
    FORCES,
    INERTIA,
    INERTIAS,
    MASS,
    MOTION,
    MOTION_RATES,
    N_BODIES,
    N_SPEEDS,
    PARENT,
    POSES,
    PROJECTIONS,
    SCRATCH,
    SINGULAR,
    SUBSPACE,
    VELOCITIES,
    WELL,
    V,
)
from polycontact.kernels.frames import Matrix, apply, load_matrix, load_vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import doubles, index_table, table
from polycontact.kernels.vectors import Vector, add, cross, sub

SMALLEST_PIVOT = 1e-13
"""A speed of a joint that keeps less than this share of its inertia beside the others moves no mass."""


@inline_kernel
def own_inertia(data: Any) -> Matrix:
    """Inertia of a body at its origin in its own axes, from its row of BODY_DATA."""
    k = INERTIA
    return (
        (data[k], data[k + 3], data[k + 4]),
        (data[k + 3], data[k + 1], data[k + 5]),
        (data[k + 4], data[k + 5], data[k + 2]),
    )


@kernel
def factorise(s: Any) -> int:
    """Articulated inertias of all bodies and the factors of what each joint feels; a status."""
    n = s[N_BODIES]
    body = index_table(s, BODY, n, BODY_COLUMNS)
    inertias = table(s, INERTIAS, n, 36)
    for b in range(1, n):
        _rigid_inertia(s, b, inertias[b])
    poses = table(s, POSES, n, 12)
    scratch = table(s, SCRATCH, 2, 36)
    for b in range(n - 1, 0, -1):
        if body[b, MOTION] < 0 and not _eliminate_joint(s, b):
            s[ASKED] = b
            return SINGULAR
        parent = body[b, PARENT]
        if parent > 0:
            d = sub(load_vector(poses[b], 9), load_vector(poses[parent], 9))
            _add_shifted_inertia(inertias[b], d, scratch[0], inertias[parent])
    return WELL


@kernel
def _rigid_inertia(s: Any, b: int, out: Any) -> None:
    """6×6 inertia of a body alone at its origin, world axes."""
    data = table(s, BODY_DATA, s[N_BODIES], DATA_COLUMNS)[b]
    R = load_matrix(table(s, POSES, s[N_BODIES], 12)[b], 0)
    own = own_inertia(data)
    J = product_transposed(product(R, own), R)
    h = apply(R, load_vector(data, FIRST_MOMENT))
    out[:] = 0.0
    for i in range(3):
        store_vector(out, 6 * i, J[i])
        out[6 * (3 + i) + 3 + i] = data[MASS]
    # The moment of the body's momentum is h × v, its momentum m v - h × ω.
    _store_skew(out, 3, h, 1.0)
    _store_skew(out, 18, h, -1.0)


@inline_kernel
def _store_skew(out: Any, at: int, h: Vector, sign: float) -> None:
    """Write ± the matrix of h × into a block of a 6×6 matrix."""
    out[at + 1] = -sign * h[2]
    out[at + 2] = sign * h[1]
    out[at + 6] = sign * h[2]
    out[at + 8] = -sign * h[0]
    out[at + 12] = -sign * h[1]
    out[at + 13] = sign * h[0]


@kernel
def _eliminate_joint(s: Any, b: int) -> bool:
    """Take from a body's inertia what its joint lets it evade: I - U D⁻¹ Uᵀ; false where D is singular."""
    n = s[N_BODIES]
    entry = index_table(s, BODY, n, BODY_COLUMNS)[b]
    count = entry[COUNT_V]
    inertia = table(s, INERTIAS, n, 36)[b]
    S = table(s, SUBSPACE, n, 36)[b]
    U = table(s, PROJECTIONS, n, 36)[b]
    L = table(s, FACTORS, n, 36)[b]
    for k in range(count):
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += inertia[6 * i + j] * S[6 * k + j]
            U[6 * k + i] = total
    for k in range(count):
        for j in range(k + 1):
            total = 0.0
            for i in range(6):
                total += S[6 * k + i] * U[6 * j + i]
            L[6 * k + j] = total
    if not _cholesky(L, count):
        return False
    if entry[PARENT] == 0:
        return True
    W = table(s, SCRATCH, 2, 36)[1]
    for i in range(6):  # rows of L⁻¹ Uᵀ
        for k in range(count):
            total = U[6 * k + i]
            for j in range(k):
                total -= L[6 * k + j] * W[6 * j + i]
            W[6 * k + i] = total / L[6 * k + k]
    for i in range(6):
        for j in range(6):
            total = 0.0
            for k in range(count):
                total += W[6 * k + i] * W[6 * k + j]
            inertia[6 * i + j] -= total
    return True


@kernel
def _cholesky(L: Any, n: int) -> bool:
    """Lower factor, in place, of the n×n matrix in the lower part of rows of six; false where not positive."""
    for k in range(n):
        largest = L[6 * k + k]
        for j in range(k):
            total = L[6 * k + j]
            for i in range(j):
                total -= L[6 * k + i] * L[6 * j + i]
            L[6 * k + j] = total / L[6 * j + j]
        total = largest
        for i in range(k):
            total -= L[6 * k + i] * L[6 * k + i]
        if not total > SMALLEST_PIVOT * largest:
            return False
        L[6 * k + k] = math.sqrt(total)
    return True


@kernel
def solve_factored(L: Any, n: int, x: Any) -> None:
    """Solve L Lᵀ x = b in place, with the rows of six of `_cholesky`."""
    for k in range(n):
        total = x[k]
        for j in range(k):
            total -= L[6 * k + j] * x[j]
        x[k] = total / L[6 * k + k]
    for k in range(n - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, n):
            total -= L[6 * j + k] * x[j]
        x[k] = total / L[6 * k + k]


@kernel
def _add_shifted_inertia(inertia: Any, d: Vector, scratch: Any, out: Any) -> None:
    """Add an inertia at a point to one at another, d away from which the first lies."""
    for i in range(6):
        h = load_vector(inertia, 6 * i + 3)
        store_vector(scratch, 6 * i, add(load_vector(inertia, 6 * i), cross(d, h)))
        store_vector(scratch, 6 * i + 3, h)
    for j in range(6):
        low = (scratch[18 + j], scratch[24 + j], scratch[30 + j])
        moment = cross(d, low)
        for i in range(3):
            out[6 * i + j] += scratch[6 * i + j] + moment[i]
            out[18 + 6 * i + j] += low[i]


@inline_kernel
def add_moved_force(force: Any, d: Vector, out: Any) -> None:
    """Add a spatial force at a point to one at another, d away from which the first lies."""
    f = load_vector(force, 3)
    m = cross(d, f)
    for i in range(3):
        out[i] += force[i] + m[i]
        out[3 + i] += f[i]


@kernel
def solve(s: Any, applied: Any, efforts: Any, motion: float, rates: Any) -> None:
    """Accelerations of the joints into ``rates`` and of the bodies, for applied forces and joint efforts.

    ``motion``: 1.0 for the motion at hand; 0.0 for the response to the forces alone, from rest.
    """
    n = s[N_BODIES]
    body = index_table(s, BODY, n, BODY_COLUMNS)
    poses = table(s, POSES, n, 12)
    forces = table(s, FORCES, n, 6)
    for b in range(1, n):
        for i in range(6):
            forces[b, i] = -applied[b, i]
        if motion != 0.0:
            _add_gyroscopic(s, b, forces[b])
    for b in range(n - 1, 0, -1):
        _pass_force(s, b, efforts, motion, rates)
        parent = body[b, PARENT]
        if parent > 0:
            d = sub(load_vector(poses[b], 9), load_vector(poses[parent], 9))
            add_moved_force(forces[b], d, forces[parent])
    for b in range(1, n):
        _accelerate_body(s, b, motion, rates)


@kernel
def _add_gyroscopic(s: Any, b: int, force: Any) -> None:
    """ω × Jω and ω × (ω × m c): what a body needs to keep turning as it does."""
    data = table(s, BODY_DATA, s[N_BODIES], DATA_COLUMNS)[b]
    R = load_matrix(table(s, POSES, s[N_BODIES], 12)[b], 0)
    w = load_vector(table(s, VELOCITIES, s[N_BODIES], 6)[b], 0)
    own = own_inertia(data)
    spin = apply(product_transposed(product(R, own), R), w)
    h = apply(R, load_vector(data, FIRST_MOMENT))
    store_vector(force, 0, add(load_vector(force, 0), cross(w, spin)))
    store_vector(force, 3, add(load_vector(force, 3), cross(w, cross(w, h))))


@kernel
def _pass_force(s: Any, b: int, efforts: Any, motion: float, rates: Any) -> None:
    """Turn the bias force of a body into what its parent feels; leave D⁻¹u in ``rates`` meanwhile."""
    n = s[N_BODIES]
    entry = index_table(s, BODY, n, BODY_COLUMNS)[b]
    count, first = entry[COUNT_V], entry[FIRST_V]
    S = table(s, SUBSPACE, n, 36)[b]
    force = table(s, FORCES, n, 6)[b]
    inertia = table(s, INERTIAS, n, 36)[b]
    bias = table(s, BIAS, n, 6)[b]
    total_bias = table(s, ACCELERATIONS, n, 6)[b]
    for i in range(6):
        total_bias[i] = motion * bias[i]
    if entry[MOTION] >= 0:
        given = doubles(s, MOTION_RATES, s[N_SPEEDS])
        for k in range(count):
            for i in range(6):
                total_bias[i] += motion * given[first + k] * S[6 * k + i]
    else:
        u = rates[first : first + count]
        for k in range(count):
            total = efforts[first + k]
            for i in range(6):
                total -= S[6 * k + i] * force[i]
            u[k] = total
        solve_factored(table(s, FACTORS, n, 36)[b], count, u)
        U = table(s, PROJECTIONS, n, 36)[b]
        for k in range(count):
            for i in range(6):
                force[i] += U[6 * k + i] * u[k]
    if entry[PARENT] > 0 or entry[MOTION] >= 0:
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += inertia[6 * i + j] * total_bias[j]
            force[i] += total


@kernel
def _accelerate_body(s: Any, b: int, motion: float, rates: Any) -> None:
    """Acceleration of a body and of its joint from that of its parent."""
    n = s[N_BODIES]
    entry = index_table(s, BODY, n, BODY_COLUMNS)[b]
    count, first, parent = entry[COUNT_V], entry[FIRST_V], entry[PARENT]
    accelerations = table(s, ACCELERATIONS, n, 6)
    bias = table(s, BIAS, n, 6)[b]
    S = table(s, SUBSPACE, n, 36)[b]
    a = accelerations[b]
    w = (0.0, 0.0, 0.0)
    v = (0.0, 0.0, 0.0)
    if parent > 0:
        poses = table(s, POSES, n, 12)
        d = sub(load_vector(poses[b], 9), load_vector(poses[parent], 9))
        w = load_vector(accelerations[parent], 0)
        v = add(load_vector(accelerations[parent], 3), cross(w, d))
    for i in range(3):
        a[i] = w[i] + motion * bias[i]
        a[3 + i] = v[i] + motion * bias[3 + i]
    if entry[MOTION] >= 0:
        given = doubles(s, MOTION_RATES, s[N_SPEEDS])
        for k in range(count):
            rates[first + k] = motion * given[first + k]
    else:
        # rates hold D⁻¹u; the acceleration of the base takes D⁻¹Uᵀa from them.
        U = table(s, PROJECTIONS, n, 36)[b]
        L = table(s, FACTORS, n, 36)[b]
        taken = table(s, SCRATCH, 2, 36)[0]
        for k in range(count):
            total = 0.0
            for i in range(6):
                total += U[6 * k + i] * a[i]
            taken[k] = total
        solve_factored(L, count, taken)
        for k in range(count):
            rates[first + k] -= taken[k]
    for k in range(count):
        for i in range(6):
            a[i] += S[6 * k + i] * rates[first + k]


@kernel
def power_of_motions(s: Any) -> float:
    """Power that the prescribed motions put into the system, W; after `solve` for the motion at hand.

    The wrench of such a joint is the inertia times the acceleration that the parent hands on, plus the force that was
    passed to the parent; joint efforts of force elements are part of it and are taken out.
    """
    n = s[N_BODIES]
    body = index_table(s, BODY, n, BODY_COLUMNS)
    speeds = doubles(s, V, s[N_SPEEDS])
    efforts = doubles(s, EFFORTS, s[N_SPEEDS])
    inertias = table(s, INERTIAS, n, 36)
    forces = table(s, FORCES, n, 6)
    subspace = table(s, SUBSPACE, n, 36)
    poses = table(s, POSES, n, 12)
    accelerations = table(s, ACCELERATIONS, n, 6)
    power = 0.0
    for b in range(1, n):
        if body[b, MOTION] < 0:
            continue
        parent = body[b, PARENT]
        w = load_vector(accelerations[parent], 0)
        d = sub(load_vector(poses[b], 9), load_vector(poses[parent], 9))
        a = add(load_vector(accelerations[parent], 3), cross(w, d))
        for k in range(body[b, COUNT_V]):
            effort = -efforts[body[b, FIRST_V] + k]
            for i in range(6):
                total = forces[b, i]
                for j in range(3):
                    total += inertias[b, 6 * i + j] * w[j] + inertias[b, 6 * i + 3 + j] * a[j]
                effort += subspace[b, 6 * k + i] * total
            power += effort * speeds[body[b, FIRST_V] + k]
    return power
