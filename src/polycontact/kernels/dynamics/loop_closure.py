"""Closed loops: constraints between two bodies, on the level of accelerations, and projection of the drift.

Every loop joint is a set of scalar constraints of three kinds, with d from point A on body a to point B on body b:
a distance along a direction of a, u·d = 0; two perpendicular directions, u·w = 0; a length, (d·d - L²)/2L = 0.

    (1) `describe_constraints`  violation g, rate G v, the part of its second derivative without accelerations
                                (curvature), and the wrenches on both bodies of a unit multiplier (direction, row of G)
    (2) `factorise_loops`       A = G M⁻¹ Gᵀ (Delassus matrix), column by column: responses to unit multipliers
    (3) `solve_multipliers`     A λ = right side, by Cholesky
    (4) `close_loops`           constraint forces Gᵀ λ are applied, and the tree is solved again

The multipliers follow from the Delassus matrix G M⁻¹ Gᵀ, whose columns are responses of the tree. Rows that
depend on others (a planar linkage has three) are found while factorising and left out. Couplers of joint coordinates
(`couplers`) are solved with them.

At a dead centre all links of a linkage lie in one line, as those of a parallelogram twice a turn:

        A───crank───●═══════rod═══════●───rocker───B          no motion of the links changes the length of the rod

There the rod's row of G vanishes, and the linkage can go on in two ways. A state is known to its tolerance ε only:
within √ε of the dead centre the row points anywhere, and the multiplier ~ 1/|G|² would throw the linkage from one way
to the other and change its energy. So the rod's diagonal is taken (1 + (ε/σ)²) times as large (`relieve_rods`); σ is
the greatest sin² of the angle between how a joint moves an end of the rod and the plane across the rod. Away from the
dead centre nothing changes; in it the rod lets go, so that the linkage passes by its inertia. The energy that this
costs falls with the tolerance. ε is the ``doubt`` of each constraint; it is 0 outside of runs and for projections.
"""

from __future__ import annotations

from polycontact.kernels.dynamics.articulated import solve
from polycontact.kernels.dynamics.couplers import clear_coupler, coupled, describe_coupler, push_coupler
from polycontact.kernels.dynamics.dynamics_codes import ConstraintCode
from polycontact.kernels.dynamics.evaluation_views import (
    AppliedForces,
    Articulated,
    BodyState,
    JointState,
    LoopForces,
)
from polycontact.kernels.dynamics.matrices import Array, load_vector, rotation_of, store_vector
from polycontact.kernels.dynamics.setup_views import Loops, Tree
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import add, cross, dot, row, scale, sub, tangent_to
from polycontact.kernels.jit import kernel
from polycontact.tolerances import DEPENDENT_CONSTRAINT, HELD_CONSTRAINT, SMALLEST_LEVER, SMALLEST_SHARE


@kernel
def describe_constraints(loops: Loops, joints: JointState, bodies: BodyState, loop_forces: LoopForces) -> None:
    """Violation, its rate, its second derivative at zero acceleration, and the direction of each constraint."""
    for i in range(loops.n):
        if loops.kind[i] == ConstraintCode.COUPLER:
            describe_coupler(loops, joints, loop_forces, i)
        elif loops.kind[i] == ConstraintCode.PERPENDICULAR:
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
    """u·d = 0 along a direction of a, or a length of d, from point A on body a to point B on body b.

    World axes. For a length, u is the direction of d: its own turning is in the curvature v·v/L. For a direction of a,
    u turns with a: the torque on a gets the lever u × d.
    """
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
    if loops.kind[i] == ConstraintCode.DISTANCE:  # a length
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
    # Wrenches of a unit multiplier at the bodies' origins: torque and force on a, then on b.
    out = loop_forces.directions[i]
    store_vector(out, 0, sub(lever, cross(arm_a, u)))
    store_vector(out, 3, scale(-1.0, u))
    store_vector(out, 6, cross(arm_b, u))
    store_vector(out, 9, u)


@kernel
def relieve_rods(tree: Tree, loops: Loops, bodies: BodyState, loop_forces: LoopForces) -> None:
    """By how much the diagonal of each row is taken larger: of rods at a dead centre, see above; 1 of all others."""
    for i in range(loops.n):
        loop_forces.relief[i] = 1.0
        if loops.kind[i] == ConstraintCode.DISTANCE and loop_forces.doubt[i] > 0.0:
            part = loop_forces.doubt[i] / max(_share_along_rod(tree, loops, bodies, loop_forces, i), SMALLEST_SHARE)
            loop_forces.relief[i] += part * part
            if part > 1.0:
                loop_forces.dead[i] = 1


