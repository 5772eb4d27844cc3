"""What joints, loops, drives and force elements transmit: inverse dynamics after the accelerations are known.

The recursive Newton-Euler algorithm from the leaves to the world (Featherstone 2008, section 5.3, table 5.1, second
pass), with all quantities in world axes at the bodies' origins. Called for samples and at the ends of accepted steps,
never by an integrator.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.dynamics.applied_loads import effort_at, load_at
from polycontact.kernels.dynamics.articulated import add_gyroscopic, add_moved_force, own_inertia
from polycontact.kernels.dynamics.bushings import apply_bushing
from polycontact.kernels.dynamics.dynamics_codes import ConstraintCode
from polycontact.kernels.dynamics.evaluation_views import AppliedForces, BodyState, JointState, Ledger, LoopForces
from polycontact.kernels.dynamics.force_elements import (
    apply_ball_stop,
    apply_spring,
    effort_of_joint_force,
    effort_of_motor,
)
from polycontact.kernels.dynamics.joint_friction import friction_secant
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
from polycontact.kernels.dynamics.setup_views import ForceElements, Loops, Motions, Motors, Tree
from polycontact.kernels.dynamics.system_row import ROW, Row, system_at
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import add, cross, row, scale, sub
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, ints, nested


class Reactions(View):
    """Forces that the parts of a system transmit, and work space to find them; world axes."""

    n_bodies = count("bodies, the world included")
    n_speeds = count("speeds of all joints")
    n_loops = count("loops")
    n_constraints = count("scalar constraints of all loops and couplers")
    n_numbers = count("numbers of all built-in force elements and couplers")
    passed = doubles("n_bodies", 6, doc="torque at the body's origin and force that its joint exerts", unit="N m, N")
    joint = doubles("n_bodies", 6, doc="force and torque on the body at the joint's point", unit="N, N m")
    point = doubles("n_bodies", 3, doc="that point: the marker on the body", unit="m")
    frame = doubles("n_bodies", 9, doc="rotation of the joint's marker on the parent")
    drive = doubles("n_speeds", doc="effort of prescribed motions and motors along each speed", unit="N m or N")
    loop_of = ints("n_constraints", doc="loop to which a constraint belongs, -1 of a coupler")
    marker_a = doubles("n_loops", 9, doc="rotation of the loop's marker on body a, own axes")
    loop = doubles("n_loops", 6, doc="force and torque of body a on body b at the marker on b", unit="N, N m")
    loop_point = doubles("n_loops", 3, doc="that marker", unit="m")
    loop_frame = doubles("n_loops", 9, doc="rotation of the marker on body a")
    element = doubles("n_numbers", doc="in the order of `_tell_elements`")
    no_applied = doubles("n_bodies", 6, doc="where the forces of single elements may go")
    no_efforts = doubles("n_speeds", doc="the same for efforts")
    ledger = nested(Ledger)


reactions_at = cast_to(Reactions)
"""``reactions_at(row)``: the `Reactions` whose slots a row holds."""


@kernel
def pass_forces(tree: Tree, bodies: BodyState, applied: Array, reactions: Reactions) -> None:
    """Wrench that each joint exerts on its body: rate of momentum, less what else acts, plus what its children take.

    What acts includes the constraint forces of loops.
    """
    passed = reactions.passed
    for b in range(1, tree.n_bodies):
        for i in range(6):
            passed[b, i] = -applied[b, i]
        _add_rate_of_momentum(tree, bodies, b, passed[b])
    for b in range(tree.n_bodies - 1, 0, -1):
        parent = tree.parent[b]
        if parent > 0:
            d = sub(row(bodies.position, b), row(bodies.position, parent))
            add_moved_force(passed[b], d, passed[parent])


@kernel
def _add_rate_of_momentum(tree: Tree, bodies: BodyState, b: int, out: Array) -> None:
    """Add J ω̇ + ω × Jω + h × a and m a + ω̇ × h + ω × (ω × h), with h = m c from the body's origin."""
    R = rotation_of(bodies.rotation, b)
    turn, a = load_vector(bodies.acceleration[b], 0), load_vector(bodies.acceleration[b], 3)
    h = apply(R, row(tree.first_moment, b))
    spin = apply(product_transposed(product(R, own_inertia(tree, b)), R), turn)
    add_vector(out, 0, add(spin, cross(h, a)))
    add_vector(out, 3, add(scale(tree.mass[b], a), cross(turn, h)))
    add_gyroscopic(tree, bodies, b, out)


@kernel
def _put_at_joints(tree: Tree, bodies: BodyState, reactions: Reactions) -> None:
    """Force and torque at the marker on each body, and the axes of the marker on its parent."""
    for b in range(1, tree.n_bodies):
        arm = apply(rotation_of(bodies.rotation, b), row(tree.own_point, b))
        f = load_vector(reactions.passed[b], 3)
        store_vector(reactions.joint[b], 0, f)
        store_vector(reactions.joint[b], 3, sub(load_vector(reactions.passed[b], 0), cross(arm, f)))
        store_vector(reactions.point[b], 0, add(row(bodies.position, b), arm))
        frame = product(rotation_of(bodies.rotation, tree.parent[b]), rotation_of(tree.parent_rotation, b))
        store_matrix(reactions.frame[b], 0, frame)


@kernel
def _find_drives(tree: Tree, bodies: BodyState, prescribed: Array, efforts: Array, reactions: Reactions) -> None:
    """Effort along each prescribed speed that no force element exerts, rotors included; zero along the others."""
    passed, columns = reactions.passed, bodies.columns
    for b in range(1, tree.n_bodies):
        first = tree.first_v[b]
        for k in range(tree.count_v[b]):
            effort = 0.0
            if tree.motion[b] >= 0:
                effort = tree.rotor_inertia[first + k] * prescribed[first + k] - efforts[first + k]
                for i in range(6):
                    effort += columns[b, 6 * k + i] * passed[b, i]
            reactions.drive[first + k] = effort


