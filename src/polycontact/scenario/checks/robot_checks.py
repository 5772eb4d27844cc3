"""Checks of robots: their files and meshes, packages, and start values by names of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from polycontact.errors import RobotError
from polycontact.robots.mjcf.mjcf_model import MjcfModel
from polycontact.robots.model_files import is_mjcf
from polycontact.scenario.checks.table_checks import doubled_names, is_zero
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.readable_tables import entries, given
from polycontact.scenario.robot_files import Robot, mesh_paths, moving_joints
from polycontact.scenario.schema.joint_keys import N_COORDINATES, N_SPEEDS
from polycontact.scenario.schema.robot_keys import RobotTable, touching_elements
from polycontact.scenario.schema.scenario import ScenarioModel

_OF_URDF = ("fixed_base", "velocity", "angular_velocity", "packages")
_OF_MJCF = ("key", "controls")
"""Keys that belong to one format of robots' files only."""

MAX_MISSING = 5
"""Most missing meshes of a robot that are told."""


def check_robots(model: ScenarioModel, folder: Path, robots: Mapping[int, Robot]) -> Iterator[Problem]:
    """Problems of all robots; ``robots`` by their place in the file, those that could be read."""
    yield from doubled_names("robots", model.robots)
    for i, entry in entries(model.robots):
        where = ("robots", i)
        lost = list(_check_packages((*where, "packages"), entry, folder))
        yield from lost
        yield from _check_format(where, entry)
        if given(entry, "stop_damping") and not given(entry, "stop_stiffness"):
            yield Problem((*where, "stop_damping"), "means nothing without stop_stiffness; give that, or leave it out")
        for key, value in (("velocity", entry.velocity), ("angular_velocity", entry.angular_velocity)):
            if value is not None and not is_zero(value) and entry.fixed_base:
                yield Problem((*where, key), "a fixed base does not move; give fixed_base = false, or leave it out")
        if i in robots:
            robot = robots[i]
            yield from _check_start(where, entry, robot)
            if isinstance(robot, MjcfModel):
                yield from _check_names(where, entry, robot)
            if not lost:
                yield from _check_meshes((*where, "file"), entry, folder, robot)


def _check_packages(where: Location, entry: RobotTable, folder: Path) -> Iterator[Problem]:
    for name, place in (entry.packages or {}).items():
        if not _is_folder(folder / place):
            yield Problem((*where, name), f"{shown(place)}: there is no such folder in {shown(str(folder))}")


def _check_start(where: Location, entry: RobotTable, robot: Robot) -> Iterator[Problem]:
    moving = moving_joints(robot)
    for key, counts in (("coordinates", N_COORDINATES), ("speeds", N_SPEEDS)):
        for name, values in (getattr(entry, key) or {}).items():
            if name not in moving:
                yield Problem((*where, key, name), unknown("moving joint", name, list(moving)))
            elif len(values) != counts[moving[name]]:
                told = f"{len(values)} values; a {moving[name]} joint has {counts[moving[name]]}"
                yield Problem((*where, key, name), told)


def _check_format(where: Location, entry: RobotTable) -> Iterator[Problem]:
    """Keys that mean nothing to the format of the robot's file."""
    if entry.file is None:
        return
    meaningless, remedy = (
        (_OF_URDF, "an MJCF file says itself what is fixed, and where its meshes lie")
        if is_mjcf(entry.file)
        else (_OF_MJCF, "key frames and actuators are those of MJCF files (.xml)")
    )
    for key in meaningless:
        if given(entry, key):
            yield Problem((*where, key), f"means nothing to {shown(entry.file)}: {remedy}; leave it out")


def _check_names(where: Location, entry: RobotTable, model: MjcfModel) -> Iterator[Problem]:
    """Names of key frames and actuators."""
    if entry.key is not None and entry.key not in model.keys:
        yield Problem((*where, "key"), unknown("key frame", entry.key, list(model.keys)))
    for name in entry.controls or {}:
        if name not in model.actuators:
            yield Problem((*where, "controls", name), unknown("actuator", name, list(model.actuators)))


def _check_meshes(where: Location, entry: RobotTable, folder: Path, robot: Robot) -> Iterator[Problem]:
    packages = {name: folder / place for name, place in (entry.packages or {}).items()}
    found = mesh_paths(robot, touching_elements(entry), packages)
    missing = (Problem(where, str(error)) for error in found if isinstance(error, RobotError))
    yield from islice(missing, MAX_MISSING)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
