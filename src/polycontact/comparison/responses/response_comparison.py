"""The comparison of responses: a scenario goes in, a run for each response comes out, with figures and findings."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polycontact.comparison.responses.finding import Finding
from polycontact.comparison.responses.response_choice import chosen_responses
from polycontact.comparison.responses.response_runs import (
    SAMPLES,
    Report,
    ResponseRun,
    check_stiffnesses,
    run_responses,
    set_stiffness,
)
from polycontact.comparison.responses.source_studies import STUDIES, Study
from polycontact.contact.description import POINT_METHODS
from polycontact.contact.options import is_number
from polycontact.errors import SimulationError
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.simulation.responses.response import Response

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem


@dataclass(frozen=True, eq=False, repr=False)
class ResponseComparison:
    """What `compare_responses` found: a run for each response, in order; see `ResponseRun`.

    ``study``: which study of the source the scenario repeats, where it does.
    """

    name: str
    description: str
    runs: tuple[ResponseRun, ...]
    study: Study | None = None

    def __repr__(self) -> str:
        return f"ResponseComparison({self.name!r}: {', '.join(each.label for each in self.runs)})"

    @property
    def ok(self) -> bool:
        """Whether every response reached the end."""
        return not any(each.reason for each in self.runs)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What of the source these runs repeat, what not, and why; none without a figure of the source."""
        return () if self.study is None or self.study.figure is None else tuple(self.study.figure.findings(self.runs))

    def run(self, label: str) -> ResponseRun:
        """The run with this label; an unknown label raises an error that lists the labels there are."""
        found = next((each for each in self.runs if each.label == label), None)
        if found is None:
            known = ", ".join(repr(each.label) for each in self.runs)
            raise SimulationError(f"{self.name}: no response {label!r} was run; there are {known}")
        return found

    def __str__(self) -> str:
        from polycontact.comparison.responses.response_table import response_text

        return response_text(self)

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison as one HTML page."""
        from polycontact.comparison.responses.response_page import write_responses

        write_responses(path, self)

    def to_dict(self) -> dict[str, Any]:
        """All figures, as JSON can hold them."""
        from polycontact.comparison.responses.response_record import response_record

        return response_record(self)


def compare_responses(
    scenario: Scenario | str | os.PathLike[str],
    *,
    responses: Sequence[str | Response] | None = None,
    stiffness: Sequence[float] | None = None,
    end_time: float | None = None,
    output_step: float | None = None,
    progress: Report | None = None,
) -> ResponseComparison:
    """The same scenario with every contact response.

    - ``scenario``: by name, file or object.
    - ``responses``: of "compliant", "propagation" and "simultaneous" (impulses), "multipliers", "yielding" (multipliers
      of contacts that yield), or responses with options of their own; all where left out, the last one only where
      stiffnesses vary, and for the six-legged robots.
    - ``stiffness``: of all contacts (N/m for points, N/m³ for areas), a compliant run and one with yielding multipliers
      for each; left out: those of the source for its manipulators, else the scenario's own.
    - ``end_time``, ``output_step`` (s): instead of the scenario's; by default there are at least 4000 samples.
    - ``progress``: is told the label of the run that goes on and where it stands, a `Progress`.

    A response that fails is kept with its reason. Ctrl-C stops the run that goes on and begins no other.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    study = STUDIES.get(chosen.name)
    system = chosen.build()
    if not system.contacts:
        raise SimulationError(f"{chosen.name}: the scenario has no contacts, and responses differ in nothing else")
    own = study.stiffnesses if study is not None else ()
    stiffnesses = check_stiffnesses(own if stiffness is None else stiffness)
    for each in stiffnesses:
        set_stiffness(system, each)  # a law that has none is told before anything is run
    yields = len(stiffnesses) > 1 or (study is not None and study.yields)
    families = chosen_responses(responses, yields=yields)
    options = _settings(chosen, end_time, output_step)
    runs = run_responses(chosen, families, stiffnesses, _unit(system), options, progress)
    return ResponseComparison(chosen.name, chosen.description, tuple(runs), study)


def _settings(scenario: Scenario, end_time: float | None, output_step: float | None) -> dict[str, Any]:
    """Settings besides those of the scenario; what is wrong with them `simulate` tells."""
    settings = scenario.settings
    end = settings["end_time"] if end_time is None else end_time
    if not isinstance(end, int | float) or isinstance(end, bool) or not end > 0.0:
        raise SimulationError(f"end_time is {end!r} s; give a positive number")
    if output_step is not None and not (is_number(output_step) and 0.0 < output_step < math.inf):
        raise SimulationError(f"output_step is {output_step!r} s; give a positive, finite number")
    step = min(settings.get("output_step", end), end / SAMPLES) if output_step is None else output_step
    return {"end_time": end, "output_step": step}


def _unit(system: MultibodySystem) -> str:
    """Unit of the stiffness: that of points, or of areas."""
    points = any(isinstance(each.description.method, POINT_METHODS) for each in system.contacts.values())
    return "N/m" if points else "N/m³"
