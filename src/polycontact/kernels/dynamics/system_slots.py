"""The memory of a multibody system, as compiled code sees it: one row of slots (see kernels.memory).

Body 0 is the world. A body comes after its parent, and the joint to the parent is part of the body's own entry.
"""

from __future__ import annotations

from polycontact.kernels.memory import _numbers

FIELDS = (
    "N_BODIES",  # count, the world included
    "N_COORDINATES",  # q of all joints, prescribed ones included
    "N_SPEEDS",  # v of all joints
    "N_STATES",  # length of y
    "N_SHAPES",
    "N_PAIRS",
    "N_SPRINGS",
    "N_JOINT_FORCES",
    "N_BALL_STOPS",
    "N_MOTORS",
    "N_MOTIONS",
    "N_MOTION_DATA",
    "N_CONSTRAINTS",
    "LEDGER",  # where the ledger's integrals begin in y
    "BODY",  # (nb, BODY_COLUMNS) i4
    "BODY_DATA",  # (nb, DATA_COLUMNS) f8
    "CONSTANTS",  # (8,) f8: gravity (3), stabilisation rate of loops
    "Q",  # (nq,) f8
    "V",  # (nv,) f8
    "RATES",  # (nv,) f8: accelerations of the joints
    "POSES",  # (nb, 12) f8: rotation and position in the world
    "VELOCITIES",  # (nb, 6) f8
    "ACCELERATIONS",  # (nb, 6) f8
    "BIAS",  # (nb, 6) f8: acceleration of the body that its joint speeds and the parent's rotation cause
    "SUBSPACE",  # (nb, 36) f8: one column of six a joint speed
    "APPLIED",  # (nb, 6) f8: torque at the origin and force, of every force element
    "EFFORTS",  # (nv,) f8: force or torque of the force elements along each joint speed
    "USER_APPLIED",  # (nb, 6) f8: the same from Python
    "USER_EFFORTS",  # (nv,) f8
    "INERTIAS",  # (nb, 36) f8: articulated inertia
    "FORCES",  # (nb, 6) f8: articulated bias force
    "PROJECTIONS",  # (nb, 36) f8: inertia times subspace
    "FACTORS",  # (nb, 36) f8: Cholesky factor of the inertia seen by the joint
    "SCRATCH",  # (2, 36) f8
    "POWERS",  # (N_POWERS,) f8: see below
    "ENERGIES",  # (N_ENERGIES,) f8
    "SPRINGS",  # (n, 2) i4: bodies
    "SPRING_DATA",  # (n, 9) f8: points in the bodies (6), stiffness, damping, length
    "JOINT_FORCES",  # (n, 2) i4: coordinate, speed
    "JOINT_FORCE_DATA",  # (n, 7) f8: stiffness, damping, reference, lower, upper, stop stiffness, stop damping
    "BALL_STOPS",  # (n, 2) i4: first coordinate (of the quaternion), first speed
    "BALL_STOP_DATA",  # (n, 11) f8: axis of the cone (3), swing, twist, stiffness, damping, reference quaternion
    "MOTORS",  # (n, 3) i4: coordinate, speed, motion
    "MOTOR_DATA",  # (n, 3) f8: stiffness, damping, limit
    "MOTIONS",  # (n, 3) i4: kind, first datum, number of breaks
    "MOTION_DATA",  # (n,) f8
    "MOTION_RATES",  # (nv,) f8: prescribed accelerations
    "SHAPES",  # (ns,) i4: body
    "SHAPE_DATA",  # (ns, 18) f8: rotation, position in the body; centre and half-extents of the box, own frame
    "SHAPE_THICKNESS",  # (ns,) f8: how far another surface may move through this one unnoticed, m
    "SHAPE_SPEEDS",  # (ns, 2) f8: bounds of the speed of its points and of the acceleration of its body's origin
    "SHAPE_POSES",  # (ns, 18) f8: rotation, position, velocity, angular velocity in the world
    "SHAPE_BOXES",  # (ns, 6) f8: lower and upper corner, world
    "SWEEP",  # (ns,) i4: shapes by lower x
    "PAIRS",  # (np, 2) i4: shape E, shape F
    "PAIR_KEYS",  # (np,) i8: smaller shape · ns + larger shape, ascending
    "PAIR_ROWS",  # (np,) i8: addresses of the rows of the pairings, 0 where not prepared
    "PAIR_KINEMATICS",  # (np, 18) f8: rotation, position, velocity, angular velocity of F in E
    "PAIR_WRENCHES",  # (np, 6) f8: on E at marker F, axes of E
    "PAIR_SUMMARY",  # (np, N_SUMMARY) f8
    "PAIR_STATUS",  # (np,) i4
    "NEAR",  # (np,) i4: pairs whose boxes overlap
    "N_NEAR",
    "EVALUATE",  # address of the compiled evaluation of a pairing
    "ASKED",  # the pair, body or constraint that a status is about
    "CONSTRAINTS",  # (m, 3) i4: kind, body a, body b
    "CONSTRAINT_DATA",  # (m, 13) f8: point a, direction a, point b, direction b, length
    "DIRECTIONS",  # (m, 12) f8: wrench that a unit multiplier exerts on body a and on body b
    "VIOLATION",  # (m,) f8
    "DRIFT",  # (m,) f8: its rate
    "CURVATURE",  # (m,) f8: its second derivative at zero acceleration
    "RESPONSES",  # (m, nv) f8: joint accelerations for a unit multiplier
    "DELASSUS",  # (m, m) f8
    "MULTIPLIERS",  # (m,) f8
    "PIVOTS",  # (m,) i4
    "RIGHT_SIDE",  # (m,) f8
    "EMPTY_APPLIED",  # (nb, 6) f8: zeros but for the unit multiplier under way
    "EMPTY_EFFORTS",  # (nv,) f8: zeros
)
N_SLOTS = len(FIELDS)
(
    N_BODIES,
    N_COORDINATES,
    N_SPEEDS,
    N_STATES,
    N_SHAPES,
    N_PAIRS,
    N_SPRINGS,
    N_JOINT_FORCES,
    N_BALL_STOPS,
    N_MOTORS,
    N_MOTIONS,
    N_MOTION_DATA,
    N_CONSTRAINTS,
    LEDGER,
    BODY,
    BODY_DATA,
    CONSTANTS,
    Q,
    V,
    RATES,
    POSES,
    VELOCITIES,
    ACCELERATIONS,
    BIAS,
    SUBSPACE,
    APPLIED,
    EFFORTS,
    USER_APPLIED,
    USER_EFFORTS,
    INERTIAS,
    FORCES,
    PROJECTIONS,
    FACTORS,
    SCRATCH,
    POWERS,
    ENERGIES,
    SPRINGS,
    SPRING_DATA,
    JOINT_FORCES,
    JOINT_FORCE_DATA,
    BALL_STOPS,
    BALL_STOP_DATA,
    MOTORS,
    MOTOR_DATA,
    MOTIONS,
    MOTION_DATA,
    MOTION_RATES,
    SHAPES,
    SHAPE_DATA,
    SHAPE_THICKNESS,
    SHAPE_SPEEDS,
    SHAPE_POSES,
    SHAPE_BOXES,
    SWEEP,
    PAIRS,
    PAIR_KEYS,
    PAIR_ROWS,
    PAIR_KINEMATICS,
    PAIR_WRENCHES,
    PAIR_SUMMARY,
    PAIR_STATUS,
    NEAR,
    N_NEAR,
    EVALUATE,
    ASKED,
    CONSTRAINTS,
    CONSTRAINT_DATA,
    DIRECTIONS,
    VIOLATION,
    DRIFT,
    CURVATURE,
    RESPONSES,
    DELASSUS,
    MULTIPLIERS,
    PIVOTS,
    RIGHT_SIDE,
    EMPTY_APPLIED,
    EMPTY_EFFORTS,
) = _numbers(0, N_SLOTS)

