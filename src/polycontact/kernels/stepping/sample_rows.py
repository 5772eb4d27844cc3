"""Samples of a run, one row each, which Python takes over from time to time.

In: a state. Out: what the system is and does there, from an evaluation that disturbs nothing, as a row of each array of
`SampleRows`; vectors in world axes. A sample at which Python must look itself ends the steps with the memory of that
evaluation at hand: a contact with a status to tell of, deeper than a body is thick, or with a load by which its mesh is
to be judged; or no room for what contact laws remember.
"""

from __future__ import annotations

import math

from polycontact.kernels.addresses import doubles_at, longs_at
from polycontact.kernels.contact.contact_header import as_header
from polycontact.kernels.dynamics.energy import measure
from polycontact.kernels.dynamics.evaluation_views import BodyState, JointState, Ledger, PairContacts, PlacedShapes
from polycontact.kernels.dynamics.matrices import Array, load_vector, rotation_of, store_vector
from polycontact.kernels.dynamics.reactions import Reactions, find_reactions, reactions_at
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import add, norm, row
from polycontact.kernels.jit import kernel
from polycontact.kernels.stepping.equations import Answer, Equations, find_rates
from polycontact.kernels.stepping.remembered_rows import RememberedRows, add_remembered
from polycontact.kernels.views import View, count, doubles, ints, longs, nested


class SampleRows(View):
    """Samples that Python has not taken over yet, and when it must look at one."""

    room = count("samples that fit")
    n = count("samples taken")
    n_states = count("states")
    n_discrete = count("discrete states of users' elements")
    place_of_discrete = count("address of those")
    n_bodies = count("bodies, without the world")
    n_coordinates = count("coordinates of all joints")
    n_speeds = count("speeds of all joints")
    n_pairs = count("pairs")
    n_loops = count("loops")
    n_numbers = count("numbers of force elements and couplers")
    has_reactions = count("1 where reactions, accelerations and centres of pressure are taken")
    looks_always = count("1 where Python looks at every sample")
    looks_at_near = count("1 where Python looks at every sample with a near pair")
    time = doubles("room", doc="time", unit="s")
    state = doubles("room", "n_states", doc="state")
    discrete = doubles("room", "n_discrete", doc="discrete states")
    positions = doubles("room", "n_bodies", 3, doc="origins of the bodies", unit="m")
    quaternions = doubles("room", "n_bodies", 4, doc="their orientations (w, x, y, z)")
    velocities = doubles("room", "n_bodies", 3, doc="of the origins", unit="m/s")
    angular_velocities = doubles("room", "n_bodies", 3, doc="of the bodies", unit="rad/s")
    coordinates = doubles("room", "n_coordinates", doc="coordinates of all joints")
    speeds = doubles("room", "n_speeds", doc="speeds of all joints")
    wrenches = doubles("room", "n_pairs", 6, doc="force and torque on E at marker F", unit="N, N m")
    contact = doubles("room", "n_pairs", 6, doc="area, depth, pressure, energy, damping power, friction power")
    stored = doubles("room", 4, doc="kinetic energy, energies of gravity, springs and contacts", unit="J")
    lost = doubles("room", doc="energy that the steps themselves have lost", unit="J")
    evaluations = longs("room", doc="evaluations so far")
    steps = longs("room", doc="steps so far")
    accelerations = doubles("room", "n_bodies", 3, doc="of the origins", unit="m/s²")
    angular_accelerations = doubles("room", "n_bodies", 3, doc="of the bodies", unit="rad/s²")
    joint_accelerations = doubles("room", "n_speeds", doc="rates of the joint speeds")
    reactions = doubles("room", "n_bodies", 6, doc="force and torque of the parent on the child at the joint's point")
    loop_reactions = doubles("room", "n_loops", 6, doc="of a on b of each loop")
    drives = doubles("room", "n_speeds", doc="efforts of prescribed motions and motors")
    element_forces = doubles("room", "n_numbers", doc="of force elements and couplers")
    centres_of_pressure = doubles("room", "n_pairs", 3, doc="nan where nothing presses", unit="m")
    touched = ints("n_pairs", doc="1 for pairs that touched at a sample")
    told_bits = ints("n_pairs", doc="status bits at which Python looks")
    told_depth = doubles("n_pairs", doc="Python looks at deeper contacts", unit="m")
    judged_load = doubles("n_pairs", doc="and at those with a larger force, infinite where it never does", unit="N")
    is_judged = ints("n_pairs", doc="1 where it need not look at smaller ones either")
    remembered = nested(RememberedRows)


@kernel
def _write_quaternion(R: Array, out: Array) -> None:
    """Unit quaternion of a rotation matrix (nine numbers), with w ≥ 0 (Shepperd 1978: the largest component first)."""
    trace = R[0] + R[4] + R[8]
    largest, square = 0, trace
    for i in range(3):
        if R[4 * i] > square:
            largest, square = i + 1, R[4 * i]
    if largest == 0:
        out[0] = 1.0 + trace
        out[1] = R[7] - R[5]
        out[2] = R[2] - R[6]
        out[3] = R[3] - R[1]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        out[0] = R[3 * k + j] - R[3 * j + k]
        out[1 + i] = 1.0 + R[4 * i] - R[4 * j] - R[4 * k]
        out[1 + j] = R[3 * j + i] + R[3 * i + j]
        out[1 + k] = R[3 * k + i] + R[3 * i + k]
    size = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3])
    if out[0] < 0.0:
        size = -size
    for k in range(4):
        out[k] /= size


