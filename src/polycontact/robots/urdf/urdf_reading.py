"""From a URDF file to a `UrdfRobot`: a tree of links, each mistake told with its line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from polycontact.errors import RobotError
from polycontact.multibody import checks
from polycontact.robots.urdf.link_parsing import parse_colours, parse_link
from polycontact.robots.urdf.mimic import with_leaders
from polycontact.robots.urdf.urdf_joints import parse_joint
from polycontact.robots.urdf.urdf_leftovers import Leftovers
from polycontact.robots.urdf.urdf_robot import UrdfJoint, UrdfLink, UrdfRobot
from polycontact.robots.xml_elements import Element, as_path, read_xml, refuse_xacro
from polycontact.surfaces.reading.source import shown

MAX_LINKS: Final = 2000
"""Most links of a robot; a humanoid with all its fingers has a hundred or two."""


def read_urdf(path: str | os.PathLike[str]) -> UrdfRobot:
    """What a URDF file says of a robot, checked, without its meshes.

    Names are those of the file, all in SI units. A file that makes no tree of links raises a `RobotError` with the
    line and the remedy; what is not understood (transmissions, plug-ins, textures, …) is listed in ``ignored``.
    """
    file = as_path(path, "URDF")
    element = read_robot_element(file)
    leftovers = Leftovers()
    leftovers.list_others(element, ("link", "joint", "material"))
    if sum(1 for _ in element.named("link")) > MAX_LINKS:
        element.fail(f"the robot has more than {MAX_LINKS} links; divide it into several")
    colours = parse_colours(element, leftovers)
    links: dict[str, UrdfLink] = {}
    for each in element.named("link"):
        link = parse_link(each, colours, leftovers)
        _refuse_second(each, link.name, links)
        links[link.name] = link
    joints: dict[str, UrdfJoint] = {}
    for each in element.named("joint"):
        joint = parse_joint(each, leftovers)
        _refuse_second(each, joint.name, joints)
        joints[joint.name] = joint
    joints = with_leaders(file, joints)
    root = _root_of_tree(element, links, joints)
    name = element.attributes.get("name", "").strip() or file.stem
    return UrdfRobot(name, file, links, joints, root, leftovers.listed())


def _refuse_second(element: Element, name: str, known: Mapping[str, UrdfLink | UrdfJoint]) -> None:
    if name in known:
        element.fail(f"there is a {element.tag} {shown(name)} in line {known[name].line} already; names must differ")


def _root_of_tree(element: Element, links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]) -> str:
    """The link that no joint carries, once all others are known to be carried by it."""
    if not links:
        element.fail("the robot has no links; add one")
    carrier: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        where = Element(element.file, "joint", {}, joint.line)
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                _fail_unknown(where, joint, role, name, links)
        if joint.child in carrier:
            other = carrier[joint.child]
            where.fail(
                f"joint {shown(joint.name)}: link {shown(joint.child)} is the child of joint {shown(other.name)} in "
                f"line {other.line} already; a link has one parent: leave one joint out, and close the loop in "
                f"Python with add_loop"
            )
        carrier[joint.child] = joint
    _refuse_circle(element, carrier)
    roots = [name for name in links if name not in carrier]
    if len(roots) > 1:
        listed = ", ".join(f"{shown(name)} (line {links[name].line})" for name in roots[:10])
        more = f" and {len(roots) - 10} more" if len(roots) > 10 else ""
        element.fail(
            f"{len(roots)} links have no parent: {listed}{more}; a robot has one root: join the others to it, with "
            f"fixed joints where they do not move"
        )
    return roots[0]


def _fail_unknown(where: Element, joint: UrdfJoint, role: str, name: str, links: Mapping[str, UrdfLink]) -> None:
    try:
        checks.known("link", name, links, f"joint {shown(joint.name)}: {role}")
    except ValueError as error:
        where.fail(str(error))


def _refuse_circle(element: Element, carrier: Mapping[str, UrdfJoint]) -> None:
    """Refuse links that carry themselves, with the way round."""
    settled: set[str] = set()
    for start in carrier:
        way: dict[str, None] = {}
        name = start
        while name in carrier and name not in settled and name not in way:
            way[name] = None
            name = carrier[name].parent
        if name in way:
            circle = list(way)[list(way).index(name) :]
            chain = " ← ".join(shown(each) for each in [*circle[:10], *(["…"] if len(circle) > 10 else []), name])
            Element(element.file, "joint", {}, carrier[name].line).fail(
                f"joint {shown(carrier[name].name)}: the joints go round in a circle: {chain}; leave one out, and "
                f"close the loop in Python with add_loop"
            )
        settled.update(way)


_OTHER_FORMATS: Final = {
    "sdf": "an SDF file: convert it to URDF",
    "gazebo": "an SDF file: convert it to URDF",
    "mujoco": "a MuJoCo model: read it with load_mjcf",
    "mujocoinclude": "a part of a MuJoCo model: read the model that includes it with load_mjcf",
    "COLLADA": "a COLLADA mesh: convert it to STL, OBJ or PLY",
}


def read_robot_element(path: Path) -> Element:
    """The <robot> of a URDF file. Anything else is refused: other XML, other files, what is too large or too deep."""
    root = read_xml(path, "URDF")
    if root is None or root.tag != "robot":
        found = "holds nothing" if root is None else f"is <{root.tag}>, in line {root.line}"
        other = None if root is None else _OTHER_FORMATS.get(root.tag)
        hint = "give the path of a URDF file" if other is None else f"it looks like {other}"
        raise RobotError(f"{path.name or path}: a URDF file is one <robot> element, and this {found}; {hint}")
    _refuse_xacro(root)
    return root


def _refuse_xacro(root: Element) -> None:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag.startswith("xacro:"):
            refuse_xacro(element, f"<{element.tag}>")
        waiting += element.children
