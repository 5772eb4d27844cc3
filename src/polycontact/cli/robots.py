"""What `check` says of a robot: its links and joints, what is wrong, and what of its file is left out."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycontact.cli.output import DOES_NOT_HOLD, WELL, console, print_json
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.robots.urdf.urdf_robot import UrdfJoint, UrdfLink, UrdfRobot


def check_robot(path: Path, json: bool) -> int:
    """Print what a URDF file holds; the status says whether the robot can be used as it is."""
    from polycontact.robots.urdf.urdf_problems import robot_problems
    from polycontact.robots.urdf.urdf_reading import read_urdf

    robot = read_urdf(path)
    problems = robot_problems(robot)
    if json:
        print_json({"file": str(path), "ok": not problems, **_record(robot), "problems": list(problems)})
    else:
        _print_robot(robot, problems)
    return DOES_NOT_HOLD if problems else WELL


def _print_robot(robot: UrdfRobot, problems: tuple[str, ...]) -> None:
    from rich.table import Table

    from polycontact.robots.urdf.mimic import followings

    screen = console()
    screen.print(f"{robot.file.name}: {'not ok' if problems else 'ok'}", style=f"bold {'red' if problems else 'green'}")
    counts = f"{counted(len(robot.links), 'link')}, {counted(len(robot.joints), 'joint')}"
    screen.print(f"{robot.name}: {counts}, {robot.mass:.6g} kg")
    links = Table("link", "mass, kg", "visual", "collision")
    for link in robot.links.values():
        root = " (root)" if link.name == robot.root else ""
        links.add_row(f"{link.name}{root}", f"{_mass(link):.6g}", str(len(link.visuals)), str(len(link.collisions)))
    joints = Table("joint", "type", "parent", "child", "from", "to")
    for joint in robot.joints.values():
        lower, upper = _limits(joint)
        ends = ("" if end is None else f"{end:.6g}" for end in (lower, upper))
        joints.add_row(joint.name, joint.kind, joint.parent, joint.child, *ends)
    screen.print(links)
    if robot.joints:
        screen.print(joints)
    for following in followings(robot.joints):
        screen.print(f"follows: {following.formula}", soft_wrap=True)
    for problem in problems:
        screen.print(f"problem: {problem}", style="red", soft_wrap=True)
    for each in robot.ignored:
        screen.print(f"left out: {each}", style="dim", soft_wrap=True)


def _record(robot: UrdfRobot) -> dict[str, Any]:
    from polycontact.robots.urdf.mimic import followings

    return {
        "name": robot.name,
        "root": robot.root,
        "mass": robot.mass,
        "links": [
            {"name": link.name, "mass": _mass(link), "visual": len(link.visuals), "collision": len(link.collisions)}
            for link in robot.links.values()
        ],
        "joints": [
            {
                "name": joint.name,
                "type": joint.kind,
                "parent": joint.parent,
                "child": joint.child,
                **dict(zip(("lower", "upper"), _limits(joint), strict=True)),
            }
            for joint in robot.joints.values()
        ],
        "followings": [asdict(each) for each in followings(robot.joints)],
        "ignored": list(robot.ignored),
    }


def _mass(link: UrdfLink) -> float:
    return 0.0 if link.mass is None else link.mass.mass


def _limits(joint: UrdfJoint) -> tuple[float | None, float | None]:
    """Ends of a joint's motion, None where there is none."""
    if joint.limits is None:
        return None, None
    lower, upper = joint.limits.lower, joint.limits.upper
    return None if math.isinf(lower) else lower, None if math.isinf(upper) else upper
