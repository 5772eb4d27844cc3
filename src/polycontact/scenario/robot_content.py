"""The robots of a scenario as the checks see them: bodies and joints beside those that the file lists itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from polycontact.errors import RobotError
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.robots.mjcf.mjcf_model import GROUND, MjcfModel
from polycontact.robots.model_files import CONTACTS
from polycontact.robots.urdf.urdf_robot import UrdfRobot
from polycontact.scenario.checks.raw_content import Raw, entries, text
from polycontact.scenario.file_problems import Problem, shown
from polycontact.scenario.robot_files import Robot, body_entries, is_world, joint_entries, marker_entries, read_robot
from polycontact.scenario.schema.robot_keys import MAX_ROBOTS, NO_CONTACT
from polycontact.surfaces.alternatives import MESH

_KINDS: Final = {"bodies": ("link", "body"), "joints": ("joint", "joint"), "markers": ("site", "marker")}
"""What robots bring under each key: in the words of robots, and of scenarios."""


class RobotContent:
    """The robots of a scenario file, read as far as they can be; ``problems`` of those that cannot."""

    def __init__(self, raw: Raw, folder: Path) -> None:
        self._raw = raw
        self.robots: dict[int, Robot] = {}
        self.problems: list[Problem] = []
        known: dict[str, Robot | RobotError] = {}
        for i, entry in entries(raw, "robots")[:MAX_ROBOTS]:
            file = text(entry, "file")
            if not file:
                continue
            if file not in known:
                known[file] = _read(folder / file)
            found = known[file]
            if not isinstance(found, RobotError):
                self.robots[i] = found
            else:
                self.problems.append(Problem(("robots", i, "file"), str(found)))
        self._owner: dict[tuple[str, int], int] = {}
        self.with_robots = self._expanded()

    def _expanded(self) -> dict[str, Any]:
        """The content of the file with a table for each body and joint of its robots, at the end of those it lists."""
        raw = dict(self._raw)
        carried = {text(joint, "child") for _, joint in entries(raw, "joints")}
        for key in ("bodies", "joints", "markers"):
            value = raw.get(key, [])
            if not isinstance(value, list):
                return raw
            raw[key] = list(value)
        for i, robot in self.robots.items():
            for key, made in (
                ("bodies", self._bodies(i, robot, carried)),
                ("joints", self._joints(i, robot)),
                ("markers", self._markers(i, robot)),
            ):
                taken = {text(each, "name") for _, each in entries(raw, key)}
                for entry in made:
                    if entry["name"] in taken:
                        self.problems.append(_taken(i, key, entry["name"]))
                    else:
                        self._owner[key, len(raw[key])] = i
                        raw[key].append(entry)
        return raw

    def _bodies(self, i: int, robot: Robot, carried: set[str | None]) -> Iterator[dict[str, Any]]:
        entry, prefix = self._raw["robots"][i], self.prefix(i)
        contact = entry.get("contact", CONTACTS[0])
        geometry = entry.get("geometry", MESH)
        for body in body_entries(robot, None if contact == NO_CONTACT else contact, geometry):
            name = body["name"]
            if is_world(robot, name, prefix):
                continue
            named = prefix + name
            if "material" in entry:
                body["material"] = entry["material"]
            if isinstance(robot, UrdfRobot) and name == robot.root and named not in carried:
                body["fixed"] = entry.get("fixed_base", True)
            if isinstance(robot, MjcfModel) and name == GROUND:
                body["fixed"] = True
            yield {**body, "name": named}

    def _joints(self, i: int, robot: Robot) -> Iterator[dict[str, Any]]:
        for joint in joint_entries(robot):
            ends = {key: self._named(i, robot, joint[key]) for key in ("parent", "child")}
            yield {**joint, "name": self.prefix(i) + joint["name"], **ends}

    def _markers(self, i: int, robot: Robot) -> Iterator[dict[str, Any]]:
        for marker in marker_entries(robot):
            body = self._named(i, robot, marker["body"])
            yield {"name": self.prefix(i) + marker["name"], "body": body}

    def _named(self, i: int, robot: Robot, body: str) -> str:
        """The name of a body of a robot's file in the scenario."""
        return WORLD if isinstance(robot, MjcfModel) and body == WORLD else self.prefix(i) + body

    def prefix(self, i: int) -> str:
        """What goes before the names of a robot."""
        return text(self._raw["robots"][i], "prefix") or ""

    def placed(self, problem: Problem) -> Problem:
        """A problem of a body or joint that a robot brought, told of the robot."""
        key, i = problem.location[0], problem.location[1] if len(problem.location) > 1 else None
        if not isinstance(key, str) or not isinstance(i, int) or (key, i) not in self._owner:
            return problem
        where = ("robots", self._owner[key, i])
        if problem.location[2:] == ("material",):
            return Problem((*where, "material"), problem.text)
        name = shown(self.with_robots[key][i]["name"])
        return Problem(where, f"{_KINDS[key][0]} {name}: {problem.text}")


def _read(path: Path) -> Robot | RobotError:
    try:
        return read_robot(path)
    except RobotError as error:
        return error


def _taken(i: int, key: str, name: str) -> Problem:
    what, thing = _KINDS[key]
    return Problem(
        ("robots", i, "prefix"),
        f'its {what} {shown(name)} has the name of a {thing} already; give one, such as "left_"',
    )
