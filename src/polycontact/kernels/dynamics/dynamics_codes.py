"""Numbers that stand for kinds of joints, motions, constraints and operations of formulas.

They are apart from the views and kernels so that Python may name them without Numba.
"""

from __future__ import annotations

from enum import IntEnum

STACK_HEIGHT = 32
"""Most arguments of a formula that may wait for their operations."""


class JointCode(IntEnum):
    """Kinds of joints, as kernels distinguish them."""

    FREE = 0
    FIXED = 1
    REVOLUTE = 2
    PRISMATIC = 3
    CYLINDRICAL = 4
    UNIVERSAL = 5
    SPHERICAL = 6
    PLANAR = 7


class MotionCode(IntEnum):
    """Kinds of prescribed functions of time."""

    POLYNOMIAL = 0
    HARMONIC = 1
    PIECEWISE = 2
    EXPRESSION = 3


class ConstraintCode(IntEnum):
    """Kinds of scalar constraints: of a closed loop, or a sum of joint coordinates that stays what it is."""

    DISTANCE_ALONG = 0
    PERPENDICULAR = 1
    DISTANCE = 2
    COUPLER = 3


class Operation(IntEnum):
    """What is done with the arguments on top of the stack, or put there."""

    CONSTANT = 0
    TIME = 1
    COORDINATE = 2
    SPEED = 3
    NEGATE = 4
    ADD = 5
    SUBTRACT = 6
    MULTIPLY = 7
    DIVIDE = 8
    POWER = 9
    MIN = 10
    MAX = 11
    SIN = 12
    COS = 13
    TAN = 14
    EXP = 15
    LOG = 16
    SQRT = 17
    ABS = 18
    STEP = 19
    SMOOTHSTEP = 20
