"""A TOML file that says what to identify from what: the scenario, parameters with ranges, curves in text files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from polycontact.errors import IdentificationError
from polycontact.identification.fit_parameter import FitParameter
from polycontact.identification.identification_result import Identification
from polycontact.identification.identify import identify
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.search_log import IdentifyProgress
from polycontact.scenario.builtin import is_builtin
from polycontact.scenario.file_problems import refuse
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.scenario.reading import parse_toml, read_text
from polycontact.scenario.schema.base import Name, Number, Positive, Table, Text, at_most, optional, required
from polycontact.scenario.schema_errors import schema_problems

MAX_CURVES: Final = 100

NumberOrText = Number | Annotated[str, Field(max_length=100)]
Count = Annotated[int, Field(strict=True, ge=0, le=10**7)]
Column = Annotated[int, Field(strict=True, ge=1)] | Annotated[str, Field(min_length=1, max_length=200)]


class ParameterTable(Table):
    """A value of the scenario that is sought."""

    key: Text = required("where the value stands in the scenario, such as contact.law.stiffness")
    lower: NumberOrText = required('least value, a number in the unit of its key or a text such as "5 N/mm"')
    upper: NumberOrText = required("greatest value")
    scale: Literal["linear", "log"] = optional("log where the order of magnitude is not known", "", "linear")
    start: NumberOrText | None = optional("where the search begins too; the scenario's value if left out")

    def build(self) -> FitParameter:
        """The parameter that the table describes; wrong bounds raise an error."""
        return FitParameter(self.key, self.lower, self.upper, self.scale, self.start)


class CurveTable(Table):
    """A measured curve in a text file."""

    file: Text = required("text file with the table, relative to this file")
    column: Column = required("column of the values: its title, or its number from 1")
    quantity: Text = required('what it is in the run: the title of a column of its table, such as "ball position z"')
    time: Column = optional("column of the times", "", 1)
    unit: Text | None = optional('unit of the values, such as "mm", where the title has none')
    time_unit: Text | None = optional('unit of the times, such as "ms", where the title has none')
    standard_deviation: NumberOrText | None = optional(
        'standard deviation of the values, in their unit or as "0.1 mm"; by the residuals if left out'
    )
    weight: Positive = optional("how much the curve counts besides", "", 1.0)
    label: Text = optional("how tables and plots call it", "", "")
    gaps: Literal["refuse", "skip"] = optional("what to do with rows without a number", "", "refuse")
    time_shift: NumberOrText = optional('added to the times, in s or as "-350 ms"', "", 0.0)
    between: tuple[Number, Number] | None = optional("first and last time that are used, after the shift", "s")
    every: Annotated[int, Field(strict=True, ge=1)] = optional("only every n-th row", "", 1)
    separator: Text | None = optional("what separates the columns; recognised if left out")
    decimal: Text | None = optional("decimal sign; recognised if left out")
    skip_lines: Annotated[int, Field(strict=True, ge=0)] = optional("lines before the table", "", 0)

    def build(self, folder: Path) -> MeasuredCurve:
        """The curve, read from its file."""
        options = self.model_dump(exclude={"file", "column", "quantity"})
        return MeasuredCurve.from_csv(folder / self.file, self.column, self.quantity, **options)


class SearchTable(Table):
    """Table ``search`` of an identification file: starting points, refinements and the most runs."""

    starts: Count | None = optional("points spread over the ranges; 8 for each parameter if left out")
    refined: Annotated[int, Field(strict=True, ge=1, le=100)] = optional("how many of them are refined", "", 2)
    seed: Count = optional("seed of the points", "", 0)
    max_runs: Annotated[int, Field(strict=True, ge=1, le=10**7)] = optional("most runs", "", 2000)


class IdentifyModel(Table):
    """An identification file: scenario, sought parameters, measured curves and search."""

    scenario: Name = required("name of a built-in scenario, or its file relative to this one")
    parameters: Annotated[tuple[ParameterTable, ...], at_most(50)] = required("values that are sought")
    curves: Annotated[tuple[CurveTable, ...], at_most(MAX_CURVES)] = required("curves that were measured")
    search: SearchTable = optional("how the search is made", "", SearchTable())


@dataclass(frozen=True)
class IdentifyFile:
    """A file that was found to be consistent, with its scenario and its curves."""

    scenario: Scenario
    parameters: tuple[FitParameter, ...]
    curves: tuple[MeasuredCurve, ...]
    search: dict[str, Any]

    def run(
        self, *, workers: int = 1, progress: Callable[[IdentifyProgress], None] | None = None, **options: Any
    ) -> Identification:
        """Identify; ``options`` come before those of the file."""
        settings = {**self.search, **options}
        return identify(self.scenario, self.parameters, self.curves, workers=workers, progress=progress, **settings)


def load_identify_file(path: str | os.PathLike[str]) -> IdentifyFile:
    """The content of a TOML file, all its curves read and checked; mistakes in it are told all at once."""
    file = Path(os.fsdecode(path))
    raw = parse_toml(
        read_text(file, "an identification", "it needs scenario, [[parameters]] and [[curves]]"), file.name
    )
    if "bodies" in raw or "simulation" in raw:
        raise IdentificationError(
            f"{file.name}: this is a scenario; name it in a file with [[parameters]] and [[curves]]"
        )
    try:
        model = IdentifyModel.model_validate(raw)
    except ValidationError as error:
        problems, n_more = schema_problems(error, raw, IdentifyModel)
        raise refuse(file.name, raw, problems, n_more) from error
    for name in ("parameters", "curves"):
        if not getattr(model, name):
            raise IdentificationError(f"{file.name}: there are no [[{name}]]; give at least one")
    scenario = _scenario_of(model.scenario, file)
    curves = tuple(each.build(file.parent) for each in model.curves)
    return IdentifyFile(
        scenario, tuple(each.build() for each in model.parameters), _with_own_labels(curves), model.search.model_dump()
    )


def _scenario_of(name: str, file: Path) -> Scenario:
    return load_scenario(name if is_builtin(name) else file.parent / name)


def _with_own_labels(curves: tuple[MeasuredCurve, ...]) -> tuple[MeasuredCurve, ...]:
    """The curves, with a number after each label that several have."""
    labels = [each.label for each in curves]
    return tuple(
        _relabelled(each, f"{each.label} ({labels[: i + 1].count(each.label)})")
        if labels.count(each.label) > 1
        else each
        for i, each in enumerate(curves)
    )


def _relabelled(curve: MeasuredCurve, label: str) -> MeasuredCurve:
    deviation = None if curve.standard_deviation is None else curve.standard_deviation / curve.factor
    return MeasuredCurve(
        curve.time,
        curve.values / curve.factor,
        curve.quantity,
        curve.unit,
        standard_deviation=deviation,
        weight=curve.weight,
        label=label,
    )
