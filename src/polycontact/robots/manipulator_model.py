"""A five-axis arm after the Mitsubishi RV-E3J whose tool touches a plate (S2.23).

As the maker tells it, to our knowledge: five axes (J1, J2, J3, J5, J6), about 33 kg, an upper arm of 250 mm, a forearm
of 160 mm, a reach of about 0.6 m. Estimated: how the mass is spread (11 kg of it stand still in the base), thicknesses,
gains and limits of the drives, the tool. Frames of all links are parallel to the world's when every joint is at zero:
upper arm up, forearm forward along x, hand down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import RestitutionLaw, StickFriction
from polycontact.errors import MultibodyError
from polycontact.multibody.motion_functions import Motion, SplineMotion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.robot_model import Drive, DrivenJoint, Link, LinkShape, Robot, RobotContact
from polycontact.robots.tool_paths import follow_path

STIFFNESSES: Final = (1e5, 1e4, 1e3, 5e2)
"""S of the plate in the source, N/m."""
RESTITUTION: Final = 0.8
TIP_RADIUS: Final = 0.012
TIP: Final = (0.0, 0.0, -0.1)
"""Middle of the tool's tip in the hand, m."""
PLATE_HEIGHT: Final = 0.25
"""Of its upper side, m."""
PRESS: Final = 0.003
"""How far below the plate the tip is sent, m: what of it comes about depends on the stiffness of plate and arm."""
CLEARANCE: Final = 0.02
SLIDE: Final = 0.06
"""Way along the plate, m."""
END_TIME: Final = 2.4

_UP: Final = (0.0, 0.0, 1.0)
_ACROSS: Final = (0.0, 1.0, 0.0)
_BESIDE: Final = ((1.0, 0.0, 0.0), 90.0)
"""Turns a cylinder from z to y."""

TaskName = Literal["normal", "free"]


@dataclass(frozen=True, eq=False)
class PressingRobot:
    """The arm with the motions of its joints; ``system()`` makes it ready to move."""

    robot: Robot
    motions: dict[str, SplineMotion]

    @property
    def coordinates(self) -> dict[str, NDArray[np.float64]]:
        """Coordinates of the joints at the start, rad, by joint."""
        return {name: np.asarray(motion.values)[:1] for name, motion in self.motions.items()}

    @property
    def targets(self) -> dict[str, tuple[Motion, ...]]:
        """Function of time that the motor of each joint follows."""
        return {name: (motion,) for name, motion in self.motions.items()}

    def system(self) -> MultibodySystem:
        """The arm over the plate, with its motors."""
        return self.robot.system(self.coordinates, self.targets)


def manipulator(task: TaskName = "normal", *, stiffness: float = 1e4) -> PressingRobot:
    """An arm whose tool comes down on a plate, presses and leaves ("normal"), or also slides along it ("free").

    ``stiffness`` (N/m) of the contact, normal and tangential; the source has 1e5, 1e4, 1e3 and 5e2.
    """
    if task not in ("normal", "free"):
        raise MultibodyError(f"manipulator: task is {task!r}; give 'normal' or 'free'")
    robot = manipulator_robot(task, stiffness)
    times, places = tool_path(task)
    motions = follow_path(robot.system(), "hand", times, places, rotation=np.eye(3), point=TIP)
    return PressingRobot(robot, motions)


