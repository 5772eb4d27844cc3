"""A whole scenario file, and its JSON schema for editors and other programs."""

from __future__ import annotations

from copy import deepcopy
from typing import Annotated, Any

from polycontact.scenario.schema.assembly_keys import MAX_ASSEMBLIES, AssemblyTable
from polycontact.scenario.schema.base import (
    MAX_ENTRIES,
    Name,
    Table,
    Text,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.body_keys import Body, MarkerTable, Material
from polycontact.scenario.schema.contact_keys import Contact
from polycontact.scenario.schema.coupler_keys import AnyCouplerTable
from polycontact.scenario.schema.force_keys import ForceTable
from polycontact.scenario.schema.joint_keys import Joint, Loop
from polycontact.scenario.schema.json_schema import model_schema, with_units
from polycontact.scenario.schema.robot_keys import MAX_ROBOTS, RobotTable
from polycontact.scenario.schema.simulation_keys import Simulation
from polycontact.scenario.source_names import with_other_names


class About(Table):
    """What a scenario is called and shows."""

    name: Name = required("name of the scenario")
    description: Text = optional("what it shows; the first line appears in lists", "", "")


class ScenarioModel(Table):
    """A multibody system with contact and the settings of its simulation, as written in a TOML file."""

    gravity: Vector = optional("gravity, written before the first table", "m/s²", (0.0, 0.0, -9.81))
    scenario: About = required("name and description")
    simulation: Simulation = required("how long and how precisely to simulate")
    materials: dict[Name, Material] = optional("materials by name", "", {})
    bodies: Annotated[tuple[Body, ...], at_most(MAX_ENTRIES)] = optional("the bodies", "", ())
    robots: Annotated[tuple[RobotTable, ...], at_most(MAX_ROBOTS)] = optional("robots from URDF and MJCF files", "", ())
    assemblies: Annotated[tuple[AssemblyTable, ...], at_most(MAX_ASSEMBLIES)] = optional(
        "assemblies from CAD files", "", ()
    )
    markers: Annotated[tuple[MarkerTable, ...], at_most(MAX_ENTRIES)] = optional("named frames on bodies", "", ())
    joints: Annotated[tuple[Joint, ...], at_most(MAX_ENTRIES)] = optional("joints between bodies", "", ())
    loops: Annotated[tuple[Loop, ...], at_most(MAX_ENTRIES)] = optional("loops that close the tree", "", ())
    couplers: Annotated[tuple[AnyCouplerTable, ...], at_most(MAX_ENTRIES)] = optional(
        "gears and other couplers of joint coordinates", "", ()
    )
    forces: Annotated[tuple[ForceTable, ...], at_most(MAX_ENTRIES)] = optional("force elements", "", ())
    contact: Contact | None = optional("how bodies touch; without it there is no contact")


def export_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of scenario files, with a description and the unit of every key."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **deepcopy(with_other_names(with_units(model_schema(ScenarioModel)))),
        "title": "polycontact scenario",
    }
