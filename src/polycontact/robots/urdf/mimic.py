"""Joints of a URDF file that follow others (mimic): their leaders, and where they start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from polycontact.errors import RobotError
from polycontact.multibody import checks
from polycontact.multibody.joint_types import start_values
from polycontact.robots.adding import StartValues, told_at
from polycontact.robots.following import JointFollowing, follow, refuse_circles
from polycontact.robots.urdf.urdf_joints import SINGLE
from polycontact.robots.urdf.urdf_robot import JOINT_KINDS, UrdfJoint, UrdfRobot
from polycontact.surfaces.reading.source import shown


def with_leaders(file: Path, joints: Mapping[str, UrdfJoint]) -> dict[str, UrdfJoint]:
    """The joints, once it is known that all leaders exist and none follows itself.

    A leader that is fixed has no value but zero: what follows it has no leader, and is held.
    """
    made = {
        name: joint if joint.mimic is None else replace(joint, mimic=_with_leader(file, joint.mimic, joints))
        for name, joint in joints.items()
    }
    refuse_circles(file, followings(made))
    return made


def followings(joints: Mapping[str, UrdfJoint]) -> tuple[JointFollowing, ...]:
    """All that follow, in the order of the file."""
    return tuple(joint.mimic for joint in joints.values() if joint.mimic is not None)


def _with_leader(file: Path, mimic: JointFollowing, joints: Mapping[str, UrdfJoint]) -> JointFollowing:
    owner = f"joint {shown(mimic.joint)}: mimic"
    with told_at(file, mimic.line):
        leader = joints[checks.known("joint", mimic.leader, joints, owner)]
    if leader.kind == "fixed":
        return replace(mimic, leader=None)
    if leader.kind not in SINGLE:
        raise RobotError(
            f"{file.name}: line {mimic.line}: {owner}: joint {shown(leader.name)} is of the type {leader.kind} and has "
            f"no single value to follow; name one of the type {', '.join(SINGLE)}"
        )
    return mimic


def start_of_followers(
    robot: UrdfRobot, prefix: str, coordinates: StartValues, speeds: StartValues
) -> tuple[StartValues, StartValues]:
    """Start values with those of joints that follow, which are where their leaders put them."""
    found = followings(robot.joints)
    if not found:
        return coordinates, speeds
    involved = {each for following in found for each in (following.joint, following.leader) if each is not None}
    q: dict[str, float] = {}
    u: dict[str, float] = {}
    for name in involved:
        joint = robot.joints[name]
        with told_at(robot.file, joint.line):
            start = start_values(
                f"joint {prefix + name!r}", JOINT_KINDS[joint.kind], coordinates.get(name), speeds.get(name)
            )
        q[name], u[name] = (float(each[0]) for each in start)
    followed_q = follow(robot.file, "coordinates", found, q, coordinates)
    followed_u = follow(robot.file, "speeds", found, u, speeds)
    return {**coordinates, **followed_q}, {**speeds, **followed_u}