def tool_path(task: TaskName) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (n,), s, and places (n, 3), m, of the middle of the tip: down, a while below the plate, and up again."""
    times = np.linspace(0.2, 2.2, 41)
    down, up = _share(times, 0.2, 0.8), _share(times, 1.6, 2.2)
    z = PLATE_HEIGHT + TIP_RADIUS + CLEARANCE - (CLEARANCE + PRESS) * (down - up)
    x = np.full(len(times), 0.3)
    if task == "free":
        x += SLIDE * (_share(times, 0.9, 1.6) - 0.5)
    return times, np.column_stack([x, np.zeros(len(times)), z])


def _share(times: NDArray[np.float64], start: float, end: float) -> NDArray[np.float64]:
    """From 0 to 1 between two times (s), with no speed and no acceleration at both."""
    s = np.clip((times - start) / (end - start), 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))


def manipulator_robot(task: TaskName, stiffness: float) -> Robot:
    """The description of the arm and the plate."""
    return Robot(
        f"manipulator_{task}",
        (_BASE, _PLATE, *_LINKS),
        _JOINTS,
        (RobotContact("hand", "plate", "tool"),),
        RestitutionLaw(stiffness=stiffness, restitution=RESTITUTION, calibrated=False),
        StickFriction(coefficient=0.3, damping=20.0),
    )


_PLATE: Final = Link(
    "plate",
    (LinkShape("box", {"size": (0.3, 0.3, 0.03)}, (0.32, 0.0, PLATE_HEIGHT - 0.015), geometry="convex", contact=True),),
    colour="#c9ced6",
)
_BASE: Final = Link(
    "base", (LinkShape("cylinder", {"radius": 0.09, "length": 0.2, "segments": 32}, (0.0, 0.0, 0.1)),), colour="#3b3f4a"
)
_LINKS: Final = (
    Link(
        "waist",
        (
            LinkShape("cylinder", {"radius": 0.08, "length": 0.1, "segments": 32}, (0.0, 0.0, 0.05)),
            LinkShape("box", {"size": (0.1, 0.14, 0.14)}, (0.0, 0.0, 0.13)),
        ),
        9.0,
        "#e8e4d8",
    ),
    Link(
        "upper arm",
        (
            LinkShape("box", {"size": (0.09, 0.09, 0.28)}, (0.0, 0.0, 0.125)),
            LinkShape("cylinder", {"radius": 0.055, "length": 0.16, "segments": 32}, turn=_BESIDE),
        ),
        6.5,
        "#d9d4c4",
    ),
    Link(
        "forearm",
        (
            LinkShape("box", {"size": (0.18, 0.08, 0.08)}, (0.07, 0.0, 0.0)),
            LinkShape("cylinder", {"radius": 0.05, "length": 0.11, "segments": 32}, turn=_BESIDE),
        ),
        4.5,
        "#e8e4d8",
    ),
    Link(
        "wrist",
        (LinkShape("cylinder", {"radius": 0.03, "length": 0.07, "segments": 32}, (0.0, 0.0, -0.03)),),
        1.2,
        "#d9d4c4",
    ),
    Link(
        "hand",
        (
            LinkShape("cylinder", {"radius": 0.028, "length": 0.02, "segments": 32}, (0.0, 0.0, -0.01)),
            LinkShape("cylinder", {"radius": 0.008, "length": 0.08, "segments": 16}, (0.0, 0.0, -0.06)),
            LinkShape("sphere", {"radius": TIP_RADIUS}, TIP, geometry="convex", contact=True, colour="#d62728"),
        ),
        0.8,
        "#7f7f7f",
    ),
)
_JOINTS: Final = (
    DrivenJoint(
        "J1 waist", "revolute", "base", "waist", (0.0, 0.0, 0.2), _UP,
        (Drive(2e4, 400.0, 150.0, math.radians(-160.0), math.radians(160.0)),),
    ),
    DrivenJoint(
        "J2 shoulder", "revolute", "waist", "upper arm", (0.0, 0.0, 0.15), _ACROSS,
        (Drive(2e4, 400.0, 200.0, math.radians(-45.0), math.radians(100.0)),),
    ),
    DrivenJoint(
        "J3 elbow", "revolute", "upper arm", "forearm", (0.0, 0.0, 0.25), _ACROSS,
        (Drive(1e4, 120.0, 120.0, math.radians(-70.0), math.radians(80.0)),),
    ),
    DrivenJoint(
        "J5 wrist pitch", "revolute", "forearm", "wrist", (0.16, 0.0, 0.0), _ACROSS,
        (Drive(2e3, 15.0, 40.0, math.radians(-120.0), math.radians(120.0)),),
    ),
    DrivenJoint(
        "J6 wrist roll", "revolute", "wrist", "hand", (0.0, 0.0, -0.072), (0.0, 0.0, -1.0),
        (Drive(500.0, 3.0, 20.0, math.radians(-200.0), math.radians(200.0)),),
    ),
)  # fmt: skip
