"""The right-hand side dy/dt = f(t, y) of a multibody system in one call: kinematics, contacts, dynamics (S1.11).

y holds the coordinates and the speeds of all joints whose motion is not prescribed, the states of force elements and of
contacts, and the integrals of the energy ledger.

    move        (1) coordinates and speeds of all joints, from y or from prescribed motions
                (2) poses, velocities, joint columns and bias accelerations of all bodies (`body_kinematics`)
                (3) world boxes of the shapes, pairs whose boxes overlap, their kinematics (`pair_contacts`)
    touch       (4) contact of each near pair, one after the other or in several threads
    accelerate  (5) force elements (`force_elements`), wrenches of contacts
                (6) accelerations of the tree (`articulated`), closed loops and couplers (`loop_closure`)
                (7) dy/dt

Each step may end with a `Status` other than WELL: Python then does what is needed (a buffer, a pair that has to be
prepared, an error) and repeats the call; ``ending.about`` tells which body or pair it is about.
"""

from __future__ import annotations

from enum import IntEnum

from numba import prange, types

from polycontact.kernels.addresses import doubles_at, longs_at
from polycontact.kernels.dynamics.articulated import factorise, power_of_motions, solve
from polycontact.kernels.dynamics.body_kinematics import place_bodies, take_state
from polycontact.kernels.dynamics.evaluation_views import (
    N_POWERS,
    AppliedForces,
    Articulated,
    BodyState,
    Ending,
    JointState,
    LoopForces,
    Powers,
    Status,
)
from polycontact.kernels.dynamics.force_elements import apply_forces
from polycontact.kernels.dynamics.joint_kinematics import coordinate_rates, pull_to_unit_length
from polycontact.kernels.dynamics.loop_closure import close_loops
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.pair_contacts import (
    apply_contacts,
    evaluate_pair,
    evaluate_pairs,
    prepare_contacts,
    relate,
)
from polycontact.kernels.dynamics.pair_report import hand_over_states, hand_over_time, take_over_rates
from polycontact.kernels.dynamics.setup_views import Loops, Tree
from polycontact.kernels.dynamics.sleeping_threads import launch_sleeping_threads
from polycontact.kernels.dynamics.system_row import OUT, ROW, STATE, Row, contacts_at, system_at
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel, parallel_kernel
from polycontact.tolerances import TOO_FAR

# before the first loop over threads is compiled
launch_sleeping_threads()


@inline_kernel
def end(ending: Ending, status: IntEnum, about: int) -> int:
    """Leave a status, and the body or pair that it is about."""
    ending.status = status
    ending.about = about
    return ending.status


@kernel
def _body_not_finite(tree: Tree, joints: JointState) -> int:
    """Body whose coordinates or speeds are no numbers; 0 where all are."""
    for b in range(1, tree.n_bodies):
        total = 0.0
        for k in range(tree.count_q[b]):
            total += abs(joints.q[tree.first_q[b] + k])
        for k in range(tree.count_v[b]):
            total += abs(joints.v[tree.first_v[b] + k])
        if not total < TOO_FAR:
            return b
    return 0


@entry_kernel((ROW, types.float64, STATE))
def move(row: Row, t: float, y: Array) -> int:
    """Poses and velocities of bodies and shapes, near pairs with their kinematics and states; a status."""
    s = system_at(row)
    take_state(s.tree, s.motions, s.joints, t, y)
    body = _body_not_finite(s.tree, s.joints)
    if body > 0:
        return end(s.ending, Status.NOT_FINITE, body)
    place_bodies(s.tree, s.joints, s.bodies)
    status = prepare_contacts(s.shapes, s.bodies, s.placed, s.search, s.contacts, s.ending)
    if status != Status.WELL:
        return end(s.ending, status, s.ending.about)
    if s.pairs.n_states > 0:
        hand_over_states(s.pairs, s.contacts, y)
    if s.pairs.n_remembering > 0:
        hand_over_time(s.contacts, t)
    return end(s.ending, Status.WELL, 0)


@entry_kernel((ROW, types.int64))
def relate_pair(row: Row, pair: int) -> None:
    """Kinematics of one pair, near or not; after `move`."""
    s = system_at(row)
    relate(s.pairs, s.placed, s.contacts, pair)


@entry_kernel((ROW,))
def touch(row: Row) -> None:
    """Evaluate the near pairs, one after the other."""
    evaluate_pairs(system_at(row).contacts)


@kernel
def _touch_one(place: int, i: int) -> None:
    """Evaluate one of the near pairs of the `PairContacts` at an address: a loop over threads hands on no views."""
    contacts = contacts_at(place)
    evaluate_pair(contacts, contacts.near[i])


