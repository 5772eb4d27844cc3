"""Robots of a scenario: added to its system, and the files that they need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polycontact.errors import RobotError
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.mjcf.mjcf_building import add_mjcf
from polycontact.robots.mjcf.mjcf_model import MjcfModel
from polycontact.robots.model_files import is_mjcf
from polycontact.robots.urdf.urdf_building import add_urdf
from polycontact.scenario.robot_files import mesh_paths, read_robot
from polycontact.scenario.schema.robot_keys import RobotTable, touching_elements
from polycontact.scenario.shape_surfaces import rotation_of
from polycontact.scenario.surface_data import SurfaceData

Pairs = tuple[tuple[str, str], ...]


def add_robot(system: MultibodySystem, robot: RobotTable, folder: Path, data: SurfaceData) -> Pairs:
    """Add a robot with its links, joints and forces; returns pairs that its file keeps apart.

    Files are relative to ``folder``; ``data``: of the contacts of its links.
    """
    common: dict[str, Any] = {
        "prefix": robot.prefix or "",
        "position": robot.position,
        "rotation": rotation_of(robot.orientation),
        "coordinates": robot.coordinates,
        "speeds": robot.speeds,
        "contact": touching_elements(robot),
        "geometry": robot.geometry,
        "repair": robot.repair,
        "stop_stiffness": robot.stop_stiffness,
        "stop_damping": robot.stop_damping or 0.0,
        **data.options(),
    }
    if is_mjcf(robot.file):
        model = add_mjcf(system, folder / robot.file, key=robot.key, controls=robot.controls, **common)
        return model.kept_apart(robot.prefix or "")
    add_urdf(
        system,
        folder / robot.file,
        fixed_base=robot.fixed_base,
        velocity=robot.velocity,
        angular_velocity=robot.angular_velocity,
        packages=_packages(robot, folder),
        **common,
    )
    return ()


def files_of(robot: RobotTable, folder: Path) -> Iterator[str]:
    """The files of a robot and its meshes, relative to ``folder``; those that lie elsewhere are not among them."""
    yield robot.file
    found = read_robot(folder / robot.file)
    included = found.included if isinstance(found, MjcfModel) else ()
    for path in (*included, *mesh_paths(found, touching_elements(robot), _packages(robot, folder))):
        if isinstance(path, RobotError):
            raise path
        if path.resolve().is_relative_to(folder.resolve()):
            yield path.resolve().relative_to(folder.resolve()).as_posix()


def _packages(robot: RobotTable, folder: Path) -> dict[str, Path]:
    return {name: folder / place for name, place in robot.packages.items()}
