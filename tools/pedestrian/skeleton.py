"""The 14 joints of the man, with their end stops.

Angles are those of the child against the parent, zero in the standing man, in degrees, right-handed about axes
of the parent's frame (x forward, y left, z up). So a positive turn about y tilts what stands up (torso, head)
forwards, and swings what hangs down (arm, leg) backwards: flexion of hip, shoulder and elbow is negative, of the
knee positive; toes go down with a positive turn of the ankle. A positive turn about x swings a hanging limb to
the left, and tilts the torso to the right.

Ranges are rounded from the ranges of motion that the American Academy of Orthopaedic Surgeons (AAOS) gives for
healthy adults. Stiffness and damping of the stops are proposals: a limb that comes in at the speed of a crash,
10 to 40 rad/s, is stopped within some tens of degrees.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Final

from tools.pedestrian.landmarks import ORIGINS

Vector = tuple[float, float, float]


class JointKind(enum.Enum):
    """What a joint leaves free."""

    REVOLUTE = "revolute"
    """One turn, about y."""
    UNIVERSAL = "universal"
    """A turn about y, then one about the turned x: R = R_y R_x."""
    SPHERICAL = "spherical"
    """All turns."""


@dataclass(frozen=True)
class AngleRange:
    """End stops of a turn about one axis ("x" or "y"): ``lower`` and ``upper`` angle, degrees."""

    axis: str
    lower: float
    upper: float


@dataclass(frozen=True)
class SwingRange:
    """End stops of a spherical joint: a cone for the limb, and a range for its turn about itself.

    ``direction``: axis of the cone, a unit vector in the parent's frame; ``swing``: the largest angle between
    it and the child's long axis (-z of the child), degrees; ``twist``: the largest turn of the child about its
    long axis to either side, degrees; zero where the hanging limb is brought to the cone's axis by the shortest
    turn, and where it swings from there without turning about itself.
    """

    direction: Vector
    swing: float
    twist: float


@dataclass(frozen=True)
class Stop:
    """Linear bumper beyond the end stops: ``stiffness`` N m/rad, ``damping`` N m s/rad."""

    stiffness: float
    damping: float


@dataclass(frozen=True)
class ManJoint:
    """A joint between two segments.

    ``position``: of the joint in the parent's frame, m; in the child's it is the origin. ``ranges``: one for
    each turn of a revolute or universal joint, in their order; ``swing``: of a spherical joint, else None.
    """

    name: str
    parent: str
    child: str
    kind: JointKind
    position: Vector
    ranges: tuple[AngleRange, ...]
    swing: SwingRange | None
    stop: Stop


LUMBAR: Final = (AngleRange("y", -25.0, 80.0), AngleRange("x", -35.0, 35.0))
"""AAOS: extension 25, flexion 80, lateral bending 35 degrees."""

_HINGES: Final = {
    "neck": AngleRange("y", -45.0, 45.0),  # extension, flexion
    "elbow": AngleRange("y", -150.0, 0.0),  # flexion, none beyond straight
    "wrist": AngleRange("y", -20.0, 30.0),  # palms face the body: towards the thumb, towards the little finger
    "knee": AngleRange("y", 0.0, 135.0),  # none beyond straight, flexion
    "ankle": AngleRange("y", -20.0, 50.0),  # toes up, toes down
}

_STOPS: Final = {
    "lumbar": Stop(2000.0, 40.0),
    "neck": Stop(300.0, 4.0),
    "shoulder": Stop(500.0, 6.0),
    "elbow": Stop(300.0, 3.0),
    "wrist": Stop(50.0, 0.3),
    "hip": Stop(1500.0, 20.0),
    "knee": Stop(1000.0, 10.0),
    "ankle": Stop(200.0, 1.5),
}


def _cone(flexion: float, abduction: float, swing: float, twist: float, sign: float) -> SwingRange:
    """A cone about -z, swung forwards by ``flexion`` and then outwards by ``abduction``, degrees."""
    f, a = math.radians(flexion), math.radians(abduction)
    direction = (math.sin(f) * math.cos(a), sign * math.sin(a), -math.cos(f) * math.cos(a))
    return SwingRange(direction, swing, twist)


def _hip(sign: float) -> SwingRange:
    """AAOS: flexion 120, extension 30, abduction 45, adduction 30, rotation 45 degrees to either side."""
    return _cone(flexion=45.0, abduction=8.0, swing=72.0, twist=45.0, sign=sign)


def _shoulder(sign: float) -> SwingRange:
    """AAOS: flexion 180, extension 60, abduction 180, rotation 70 inwards and 90 outwards, degrees."""
    return _cone(flexion=60.0, abduction=45.0, swing=110.0, twist=80.0, sign=sign)


def _position(parent: str, child: str) -> Vector:
    (x, y, z), (u, v, w) = ORIGINS[parent], ORIGINS[child]
    return u - x, v - y, w - z


def _joint(name: str, parent: str, child: str, kind: JointKind, swing: SwingRange | None = None) -> ManJoint:
    plain = name.rpartition(" ")[2]
    ranges: tuple[AngleRange, ...] = ()
    if kind is JointKind.UNIVERSAL:
        ranges = LUMBAR
    elif kind is JointKind.REVOLUTE:
        ranges = (_HINGES[plain],)
    return ManJoint(name, parent, child, kind, _position(parent, child), ranges, swing, _STOPS[plain])


def _side(side: str, sign: float) -> tuple[ManJoint, ...]:
    hinge, ball = JointKind.REVOLUTE, JointKind.SPHERICAL
    return (
        _joint(f"{side} shoulder", "torso", f"{side} upper arm", ball, _shoulder(sign)),
        _joint(f"{side} elbow", f"{side} upper arm", f"{side} forearm", hinge),
        _joint(f"{side} wrist", f"{side} forearm", f"{side} hand", hinge),
        _joint(f"{side} hip", "pelvis", f"{side} thigh", ball, _hip(sign)),
        _joint(f"{side} knee", f"{side} thigh", f"{side} shank", hinge),
        _joint(f"{side} ankle", f"{side} shank", f"{side} foot", hinge),
    )


JOINTS: Final = (
    _joint("lumbar", "pelvis", "torso", JointKind.UNIVERSAL),
    _joint("neck", "torso", "head", JointKind.REVOLUTE),
    *_side("left", 1.0),
    *_side("right", -1.0),
)
"""The joints of the man; a parent comes before its children."""


MAN_PAIRINGS: Final = (
    ("left thigh", "right thigh"),
    ("left shank", "right shank"),
    ("left shank", "right foot"),
    ("right shank", "left foot"),
    ("left forearm", "torso"),
    ("right forearm", "torso"),
    ("left forearm", "pelvis"),
    ("right forearm", "pelvis"),
    ("left hand", "left thigh"),
    ("right hand", "right thigh"),
    ("left upper arm", "head"),
    ("right upper arm", "head"),
)
"""Pairs of segments that may touch in the crash; none are neighbours."""
