"""The memory of one evaluation of a system: what a state means, what acts, and what follows.

Vectors are in world axes; a body's spatial quantities are taken at the origin of its frame: velocity (ω, v), force
(τ, f). `SystemView` is the row that crosses from Python: it holds these views and refers to those of the set-up, so
that several evaluations of one system can stand side by side.
"""

from __future__ import annotations

from enum import IntEnum

from polycontact.kernels.dynamics.setup_views import ForceElements, Loops, Motions, Pairs, Shapes, Tree
from polycontact.kernels.views import View, count, doubles, inline, ints, longs, nested, number, reference


class Status(IntEnum):
    """How an entry ended; where not well, ``Ending.about`` tells which pair or body it is about."""

    WELL = 0
    PREPARE_PAIR = 1  # a near pair has no memory yet
    HEED_PAIR = 2  # the evaluation of a pair needs more memory, or could not be done
    SINGULAR = 3  # the joint of a body moves no mass
    NOT_FINITE = 4  # coordinates or speeds of a body are no numbers
    NO_PAIRS = 5  # what the broad phase gave is no list of pairs; about: the number that is none, or how many it gave


class Ending(View):
    """How the last entry ended."""

    status = count("a Status")
    about = count("the pair, body or constraint that it is about")
    evaluations = count("right-hand sides found so far")


class JointState(View):
    """Coordinates, speeds and accelerations of all joints; m and rad, s."""

    n_coordinates = count("coordinates")
    n_speeds = count("speeds")
    q = doubles("n_coordinates", doc="coordinates")
    v = doubles("n_speeds", doc="speeds")
    prescribed = doubles("n_speeds", doc="accelerations of joints whose motion is prescribed")
    rates = doubles("n_speeds", doc="accelerations found")
    before = doubles("n_speeds", doc="speeds at the start of a step, while those of its middle stand in v")
    pushed = doubles("n_speeds", doc="change of the speeds by contacts in the step, as far as it is known")
    refinements = count("how often speeds of the middle of the last step were found; 0 where they matter little")


class BodyState(View):
    """Where the bodies are and how they move."""

    n_bodies = count("bodies, the world included")
    rotation = doubles("n_bodies", 9, doc="rotation in the world")
    position = doubles("n_bodies", 3, doc="position in the world", unit="m")
    velocity = doubles("n_bodies", 6, doc="angular velocity and velocity", unit="rad/s, m/s")
    acceleration = doubles("n_bodies", 6, doc="angular acceleration and acceleration", unit="rad/s², m/s²")
    bias = doubles("n_bodies", 6, doc="acceleration that joint speeds and the parent's rotation cause")
    columns = doubles("n_bodies", 36, doc="motion of the body for each unit speed of its joint: columns of six")


class AppliedForces(View):
    """What force elements and contacts exert."""

    n_bodies = count("bodies, the world included")
    n_speeds = count("speeds of all joints")
    applied = doubles("n_bodies", 6, doc="torque at the origin and force on each body", unit="N m, N")
    efforts = doubles("n_speeds", doc="torque or force along each joint speed", unit="N m or N")
    user_applied = doubles("n_bodies", 6, doc="torque and force from Python", unit="N m, N")
    user_efforts = doubles("n_speeds", doc="torque or force along joint speeds from Python", unit="N m or N")


class Articulated(View):
    """Articulated inertias and bias forces of the bodies; 6×6 matrices row by row."""

    n_bodies = count("bodies, the world included")
    n_speeds = count("speeds of all joints")
    inertia = doubles("n_bodies", 36, doc="articulated inertia")
    force = doubles("n_bodies", 6, doc="articulated bias force")
    projection = doubles("n_bodies", 36, doc="inertia times columns of the joint: columns of six")
    factor = doubles("n_bodies", 36, doc="Cholesky factor of the inertia that the joint feels: rows of six")
    added_inertia = doubles("n_speeds", doc="inertia along each joint speed that steps with implicit efforts add")
    step_inertia = doubles("n_speeds", doc="what was added at the last step, whose factors are at hand")
    moved_inertia = inline(36, doc="an inertia on its way to the parent")
    reduction = inline(36, doc="what a joint takes from an inertia, factored")
    taken = inline(6, doc="joint accelerations that the parent's acceleration causes")


class Powers(View):
    """Powers whose integrals stand in y from ``Tree.ledger`` on, in this order; W."""

    contact = number("of the contacts on the bodies", unit="W")
    contact_damping = number("lost in the damping of contacts", unit="W")
    friction = number("lost in the friction of contacts", unit="W")
    damping = number("lost in other dampers", unit="W")
    input = number("put in by motors, prescribed motions and users' forces", unit="W")
    layers = number("lost in layers that remember, besides damping; only where a law tells it", unit="W")


class Energies(View):
    """Kinetic energy and potentials; J."""

    kinetic = number("kinetic energy", unit="J")
    gravity = number("potential of gravity", unit="J")
    springs = number("in springs and stops", unit="J")
    contact = number("in elastic layers", unit="J")


class Ledger(View):
    """Energies, powers and momentum of the system."""

    energies = nested(Energies)
    powers = nested(Powers)
    momentum = inline(6, doc="momentum and moment of momentum at the world's origin", unit="N s, N m s")


N_POWERS = len(Powers.fields) - 1
"""Integrals of the ledger in y; one more, the last, where a law tells what layers lose."""


