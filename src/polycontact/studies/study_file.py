"""Study files: a study as TOML, read and checked like a scenario; and the built-in ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from polycontact.errors import StudyError
from polycontact.scenario import builtin
from polycontact.scenario.file_problems import Problem, listed, refuse, suggestion
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.scenario.reading import parse_toml, read_text
from polycontact.scenario.schema_errors import schema_problems
from polycontact.studies.designs import StudyDesign
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.study_keys import DesignTable, StudyTables


@dataclass(frozen=True)
class StudyFile:
    """The content of a study file; ``options`` are keyword arguments of `study`."""

    name: str
    description: str
    scenario: Scenario
    design: StudyDesign
    results: dict[str, str]
    options: dict[str, Any]


def load_study(path_or_name: str | os.PathLike[str]) -> StudyFile:
    """The study in a TOML file, or the built-in one of that name; raises an error that lists what is wrong."""
    if isinstance(path_or_name, str) and path_or_name in built_in_studies():
        text, folder, file = _built_in_text(path_or_name), Path.cwd(), f"{path_or_name}.toml"
    else:
        path = Path(os.fsdecode(path_or_name))
        if not path.suffix and not path.exists():
            known = built_in_studies()
            hint = suggestion(str(path), known) or f"; built in are {listed(known)}"
            raise StudyError(f"{path}: there is no such file and no built-in study of this name{hint}")
        text, folder, file = (
            read_text(path, "a study", "it needs scenario, results, [[parameters]] and [design]"),
            path.parent,
            path.name,
        )
    return parse_study(text, folder, file=file)


def parse_study(text: str, folder: Path, *, file: str = "study") -> StudyFile:
    """The study in a TOML ``text``; paths in it are relative to ``folder``."""
    raw = parse_toml(text, file)
    if "bodies" in raw or "simulation" in raw:
        raise StudyError(
            f"{file}: this is a scenario; run it with 'polycontact run', or name it in a file with results, "
            "[[parameters]] and [design]"
        )
    try:
        tables = StudyTables.model_validate(raw)
    except ValidationError as error:
        found, n_more = schema_problems(error, raw, StudyTables)
        raise refuse(file, raw, found, n_more) from error
    results = _results(tables.results, raw, file)
    scenario = _scenario(tables.scenario, folder)
    options = {
        "values": dict(tables.values) or None,
        "time_limit": tables.time_limit,
        "retries": tables.retries,
        "keep_runs": tables.keep_runs,
    }
    design = _design(tables, folder)
    return StudyFile(Path(file).stem, tables.description, scenario, design, results, options)


def built_in_studies() -> tuple[str, ...]:
    """Names of the built-in studies."""
    return tuple(sorted(each.name.removesuffix(".toml") for each in _folder().iterdir() if each.name.endswith(".toml")))


def _built_in_text(name: str) -> str:
    return (_folder() / f"{name}.toml").read_text(encoding="utf-8")


def _folder() -> Traversable:
    return resources.files("polycontact.studies") / "data"


def _scenario(named: str, folder: Path) -> Scenario:
    if builtin.is_builtin(named):
        return load_scenario(named)
    path = folder / named
    if not path.suffix and not path.exists():
        raise builtin.no_such_scenario(named)
    return load_scenario(path)


def _results(asked: Any, raw: dict[str, Any], file: str) -> dict[str, str]:
    """Results by name: given as a table, or as texts that are their own names."""
    listed_ones = asked if isinstance(asked, list | tuple) else ()
    pairs = list(asked.items()) if isinstance(asked, dict) else [(each, each) for each in listed_ones]
    if not pairs or not all(isinstance(text, str) for _, text in pairs):
        problem = Problem(("results",), 'give texts: ["peak force of A-B"], or a table with a name for each')
        raise refuse(file, raw, [problem])
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise refuse(file, raw, [Problem(("results",), "the same text is there twice; leave one out")])
    return dict(pairs)


def _design(tables: StudyTables, folder: Path) -> StudyDesign:
    chosen = tables.design
    if chosen.kind == "points":
        return _points(tables, chosen, folder)
    if chosen.file is not None or chosen.points is not None:
        raise StudyError(f"design: file and points go with kind points, not with {chosen.kind}; leave them out")
    parameters = tuple(
        StudyParameter(
            each.key,
            each.range,
            each.values,
            each.name or "",
            each.scale,
            each.integer,
            each.steps,
            each.also,
        )
        for each in tables.parameters
    )
    return StudyDesign(parameters, chosen.kind, chosen.number, chosen.seed)


def _points(tables: StudyTables, chosen: DesignTable, folder: Path) -> StudyDesign:
    if tables.parameters:
        raise StudyError("design: points bring their own keys; leave [[parameters]] out")
    if (chosen.file is None) == (chosen.points is None):
        raise StudyError("design: give either a file with points or a list of them")
    if chosen.number is not None:
        raise StudyError("design: points have their number; leave it out")
    return (
        StudyDesign.from_csv(folder / chosen.file)
        if chosen.file is not None
        else StudyDesign.points(chosen.points or ())
    )
