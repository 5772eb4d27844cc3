"""From a URDF file to bodies and joints of a multibody system, with the names of the file."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.materials import Material
from polycontact.errors import RobotError
from polycontact.multibody import checks
from polycontact.multibody.built_in_forces import EndStop, JointSpring
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD, Shape
from polycontact.multibody.rotations import frame_with_z, to_quaternion
from polycontact.robots.adding import StartValues, told_at, warn_of_leftovers
from polycontact.robots.parent_frames import Frame
from polycontact.robots.shape_making import ShapeOptions
from polycontact.robots.urdf.building_checks import (
    BaseMotion,
    base_motion,
    checked_start,
    refuse_massless_motion,
    refuse_taken_names,
    root_is_world,
)
from polycontact.robots.urdf.mesh_files import Packages
from polycontact.robots.urdf.mimic import followings, start_of_followers
from polycontact.robots.urdf.robot_shapes import LinkShapes
from polycontact.robots.urdf.urdf_reading import read_urdf
from polycontact.robots.urdf.urdf_robot import JOINT_KINDS, UrdfJoint, UrdfRobot
from polycontact.surfaces.alternatives import MESH

JointForce = JointSpring | JointFriction | EndStop

_WITH_AXIS: Final = (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.PLANAR)


def load_urdf(
    path: str | os.PathLike[str], *, gravity: ArrayLike = (0.0, 0.0, -9.81), **options: Any
) -> MultibodySystem:
    """The robot of a URDF file as a multibody system of its own; ``gravity`` in m/s², ``options`` as for `add_urdf`."""
    system = MultibodySystem(gravity=gravity)
    system.name = add_urdf(system, path, **options).name
    return system


def add_urdf(
    system: MultibodySystem,
    path: str | os.PathLike[str],
    *,
    prefix: str = "",
    fixed_base: bool = True,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike | None = None,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    coordinates: StartValues | None = None,
    speeds: StartValues | None = None,
    contact: str | None = "collision",
    geometry: str = MESH,
    layer: ElasticLayer | None = None,
    material: str | Material | None = None,
    contact_properties: ContactProperties | None = None,
    packages: Packages | None = None,
    repair: bool = False,
    stop_stiffness: float | None = None,
    stop_damping: float = 0.0,
) -> UrdfRobot:
    """Add the robot of a URDF file: its links become bodies and its joints joints, ``prefix`` before their names.

    ``position`` (m) and ``rotation`` (3, 3) of its root link, which is fixed there or, without ``fixed_base``, free,
    and then starts with ``velocity`` (m/s) and ``angular_velocity`` (rad/s), in world axes. ``coordinates`` and
    ``speeds`` (rad or m, rad/s or m/s): start values by names of joints in the file, others start at rest at zero.
    ``contact``: which elements take part in contact, "collision" or "visual"; None: none do. What takes part is what is
    seen; links without such elements show their visual ones. ``geometry``: as what, "mesh", or "convex" for exact
    boxes, cylinders and spheres and convex meshes. ``layer``, ``material`` and ``contact_properties`` of what takes
    part: see `Shape`. ``packages``: folders of package://NAME/… by name; others are looked for upwards from the file.
    ``repair``: mend meshes as `repair_surface` does. ``stop_stiffness`` (N m/rad or N/m) and ``stop_damping`` (N m
    s/rad or N s/m) make an `EndStop` "JOINT stop" of each limit; without them limits are data, see `UrdfRobot`. Damping
    becomes a `JointSpring` "JOINT damping", friction a `JointFriction` "JOINT friction", and mimic a `Coupler` "JOINT
    mimic": such a joint starts where its leader puts it.

    Returns what the file says. What it holds beyond that is told in one `RobotWarning`. A robot is added whole or,
    with an error, not at all.
    """
    robot = read_urdf(path)
    if not isinstance(prefix, str):
        raise RobotError(f"prefix is {prefix!r}; give a text that goes before all names")
    base = Frame(checks.rotation("robot", "rotation", rotation), checks.array("robot", "position", position, (3,), "m"))
    motion = base_motion(robot, fixed_base, velocity, angular_velocity)
    maker = LinkShapes(robot, ShapeOptions(contact, geometry, layer, repair, material, contact_properties), packages)
    shapes = {name: maker.shapes_of(link) for name, link in robot.links.items()}
    refuse_massless_motion(robot, fixed_base)
    start = start_of_followers(
        robot, prefix, checked_start(robot, "coordinates", coordinates), checked_start(robot, "speeds", speeds)
    )
    in_world = root_is_world(robot, prefix, fixed_base, shapes[robot.root])
    builder = _Builder(robot, prefix, fixed_base, base, motion, shapes, *start, in_world)
    forces = builder.forces(stop_stiffness, stop_damping)
    refuse_taken_names(system, robot, prefix, builder.links, [force.name for force in forces])
    builder.add_to(MultibodySystem())  # what is still wrong is told before the system has half a robot
    builder.add_to(system)
    for force in forces:
        system.add_force(force)
    robot = replace(robot, ignored=(*robot.ignored, *maker.left_out))
    warn_of_leftovers(robot.file, robot.ignored)
    return robot


@dataclass(frozen=True, eq=False)
class _Builder:
    """A robot that is to be added; ``in_world``: its root link is the inertial frame, and no body."""

    robot: UrdfRobot
    prefix: str
    fixed_base: bool
    base: Frame
    motion: BaseMotion
    shapes: Mapping[str, list[Shape]]
    coordinates: StartValues
    speeds: StartValues
    in_world: bool

    @property
    def links(self) -> list[str]:
        """Names of the links that become bodies."""
        return [name for name in self.robot.links if not (self.in_world and name == self.robot.root)]

    def add_to(self, system: MultibodySystem) -> None:
        """Bodies, joints and their couplers, in the order of the file."""
        for name in self.links:
            with told_at(self.robot.file, self.robot.links[name].line):
                self._add_body(system, name)
        for joint in self.robot.joints.values():
            with told_at(self.robot.file, joint.line):
                self._add_joint(system, joint)
        for each in followings(self.robot.joints):
            with told_at(self.robot.file, each.line):
                system.add_coupler(each.coupler(self.prefix + each.name, self.prefix))

    def _add_body(self, system: MultibodySystem, name: str) -> None:
        """The body of a link. One without mass is fixed until its joint lets it move."""
        mass = self.robot.links[name].mass
        inertia: dict[str, Any] = {} if mass is None else mass._asdict()
        body, shapes = self.prefix + name, self.shapes[name]
        if name != self.robot.root:
            system.add_body(body, shapes=shapes, fixed=mass is None, **inertia)
            return
        R, r = self.base
        fixed = self.fixed_base or mass is None
        start = {} if fixed else self.motion._asdict()
        system.add_body(body, shapes=shapes, fixed=fixed, position=r, rotation=R, **inertia, **start)
        if fixed and not self.fixed_base:
            q, u = np.concatenate([r, to_quaternion(R)]), np.concatenate(self.motion)
            system.add_joint(body, JointKind.FREE, WORLD, body, coordinates=q, speeds=u)

    def _add_joint(self, system: MultibodySystem, joint: UrdfJoint) -> None:
        """A joint whose frame is the child's at zero coordinates, turned so that z lies along the axis."""
        kind = JOINT_KINDS[joint.kind]
        along_axis = frame_with_z(joint.axis) if kind in _WITH_AXIS else np.eye(3)
        (R, at), parent = joint.frame, self.prefix + joint.parent
        if self.in_world and joint.parent == self.robot.root:
            R, at, parent = self.base.rotation @ R, self.base.position + self.base.rotation @ at, WORLD
        system.add_joint(
            self.prefix + joint.name,
            kind,
            parent,
            self.prefix + joint.child,
            at=at,
            rotation=R @ along_axis,
            child_rotation=along_axis,
            coordinates=self.coordinates.get(joint.name),
            speeds=self.speeds.get(joint.name),
        )

    def forces(self, stop_stiffness: float | None, stop_damping: float) -> list[JointForce]:
        """Dampers and friction of joints and, where a stiffness is given, stops at their limits."""
        forces: list[JointForce] = []
        for joint in self.robot.joints.values():
            name = self.prefix + joint.name
            if joint.damping:
                forces.append(JointSpring(f"{name} damping", name, damping=joint.damping))
            if joint.friction:
                forces.append(JointFriction(f"{name} friction", name, dry=joint.friction))
            if stop_stiffness is None or joint.limits is None:
                continue
            lower, upper = (None if math.isinf(each) else each for each in (joint.limits.lower, joint.limits.upper))
            if lower is not None or upper is not None:
                forces.append(EndStop(f"{name} stop", name, 0, lower, upper, stop_stiffness, stop_damping))
        return forces
