"""Accelerations of a tree of bodies by the articulated-body algorithm (Featherstone 2008, sections 7.3 and 9.2).

`factorise` finds the articulated inertias, which depend on the pose only; `solve` finds the accelerations for given
forces and may be called again for others. A joint whose motion is prescribed passes its whole inertia on. A rotor that
turns with a joint is felt along its speed alone: its inertia stands on the diagonal of D (Featherstone, section 9.6).

    factorise   leaves to root     I ← I + Σ children (I_c − U D⁻¹ Uᵀ), U = I S, D = Sᵀ U + rotors
    solve       leaves to root     what a body needs (its bias force p) goes to its parent, less what its joint yields
                root to leaves     a = a_P + S v̇, with v̇ = D⁻¹ (τ − Sᵀ p) − D⁻¹ Uᵀ a_P, a_P of the parent, with bias

S: columns of a joint, unit motions of its speeds. Spatial vectors and 6×6 matrices are in world axes at the body's
origin: torque or angular velocity first, then force or velocity; N m, N, rad/s, m/s. A body without mass behind a joint
makes D singular: `factorise` tells its number.
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.evaluation_views import AppliedForces, Articulated, BodyState, JointState
from polycontact.kernels.dynamics.matrices import (
    Array,
    load_vector,
    product,
    product_transposed,
    rotation_of,
    store_vector,
)
from polycontact.kernels.dynamics.setup_views import Tree
from polycontact.kernels.geometry.frames import Matrix, apply
from polycontact.kernels.geometry.vectors import Vector, add, cross, row, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import SMALLEST_PIVOT


@inline_kernel
def own_inertia(tree: Tree, b: int) -> Matrix:
    """Inertia of a body at its origin in its own axes."""
    k = tree.inertia[b]
    return ((k[0], k[3], k[4]), (k[3], k[1], k[5]), (k[4], k[5], k[2]))


@kernel
def factorise(tree: Tree, bodies: BodyState, articulated: Articulated) -> int:
    """Articulated inertias of all bodies and the factors of what each joint feels.

    Returns 0, or the body whose joint moves no mass.
    """
    inertia, moved = articulated.inertia, articulated.moved_inertia
    for b in range(1, tree.n_bodies):
        _rigid_inertia(tree, bodies, b, inertia[b])
    for b in range(tree.n_bodies - 1, 0, -1):
        if tree.motion[b] < 0 and not _eliminate_joint(tree, bodies, articulated, b):
            return b
        parent = tree.parent[b]
        if parent > 0:
            d = sub(row(bodies.position, b), row(bodies.position, parent))
            _add_shifted_inertia(inertia[b], d, moved, inertia[parent])
    return 0


@kernel
def _rigid_inertia(tree: Tree, bodies: BodyState, b: int, out: Array) -> None:
    """6×6 inertia of a body alone at its origin, world axes."""
    R = rotation_of(bodies.rotation, b)
    own = own_inertia(tree, b)
    J = product_transposed(product(R, own), R)
    h = apply(R, row(tree.first_moment, b))
    out[:] = 0.0
    for i in range(3):
        store_vector(out, 6 * i, J[i])
        out[6 * (3 + i) + 3 + i] = tree.mass[b]
    # The moment of the body's momentum is h × v, its momentum m v - h × ω.
    _store_skew(out, 3, h, 1.0)
    _store_skew(out, 18, h, -1.0)


@inline_kernel
def _store_skew(out: Array, at: int, h: Vector, sign: float) -> None:
    """Write ± the matrix of h × into a block of a 6×6 matrix."""
    out[at + 1] = -sign * h[2]
    out[at + 2] = sign * h[1]
    out[at + 6] = sign * h[2]
    out[at + 8] = -sign * h[0]
    out[at + 12] = -sign * h[1]
    out[at + 13] = sign * h[0]


@kernel
def _eliminate_joint(tree: Tree, bodies: BodyState, articulated: Articulated, b: int) -> bool:
    """Take from a body's inertia what its joint lets it evade: I - U D⁻¹ Uᵀ; false where D is singular.

    U and the Cholesky factor L of D are kept for `solve`.
    """
    count = tree.count_v[b]
    inertia = articulated.inertia[b]
    S = bodies.columns[b]
    U = articulated.projection[b]
    L = articulated.factor[b]
    for k in range(count):  # U = I S
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += inertia[6 * i + j] * S[6 * k + j]
            U[6 * k + i] = total
    for k in range(count):  # D = Sᵀ U, lower part
        for j in range(k + 1):
            total = 0.0
            for i in range(6):
                total += S[6 * k + i] * U[6 * j + i]
            L[6 * k + j] = total
        at = tree.first_v[b] + k
        L[6 * k + k] += articulated.added_inertia[at] + tree.rotor_inertia[at]
    if not _cholesky(L, count):
        return False
    if tree.parent[b] == 0:
        return True  # nobody asks for the inertia behind a joint to the world
    W = articulated.reduction
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
def _cholesky(L: Array, n: int) -> bool:
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
def solve_factored(L: Array, n: int, x: Array) -> None:
    """Solve L Lᵀ x = b in place, with the rows of six of `_cholesky`."""
    solve_lower(L, n, x)
    solve_upper(L, n, x)


@kernel
def solve_lower(L: Array, n: int, x: Array) -> None:
    """Solve L x = b in place."""
    for k in range(n):
        total = x[k]
        for j in range(k):
            total -= L[6 * k + j] * x[j]
        x[k] = total / L[6 * k + k]


@kernel
def solve_upper(L: Array, n: int, x: Array) -> None:
    """Solve Lᵀ x = b in place."""
    for k in range(n - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, n):
            total -= L[6 * j + k] * x[j]
        x[k] = total / L[6 * k + k]


@kernel
def _add_shifted_inertia(inertia: Array, d: Vector, moved: Array, out: Array) -> None:
    """Add an inertia at a point to one at another, d away from which the first lies."""
    for i in range(6):
        h = load_vector(inertia, 6 * i + 3)
        store_vector(moved, 6 * i, add(load_vector(inertia, 6 * i), cross(d, h)))
        store_vector(moved, 6 * i + 3, h)
    for j in range(6):
        low = (moved[18 + j], moved[24 + j], moved[30 + j])
        moment = cross(d, low)
        for i in range(3):
            out[6 * i + j] += moved[6 * i + j] + moment[i]
            out[18 + 6 * i + j] += low[i]


@inline_kernel
def add_moved_force(force: Array, d: Vector, out: Array) -> None:
    """Add a spatial force at a point to one at another, d away from which the first lies."""
    f = load_vector(force, 3)
    m = cross(d, f)
    for i in range(3):
        out[i] += force[i] + m[i]
        out[3 + i] += f[i]


@kernel
def solve(
    tree: Tree,
    bodies: BodyState,
    articulated: Articulated,
    applied: Array,
    efforts: Array,
    prescribed: Array,
    motion: float,
    rates: Array,
) -> None:
    """Accelerations of the joints into ``rates`` and of the bodies, for applied forces and joint efforts.

    ``prescribed``: accelerations of joints whose motion is; ``motion``: 1.0 for the motion at hand; 0.0 for the
    response to the forces alone, from rest.
    """
    force = articulated.force
    for b in range(1, tree.n_bodies):
        for i in range(6):
            force[b, i] = -applied[b, i]
        if motion != 0.0:
            add_gyroscopic(tree, bodies, b, force[b])
    for b in range(tree.n_bodies - 1, 0, -1):
        first = tree.first_v[b]
        last = first + tree.count_v[b]
        _pass_force(
            tree, bodies, articulated, b, efforts[first:last], prescribed[first:last], motion, rates[first:last]
        )
        parent = tree.parent[b]
        if parent > 0:
            d = sub(row(bodies.position, b), row(bodies.position, parent))
            add_moved_force(force[b], d, force[parent])
    for b in range(1, tree.n_bodies):
        first = tree.first_v[b]
        last = first + tree.count_v[b]
        _accelerate_body(tree, bodies, articulated, b, prescribed[first:last], motion, rates[first:last])


@kernel
def add_gyroscopic(tree: Tree, bodies: BodyState, b: int, force: Array) -> None:
    """ω × Jω and ω × (ω × m c): what a body needs to keep turning as it does."""
    R = rotation_of(bodies.rotation, b)
    w = load_vector(bodies.velocity[b], 0)
    own = own_inertia(tree, b)
    spin = apply(product_transposed(product(R, own), R), w)
    h = apply(R, row(tree.first_moment, b))
    store_vector(force, 0, add(load_vector(force, 0), cross(w, spin)))
    store_vector(force, 3, add(load_vector(force, 3), cross(w, cross(w, h))))


@kernel
def _pass_force(
    tree: Tree,
    bodies: BodyState,
    articulated: Articulated,
    b: int,
    efforts: Array,
    prescribed: Array,
    motion: float,
    rates: Array,
) -> None:
    """Turn the bias force of a body into what its parent feels; leave D⁻¹u in the joint's ``rates`` meanwhile.

    (1) a joint whose motion is prescribed: its acceleration is part of the bias; (2) a free one: u = τ − Sᵀ p is what
    moves it, and it yields to the rest; (3) the inertia times the bias acceleration, where somebody needs it.
    """
    count = tree.count_v[b]
    S = bodies.columns[b]
    force = articulated.force[b]
    inertia = articulated.inertia[b]
    bias = bodies.bias[b]
    total_bias = bodies.acceleration[b]
    for i in range(6):
        total_bias[i] = motion * bias[i]
    if tree.motion[b] >= 0:  # (1)
        for k in range(count):
            for i in range(6):
                total_bias[i] += motion * prescribed[k] * S[6 * k + i]
    else:  # (2)
        for k in range(count):
            total = efforts[k]
            for i in range(6):
                total -= S[6 * k + i] * force[i]
            rates[k] = total
        solve_factored(articulated.factor[b], count, rates)
        U = articulated.projection[b]
        for k in range(count):
            for i in range(6):
                force[i] += U[6 * k + i] * rates[k]
    if tree.parent[b] > 0 or tree.motion[b] >= 0:  # (3)
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += inertia[6 * i + j] * total_bias[j]
            force[i] += total


@kernel
def _accelerate_body(
    tree: Tree, bodies: BodyState, articulated: Articulated, b: int, prescribed: Array, motion: float, rates: Array
) -> None:
    """Acceleration of a body and of its joint from that of its parent."""
    count, parent = tree.count_v[b], tree.parent[b]
    acceleration = bodies.acceleration
    bias = bodies.bias[b]
    S = bodies.columns[b]
    a = acceleration[b]
    w = (0.0, 0.0, 0.0)
    v = (0.0, 0.0, 0.0)
    if parent > 0:
        d = sub(row(bodies.position, b), row(bodies.position, parent))
        w = load_vector(acceleration[parent], 0)
        v = add(load_vector(acceleration[parent], 3), cross(w, d))
    for i in range(3):
        a[i] = w[i] + motion * bias[i]
        a[3 + i] = v[i] + motion * bias[3 + i]
    if tree.motion[b] >= 0:
        for k in range(count):
            rates[k] = motion * prescribed[k]
    else:
        # rates hold D⁻¹u; the acceleration of the base takes D⁻¹Uᵀa from them.
        U = articulated.projection[b]
        taken = articulated.taken
        for k in range(count):
            total = 0.0
            for i in range(6):
                total += U[6 * k + i] * a[i]
            taken[k] = total
        solve_factored(articulated.factor[b], count, taken)
        for k in range(count):
            rates[k] -= taken[k]
    for k in range(count):
        for i in range(6):
            a[i] += S[6 * k + i] * rates[k]


@kernel
def power_of_motions(
    tree: Tree, joints: JointState, bodies: BodyState, articulated: Articulated, forces: AppliedForces
) -> float:
    """Power that the prescribed motions put into the system, W; after `solve` for the motion at hand.

    The wrench of such a joint is the inertia times the acceleration that the parent hands on, plus the force that was
    passed to the parent; joint efforts of force elements are part of it and are taken out.
    """
    inertia, force = articulated.inertia, articulated.force
    acceleration, columns = bodies.acceleration, bodies.columns
    power = 0.0
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            continue
        parent, first = tree.parent[b], tree.first_v[b]
        w = load_vector(acceleration[parent], 0)
        d = sub(row(bodies.position, b), row(bodies.position, parent))
        a = add(load_vector(acceleration[parent], 3), cross(w, d))
        for k in range(tree.count_v[b]):
            effort = tree.rotor_inertia[first + k] * joints.prescribed[first + k] - forces.efforts[first + k]
            for i in range(6):
                total = force[b, i]
                for j in range(3):
                    total += inertia[b, 6 * i + j] * w[j] + inertia[b, 6 * i + 3 + j] * a[j]
                effort += columns[b, 6 * k + i] * total
            power += effort * joints.v[first + k]
    return power
