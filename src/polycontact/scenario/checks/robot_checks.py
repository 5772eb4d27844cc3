"""Checks of robots: their files and meshes, packages, and start values by names of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from polycontact.errors import RobotError
from polycontact.robots.urdf.building import JOINT_KINDS
from polycontact.robots.urdf.description import UrdfRobot
from polycontact.robots.urdf.mesh_files import find_mesh
from polycontact.robots.urdf.robot_shapes import CONTACTS, needed_meshes
from polycontact.scenario.checks.raw_content import Raw, doubled_names, entries, is_number, is_zero, table
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.schema.joint_keys import N_COORDINATES, N_SPEEDS
from polycontact.scenario.schema.robot_keys import NO_CONTACT

MAX_MISSING = 5
"""Most missing meshes of a robot that are told."""


def check_robots(raw: Raw, folder: Path, robots: Mapping[int, UrdfRobot]) -> Iterator[Problem]:
    """Problems of all robots; ``robots`` by their place in the file, those that could be read."""
    yield from doubled_names(raw, "robots")
    for i, entry in entries(raw, "robots"):
        where = ("robots", i)
        lost = list(_check_packages((*where, "packages"), entry, folder))
        yield from lost
        if "stop_damping" in entry and "stop_stiffness" not in entry:
            yield Problem((*where, "stop_damping"), "means nothing without stop_stiffness; give that, or leave it out")
        for key in ("velocity", "angular_velocity"):
            if key in entry and entry.get("fixed_base", True) is True and not is_zero(entry[key]):
                yield Problem((*where, key), "a fixed base does not move; give fixed_base = false, or leave it out")
        if i in robots:
            yield from _check_start(where, entry, robots[i])
            if not lost:
                yield from _check_meshes((*where, "file"), entry, folder, robots[i])


def _check_packages(where: Location, entry: Raw, folder: Path) -> Iterator[Problem]:
    for name, place in table(entry, "packages").items():
        if isinstance(place, str) and not _is_folder(folder / place):
            yield Problem((*where, name), f"{shown(place)}: there is no such folder in {shown(str(folder))}")


def _check_start(where: Location, entry: Raw, robot: UrdfRobot) -> Iterator[Problem]:
    moving = [name for name, joint in robot.joints.items() if joint.kind != "fixed"]
    for key, counts in (("coordinates", N_COORDINATES), ("speeds", N_SPEEDS)):
        for name, value in table(entry, key).items():
            if name not in moving:
                yield Problem((*where, key, name), unknown("moving joint", name, moving))
                continue
            kind = robot.joints[name].kind
            wanted = counts[JOINT_KINDS[kind].value]
            given = 1 if is_number(value) else len(value) if isinstance(value, list) else wanted
            if given != wanted:
                yield Problem((*where, key, name), f"{given} values; a {kind} joint has {wanted}")


def _check_meshes(where: Location, entry: Raw, folder: Path, robot: UrdfRobot) -> Iterator[Problem]:
    contact = entry.get("contact", CONTACTS[0])
    packages = {name: folder / place for name, place in table(entry, "packages").items() if isinstance(place, str)}
    told = 0
    for shape in needed_meshes(robot, None if contact == NO_CONTACT else contact):
        try:
            find_mesh(robot, shape, packages)
        except RobotError as error:
            yield Problem(where, str(error))
            told += 1
            if told == MAX_MISSING:
                return


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