# Columns of BODY.
PARENT, KIND, FIRST_Q, FIRST_V, COUNT_Q, COUNT_V, MOTION, STATE_Q, STATE_V = _numbers(0, 9)
BODY_COLUMNS = 9
"""Motion: the first of the joint's motions, -1 where it moves freely; states: where q and v stand in y, if it does."""

# Columns of BODY_DATA: marker on the parent, marker on the body, mass, mass times centre, inertia at the origin.
PARENT_ROTATION, PARENT_POINT, OWN_ROTATION, OWN_POINT, MASS, FIRST_MOMENT, INERTIA = 0, 9, 12, 21, 24, 25, 28
DATA_COLUMNS = 34

# Kinds of joints.
FREE, FIXED, REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR = range(8)

# Kinds of motions.
POLYNOMIAL, HARMONIC, PIECEWISE = range(3)

# Kinds of constraints.
DISTANCE_ALONG, PERPENDICULAR, DISTANCE = range(3)

# Powers whose integrals stand in y from LEDGER on.
P_CONTACT, P_CONTACT_DAMPING, P_FRICTION, P_DAMPING, P_INPUT = range(5)
N_POWERS = 5

# Energies.
E_KINETIC, E_GRAVITY, E_SPRINGS, E_CONTACT = range(4)
N_ENERGIES = 4

# Status of a right-hand side: 0, or one of these with ASKED.
WELL, PREPARE_PAIR, HEED_PAIR, SINGULAR, NOT_FINITE = range(5)
