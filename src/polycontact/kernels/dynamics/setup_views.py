"""What never changes while a system is evaluated: the tree, motions, force elements, shapes, pairs and loops.

Python fills these views once (`polycontact.multibody.system_setup`); kernels only read them, so any number of
evaluations may share them. Points and directions are given in the frame of the body they lie on.
"""

from __future__ import annotations

from polycontact.kernels.views import View, count, doubles, inline, ints, longs, nested, number


class Tree(View):
    """Bodies, each with the joint that carries it. Body 0 is the world; a body comes after its parent."""

    n_bodies = count("bodies, the world included")
    n_coordinates = count("coordinates of all joints, prescribed ones included")
    n_speeds = count("speeds of all joints")
    n_states = count("length of the state y")
    ledger = count("where the ledger's integrals begin in y")
    gravity = inline(3, doc="gravity, world axes", unit="m/s²")
    parent = ints("n_bodies", doc="body that carries this one")
    kind = ints("n_bodies", doc="JointCode of its joint")
    first_q = ints("n_bodies", doc="first coordinate of its joint")
    first_v = ints("n_bodies", doc="first speed of its joint")
    count_q = ints("n_bodies", doc="coordinates of its joint")
    count_v = ints("n_bodies", doc="speeds of its joint")
    motion = ints("n_bodies", doc="first of the joint's motions, -1 where it moves freely")
    state_q = ints("n_bodies", doc="where its coordinates stand in y, if it moves freely")
    state_v = ints("n_bodies", doc="where its speeds stand in y, if it moves freely")
    parent_rotation = doubles("n_bodies", 9, doc="rotation of the joint's marker on the parent")
    parent_point = doubles("n_bodies", 3, doc="position of that marker", unit="m")
    own_rotation = doubles("n_bodies", 9, doc="rotation of the joint's marker on the body")
    own_point = doubles("n_bodies", 3, doc="position of that marker", unit="m")
    mass = doubles("n_bodies", doc="mass", unit="kg")
    first_moment = doubles("n_bodies", 3, doc="mass times centre of mass", unit="kg m")
    inertia = doubles("n_bodies", 6, doc="inertia at the body's origin: xx, yy, zz, xy, xz, yz", unit="kg m²")
    rotor_inertia = doubles("n_speeds", doc="inertia of a rotor that turns with a speed", unit="kg m² or kg")


class Motions(View):
    """Prescribed functions of time, of joints and of motors."""

    n_motions = count("motions")
    n_data = count("numbers of all of them")
    kind = ints("n_motions", doc="MotionCode")
    first_number = ints("n_motions", doc="first of its numbers")
    n_breaks = ints("n_motions", doc="breaks of a piecewise motion, operations of an expression")
    data = doubles("n_data", doc="numbers of each kind, see motion_values")


class Springs(View):
    """Springs with dampers between a point of body a and one of body b."""

    n = count("springs")
    body_a = ints("n", doc="body")
    body_b = ints("n", doc="body")
    point_a = doubles("n", 3, doc="point on body a", unit="m")
    point_b = doubles("n", 3, doc="point on body b", unit="m")
    stiffness = doubles("n", doc="stiffness", unit="N/m")
    damping = doubles("n", doc="damping", unit="N s/m")
    length = doubles("n", doc="free length", unit="m")


class JointForces(View):
    """Springs, dampers and end stops along single coordinates of joints; N and m, or N m and rad."""

    n = count("elements")
    coordinate = ints("n", doc="coordinate")
    speed = ints("n", doc="speed")
    stiffness = doubles("n", doc="stiffness of the spring")
    damping = doubles("n", doc="damping of the spring")
    reference = doubles("n", doc="coordinate at which the spring is free")
    lower = doubles("n", doc="lower stop, -∞ where there is none")
    upper = doubles("n", doc="upper stop, ∞ where there is none")
    stop_stiffness = doubles("n", doc="stiffness of the stops")
    stop_damping = doubles("n", doc="damping of the stops")


class BallStops(View):
    """End stops of the swing and the twist of spherical joints."""

    n = count("stops")
    quaternion = ints("n", doc="first coordinate of the joint's quaternion")
    speed = ints("n", doc="first speed of the joint")
    cone = doubles("n", 3, doc="axis of the cone in the joint's frame on the parent")
    swing = doubles("n", doc="limit of the swing", unit="rad")
    twist = doubles("n", doc="limit of the twist", unit="rad")
    stiffness = doubles("n", doc="stiffness", unit="N m/rad")
    damping = doubles("n", doc="damping", unit="N m s/rad")
    reference = doubles("n", 4, doc="quaternion that puts the body's axis on the cone's")


class Motors(View):
    """Motors that follow a motion by PD control; N and m, or N m and rad."""

    n = count("motors")
    coordinate = ints("n", doc="coordinate")
    speed = ints("n", doc="speed")
    motion = ints("n", doc="motion that it follows")
    stiffness = doubles("n", doc="proportional gain")
    damping = doubles("n", doc="derivative gain")
    limit = doubles("n", doc="greatest effort, ∞ where there is none")


