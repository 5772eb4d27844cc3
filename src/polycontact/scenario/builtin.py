"""The built-in scenarios: TOML files of the package with their meshes, which users may copy."""

from __future__ import annotations

import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from polycontact.errors import ScenarioError
from polycontact.scenario.file_problems import listed, suggestion

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario

_NAMES: Final = (
    "bubbles",
    "ball_on_table",
    "block_on_slope",
    "materials_on_slope",
    "newtons_cradle",
    "billiard_balls",
    "slider_crank",
    "gripper",
    "box_over_edge",
    "stack_of_boxes",
    "dovetail",
    "nut_on_bolt",
    "spur_gears",
    "thrown_ball",
    "five_bodies",
    "spinning_pyramid",
    "gripping",
    "cosine_ball",
    "hitting_nodes",
    "manipulator_normal",
    "manipulator_free",
    "hexapod",
    "hexapod_polygonal",
    "pedestrian",
    "pedestrian_road",
)
"""Scenarios in data/NAME.toml, in the order in which they are listed."""


def list_scenarios() -> tuple[tuple[str, str], ...]:
    """Name and one-line description of every built-in scenario."""
    return tuple((name, _first_line(name)) for name in _NAMES)


def is_builtin(name: str) -> bool:
    """Whether there is a built-in scenario ``name``."""
    return name in _NAMES


def get(name: str) -> Scenario:
    """The built-in scenario ``name``."""
    from polycontact.scenario.parsing import parse_scenario  # pydantic is slow to import; listing needs it not

    return parse_scenario(scenario_text(name), Path(str(_folder())), file=f"{name}.toml")


def scenario_text(name: str) -> str:
    """TOML text of a built-in scenario, to copy and change; its meshes are files of their own."""
    if name not in _NAMES:
        raise no_such_scenario(name)
    return (_folder() / f"{name}.toml").read_text(encoding="utf-8")


def mesh_files(name: str) -> dict[str, bytes]:
    """Content of each mesh of a built-in scenario, by its path relative to the scenario file."""
    return {file: (_folder() / file).read_bytes() for file in get(name).mesh_files}


def no_such_scenario(name: str) -> ScenarioError:
    """The error for a name that is neither built in nor a file."""
    hint = suggestion(name, _NAMES) or f"; built in are {listed(_NAMES)}"
    return ScenarioError(name[:100], (f"there is no such file and no built-in scenario of this name{hint}",))


def _folder() -> Traversable:
    return resources.files("polycontact.scenario") / "data"


def _first_line(name: str) -> str:
    description = tomllib.loads(scenario_text(name))["scenario"]["description"]
    return str(description).strip().partition("\n")[0]
