"""Contacts of the system: kinematics of each near pair, its evaluation, and the wrench on both bodies.

In: poses and velocities of the bodies. Out: wrenches on bodies (world axes, at their origins), powers and energies.

    (1) shapes are placed, and the broad phase lists the pairs whose boxes overlap, in ascending order
    (2) relative kinematics of each of them: rotation, position, velocity, angular velocity of F in E
    (3) each is evaluated by the address of its method; it writes its own results only, so threads may share the work
    (4) wrenches are added in the order of the pairs: the same bits whatever the number of threads
"""

from __future__ import annotations

from polycontact.kernels.addresses import call_method, data_address
from polycontact.kernels.dynamics.broad_phase import find_near_pairs, place_shapes
from polycontact.kernels.dynamics.evaluation_views import (
    AppliedForces,
    BodyState,
    Ending,
    Ledger,
    NearSearch,
    PairContacts,
    PlacedShapes,
    Status,
)
from polycontact.kernels.dynamics.matrices import (
    add_vector,
    load_vector,
    product,
    rotation_of,
    store_matrix,
    store_vector,
)
from polycontact.kernels.dynamics.pair_report import NEEDS_ATTENTION, read_report
from polycontact.kernels.dynamics.setup_views import Pairs, Shapes
from polycontact.kernels.geometry.frames import apply, apply_transposed, transposed
from polycontact.kernels.geometry.vectors import add, cross, dot, row, scale, sub
from polycontact.kernels.jit import kernel


@kernel
def prepare_contacts(
    shapes: Shapes, bodies: BodyState, placed: PlacedShapes, search: NearSearch, contacts: PairContacts, ending: Ending
) -> Status:
    """Find the near pairs and their kinematics; a status, and in ``ending`` what it is about where not well."""
    _clear_results(contacts)
    place_shapes(shapes, bodies, placed)
    if not find_near_pairs(search, contacts, ending):
        return Status.NO_PAIRS
    near = contacts.near
    for i in range(contacts.n_near):
        if contacts.pairing[near[i]] == 0:
            ending.about = near[i]
            return Status.PREPARE_PAIR
        relate(search.pairs, placed, contacts, near[i])
    return Status.WELL


@kernel
def _clear_results(contacts: PairContacts) -> None:
    """Forget the results of the pairs that were near before; all others are zero already."""
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        contacts.status[pair] = 0
        contacts.area[pair] = 0.0
        contacts.depth[pair] = 0.0
        contacts.pressure[pair] = 0.0
        contacts.energy[pair] = 0.0
        contacts.damping_power[pair] = 0.0
        contacts.friction_power[pair] = 0.0
        contacts.layer_power[pair] = 0.0
        for k in range(6):
            contacts.wrench[pair, k] = 0.0
    contacts.n_near = 0


@kernel
def relate(pairs: Pairs, placed: PlacedShapes, contacts: PairContacts, pair: int) -> None:
    """Pose and velocity of F in E (S0.21), from those of both in the world: 18 numbers in a row of ``kinematics``.

    The velocity is that of the origin of F as seen from E, which turns: without ω_E × d.
    """
    e, f = pairs.shape_e[pair], pairs.shape_f[pair]
    out = contacts.kinematics[pair]
    R_E = rotation_of(placed.rotation, e)
    d = sub(row(placed.position, f), row(placed.position, e))
    w_E = row(placed.angular_velocity, e)
    v = sub(sub(row(placed.velocity, f), row(placed.velocity, e)), cross(w_E, d))
    store_matrix(out, 0, product(transposed(R_E), rotation_of(placed.rotation, f)))
    store_vector(out, 9, apply_transposed(R_E, d))
    store_vector(out, 12, apply_transposed(R_E, v))
    store_vector(out, 15, apply_transposed(R_E, sub(row(placed.angular_velocity, f), w_E)))


@kernel
def evaluate_pair(contacts: PairContacts, pair: int) -> None:
    """Wrench and summary of one pair; touches nothing of other pairs."""
    pairing = contacts.pairing[pair]
    kinematics, wrench = contacts.kinematics[pair], contacts.wrench[pair]
    contacts.status[pair] = call_method(contacts.method[pair], pairing, data_address(kinematics), data_address(wrench))
    read_report(pairing, contacts, pair)


@kernel
def evaluate_pairs(contacts: PairContacts) -> None:
    """Evaluate all near pairs, one after the other."""
    for i in range(contacts.n_near):
        evaluate_pair(contacts, contacts.near[i])


@kernel
def apply_contacts(
    shapes: Shapes,
    pairs: Pairs,
    bodies: BodyState,
    placed: PlacedShapes,
    contacts: PairContacts,
    forces: AppliedForces,
    ledger: Ledger,
) -> int:
    """Add the wrenches to both bodies, in the order of the pairs.

    Returns -1, or a pair whose evaluation needs attention.
    """
    powers, energies = ledger.powers, ledger.energies
    contacts.seen = 0
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if contacts.status[pair] & NEEDS_ATTENTION:
            return int(pair)
        contacts.seen |= contacts.status[pair]
        powers.contact += _apply_wrench(shapes, pairs, bodies, placed, contacts, forces, pair)
        powers.contact_damping += contacts.damping_power[pair]
        powers.friction += contacts.friction_power[pair]
        powers.layers += contacts.layer_power[pair]
        energies.contact += contacts.energy[pair]
    return -1


@kernel
def _apply_wrench(
    shapes: Shapes,
    pairs: Pairs,
    bodies: BodyState,
    placed: PlacedShapes,
    contacts: PairContacts,
    forces: AppliedForces,
    pair: int,
) -> float:
    """Put a pair's wrench on both bodies; returns its power on them, W."""
    e, f = pairs.shape_e[pair], pairs.shape_f[pair]
    wrench, kinematics = contacts.wrench[pair], contacts.kinematics[pair]
    R_E = rotation_of(placed.rotation, e)
    at = row(placed.position, f)
    force = apply(R_E, load_vector(wrench, 0))
    torque = apply(R_E, load_vector(wrench, 3))
    for body, sign in ((shapes.body[e], 1.0), (shapes.body[f], -1.0)):
        arm = sub(at, row(bodies.position, body))
        applied = forces.applied[body]
        add_vector(applied, 0, scale(sign, add(torque, cross(arm, force))))
        add_vector(applied, 3, scale(sign, force))
    return -dot(load_vector(wrench, 0), load_vector(kinematics, 12)) - dot(
        load_vector(wrench, 3), load_vector(kinematics, 15)
    )