class Loads(View):
    """Forces and torques on bodies, functions of time."""

    n = count("loads")
    body = ints("n", doc="body")
    turns = ints("n", doc="1 where its axes turn with the body, 0 where they are those of the world")
    motion = ints("n", doc="first of six motions: force (N) along three axes, torque (N m) about them")
    point = doubles("n", 3, doc="where the force acts on the body", unit="m")
    axes = doubles("n", 9, doc="rotation of its axes in the body's frame, where they turn with it")


class JointEfforts(View):
    """Torques or forces along single coordinates of joints, functions of time; N and m, or N m and rad."""

    n = count("efforts")
    coordinate = ints("n", doc="coordinate")
    speed = ints("n", doc="speed")
    motion = ints("n", doc="motion that is its value")


class JointFrictions(View):
    """Dry and viscous friction along single speeds of joints, or against the rotation of a ball joint; N m or N."""

    n = count("elements")
    coordinate = ints("n", doc="coordinate at which a formula may look")
    speed = ints("n", doc="first speed")
    n_speeds = ints("n", doc="speeds that it acts against together: 1, or 3 of a ball joint")
    motion = ints("n", doc="motion that is the dry friction")
    viscous = doubles("n", doc="viscous friction per speed")
    velocity = doubles("n", doc="speed below which dry friction fades out", unit="rad/s or m/s")


class Bushings(View):
    """Elastic and damping elements between a frame on body a and one on body b; 6×6 matrices row by row, m and rad."""

    n = count("bushings")
    body_a = ints("n", doc="body")
    body_b = ints("n", doc="body")
    point_a = doubles("n", 3, doc="origin of the frame on body a", unit="m")
    point_b = doubles("n", 3, doc="origin of the frame on body b", unit="m")
    frame_a = doubles("n", 9, doc="rotation of the frame on body a")
    frame_b = doubles("n", 9, doc="rotation of the frame on body b")
    stiffness = doubles("n", 36, doc="stiffness")
    damping = doubles("n", 36, doc="damping")
    preload = doubles("n", 6, doc="force and torque at zero displacement", unit="N, N m")


class ForceElements(View):
    """The built-in force elements."""

    springs = nested(Springs)
    joint_forces = nested(JointForces)
    ball_stops = nested(BallStops)
    motors = nested(Motors)
    loads = nested(Loads)
    joint_efforts = nested(JointEfforts)
    frictions = nested(JointFrictions)
    bushings = nested(Bushings)


class Shapes(View):
    """Surfaces on bodies that take part in contacts."""

    n_shapes = count("shapes")
    body = ints("n_shapes", doc="body that carries it")
    rotation = doubles("n_shapes", 9, doc="rotation of its frame in the body's")
    position = doubles("n_shapes", 3, doc="position of its frame in the body's", unit="m")
    box_centre = doubles("n_shapes", 3, doc="centre of its box, own frame", unit="m")
    box_half = doubles("n_shapes", 3, doc="half-extents of its box, own frame", unit="m")
    thickness = doubles("n_shapes", doc="how far another surface may move through it unnoticed", unit="m")


class Pairs(View):
    """Pairs of shapes that may touch, by ascending key."""

    n_pairs = count("pairs")
    n_shapes = count("shapes")
    shape_e = ints("n_pairs", doc="shape E")
    shape_f = ints("n_pairs", doc="shape F")
    n_states = count("states of all contacts together, which stand in y one pair after the other")
    n_remembering = count("pairs whose laws remember elements")
    first_state = ints("n_pairs", doc="where the states of its contact begin in y")
    state_count = ints("n_pairs", doc="states of its contact")
    key = longs("n_pairs", doc="smaller shape · n_shapes + larger shape")


class Loops(View):
    """Scalar constraints: of the closed loops, each between body a and body b, then of couplers of coordinates."""

    n = count("constraints")
    n_terms = count("terms of all couplers")
    stabilisation = number("how fast drift decays", unit="1/s")
    kind = ints("n", doc="ConstraintCode")
    body_a = ints("n", doc="body")
    body_b = ints("n", doc="body")
    point_a = doubles("n", 3, doc="point on body a", unit="m")
    direction_a = doubles("n", 3, doc="direction on body a")
    point_b = doubles("n", 3, doc="point on body b", unit="m")
    direction_b = doubles("n", 3, doc="direction on body b")
    length = doubles("n", doc="length of a distance (m); what the terms of a coupler sum up to")
    first_term = ints("n", doc="first term of a coupler")
    term_count = ints("n", doc="terms of a coupler, 0 of a loop")
    coordinate = ints("n_terms", doc="coordinate of a joint")
    speed = ints("n_terms", doc="its speed")
    factor = doubles("n_terms", doc="factor of both in the sum")
