"""A six-legged robot after SLAIR2 (S2.24): an articulated trunk of three segments, six legs of three joints.

The source gives a picture and the structure, no data. All lengths, masses and gains here are assumed: a robot of about
16 kg and 0.75 m, with drives of small robots. Frames of all links are parallel to the world's when every joint is at
zero, legs stretched out sideways: x forward, y to the left, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb, RestitutionLaw, StickFriction
from polycontact.contact.laws.contact_law import ContactLaw
from polycontact.errors import MultibodyError
from polycontact.multibody.motion_functions import Motion, SplineMotion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.gait import Foot, GaitPlan, TripodGait, plan_tripod_gait
from polycontact.robots.robot_model import Drive, DrivenJoint, Link, LinkShape, Robot, RobotContact, Vector

SEGMENTS: Final = ("front", "middle", "rear")
SIDES: Final = {"left": 1.0, "right": -1.0}
TRUNK: Final = "middle trunk"
"""The segment that no joint carries."""

SPACING: Final = 0.26
"""Of the segments of the trunk, m."""
TRUNK_SIZE: Final = (0.2, 0.16, 0.07)
TRUNK_MASS: Final = 3.0
"""Of each segment, with drives, computers and a share of the batteries, kg."""
HIP: Final = 0.08
"""Of the coxa joints from the middle, m."""
COXA: Final = 0.05
FEMUR: Final = 0.15
TIBIA: Final = 0.2
"""Lengths between joints, and from the last joint to the middle of the foot, m."""
COXA_MASS: Final = 0.4
FEMUR_MASS: Final = 0.45
TIBIA_MASS: Final = 0.3
FOOT_RADIUS: Final = 0.025
STANCE: Final = 0.2
"""Of the feet from the coxa joints when standing, m."""

WALK: Final = TripodGait(step_length=0.08, step_height=0.04, period=1.0, body_height=0.16)
"""The gait of the built-in scenarios."""

_TRUNK_DRIVE: Final = Drive(1500.0, 50.0, 120.0, math.radians(-35.0), math.radians(35.0))
_DRIVES: Final = {
    "coxa": Drive(250.0, 6.0, 40.0, math.radians(-60.0), math.radians(60.0)),
    "femur": Drive(400.0, 8.0, 40.0, math.radians(-60.0), math.radians(90.0)),
    "tibia": Drive(250.0, 3.0, 40.0, math.radians(-150.0), math.radians(0.0)),
}
_ACROSS: Final = ((1.0, 0.0, 0.0), 90.0)
"""Turns a capsule from z to y."""


@dataclass(frozen=True, eq=False)
class WalkingRobot:
    """A robot with its plan: ``system()`` makes it ready to walk."""

    robot: Robot
    plan: GaitPlan
    gait: TripodGait

    @property
    def coordinates(self) -> dict[str, NDArray[np.float64]]:
        """Coordinates of the leg joints when the robot stands, rad."""
        return self.plan.start

    @property
    def targets(self) -> dict[str, tuple[Motion, ...]]:
        """What the motors of each joint follow: legs the plan, the trunk stays straight."""
        straight = SplineMotion([0.0, 1.0], [0.0, 0.0])
        return {
            joint.name: (self.plan.motions[joint.name],) if joint.name in self.plan.motions else (straight, straight)
            for joint in self.robot.joints
        }

    @property
    def places(self) -> dict[str, Vector]:
        """Position of the trunk at the start, by its name, m."""
        return {TRUNK: (0.0, 0.0, self.gait.body_height)}

    def system(self) -> MultibodySystem:
        """The robot on its ground, standing at the start."""
        return self.robot.system(self.coordinates, self.targets, self.places)


def hexapod(gait: TripodGait = WALK, *, feet: str = "points") -> WalkingRobot:
    """A six-legged robot that stands and then walks.

    ``feet``: "points" (spheres on a half-space, each touching in a point) or "polygonal" (meshes on wavy ground).
    """
    robot = hexapod_robot(feet=feet)
    kinematics = robot.system(places={TRUNK: (0.0, 0.0, gait.body_height)})
    return WalkingRobot(robot, plan_tripod_gait(kinematics, TRUNK, tripods(), gait), gait)


def hexapod_robot(*, feet: str = "points") -> Robot:
    """The description of the robot and its ground."""
    if feet not in _FEET:
        raise MultibodyError(f"hexapod: feet is {feet!r}; give {' or '.join(map(repr, _FEET))}")
    foot, ground = _FEET[feet]
    links: list[Link] = [ground]
    joints: list[DrivenJoint] = []
    for number, segment in enumerate(SEGMENTS):
        links.append(Link(f"{segment} trunk", (LinkShape("box", {"size": TRUNK_SIZE}),), TRUNK_MASS, "#4c72b0"))
        if number != 1:
            ahead = 1.0 if segment == "front" else -1.0
            joints.append(_trunk_joint(segment, ahead))
        for side in SIDES:
            links += _leg_links(segment, side, foot)
            joints += _leg_joints(segment, side)
    law, friction = _LAWS[feet]
    contacts = tuple(RobotContact(f"{leg} tibia", "ground", f"{leg} foot") for leg in LEGS)
    name = "hexapod" if feet == "points" else "hexapod_polygonal"
    return Robot(name, tuple(links), tuple(joints), contacts, law, friction)


def tripods() -> tuple[tuple[Foot, ...], tuple[Foot, ...]]:
    """Feet that swing together: left ones at both ends with the right one in the middle, and the others."""
    feet = {leg: _foot(leg) for leg in LEGS}
    first = ("front left", "middle right", "rear left")
    return tuple(feet[leg] for leg in first), tuple(feet[leg] for leg in LEGS if leg not in first)


LEGS: Final = tuple(f"{segment} {side}" for segment in SEGMENTS for side in SIDES)


def _foot(leg: str) -> Foot:
    segment, side = leg.split()
    ahead = SPACING * (1 - SEGMENTS.index(segment))
    sign = SIDES[side]
    return Foot(
        leg,
        f"{leg} tibia",
        tuple(f"{leg} {part}" for part in ("coxa joint", "femur joint", "tibia joint")),
        (0.0, sign * TIBIA, 0.0),
        (ahead, sign * (HIP + STANCE)),
        FOOT_RADIUS,
    )


def _trunk_joint(segment: str, ahead: float) -> DrivenJoint:
    """A universal joint halfway between two segments: it pitches about y and yaws about z."""
    return DrivenJoint(
        f"{segment} trunk joint",
        "universal",
        TRUNK,
        f"{segment} trunk",
        (0.5 * ahead * SPACING, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (_TRUNK_DRIVE, _TRUNK_DRIVE),
        (0.0, 0.0, 1.0),
        (-0.5 * ahead * SPACING, 0.0, 0.0),
    )


def _leg_links(segment: str, side: str, foot: LinkShape) -> list[Link]:
    """Coxa, femur and tibia, from their joint outwards."""
    sign, leg = SIDES[side], f"{segment} {side}"
    return [
        Link(f"{leg} coxa", (_limb(COXA, 0.022, sign),), COXA_MASS, "#3b3f4a"),
        Link(f"{leg} femur", (_limb(FEMUR, 0.02, sign),), FEMUR_MASS, "#dd8452"),
        Link(f"{leg} tibia", (_limb(TIBIA, 0.012, sign), _placed(foot, sign)), TIBIA_MASS, "#55a868"),
    ]


def _limb(length: float, radius: float, sign: float) -> LinkShape:
    arguments = {"radius": radius, "length": length, "segments": 12}
    return LinkShape("capsule", arguments, (0.0, 0.5 * sign * length, 0.0), _ACROSS)


def _placed(foot: LinkShape, sign: float) -> LinkShape:
    position = (0.0, sign * TIBIA, 0.0)
    return LinkShape(foot.kind, foot.arguments, position, None, foot.geometry, True, "#2d2d2d")


def _leg_joints(segment: str, side: str) -> list[DrivenJoint]:
    """Axes are mirrored: a positive coxa angle takes either leg backwards, positive femur and tibia angles lift it."""
    sign, leg = SIDES[side], f"{segment} {side}"
    up, lift = (0.0, 0.0, sign), (sign, 0.0, 0.0)

    def joint(part: str, parent: str, y: float, axis: Vector) -> DrivenJoint:
        at = (0.0, sign * y, 0.0)
        return DrivenJoint(f"{leg} {part} joint", "revolute", parent, f"{leg} {part}", at, axis, (_DRIVES[part],))

    return [
        joint("coxa", f"{segment} trunk", HIP, up),
        joint("femur", f"{leg} coxa", COXA, lift),
        joint("tibia", f"{leg} femur", FEMUR, lift),
    ]


_FEET: Final = {
    "points": (
        LinkShape("sphere", {"radius": FOOT_RADIUS}, geometry="convex"),
        Link(
            "ground",
            (LinkShape("box", {"size": (2.0, 1.2, 0.1)}, (0.2, 0.0, -0.05), geometry="convex", contact=True),),
            colour="#c9ced6",
        ),
    ),
    "polygonal": (
        LinkShape("sphere", {"radius": FOOT_RADIUS, "subdivisions": 2}),
        Link(
            "ground",
            (
                LinkShape(
                    "cosine_surface",
                    {"amplitude": 0.003, "wavelength": 0.2, "size": (2.0, 1.2), "divisions": (60, 4)},
                    (0.2, 0.0, 0.0),
                    contact=True,
                ),
            ),
            colour="#c9ced6",
        ),
    ),
}
_LAWS: Final[dict[str, tuple[ContactLaw, ContactLaw]]] = {
    "points": (
        RestitutionLaw(stiffness=2e4, restitution=0.5, rest_speed=0.1),
        StickFriction(coefficient=0.8, damping=60.0),
    ),
    "polygonal": (
        LayerLaw(stiffness=5e7, damping=5e5, transition_depth=1e-4),
        RegularisedCoulomb(coefficient=0.8, velocity=0.01),
    ),
}
"""Stiffness of the points in N/m, of the layers in N/m³."""
