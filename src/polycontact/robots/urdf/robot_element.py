"""The <robot> of a URDF file; other XML, and files of xacro, are refused with what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from polycontact.errors import RobotError
from polycontact.robots.xml_elements import Element, read_xml, refuse_xacro

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
