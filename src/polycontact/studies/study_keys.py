"""The keys of a study file, with what is allowed for each."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from polycontact.scenario.schema.base import Name, OneOf, Positive, Switch, Table, Text, at_most, optional, required
from polycontact.studies import designs
from polycontact.studies.parameters import SCALES

Key = Annotated[str, Field(strict=True, min_length=1, max_length=1000)]
Count = Annotated[int, Field(strict=True, ge=1)]


class ParameterTable(Table):
    """A key of the scenario that a study varies, with its range or its values."""

    key: Key = required('key of the scenario, such as contact.law.stiffness or bodies."ball 1".position[2]')
    name: Name | None = optional("how tables call it; the key if left out")
    range: tuple[Any, Any] | None = optional("two ends, numbers in the key's unit or texts such as 12 mm")
    values: Annotated[tuple[Any, ...], at_most(100_000)] | None = optional("values to choose from, instead of a range")
    scale: Annotated[str, OneOf(SCALES)] = optional("how a range is divided", "", "linear")
    integer: Switch = optional("true: whole numbers only", "", False)
    steps: Annotated[int, Field(strict=True, ge=2)] | None = optional("values of a range in a grid")
    also: Annotated[tuple[Key, ...], at_most(1000)] = optional("further keys that get the same value", "", ())


class DesignTable(Table):
    """How the values of parameters are combined."""

    kind: Annotated[str, OneOf(designs.KINDS)] = required(f"one of {', '.join(designs.KINDS)}")
    number: Count | None = optional(
        "number of runs, which a grid, points and tornado have; of kind sensitivity n in n (parameters + 2)"
    )
    seed: Annotated[int, Field(strict=True, ge=0)] = optional("of chance; the same seed gives the same points", "", 0)
    file: Text | None = optional("of kind points: CSV file, keys in the first line")
    points: Annotated[tuple[dict[str, Any], ...], at_most(100_000)] | None = optional(
        "of kind points: tables of values"
    )


class StudyTables(Table):
    """All keys of a study file: the scenario, what varies, and what is kept of each run."""

    scenario: Text = required("name of a built-in scenario, or path of a scenario file")
    description: Text = optional("what it is about", "", "")
    results: Annotated[Any, Field()] = required("what is kept of each run: texts, or a table with a name for each")
    values: dict[Key, Any] = optional("other values for keys of the scenario, the same in all runs", "", {})
    parameters: Annotated[tuple[ParameterTable, ...], at_most(1000)] = optional("what is varied", "", ())
    design: DesignTable = required("how parameters are combined")
    time_limit: Positive | Text | None = optional("longest time of a run, s")
    retries: Annotated[int, Field(strict=True, ge=0, le=100)] = optional("new attempts where a worker dies", "", 1)
    keep_runs: Annotated[Any, Field()] = optional("none, failed, all, or n for every n-th run", "", "none")
