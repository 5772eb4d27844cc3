"""What can go wrong when a robot is added to a system: found before anything is added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import RobotError
from polycontact.multibody import checks
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD, Shape
from polycontact.robots.adding import StartValues, refuse_taken, told_at
from polycontact.robots.urdf.mimic import followings
from polycontact.robots.urdf.urdf_robot import UrdfRobot
from polycontact.surfaces.reading.source import shown


class BaseMotion(NamedTuple):
    """How a free root link starts: ``velocity`` (3,) m/s and ``angular_velocity`` (3,) rad/s, world axes."""

    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]


def base_motion(robot: UrdfRobot, fixed_base: bool, velocity: ArrayLike, angular_velocity: ArrayLike) -> BaseMotion:
    """How the root link starts; a fixed one does not move."""
    motion = BaseMotion(
        checks.array("robot", "velocity", velocity, (3,), "m/s"),
        checks.array("robot", "angular_velocity", angular_velocity, (3,), "rad/s"),
    )
    if fixed_base and (motion.velocity.any() or motion.angular_velocity.any()):
        raise RobotError(f"{robot.file.name}: a fixed base does not move; give fixed_base=False, or no velocities")
    return motion


def root_is_world(robot: UrdfRobot, prefix: str, fixed_base: bool, shapes: list[Shape]) -> bool:
    """Whether the root link is the inertial frame itself, as one of the name "world" is."""
    if prefix + robot.root != WORLD:
        return False
    told = f'{robot.file.name}: the root link is named "world", as the inertial frame is'
    if not fixed_base:
        raise RobotError(f"{told}, and shall move; give fixed_base=True, or a prefix")
    if shapes:
        raise RobotError(f"{told}, and has shapes; give a prefix")
    return True


def refuse_massless_motion(robot: UrdfRobot, fixed_base: bool) -> None:
    """Refuse a link without mass that moves and carries none: no force could tell its acceleration."""
    has_mass = {name: link.mass is not None for name, link in robot.links.items()}
    carrier = {joint.child: joint for joint in robot.joints.values()}
    for name in reversed(list(robot.outwards())):
        if name in carrier and has_mass[name]:
            has_mass[carrier[name].parent] = True
    for name, joint in carrier.items():
        if joint.kind != "fixed" and not has_mass[name]:
            raise RobotError(
                f"{robot.file.name}: line {joint.line}: joint {shown(joint.name)} ({joint.kind}) moves link "
                f"{shown(name)}, which has no mass and carries none; give the link an <inertial>, or the joint the "
                f"type fixed"
            )
    if not fixed_base and not has_mass[robot.root]:
        raise RobotError(f"{robot.file.name}: no link has a mass; give them <inertial>, or take fixed_base=True")


def checked_start(robot: UrdfRobot, what: str, given: StartValues | None) -> StartValues:
    """Start values whose names are those of joints that move."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise RobotError(f'{what} is {given!r}; give values by the names of joints: {{"elbow": 0.5}}')
    moving = [name for name, joint in robot.joints.items() if joint.kind != "fixed"]
    with told_at(robot.file):
        for name in given:
            checks.known("moving joint", name, moving, what)
    return given


def refuse_taken_names(
    system: MultibodySystem, robot: UrdfRobot, prefix: str, links: Iterable[str], forces: Iterable[str]
) -> None:
    """Refuse names that the system has already; ``links`` become bodies, ``forces`` are names with the prefix."""
    bodies = [prefix + name for name in links]
    joints = [prefix + name for name in robot.joints]
    couplers = [prefix + each.name for each in followings(robot.joints)]
    names = {"body": bodies, "joint": joints, "coupler": couplers, "force element": forces}
    refuse_taken(system, robot.file, prefix, names)
    all_bodies = {*bodies, *system.bodies}
    for name, joint in robot.joints.items():
        if prefix + name in all_bodies and name != joint.child:
            raise RobotError(
                f"{robot.file.name}: line {joint.line}: joint {shown(name)} has the name of a body that it does not "
                f"carry; rename one of them in the file"
            )
