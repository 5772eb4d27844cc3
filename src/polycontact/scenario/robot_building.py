"""Robots of a scenario: added to its system, and the files that they need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from polycontact.contact.layers import ElasticLayer
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.urdf.building import add_urdf
from polycontact.robots.urdf.mesh_files import find_mesh
from polycontact.robots.urdf.reading import read_urdf
from polycontact.robots.urdf.robot_shapes import needed_meshes
from polycontact.scenario.schema.robot_keys import NO_CONTACT, RobotTable
from polycontact.scenario.shape_surfaces import rotation_of


def add_robot(system: MultibodySystem, robot: RobotTable, folder: Path, layer: ElasticLayer | None) -> None:
    """Add a robot with its links, joints, dampers and stops; files are relative to ``folder``."""
    add_urdf(
        system,
        folder / robot.file,
        prefix=robot.prefix or "",
        fixed_base=robot.fixed_base,
        position=robot.position,
        rotation=rotation_of(robot.orientation),
        velocity=robot.velocity,
        angular_velocity=robot.angular_velocity,
        coordinates=robot.coordinates,
        speeds=robot.speeds,
        contact=_contact(robot),
        geometry=robot.geometry,
        layer=layer,
        packages=_packages(robot, folder),
        repair=robot.repair,
        stop_stiffness=robot.stop_stiffness,
        stop_damping=robot.stop_damping or 0.0,
    )


def files_of(robot: RobotTable, folder: Path) -> Iterator[str]:
    """The file of a robot and its meshes, relative to ``folder``; meshes that lie elsewhere are not among them."""
    yield robot.file
    found = read_urdf(folder / robot.file)
    for shape in needed_meshes(found, _contact(robot)):
        mesh = find_mesh(found, shape, _packages(robot, folder)).resolve()
        if mesh.is_relative_to(folder.resolve()):
            yield mesh.relative_to(folder.resolve()).as_posix()


def _contact(robot: RobotTable) -> str | None:
    return None if robot.contact == NO_CONTACT else robot.contact


def _packages(robot: RobotTable, folder: Path) -> dict[str, Path]:
    return {name: folder / place for name, place in robot.packages.items()}
