"""The robots of a scenario as the checks see them: bodies and joints beside those that the file lists itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from polycontact.errors import RobotError
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.robots.mjcf.mjcf_model import GROUND, MjcfModel
from polycontact.robots.urdf.urdf_robot import UrdfRobot
from polycontact.scenario.file_problems import Problem, shown
from polycontact.scenario.readable_tables import entries, tables
from polycontact.scenario.robot_files import Robot, body_entries, is_world, joint_entries, marker_entries, read_robot
from polycontact.scenario.schema.body_keys import Body, MarkerTable
from polycontact.scenario.schema.joint_keys import Joint
from polycontact.scenario.schema.robot_keys import touching_elements
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import ShapeTable
from polycontact.surfaces.alternatives import MESH

_KINDS: Final = {"bodies": ("link", "body"), "joints": ("joint", "joint"), "markers": ("site", "marker")}
"""What robots bring under each key: in the words of robots, and of scenarios."""


class RobotContent:
    """The robots of a scenario file, read as far as they can be; ``problems`` of those that cannot.

    ``whole``: the model with a table for each body, joint and marker of its robots, after those that it lists itself.
    """

    def __init__(self, model: ScenarioModel, folder: Path) -> None:
        self._tables = model.robots or ()
        self.robots: dict[int, Robot] = {}
        self.problems: list[Problem] = []
        known: dict[str, Robot | RobotError] = {}
        for i, entry in entries(self._tables):
            if entry.file is None:
                continue
            if entry.file not in known:
                known[entry.file] = _read(folder / entry.file)
            found = known[entry.file]
            if not isinstance(found, RobotError):
                self.robots[i] = found
            else:
                self.problems.append(Problem(("robots", i, "file"), str(found)))
        self._owner: dict[tuple[str, int], int] = {}
        self.whole = self._with_robots(model)

    def _with_robots(self, model: ScenarioModel) -> ScenarioModel:
        if any(getattr(model, key) is None for key in _KINDS):
            return model
        bodies, joints, markers = list(model.bodies), list(model.joints), list(model.markers)
        carried = {joint.child for joint in tables(joints)}
        for i, robot in self.robots.items():
            self._add(i, "bodies", bodies, self._bodies(i, robot, carried))
            self._add(i, "joints", joints, self._joints(i, robot))
            self._add(i, "markers", markers, self._markers(i, robot))
        return model.model_copy(update={"bodies": (*bodies,), "joints": (*joints,), "markers": (*markers,)})

    def _add(self, i: int, key: str, listed: list[Any], made: Iterator[Any]) -> None:
        taken = {each.name for each in tables(listed)}
        for each in made:
            if each.name in taken:
                self.problems.append(_taken(i, key, each.name))
            else:
                self._owner[key, len(listed)] = i
                listed.append(each)

    def _bodies(self, i: int, robot: Robot, carried: set[str]) -> Iterator[Body]:
        entry, prefix = self._tables[i], self.prefix(i)
        for body in body_entries(robot, touching_elements(entry), entry.geometry or MESH):
            name = body["name"]
            if is_world(robot, name, prefix):
                continue
            named = prefix + name
            if entry.material is not None:
                body["material"] = entry.material
            if isinstance(robot, UrdfRobot) and name == robot.root and named not in carried:
                body["fixed"] = entry.fixed_base
            if isinstance(robot, MjcfModel) and name == GROUND:
                body["fixed"] = True
            shapes = tuple(ShapeTable.model_construct(**shape) for shape in body["shapes"])
            yield Body.model_construct(**{**body, "name": named, "shapes": shapes})

    def _joints(self, i: int, robot: Robot) -> Iterator[Joint]:
        for joint in joint_entries(robot):
            ends = {key: self._named(i, robot, joint[key]) for key in ("parent", "child")}
            yield Joint.model_construct(**{**joint, "name": self.prefix(i) + joint["name"], **ends})

    def _markers(self, i: int, robot: Robot) -> Iterator[MarkerTable]:
        for marker in marker_entries(robot):
            body = self._named(i, robot, marker["body"])
            yield MarkerTable.model_construct(name=self.prefix(i) + marker["name"], body=body)

    def _named(self, i: int, robot: Robot, body: str) -> str:
        """The name of a body of a robot's file in the scenario."""
        return WORLD if isinstance(robot, MjcfModel) and body == WORLD else self.prefix(i) + body

    def prefix(self, i: int) -> str:
        """Text in front of the names of a robot's bodies, joints and markers."""
        return self._tables[i].prefix or ""

    def placed(self, problem: Problem) -> Problem:
        """A problem of a body or joint that a robot brought, told of the robot."""
        key, i = problem.location[0], problem.location[1] if len(problem.location) > 1 else None
        if not isinstance(key, str) or not isinstance(i, int) or (key, i) not in self._owner:
            return problem
        where = ("robots", self._owner[key, i])
        if problem.location[2:] == ("material",):
            return Problem((*where, "material"), problem.text)
        name = shown(getattr(self.whole, key)[i].name)
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