@parallel_kernel((ROW,))
def touch_parallel(row: Row) -> None:
    """Evaluate the near pairs in several threads: each writes its own results only, so the bits are the same."""
    contacts = system_at(row).contacts
    place = contacts.place
    for i in prange(contacts.n_near):
        _touch_one(place, i)


@kernel
def _write_rates(tree: Tree, joints: JointState, powers: Powers, out: Array) -> None:
    """dy/dt of joints and ledger.

    Quaternions are pulled to unit length. Powers (W) in the order of the ledger's integrals: work of contacts, lost in
    their damping, lost in friction, lost in force elements, put in; and lost in layers where a law tells it.
    """
    for b in range(1, tree.n_bodies):
        if tree.motion[b] >= 0:
            continue
        kind, n_q, n_v = tree.kind[b], tree.count_q[b], tree.count_v[b]
        first_q, first_v, at_q, at_v = tree.first_q[b], tree.first_v[b], tree.state_q[b], tree.state_v[b]
        own_q = joints.q[first_q : first_q + n_q]
        own_v = joints.v[first_v : first_v + n_v]
        coordinate_rates(kind, own_q, own_v, out[at_q : at_q + n_q])
        pull_to_unit_length(kind, own_q, own_v, out[at_q : at_q + n_q])
        for k in range(n_v):
            out[at_v + k] = joints.rates[first_v + k]
    integrals = out[tree.ledger :]
    integrals[0] = powers.contact
    integrals[1] = powers.contact_damping
    integrals[2] = powers.friction
    integrals[3] = powers.damping
    integrals[4] = powers.input
    if len(integrals) > N_POWERS:
        integrals[5] = powers.layers


@kernel
def find_accelerations(
    tree: Tree,
    loops: Loops,
    joints: JointState,
    bodies: BodyState,
    articulated: Articulated,
    forces: AppliedForces,
    loop_forces: LoopForces,
    powers: Powers,
    out: Array,
) -> int:
    """Accelerations of the tree and its loops under the forces summed up, and dy/dt of joints and ledger.

    Returns 0, or the body whose joint moves no mass.
    """
    body = factorise(tree, bodies, articulated)
    if body > 0:
        return int(body)
    solve(tree, bodies, articulated, forces.applied, forces.efforts, joints.prescribed, 1.0, joints.rates)
    if loops.n > 0:
        close_loops(tree, loops, joints, bodies, articulated, forces, loop_forces)
    powers.input += power_of_motions(tree, joints, bodies, articulated, forces)
    _write_rates(tree, joints, powers, out)
    return 0


@entry_kernel((ROW, types.float64, OUT))
def accelerate(row: Row, t: float, out: Array) -> int:
    """Sum up the forces, find the accelerations and write dy/dt of joints, contacts and ledger; a status."""
    s = system_at(row)
    apply_forces(s.tree, s.elements, s.motions, s.joints, s.bodies, s.forces, s.ledger, t)
    pair = apply_contacts(s.shapes, s.pairs, s.bodies, s.placed, s.contacts, s.forces, s.ledger)
    if pair >= 0:
        return end(s.ending, Status.HEED_PAIR, pair)
    body = find_accelerations(
        s.tree, s.loops, s.joints, s.bodies, s.articulated, s.forces, s.loop_forces, s.ledger.powers, out
    )
    if body > 0:
        return end(s.ending, Status.SINGULAR, body)
    if s.pairs.n_states > 0:
        take_over_rates(s.pairs, s.contacts, out)
    s.ending.evaluations += 1
    return end(s.ending, Status.WELL, 0)


@entry_kernel((ROW, types.float64, STATE, OUT))
def right_hand_side(row: Row, t: float, y: Array, out: Array) -> int:
    """dy/dt into ``out``; a `Status`: well, or what Python must do before the call is repeated.

    For contacts in several threads Python calls `move`, `touch_parallel` and `accelerate` itself.
    """
    status = move(row, t, y)
    if status != Status.WELL:
        return status
    evaluate_pairs(system_at(row).contacts)
    return accelerate(row, t, out)


@entry_kernel((types.int64, types.float64, types.int64, types.int64))
def rates_at(place: int, t: float, y: int, out: int) -> int:
    """`right_hand_side` for compiled code: addresses of the `SystemView`, of the state and of where its rates go."""
    n = system_at(place).tree.n_states
    return right_hand_side(longs_at(place, 1), t, doubles_at(y, n), doubles_at(out, n))
