"""Robots from URDF and MJCF files: their links become bodies, and their joints joints, of the scenario."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from polycontact.robots.model_files import CONTACTS, GEOMETRIES
from polycontact.scenario.schema.base import (
    ORIGIN,
    Name,
    NotNegative,
    Number,
    OneOf,
    Positive,
    Switch,
    Table,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.surfaces.alternatives import MESH

MAX_ROBOTS = 100
"""Most robots of a scenario; each may have some thousand links."""

NO_CONTACT = "none"
"""What a robot has for ``contact`` that touches nothing."""

_Path = Annotated[str, Field(strict=True, min_length=1, max_length=4096)]
_Values = Annotated[tuple[Number, ...], Field(min_length=1, max_length=7), at_most(7)]


def _as_array(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value,)


_Start = Annotated[_Values, BeforeValidator(_as_array, json_schema_input_type=Number | _Values)]


Control = Number | Annotated[str, Field(strict=True, min_length=1, max_length=1000)]


class RobotTable(Table):
    """A robot in a URDF or MJCF file. Joints, forces and contacts name its links and joints as the file does."""

    name: Name = required("name of the robot, unique among robots")
    file: _Path = required("path of the URDF file, or of the MJCF file (.xml), relative to the scenario file")
    prefix: Name | None = optional("goes before the names of all its links and joints, so that two robots may be alike")
    packages: dict[Name, _Path] = optional(
        "folders, relative to the scenario file, of packages in which its meshes lie, by name; others are looked for "
        "upwards from the URDF file",
        "",
        {},
    )
    fixed_base: Switch = optional("false: its root link is free", "", True)
    position: Vector = optional("position of its root link, or of the world of MJCF, at the start", "m", ORIGIN)
    orientation: Orientation | None = optional("how its root link, or the world of MJCF, is turned at the start")
    velocity: Vector = optional("velocity of a free root link at the start, world axes", "m/s", ORIGIN)
    angular_velocity: Vector = optional("angular velocity of a free root link at the start", "rad/s", ORIGIN)
    coordinates: dict[Name, _Start] = optional(
        "start values by names of joints in the file, one number or an array; others are zero", "rad or m", {}
    )
    speeds: dict[Name, _Start] = optional("start speeds by names of joints in the file", "rad/s or m/s", {})
    key: Name | None = optional("MJCF: key frame from which it starts")
    controls: dict[Name, Control] = optional(
        "MJCF: signals of actuators by name, numbers or formulas of t (s); others are zero, or the nearest in their "
        "range",
        "",
        {},
    )
    contact: Annotated[str, OneOf((*CONTACTS, NO_CONTACT))] = optional(
        "which elements of its links take part in contact", "", CONTACTS[0]
    )
    geometry: Annotated[str, OneOf(GEOMETRIES)] = optional(
        "as what: meshes, or exact convex boxes, cylinders, spheres and convex meshes", "", MESH
    )
    material: Name | None = optional("name of a table under [materials]: the elastic layer of what takes part")
    repair: Switch = optional("true: mend its meshes", "", False)
    stop_stiffness: Positive | None = optional(
        "stiffness of end stops at the limits of its joints; no stops if left out", "N m/rad or N/m"
    )
    stop_damping: NotNegative | None = optional("damping of these stops; 0 if left out", "N m s/rad or N s/m")


def touching_elements(robot: RobotTable) -> str | None:
    """Which elements of a robot's links take part in contact; None for none."""
    return None if robot.contact == NO_CONTACT else robot.contact or CONTACTS[0]