@kernel
def _share_along_rod(tree: Tree, loops: Loops, bodies: BodyState, loop_forces: LoopForces, i: int) -> float:
    """σ of a rod: of how each joint moves its ends to each other, the greatest part along it, squared."""
    a, b = loops.body_a[i], loops.body_b[i]
    arm_a = apply(rotation_of(bodies.rotation, a), row(loops.point_a, i))
    arm_b = apply(rotation_of(bodies.rotation, b), row(loops.point_b, i))
    u = load_vector(loop_forces.directions[i], 9)
    levers, wrench = loop_forces.levers, loop_forces.wrench
    levers[:] = 0.0
    across = tangent_to(u)
    for k, axis in enumerate((u, across, cross(u, across))):
        store_vector(wrench, 0, scale(-1.0, cross(arm_a, axis)))
        store_vector(wrench, 3, scale(-1.0, axis))
        _add_levers(tree, bodies, a, wrench, k, levers)
        store_vector(wrench, 0, cross(arm_b, axis))
        store_vector(wrench, 3, axis)
        _add_levers(tree, bodies, b, wrench, k, levers)
    greatest = 0.0
    for v in range(loop_forces.n_speeds):
        along = levers[v, 0] * levers[v, 0]
        total = along + levers[v, 1] * levers[v, 1] + levers[v, 2] * levers[v, 2]
        if total > SMALLEST_LEVER * SMALLEST_LEVER:
            greatest = max(greatest, along / total)
    return greatest


@kernel
def _add_levers(tree: Tree, bodies: BodyState, body: int, wrench: Array, k: int, levers: Array) -> None:
    """Add to column ``k`` what a wrench at the origin of a body does along all joint speeds that no motion prescribes.

    The wrench is moved to the origins of the bodies below.
    """
    b = body
    while b > 0:
        if tree.motion[b] < 0:
            for n in range(tree.count_v[b]):
                for i in range(6):
                    levers[tree.first_v[b] + n, k] += bodies.columns[b, 6 * n + i] * wrench[i]
        parent = tree.parent[b]
        d = sub(row(bodies.position, b), row(bodies.position, parent))
        f = load_vector(wrench, 3)
        store_vector(wrench, 0, add(load_vector(wrench, 0), cross(d, f)))
        b = parent


@kernel
def factorise_loops(
    tree: Tree, loops: Loops, bodies: BodyState, articulated: Articulated, prescribed: Array, loop_forces: LoopForces
) -> None:
    """Responses of the tree to a unit multiplier each, and the factor of the Delassus matrix."""
    delassus, applied, efforts = loop_forces.delassus, loop_forces.unit_applied, loop_forces.unit_efforts
    for j in range(loops.n):
        _push(loops, loop_forces, j, 1.0, applied, efforts)
        response = loop_forces.responses[j]
        solve(tree, bodies, articulated, applied, efforts, prescribed, 0.0, response)
        for i in range(loops.n):
            delassus[i, j] = rate_of_constraint(loops, loop_forces, i, bodies.acceleration, response)
        applied[loops.body_a[j]] = 0.0
        applied[loops.body_b[j]] = 0.0
        clear_coupler(loops, j, efforts)
    relieve_rods(tree, loops, bodies, loop_forces)
    _factorise_independent(tree, loops, loop_forces)


@kernel
def _push(loops: Loops, loop_forces: LoopForces, i: int, size: float, applied: Array, efforts: Array) -> None:
    """Add what a multiplier ``size`` exerts, on bodies or along joint speeds."""
    a, b, direction = loops.body_a[i], loops.body_b[i], loop_forces.directions[i]
    for k in range(6):
        applied[a, k] += size * direction[k]
        applied[b, k] += size * direction[6 + k]
    push_coupler(loops, i, size, efforts)


@kernel
def rate_of_constraint(loops: Loops, loop_forces: LoopForces, i: int, motion: Array, speeds: Array) -> float:
    """Rate of a constraint for velocities (n_bodies, 6) of the bodies and joint ``speeds``; or both accelerations."""
    direction, a, b = loop_forces.directions[i], motion[loops.body_a[i]], motion[loops.body_b[i]]
    total = coupled(loops, i, speeds)
    for k in range(6):
        total += direction[k] * a[k] + direction[6 + k] * b[k]
    return total


@kernel
def _mobility_of_free_bodies(tree: Tree, loops: Loops, loop_forces: LoopForces, i: int) -> float:
    """About how much a unit multiplier would change its constraint's rate if no joint held the two bodies.

    Joints may take much of that away; where they take all but rounding, they hold the constraint already. Couplers: 0.
    """
    total = 0.0
    for side in range(2):
        body = loops.body_a[i] if side == 0 else loops.body_b[i]
        moment = tree.inertia[body, 0] + tree.inertia[body, 1] + tree.inertia[body, 2]
        if body > 0 and tree.mass[body] > 0.0 and moment > 0.0:
            direction = loop_forces.directions[i]
            for k in range(3):
                turning, pushing = direction[6 * side + k], direction[6 * side + 3 + k]
                total += turning * turning / moment + pushing * pushing / tree.mass[body]
    return total


