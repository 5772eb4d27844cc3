"""What is wrong with a robot beyond its URDF file: meshes that are not there or make no surface, links without mass."""

from __future__ import annotations

from polycontact.errors import RobotError
from polycontact.robots.model_files import CONTACTS
from polycontact.robots.shape_making import ShapeOptions
from polycontact.robots.urdf.building_checks import refuse_massless_motion
from polycontact.robots.urdf.robot_shapes import LinkShapes
from polycontact.robots.urdf.urdf_robot import UrdfRobot


def robot_problems(robot: UrdfRobot) -> tuple[str, ...]:
    """All that keeps a robot from being used, with its visual or its collision elements, on a fixed base."""
    problems: dict[str, None] = {}
    try:
        refuse_massless_motion(robot, fixed_base=True)
    except RobotError as error:
        problems[str(error)] = None
    for contact in CONTACTS:
        maker = LinkShapes(robot, ShapeOptions(contact))
        for link in robot.links.values():
            try:
                maker.shapes_of(link)
            except RobotError as error:
                problems[str(error)] = None
    return tuple(problems)