class PlacedShapes(View):
    """Poses, velocities and boxes of the contact shapes in the world."""

    n_shapes = count("shapes")
    rotation = doubles("n_shapes", 9, doc="rotation")
    position = doubles("n_shapes", 3, doc="position of its frame", unit="m")
    velocity = doubles("n_shapes", 3, doc="velocity of its frame", unit="m/s")
    angular_velocity = doubles("n_shapes", 3, doc="angular velocity", unit="rad/s")
    low = doubles("n_shapes", 3, doc="lower corner of its box", unit="m")
    high = doubles("n_shapes", 3, doc="upper corner of its box", unit="m")
    speed_bound = doubles("n_shapes", doc="bound of the speed of its points", unit="m/s")
    acceleration_bound = doubles("n_shapes", doc="acceleration of its body's origin, without direction", unit="m/s²")


class NearSearch(View):
    """The search for pairs whose boxes overlap: what a broad phase gets, and what it keeps from call to call."""

    place = count("address of this view, which the broad phase gets")
    entry = count("address of the broad phase")
    pairs = reference(Pairs)
    placed = reference(PlacedShapes)
    n_pairs = count("pairs")
    room = count("numbers that the broad phase keeps")
    near = ints("n_pairs", doc="pairs whose boxes overlap, in any order: the numbers of `PairContacts.near`")
    memory = longs("room", doc="what the broad phase keeps, zeros before the first call")
    found = longs("n_pairs", 2, doc="pairs found, as rows to be sorted by the first column")
    merged = longs("n_pairs", 2, doc="the same rows while they are sorted")


class PairContacts(View):
    """What the near pairs found; zero for the others."""

    n_pairs = count("pairs")
    n_near = count("pairs whose boxes overlap")
    seen = count("status bits of all near pairs together")
    place = count("address of this view, for the loop over threads")
    step_start = number("time of the last accepted step, for laws that remember; not a number before the first", "s")
    near = ints("n_pairs", doc="pairs whose boxes overlap, ascending")
    method = longs("n_pairs", doc="address of the method that evaluates the pairing")
    pairing = longs("n_pairs", doc="address of the memory of the pairing, 0 where there is none yet")
    kinematics = doubles("n_pairs", 18, doc="rotation, position, velocity, angular velocity of F in E")
    wrench = doubles("n_pairs", 6, doc="force and torque on E at marker F, axes of E", unit="N, N m")
    status = ints("n_pairs", doc="status bits of the pairing")
    area = doubles("n_pairs", doc="contact area", unit="m²")
    depth = doubles("n_pairs", doc="greatest depth", unit="m")
    pressure = doubles("n_pairs", doc="greatest pressure", unit="Pa")
    energy = doubles("n_pairs", doc="elastic energy", unit="J")
    damping_power = doubles("n_pairs", doc="power lost in damping", unit="W")
    friction_power = doubles("n_pairs", doc="power lost in friction", unit="W")
    layer_power = doubles("n_pairs", doc="power lost in layers that remember, besides damping", unit="W")


class LoopForces(View):
    """Constraint forces of closed loops and couplers, and work space to find them."""

    n = count("constraints")
    n_bodies = count("bodies, the world included")
    n_speeds = count("speeds of all joints")
    directions = doubles("n", 12, doc="wrench that a unit multiplier exerts on body a and on body b; none of couplers")
    violation = doubles("n", doc="violation", unit="m, or the cosine of an angle; of a coupler m or rad")
    drift = doubles("n", doc="its rate")
    curvature = doubles("n", doc="its second derivative at zero acceleration")
    responses = doubles("n", "n_speeds", doc="joint accelerations for a unit multiplier")
    delassus = doubles("n", "n", doc="Delassus matrix, factored")
    independent = ints("n", doc="1 where a constraint does not depend on earlier ones")
    doubt = doubles("n", doc="sin² of an angle that is not known any more, see `loop_closure`; 0: all are known")
    relief = doubles("n", doc="by how much a diagonal is taken larger, at a dead centre more than 1")
    dead = ints("n", doc="1 of a rod that was at a dead centre in any evaluation since this was set to 0")
    levers = doubles("n_speeds", 3, doc="what unit forces along and across a rod do along each joint speed")
    wrench = inline(6, doc="such a force on its way along the tree")
    right_side = doubles("n", doc="what the multipliers are to bring about")
    multipliers = doubles("n", doc="multipliers")
    of_step = doubles("n", doc="those of the step at hand, while answers to impulses are found")
    change = doubles("n_speeds", doc="change of joint speeds of a projection")
    unit_applied = doubles("n_bodies", 6, doc="zeros but for the unit multiplier under way")
    unit_efforts = doubles("n_speeds", doc="zeros but for the unit multiplier of a coupler under way")


class SystemView(View):
    """One evaluation of a system: references to its set-up, and the memory of its own."""

    ending = nested(Ending)
    tree = reference(Tree)
    motions = reference(Motions)
    elements = reference(ForceElements)
    shapes = reference(Shapes)
    pairs = reference(Pairs)
    loops = reference(Loops)
    joints = nested(JointState)
    bodies = nested(BodyState)
    forces = nested(AppliedForces)
    articulated = nested(Articulated)
    ledger = nested(Ledger)
    placed = nested(PlacedShapes)
    search = nested(NearSearch)
    contacts = nested(PairContacts)
    loop_forces = nested(LoopForces)