@kernel
def _factorise_independent(tree: Tree, loops: Loops, loop_forces: LoopForces) -> None:
    """Cholesky factor in place, rows in order; a row that depends on earlier ones is marked 0 and left out, and so is
    one that joints hold already, as those across a plane linkage."""
    A, independent, m = loop_forces.delassus, loop_forces.independent, loop_forces.n
    for k in range(m):
        size = A[k, k]
        least = max(
            DEPENDENT_CONSTRAINT * size, HELD_CONSTRAINT * _mobility_of_free_bodies(tree, loops, loop_forces, k)
        )
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
        independent[k] = 1 if total > least else 0
        A[k, k] = (total * loop_forces.relief[k]) ** 0.5 if independent[k] == 1 else 1.0
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
    describe_constraints(loops, joints, bodies, loop_forces)
    _ask_for_closure(loops, joints, bodies, loop_forces)
    factorise_loops(tree, loops, bodies, articulated, joints.prescribed, loop_forces)
    solve_multipliers(loop_forces)
    for i in range(loops.n):
        _push(loops, loop_forces, i, loop_forces.multipliers[i], forces.applied, forces.efforts)
    solve(tree, bodies, articulated, forces.applied, forces.efforts, joints.prescribed, 1.0, joints.rates)


@kernel
def _ask_for_closure(loops: Loops, joints: JointState, bodies: BodyState, loop_forces: LoopForces) -> None:
    """What the constraint forces must add to the accelerations of the free tree."""
    rate = loops.stabilisation
    for i in range(loops.n):
        free = rate_of_constraint(loops, loop_forces, i, bodies.acceleration, joints.rates)
        drift, violation = loop_forces.drift[i], loop_forces.violation[i]
        loop_forces.right_side[i] = -free - loop_forces.curvature[i] - 2.0 * rate * drift - rate * rate * violation


@kernel
def close_loops_in_step(
    tree: Tree,
    loops: Loops,
    joints: JointState,
    bodies: BodyState,
    articulated: Articulated,
    forces: AppliedForces,
    loop_forces: LoopForces,
    h: float,
) -> None:
    """`close_loops` again in the same pose, with other velocities: those of the middle of a step h (s).

    They follow from the accelerations at hand. So does the drift, which with the new ones is that of the start and
    (h/2) G v̇: -curvature - 2 r drift - r² g = G v̇ is solved for G v̇, so that long steps do not make it grow.
    """
    rate = loops.stabilisation
    describe_constraints(loops, joints, bodies, loop_forces)
    for i in range(loops.n):
        reached = rate_of_constraint(loops, loop_forces, i, bodies.acceleration, joints.rates)
        drift = loop_forces.drift[i] - 0.5 * h * reached
        asked = loop_forces.curvature[i] + 2.0 * rate * drift + rate * rate * loop_forces.violation[i]
        loop_forces.right_side[i] = -asked / (1.0 + h * rate)
        _push(loops, loop_forces, i, -loop_forces.multipliers[i], forces.applied, forces.efforts)
    solve(tree, bodies, articulated, forces.applied, forces.efforts, joints.prescribed, 1.0, joints.rates)
    for i in range(loops.n):
        loop_forces.right_side[i] -= rate_of_constraint(loops, loop_forces, i, bodies.acceleration, joints.rates)
    solve_multipliers(loop_forces)
    for i in range(loops.n):
        _push(loops, loop_forces, i, loop_forces.multipliers[i], forces.applied, forces.efforts)
    solve(tree, bodies, articulated, forces.applied, forces.efforts, joints.prescribed, 1.0, joints.rates)


@kernel
def close_loops_as_if_without_drift(
    tree: Tree,
    loops: Loops,
    joints: JointState,
    bodies: BodyState,
    articulated: Articulated,
    forces: AppliedForces,
    loop_forces: LoopForces,
) -> None:
    """After `close_loops`: the forces and accelerations of the same state without what makes the drift decay.

    That part is of no physical meaning: with the default rate of 200/s a drift of 1e-5 m adds 0.4 m/s².
    """
    rate = loops.stabilisation
    for i in range(loops.n):
        _push(loops, loop_forces, i, -loop_forces.multipliers[i], forces.applied, forces.efforts)
        drift, violation = loop_forces.drift[i], loop_forces.violation[i]
        loop_forces.right_side[i] += 2.0 * rate * drift + rate * rate * violation
    solve_multipliers(loop_forces)
    for i in range(loops.n):
        _push(loops, loop_forces, i, loop_forces.multipliers[i], forces.applied, forces.efforts)
    solve(tree, bodies, articulated, forces.applied, forces.efforts, joints.prescribed, 1.0, joints.rates)


@kernel
def add_responses(loop_forces: LoopForces, out: Array) -> None:
    """Add Σ λ_i M⁻¹ G_iᵀ to a vector of joint speeds or accelerations."""
    for i in range(loop_forces.n):
        for k in range(loop_forces.n_speeds):
            out[k] += loop_forces.multipliers[i] * loop_forces.responses[i, k]