@kernel
def _add_motors(motors: Motors, motions: Motions, joints: JointState, reactions: Reactions, t: float) -> None:
    """Motors drive their joints too."""
    for k in range(motors.n):
        reactions.drive[motors.speed[k]] += effort_of_motor(motors, motions, joints, t, k)


@kernel
def _sum_up_loops(loops: Loops, bodies: BodyState, loop_forces: LoopForces, reactions: Reactions) -> None:
    """Multipliers times directions, on body b at its marker; body a feels the opposite there."""
    reactions.loop[:] = 0.0
    for i in range(loops.n):
        if loops.kind[i] == ConstraintCode.COUPLER:
            continue
        a, b, k, size = loops.body_a[i], loops.body_b[i], reactions.loop_of[i], loop_forces.multipliers[i]
        direction, wrench = loop_forces.directions[i], reactions.loop[k]
        arm = apply(rotation_of(bodies.rotation, b), row(loops.point_b, i))
        f = scale(size, load_vector(direction, 9))
        add_vector(wrench, 0, f)
        add_vector(wrench, 3, sub(scale(size, load_vector(direction, 6)), cross(arm, f)))
        store_vector(reactions.loop_point[k], 0, add(row(bodies.position, b), arm))
        frame = product(rotation_of(bodies.rotation, a), rotation_of(reactions.marker_a, k))
        store_matrix(reactions.loop_frame[k], 0, frame)


@kernel
def _tell_elements(
    elements: ForceElements, motions: Motions, joints: JointState, bodies: BodyState, reactions: Reactions, t: float
) -> int:
    """Write what force elements transmit to ``reactions.element``, in this order; how many numbers that are.

    Tension of each spring (N); efforts of joint springs and stops, torques of ball stops, efforts of motors (N or N m);
    loads, force and torque in world axes; efforts along joints; friction; force and torque of bushings. Forces that the
    functions called here apply go to work space: nothing is applied again.
    """
    out, ledger, at = reactions.element, reactions.ledger, 0
    for k in range(elements.springs.n):
        out[at] = apply_spring(elements.springs, bodies, reactions.no_applied, ledger, k)
        at += 1
    for k in range(elements.joint_forces.n):
        out[at] = effort_of_joint_force(elements.joint_forces, joints, ledger, k)
        at += 1
    efforts = reactions.no_efforts
    for k in range(elements.ball_stops.n):
        first = elements.ball_stops.speed[k]
        efforts[first : first + 3] = 0.0
        apply_ball_stop(elements.ball_stops, joints, efforts, ledger, k)
        for i in range(3):
            out[at + i] = efforts[first + i]
        at += 3
    for k in range(elements.motors.n):
        out[at] = effort_of_motor(elements.motors, motions, joints, t, k)
        at += 1
    # From here on what is written with six numbers, or with one for each speed of a joint.
    for k in range(elements.loads.n):
        f, torque = load_at(elements.loads, motions, bodies, t, k)
        store_vector(out, at, f)
        store_vector(out, at + 3, torque)
        at += 6
    for k in range(elements.joint_efforts.n):
        out[at] = effort_at(elements.joint_efforts, motions, joints, t, k)
        at += 1
    frictions = elements.frictions
    for k in range(frictions.n):
        secant = friction_secant(frictions, motions, joints, t, k)
        for i in range(frictions.speed[k], frictions.speed[k] + frictions.n_speeds[k]):
            out[at] = -secant * joints.v[i]
            at += 1
    for k in range(elements.bushings.n):
        f, torque = apply_bushing(elements.bushings, bodies, reactions.no_applied, ledger, k)
        store_vector(out, at, f)
        store_vector(out, at + 3, torque)
        at += 6
    return at


@kernel
def _tell_couplers(loops: Loops, loop_forces: LoopForces, out: Array, at: int) -> None:
    """Efforts of each coupler along its joint speeds, from number ``at`` on."""
    for i in range(loops.n):
        for k in range(loops.first_term[i], loops.first_term[i] + loops.term_count[i]):
            out[at] = loop_forces.multipliers[i] * loops.factor[k]
            at += 1


@kernel
def find_all(
    tree: Tree,
    elements: ForceElements,
    motions: Motions,
    loops: Loops,
    joints: JointState,
    bodies: BodyState,
    forces: AppliedForces,
    loop_forces: LoopForces,
    reactions: Reactions,
    t: float,
) -> None:
    """All reactions at time t (s); after the accelerations were found."""
    pass_forces(tree, bodies, forces.applied, reactions)
    _put_at_joints(tree, bodies, reactions)
    _find_drives(tree, bodies, joints.prescribed, forces.efforts, reactions)
    _add_motors(elements.motors, motions, joints, reactions, t)
    _sum_up_loops(loops, bodies, loop_forces, reactions)
    at = _tell_elements(elements, motions, joints, bodies, reactions, t)
    _tell_couplers(loops, loop_forces, reactions.element, at)


@entry_kernel((ROW, ROW, types.float64))
def find_reactions(system_row: Row, reactions_row: Row, t: float) -> None:
    """`find_all` for Python."""
    s, reactions = system_at(system_row), reactions_at(reactions_row)
    find_all(s.tree, s.elements, s.motions, s.loops, s.joints, s.bodies, s.forces, s.loop_forces, reactions, t)
