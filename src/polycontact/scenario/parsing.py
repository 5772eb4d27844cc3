"""From a TOML text to a `Scenario`: read, checked by schema and by references, with every mistake told at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from polycontact.scenario.checks.body_checks import check_bodies
from polycontact.scenario.checks.contact_checks import check_contact
from polycontact.scenario.checks.joint_checks import (
    check_couplers,
    check_forces,
    check_joints,
    check_loops,
    check_markers,
)
from polycontact.scenario.checks.simulation_checks import check_simulation
from polycontact.scenario.file_problems import Problem, refuse
from polycontact.scenario.library_materials import check_library, with_library
from polycontact.scenario.old_names import told_of_old_names, with_new_names
from polycontact.scenario.readable_tables import readable
from polycontact.scenario.reading import parse_toml
from polycontact.scenario.schema.json_schema import model_schema
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema_errors import MAX_TRANSLATED, schema_problems
from polycontact.scenario.simple_response import with_geometries
from polycontact.scenario.source_names import told_of_both_names, with_names_of_source
from polycontact.scenario.told_kinds import with_kinds
from polycontact.scenario.written_units import with_numbers

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem
    from polycontact.scenario.assembly_content import AssemblyTables
    from polycontact.scenario.robot_content import RobotContent


@dataclass(frozen=True, repr=False)
class Scenario:
    """A scenario file that was found to be consistent.

    ``model`` is its content, ``source`` the TOML text, ``folder`` what mesh files are relative to, ``file`` the name
    for messages.
    """

    model: ScenarioModel
    source: str
    folder: Path
    file: str = "scenario"

    def __repr__(self) -> str:
        model = self.model
        end = self.settings.get("end_time")
        until = "" if end is None else f", {end:g} s"
        bodies = f"{len(model.bodies)} bod{'y' if len(model.bodies) == 1 else 'ies'}"
        return f"Scenario({self.name!r}, {bodies}{until})"

    @property
    def name(self) -> str:
        """Name of the scenario, as its file gives it."""
        return self.model.scenario.name

    @property
    def description(self) -> str:
        """What the scenario shows, in the words of its file; may be empty."""
        return self.model.scenario.description

    @property
    def settings(self) -> dict[str, Any]:
        """Keyword arguments of `simulate`."""
        return self.model.simulation.settings()

    @property
    def mesh_files(self) -> tuple[str, ...]:
        """Paths of the files that it needs beside it, each once: meshes as written in it, robots and their meshes."""
        from polycontact.scenario.robot_building import files_of

        shapes = (shape for body in self.model.bodies for shape in body.all_shapes)
        meshes = [shape.file for shape in shapes if shape.kind == "mesh"]
        robots = [file for robot in self.model.robots for file in files_of(robot, self.folder)]
        assemblies = [assembly.file for assembly in self.model.assemblies]
        return tuple(dict.fromkeys([*meshes, *robots, *assemblies]))

    def build(self) -> MultibodySystem:
        """The multibody system, new each time; meshes are loaded here."""
        from polycontact.scenario.build import build_system

        return build_system(self)

    def with_values(self, values: Mapping[str, Any]) -> Scenario:
        """The same scenario with other values at some keys, checked: ``{"bodies.ball.mass": 2.0, "gravity[2]": 0}``.

        Keys are dotted; entries of arrays go by name or index, ``*`` means all of them. Raises a `ScenarioError` for a
        key that is not there and for a value that the schema forbids.
        """
        from polycontact.scenario.changed_values import with_values

        return with_values(self, values)


def parse_scenario(text: str, folder: str | os.PathLike[str] | None = None, *, file: str = "scenario") -> Scenario:
    """The scenario in a TOML ``text``; mesh files are relative to ``folder``, by default the current one.

    ``file`` names it in messages. Raises a `ScenarioError` that lists all mistakes.
    """
    home = Path.cwd() if folder is None else Path(os.fsdecode(folder))
    return Scenario(check_content(parse_toml(text, file), home, file), text, home, file)


def check_content(written: dict[str, Any], folder: Path, file: str) -> ScenarioModel:
    """The content of a scenario file, checked by schema and references; raises a `ScenarioError` with all mistakes."""
    problems, n_more = told_of_old_names(written, file) + told_of_both_names(written), 0
    written = with_names_of_source(with_new_names(written))
    told = with_geometries(with_kinds(written))
    content = with_library(with_numbers(told, partial(model_schema, ScenarioModel)))
    try:
        model = ScenarioModel.model_validate(content)
    except ValidationError as error:
        found, n_more = schema_problems(error, content, ScenarioModel)
        problems += found
        model = readable(ScenarioModel, content)
    problems += islice(_checks(model, folder), MAX_TRANSLATED)
    if problems:
        raise refuse(file, written, problems, n_more)
    return model


def _checks(model: ScenarioModel, folder: Path) -> Iterator[Problem]:
    """What no table alone can tell, in the order of the file; robots and assemblies count with all that they bring."""
    whole = model
    brought: list[RobotContent | AssemblyTables] = []
    of_robots: Iterator[Problem] = iter(())
    if model.robots:
        from polycontact.scenario.checks.robot_checks import check_robots
        from polycontact.scenario.robot_content import RobotContent

        robots = RobotContent(model, folder)
        whole, of_robots = robots.whole, check_robots(model, folder, robots.robots)
        brought.append(robots)
    if model.assemblies:
        from polycontact.scenario.assembly_content import AssemblyTables

        assemblies = AssemblyTables(whole, folder)
        whole = assemblies.whole
        brought.append(assemblies)
    found: Iterator[Problem] = chain(
        check_simulation(model),
        check_library(model),
        check_bodies(whole, folder),
        *(each.problems for each in brought),
        of_robots,
        check_joints(whole),
        check_markers(whole),
        check_loops(whole),
        check_couplers(whole),
        check_forces(whole),
        check_contact(whole),
    )
    for each in reversed(brought):
        found = map(each.placed, found)
    return found
