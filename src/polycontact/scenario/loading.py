"""The scenario in a TOML file, or the built-in one of a name: the usual way to get one."""

from __future__ import annotations

import os
from pathlib import Path

from polycontact.errors import ScenarioError
from polycontact.scenario import builtin
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.scenario.reading import RECORDED, read_text

__all__ = ["Scenario", "load_scenario", "parse_scenario"]


def load_scenario(path_or_name: str | os.PathLike[str]) -> Scenario:
    """The scenario in a TOML file, or the built-in one of that name.

    A plain word that names a built-in scenario means that one; anything else is the path of a file. Raises a
    `ScenarioError` that lists all mistakes.
    """
    if not isinstance(path_or_name, str | os.PathLike):
        raise ScenarioError(str(path_or_name), ("is no path; give the path of a file, or the name of a scenario",))
    if isinstance(path_or_name, str) and builtin.is_builtin(path_or_name):
        return builtin.get(path_or_name)
    path = Path(os.fsdecode(path_or_name))
    if isinstance(path_or_name, str) and _is_plain_word(path_or_name) and not os.path.lexists(path):
        raise builtin.no_such_scenario(path_or_name)
    _refuse_other_kinds(path)
    return parse_scenario(read_text(path), path.parent, file=path.name)


def _refuse_other_kinds(path: Path) -> None:
    """Say what to do with a run, a robot or a mesh, however large, that was given for a scenario."""
    suffix = path.suffix.lower()
    if suffix in (".toml", "") or not path.is_file():
        return
    from polycontact.robots.model_files import ROBOT_SUFFIXES
    from polycontact.surfaces.reading.sniffing import EXTENSIONS

    if suffix in (".h5", ".hdf5"):
        raise ScenarioError(path.name, (f"{RECORDED}; a run of a study is named like {path.name}:17",))
    if suffix in (*ROBOT_SUFFIXES, ".xacro"):
        told = "this is a robot, no scenario; see it with 'polycontact check' or 'polycontact view'"
        raise ScenarioError(path.name, (f"{told}, and name it under [[robots]] in a scenario file to simulate it",))
    if suffix in EXTENSIONS:
        told = "this is a mesh, no scenario; see it with 'polycontact check' or 'polycontact view'"
        raise ScenarioError(path.name, (f"{told}, and name it in a scenario file to simulate it",))


def _is_plain_word(text: str) -> bool:
    """Whether ``text`` may have been meant as the name of a built-in scenario."""
    return text.replace("_", "").replace("-", "").isalnum()
