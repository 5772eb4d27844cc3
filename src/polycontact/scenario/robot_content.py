"""The robots of a scenario as the checks see them: bodies and joints beside those that the file lists itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polycontact.errors import RobotError
from polycontact.multibody.contact_pairs import WORLD
from polycontact.robots.urdf.building import JOINT_KINDS
from polycontact.robots.urdf.description import UrdfRobot
from polycontact.robots.urdf.reading import read_urdf
from polycontact.robots.urdf.robot_shapes import CONTACTS, chosen_shapes
from polycontact.scenario.checks.raw_content import Raw, entries, text
from polycontact.scenario.file_problems import Problem, shown
from polycontact.scenario.schema.robot_keys import MAX_ROBOTS, NO_CONTACT
from polycontact.surfaces.alternatives import MESH


class RobotContent:
    """The robots of a scenario file, read as far as they can be; ``problems`` of those that cannot."""

    def __init__(self, raw: Raw, folder: Path) -> None:
        self._raw = raw
        self.robots: dict[int, UrdfRobot] = {}
        self.problems: list[Problem] = []
        known: dict[str, UrdfRobot | RobotError] = {}
        for i, entry in entries(raw, "robots")[:MAX_ROBOTS]:
            file = text(entry, "file")
            if not file:
                continue
            if file not in known:
                known[file] = _read(folder / file)
            found = known[file]
            if isinstance(found, UrdfRobot):
                self.robots[i] = found
            else:
                self.problems.append(Problem(("robots", i, "file"), str(found)))
        self._owner: dict[tuple[str, int], int] = {}
        self.with_robots = self._expanded()

    def _expanded(self) -> dict[str, Any]:
        """The content of the file with a table for each body and joint of its robots, at the end of those it lists."""
        raw = dict(self._raw)
        carried = {text(joint, "child") for _, joint in entries(raw, "joints")}
        for key in ("bodies", "joints"):
            value = raw.get(key, [])
            if not isinstance(value, list):
                return raw
            raw[key] = list(value)
        for i, robot in self.robots.items():
            for key, made in (("bodies", self._bodies(i, robot, carried)), ("joints", self._joints(i, robot))):
                taken = {text(each, "name") for _, each in entries(raw, key)}
                for entry in made:
                    if entry["name"] in taken:
                        self.problems.append(_taken(i, key, entry["name"]))
                    else:
                        self._owner[key, len(raw[key])] = i
                        raw[key].append(entry)
        return raw

    def _bodies(self, i: int, robot: UrdfRobot, carried: set[str | None]) -> Iterator[dict[str, Any]]:
        entry = self._raw["robots"][i]
        contact = entry.get("contact", CONTACTS[0])
        for name, link in robot.links.items():
            named = self.prefix(i) + name
            if named == WORLD and name == robot.root:
                continue
            chosen, touches = chosen_shapes(link, None if contact == NO_CONTACT else contact)
            geometry = entry.get("geometry", MESH) if touches else MESH
            body = {"name": named, "mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
            body["shapes"] = [{"kind": each.kind, "geometry": geometry, "contact": touches} for each in chosen]
            if "material" in entry:
                body["material"] = entry["material"]
            if name == robot.root and named not in carried:
                body["fixed"] = entry.get("fixed_base", True)
            yield body

    def _joints(self, i: int, robot: UrdfRobot) -> Iterator[dict[str, Any]]:
        prefix = self.prefix(i)
        for name, joint in robot.joints.items():
            yield {
                "name": prefix + name,
                "kind": JOINT_KINDS[joint.kind].value,
                "parent": prefix + joint.parent,
                "child": prefix + joint.child,
            }

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
        return Problem(where, f"{'link' if key == 'bodies' else 'joint'} {name}: {problem.text}")


def _read(path: Path) -> UrdfRobot | RobotError:
    try:
        return read_urdf(path)
    except RobotError as error:
        return error


def _taken(i: int, key: str, name: str) -> Problem:
    what, thing = ("link", "body") if key == "bodies" else ("joint", "joint")
    return Problem(
        ("robots", i, "prefix"),
        f'its {what} {shown(name)} has the name of a {thing} already; give one, such as "left_"',
    )
