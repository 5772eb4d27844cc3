"""Checks of robots: their files and meshes, packages, and start values by names of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from polycontact.errors import RobotError
from polycontact.robots.mjcf.mjcf_model import MjcfModel
from polycontact.robots.model_files import CONTACTS, is_mjcf
from polycontact.scenario.checks.raw_content import Raw, doubled_names, entries, is_number, is_zero, table
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.robot_files import Robot, mesh_paths, moving_joints
from polycontact.scenario.schema.joint_keys import N_COORDINATES, N_SPEEDS
from polycontact.scenario.schema.robot_keys import NO_CONTACT

_OF_URDF = ("fixed_base", "velocity", "angular_velocity", "packages")
_OF_MJCF = ("key", "controls")
"""Keys that belong to one format of robots' files only."""

MAX_MISSING = 5
"""Most missing meshes of a robot that are told."""


def check_robots(raw: Raw, folder: Path, robots: Mapping[int, Robot]) -> Iterator[Problem]:
    """Problems of all robots; ``robots`` by their place in the file, those that could be read."""
    yield from doubled_names(raw, "robots")
    for i, entry in entries(raw, "robots"):
        where = ("robots", i)
        lost = list(_check_packages((*where, "packages"), entry, folder))
        yield from lost
        yield from _check_format(where, entry)
        if "stop_damping" in entry and "stop_stiffness" not in entry:
            yield Problem((*where, "stop_damping"), "means nothing without stop_stiffness; give that, or leave it out")
        for key in ("velocity", "angular_velocity"):
            if key in entry and entry.get("fixed_base", True) is True and not is_zero(entry[key]):
                yield Problem((*where, key), "a fixed base does not move; give fixed_base = false, or leave it out")
        if i in robots:
            robot = robots[i]
            yield from _check_start(where, entry, robot)
            if isinstance(robot, MjcfModel):
                yield from _check_names(where, entry, robot)
            if not lost:
                yield from _check_meshes((*where, "file"), entry, folder, robots[i])


def _check_packages(where: Location, entry: Raw, folder: Path) -> Iterator[Problem]:
    for name, place in table(entry, "packages").items():
        if isinstance(place, str) and not _is_folder(folder / place):
            yield Problem((*where, name), f"{shown(place)}: there is no such folder in {shown(str(folder))}")


def _check_start(where: Location, entry: Raw, robot: Robot) -> Iterator[Problem]:
    moving = moving_joints(robot)
    for key, counts in (("coordinates", N_COORDINATES), ("speeds", N_SPEEDS)):
        for name, value in table(entry, key).items():
            if name not in moving:
                yield Problem((*where, key, name), unknown("moving joint", name, list(moving)))
                continue
            kind = moving[name]
            wanted = counts[kind]
            given = 1 if is_number(value) else len(value) if isinstance(value, list) else wanted
            if given != wanted:
                yield Problem((*where, key, name), f"{given} values; a {kind} joint has {wanted}")


def _check_format(where: Location, entry: Raw) -> Iterator[Problem]:
    """Keys that mean nothing to the format of the robot's file."""
    file = entry.get("file")
    if not isinstance(file, str):
        return
    meaningless, remedy = (
        (_OF_URDF, "an MJCF file says itself what is fixed, and where its meshes lie")
        if is_mjcf(file)
        else (_OF_MJCF, "key frames and actuators are those of MJCF files (.xml)")
    )
    for key in meaningless:
        if key in entry:
            yield Problem((*where, key), f"means nothing to {shown(file)}: {remedy}; leave it out")


def _check_names(where: Location, entry: Raw, model: MjcfModel) -> Iterator[Problem]:
    """Names of key frames and actuators."""
    key = entry.get("key")
    if isinstance(key, str) and key not in model.keys:
        yield Problem((*where, "key"), unknown("key frame", key, list(model.keys)))
    for name in table(entry, "controls"):
        if name not in model.actuators:
            yield Problem((*where, "controls", name), unknown("actuator", name, list(model.actuators)))


def _check_meshes(where: Location, entry: Raw, folder: Path, robot: Robot) -> Iterator[Problem]:
    contact = entry.get("contact", CONTACTS[0])
    packages = {name: folder / place for name, place in table(entry, "packages").items() if isinstance(place, str)}
    found = mesh_paths(robot, None if contact == NO_CONTACT else contact, packages)
    missing = (Problem(where, str(error)) for error in found if isinstance(error, RobotError))
    yield from islice(missing, MAX_MISSING)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
