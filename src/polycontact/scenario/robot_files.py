"""The robots of a scenario, whatever their files are: what scenario files must know of URDF and MJCF alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from polycontact.errors import RobotError
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.robots.mjcf import geom_shapes, mjcf_building
from polycontact.robots.mjcf.mesh_surfaces import MeshSurfaces
from polycontact.robots.mjcf.mjcf_model import GROUND, PLANE, MjcfBody, MjcfModel
from polycontact.robots.mjcf.mjcf_reading import read_mjcf
from polycontact.robots.model_files import is_mjcf
from polycontact.robots.urdf import urdf_robot as urdf
from polycontact.robots.urdf.mesh_files import find_mesh
from polycontact.robots.urdf.robot_shapes import chosen_shapes, needed_meshes
from polycontact.robots.urdf.urdf_reading import read_urdf

Robot = urdf.UrdfRobot | MjcfModel
Entry = dict[str, Any]


def read_robot(path: Path) -> Robot:
    """Read a robot from a URDF or MJCF file, whichever its name says."""
    return read_mjcf(path) if is_mjcf(path) else read_urdf(path)


def moving_joints(robot: Robot) -> dict[str, str]:
    """Kinds of the joints that move, by their names in the file."""
    if isinstance(robot, MjcfModel):
        return {name: mjcf_building.JOINT_KINDS[joint.kind].value for name, joint in robot.joints.items()}
    kinds = {name: urdf.JOINT_KINDS[joint.kind].value for name, joint in robot.joints.items()}
    return {name: kind for name, kind in kinds.items() if kind != "fixed"}


def mesh_paths(robot: Robot, contact: str | None, packages: Mapping[str, Path]) -> Iterator[Path | RobotError]:
    """Where the meshes of a robot lie, or what is wrong with each."""
    for find in _mesh_finders(robot, contact, packages):
        try:
            yield find()
        except RobotError as error:
            yield error


def _mesh_finders(robot: Robot, contact: str | None, packages: Mapping[str, Path]) -> Iterator[Callable[[], Path]]:
    if isinstance(robot, MjcfModel):
        surfaces = MeshSurfaces(robot.file.name, robot.mesh_folder)
        needed = geom_shapes.needed_meshes(robot, contact)
        yield from (partial(surfaces.path, mesh) for mesh in needed if mesh.file)
    else:
        yield from (partial(find_mesh, robot, shape, packages) for shape in needed_meshes(robot, contact))


def body_entries(robot: Robot, contact: str | None, geometry: str) -> Iterator[Entry]:
    """A table of a scenario file for each body of a robot, names as in its file."""
    bodies = _mjcf_bodies(robot, contact) if isinstance(robot, MjcfModel) else _urdf_bodies(robot, contact)
    for name, kinds, touches in bodies:
        own = geometry if touches else "mesh"
        shapes = [{"kind": kind, "geometry": own, "contact": touches} for kind in kinds]
        yield {"name": name, "mass": 1.0, "inertia": [1.0, 1.0, 1.0], "shapes": shapes}


def joint_entries(robot: Robot) -> Iterator[Entry]:
    """A table of a scenario file for each joint of a robot."""
    if isinstance(robot, MjcfModel):
        for body in robot.bodies.values():
            yield from _mjcf_joints(body)
        return
    for name, joint in robot.joints.items():
        kind = urdf.JOINT_KINDS[joint.kind].value
        yield {"name": name, "kind": kind, "parent": joint.parent, "child": joint.child}


def marker_entries(robot: Robot) -> Iterator[Entry]:
    """A table of a scenario file for each marker of a robot: sites of MJCF."""
    if isinstance(robot, MjcfModel):
        for name in mjcf_building.marker_names(robot):
            yield {"name": name, "body": robot.sites[name].body}


def _urdf_bodies(robot: urdf.UrdfRobot, contact: str | None) -> Iterator[tuple[str, list[str], bool]]:
    for name, link in robot.links.items():
        chosen, touches = chosen_shapes(link, contact)
        yield name, [each.kind for each in chosen], touches


def _mjcf_bodies(model: MjcfModel, contact: str | None) -> Iterator[tuple[str, list[str], bool]]:
    for name, geoms in ((GROUND, model.world_geoms), *((body.name, body.geoms) for body in model.bodies.values())):
        if name == GROUND and not geoms:
            continue
        chosen, touches = geom_shapes.chosen_geoms(geoms, contact)
        if name in model.bodies:
            yield from ((each, [], False) for each in mjcf_building.bodies_between(model.bodies[name]))
        yield name, ["box" if geom.kind == PLANE else geom.kind for geom in chosen], touches


def _mjcf_joints(body: MjcfBody) -> Iterator[Entry]:
    parent = body.parent
    children = (*mjcf_building.bodies_between(body), body.name)
    for joint, child in zip(body.joints, children, strict=False):
        kind = mjcf_building.JOINT_KINDS[joint.kind].value
        yield {"name": joint.name, "kind": kind, "parent": parent, "child": child}
        parent = child
    if not body.joints:
        yield {"name": body.name, "kind": "fixed", "parent": parent, "child": body.name}


def is_world(robot: Robot, name: str, prefix: str) -> bool:
    """Whether a body of a robot's file is the inertial frame: the world of MJCF, or a root link of that name."""
    if isinstance(robot, MjcfModel):
        return name == WORLD
    return prefix + name == WORLD and name == robot.root