@kernel
def _write_bodies(samples: SampleRows, i: int, bodies: BodyState, joints: JointState) -> None:
    """Where the bodies are and how they move."""
    for b in range(samples.n_bodies):
        _write_quaternion(bodies.rotation[b + 1], samples.quaternions[i, b])
        for k in range(3):
            samples.positions[i, b, k] = bodies.position[b + 1, k]
            samples.angular_velocities[i, b, k] = bodies.velocity[b + 1, k]
            samples.velocities[i, b, k] = bodies.velocity[b + 1, 3 + k]
    samples.coordinates[i, :] = joints.q
    samples.speeds[i, :] = joints.v


@kernel
def _write_pairs(samples: SampleRows, i: int, contacts: PairContacts, pairs: Pairs, placed: PlacedShapes) -> None:
    """What contacts exert and what they are."""
    for pair in range(samples.n_pairs):
        out = samples.contact[i, pair]
        out[0] = contacts.area[pair]
        out[1] = contacts.depth[pair]
        out[2] = contacts.pressure[pair]
        out[3] = contacts.energy[pair]
        out[4] = contacts.damping_power[pair]
        out[5] = contacts.friction_power[pair]
        wrench = samples.wrenches[i, pair]
        wrench[:] = 0.0
        if contacts.area[pair] > 0.0:
            samples.touched[pair] = 1
    for k in range(contacts.n_near):
        pair = contacts.near[k]
        R_E = rotation_of(placed.rotation, pairs.shape_e[pair])
        store_vector(samples.wrenches[i, pair], 0, apply(R_E, load_vector(contacts.wrench[pair], 0)))
        store_vector(samples.wrenches[i, pair], 3, apply(R_E, load_vector(contacts.wrench[pair], 3)))


@kernel
def _write_centres(samples: SampleRows, i: int, contacts: PairContacts, pairs: Pairs, placed: PlacedShapes) -> None:
    """Where the normal forces of each contact act together: the mean of its elements' places, weighted by them."""
    samples.centres_of_pressure[i, :, :] = math.nan
    for k in range(contacts.n_near):
        pair = contacts.near[k]
        if not contacts.area[pair] > 0.0:
            continue
        elements = as_header(contacts.pairing[pair]).elements
        total, x, y, z = 0.0, 0.0, 0.0, 0.0
        for e in range(elements.n):
            weight = elements.normal_force[e]
            total += weight
            x += weight * elements.position[e, 0]
            y += weight * elements.position[e, 1]
            z += weight * elements.position[e, 2]
        if total > 0.0:
            shape = pairs.shape_e[pair]
            turned = apply(rotation_of(placed.rotation, shape), (x / total, y / total, z / total))
            store_vector(samples.centres_of_pressure[i, pair], 0, add(turned, row(placed.position, shape)))


@kernel
def _write_reactions(samples: SampleRows, i: int, bodies: BodyState, joints: JointState, reactions: Reactions) -> None:
    """Accelerations, and what joints, loops, drives and force elements transmit."""
    for b in range(samples.n_bodies):
        for k in range(3):
            samples.angular_accelerations[i, b, k] = bodies.acceleration[b + 1, k]
            samples.accelerations[i, b, k] = bodies.acceleration[b + 1, 3 + k]
        samples.reactions[i, b] = reactions.joint[b + 1]
    samples.joint_accelerations[i, :] = joints.rates
    samples.loop_reactions[i, :, :] = reactions.loop
    samples.drives[i, :] = reactions.drive
    samples.element_forces[i, :] = reactions.element


@kernel
def _write_energies(samples: SampleRows, i: int, ledger: Ledger) -> None:
    """Kinetic energy and potentials."""
    energies = ledger.energies
    samples.stored[i, 0] = energies.kinetic
    samples.stored[i, 1] = energies.gravity
    samples.stored[i, 2] = energies.springs
    samples.stored[i, 3] = energies.contact


@kernel
def _wants_look(samples: SampleRows, contacts: PairContacts) -> bool:
    """Whether Python must look at the contacts of the last evaluation."""
    wants = samples.looks_always == 1 or (samples.looks_at_near == 1 and contacts.n_near > 0)
    for k in range(contacts.n_near):
        pair = contacts.near[k]
        wants = wants or (contacts.status[pair] & samples.told_bits[pair]) != 0
        wants = wants or contacts.depth[pair] > samples.told_depth[pair]
        if contacts.area[pair] > 0.0 and samples.judged_load[pair] < math.inf:
            load = norm(load_vector(contacts.wrench[pair], 0))
            wants = wants or load > samples.judged_load[pair] or samples.is_judged[pair] == 0
    return wants


@kernel
def add_sample(samples: SampleRows, observer: Equations, reactions: int, rates: Array, t: float, y: Array) -> int:
    """A row for the state y at t (s): an `Answer`, `Answer.NOT_FINITE` where Python must look at the sample.

    ``reactions``: address of memory for them; ``rates``: work space.
    """
    if find_rates(observer, t, y, rates) == Answer.RAISED:
        return Answer.RAISED.value
    place = longs_at(observer.system, 1)
    measure(place)
    s = system_at(observer.system)
    i = samples.n
    samples.time[i] = t
    samples.state[i] = y
    samples.discrete[i, :] = doubles_at(samples.place_of_discrete, samples.n_discrete)
    _write_bodies(samples, i, s.bodies, s.joints)
    _write_pairs(samples, i, s.contacts, s.pairs, s.placed)
    _write_energies(samples, i, s.ledger)
    if samples.has_reactions == 1:
        find_reactions(place, longs_at(reactions, 1), t)
        _write_reactions(samples, i, s.bodies, s.joints, reactions_at(reactions))
        _write_centres(samples, i, s.contacts, s.pairs, s.placed)
    samples.n = i + 1
    is_complete = add_remembered(samples.remembered, i, s.contacts)
    return Answer.WELL.value if is_complete and not _wants_look(samples, s.contacts) else Answer.NOT_FINITE.value
