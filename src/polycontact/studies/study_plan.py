"""What a study is, checked: a scenario, the points at which it is run, and the results that are kept of each run.

Everything that can be wrong is found here, before the first run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import PolycontactError, ScenarioError, StudyError
from polycontact.scenario.file_problems import shown
from polycontact.scenario.parsing import Scenario
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_record import describe
from polycontact.studies.designs import StudyDesign, values_of
from polycontact.studies.one_run import RunTask
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.results import Result, own_result, parse_result

Asked = Mapping[str, str | Callable[..., float]] | Sequence[str | Callable[..., float]]
"""Results as a user asks for them: texts or functions of a run, by name or in a row."""


@dataclass(frozen=True, eq=False)
class StudyPlan:
    """A study that was found to be possible; ``points`` (n, number of parameters) are levels of the parameters."""

    scenario: Scenario
    design: StudyDesign
    points: NDArray[np.float64]
    results: tuple[Result, ...]

    @property
    def parameters(self) -> tuple[StudyParameter, ...]:
        """The varied parameters, in the order of a point's entries."""
        return self.design.parameters

    def task(self, index: int) -> RunTask:
        """The run at the point ``index``, counted from 0."""
        return RunTask(index, values_of(self.parameters, self.points[index]))

    def tasks(self, wanted: NDArray[np.bool_]) -> Iterator[RunTask]:
        """The runs that are wanted, in their order."""
        return (self.task(int(i)) for i in np.flatnonzero(wanted))

    def to_plain(self) -> dict[str, Any]:
        """Plain values, for JSON: with the scenario and the points all that says which study this is."""
        return {"design": self.design.to_plain(), "results": [each.to_plain() for each in self.results]}


def plan_study(scenario: Scenario, design: StudyDesign, results: Asked) -> StudyPlan:
    """Check a study; raises a `StudyError` that says what cannot be."""
    if not isinstance(design, StudyDesign):
        raise StudyError(f"design is {design!r}; give a StudyDesign")
    parameters = tuple(each.resolved(scenario) for each in design.parameters)
    _refuse_overlap(parameters, scenario)
    design = replace(design, parameters=parameters)
    points = design.levels()
    if not len(points):
        raise StudyError("design: it has no points")
    _refuse_equal_points(design, points)
    first = _first_scenario(scenario, design, points)
    _check_ends(first, parameters)
    return StudyPlan(scenario, design, points, parse_results(results, first))


def parse_results(asked: Asked, scenario: Scenario, what: str = "the first point of the design") -> tuple[Result, ...]:
    """The results of a run of ``scenario`` that are asked for; it is ``what`` in messages."""
    if isinstance(asked, str):
        asked = [asked]
    pairs = list(asked.items()) if isinstance(asked, Mapping) else [(_name_of(each), each) for each in asked]
    if not pairs:
        raise StudyError("results: there is none; ask for at least one, such as 'peak force of A-B'")
    names = [name for name, _ in pairs]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        raise StudyError(f"results: two are called {shown(doubled)}; give them different names")
    for name, each in pairs:
        if not (isinstance(each, str) or callable(each)):
            raise StudyError(f"result {shown(name)}: it is {each!r}; give a text, or a function of a Run")
    system = description_of(scenario, what)
    return tuple(own_result(name, each) if callable(each) else parse_result(name, each, system) for name, each in pairs)


def description_of(scenario: Scenario, what: str = "the first point of the design") -> RunDescription:
    """Names of what there is in a run of a scenario, which is ``what`` in messages."""
    try:
        return describe(scenario.build().compile(), RunOptions(end_time=1.0))
    except PolycontactError as error:
        raise StudyError(f"{what} cannot be built: {error}") from error


def _name_of(each: str | Callable[..., float]) -> str:
    if isinstance(each, str):
        return each
    return str(getattr(each, "__name__", type(each).__name__))


def _refuse_overlap(parameters: Sequence[StudyParameter], scenario: Scenario) -> None:
    """Refuse two parameters that change the same key, or one that lies in what the other replaces."""
    taken: dict[tuple[Any, ...], StudyParameter] = {}
    for each in parameters:
        for place in each.places(scenario):
            for other, owner in taken.items():
                if owner is not each and (place[: len(other)] == other or other[: len(place)] == place):
                    raise each.wrong(f"it changes what parameter {shown(owner.name)} changes too; leave one out")
            taken[place] = each


def _refuse_equal_points(design: StudyDesign, points: NDArray[np.float64]) -> None:
    if design.kind != "points":
        return
    first: dict[bytes, int] = {}
    for i, row in enumerate(points):
        earlier = first.setdefault(row.tobytes(), i)
        if earlier != i:
            raise StudyError(f"design: points {earlier} and {i} are the same (the first is 0); leave one out")


def _first_scenario(scenario: Scenario, design: StudyDesign, points: NDArray[np.float64]) -> Scenario:
    try:
        return scenario.with_values(values_of(design.parameters, points[0]))
    except ScenarioError as error:
        _check_ends(scenario, design.parameters)  # tells which parameter it is, if one alone is to blame
        raise StudyError(f"the first point of the design is no scenario: {error}") from error


def _check_ends(scenario: Scenario, parameters: Sequence[StudyParameter]) -> None:
    """The schema must allow both ends of every range, and every value."""
    for each in parameters:
        for end in each.extremes():
            if isinstance(end, float) and not math.isfinite(end):
                raise each.wrong(f"its value {end} is not finite")
            try:
                scenario.with_values(each.set_to(end))
            except ScenarioError as error:
                raise each.wrong("; ".join(error.problems)) from error
