"""The built-in scenarios: TOML files of the package, which users may copy, and Python factories."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from polycontact.errors import ScenarioError
from polycontact.scenario.problems import listed, suggestion

if TYPE_CHECKING:
    from polycontact.scenario.parsing import RunnableScenario

_FILES: Final = ("bubbles", "ball_on_table", "block_on_slope", "newtons_cradle", "slider_crank", "gripper")
"""Scenarios in data/NAME.toml, in the order in which they are listed."""


class Factory(NamedTuple):
    """A scenario made by Python: one line about it, and the function that makes it, which imports what it needs."""

    description: str
    make: Callable[[], RunnableScenario]


def _pedestrian() -> RunnableScenario:
    from polycontact.scenario.pedestrian.crash import PedestrianCrash

    return PedestrianCrash()


def _pedestrian_road() -> RunnableScenario:
    from polycontact.scenario.pedestrian.crash import PedestrianCrash

    return PedestrianCrash(road=True)


_CRASH: Final = "A car at 30 km/h hits a man of 15 segments (Hippmann 2003, section 4)."
FACTORIES: Final[dict[str, Factory]] = {
    "pedestrian": Factory(_CRASH, _pedestrian),
    "pedestrian_road": Factory(f"{_CRASH} With the road under him.", _pedestrian_road),
}
"""Scenarios made by Python, by name."""


def list_scenarios() -> tuple[tuple[str, str], ...]:
    """Name and one-line description of every built-in scenario."""
    from_files = [(name, _first_line(name)) for name in _FILES]
    return (*from_files, *((name, factory.description) for name, factory in FACTORIES.items()))


def is_builtin(name: str) -> bool:
    """Whether there is a built-in scenario ``name``."""
    return name in _FILES or name in FACTORIES


def has_file(name: str) -> bool:
    """Whether the built-in scenario ``name`` is a TOML file, which can be copied."""
    return name in _FILES


def get(name: str) -> RunnableScenario:
    """The built-in scenario ``name``."""
    from polycontact.scenario.parsing import (
        parse_scenario,  # pydantic is slow to import; listing needs it not
    )

    if name in FACTORIES:
        return FACTORIES[name].make()
    if name not in _FILES:
        raise no_such_scenario(name)
    return parse_scenario(scenario_text(name), Path(str(_folder())), file=f"{name}.toml")


def scenario_text(name: str) -> str:
    """TOML text of a built-in scenario, to copy and change."""
    if name in FACTORIES:
        text = f"this scenario is made by a program and has no file; templates are {listed(_FILES)}"
        raise ScenarioError(name, (text,))
    if name not in _FILES:
        raise no_such_scenario(name)
    return (_folder() / f"{name}.toml").read_text(encoding="utf-8")


def no_such_scenario(name: str) -> ScenarioError:
    """The error for a name that is neither built in nor a file."""
    known = [*_FILES, *FACTORIES]
    hint = suggestion(name, known) or f"; built in are {listed(known)}"
    return ScenarioError(name[:100], (f"there is no such file and no built-in scenario of this name{hint}",))


def _folder() -> Traversable:
    return resources.files("polycontact.scenario") / "data"


def _first_line(name: str) -> str:
    description = tomllib.loads(scenario_text(name))["scenario"]["description"]
    return str(description).strip().partition("\n")[0]
