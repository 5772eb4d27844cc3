"""Checks of the settings of the simulation against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.table_checks import names, zero_axes
from polycontact.scenario.file_problems import Problem, unknown
from polycontact.scenario.readable_tables import entries
from polycontact.scenario.schema.base import Table
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.simulation.run_options import unused

MAX_SAMPLES: Final = 10_000_000
"""Most samples that a scenario may ask to record."""


def check_simulation(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of the simulation table."""
    yield from _check_stops(model)
    yield from _check_use(model)
    end = getattr(model.simulation, "end_time", None)
    if end is None:
        return
    for key in ("output_step", "first_step"):
        value = getattr(model.simulation, key)
        if value is not None and value > end:
            yield Problem(("simulation", key), f"{value:g} s is longer than end_time = {end:g} s")
    step = getattr(model.simulation, "output_step", None)
    if step is not None and end / step > MAX_SAMPLES:
        told = f"{step:g} s makes {end / step:.3g} samples; allowed are {MAX_SAMPLES:g}"
        yield Problem(("simulation", "output_step"), told)


def _check_use(model: ScenarioModel) -> Iterator[Problem]:
    """Options must be some that the response and the integrator of the file use."""
    table = model.simulation
    given = {name: getattr(table, name, None) for name in getattr(table, "model_fields_set", ())}
    if isinstance(response := given.get("response"), Table):
        given["response"] = {"kind": getattr(response, "kind", None)}
    for name, why in unused(given).items():
        if given[name] is not None:
            yield Problem(("simulation", name), why.removeprefix(f"{name} is "))


def _check_stops(model: ScenarioModel) -> Iterator[Problem]:
    """Conditions must name bodies or markers that there are, and axes with a direction."""
    known = [*names(model.bodies), *names(model.markers)]
    for i, stop in entries(getattr(model.simulation, "stop_when", ())):
        where = ("simulation", "stop_when", i)
        if stop.body is not None and stop.body not in known:
            wrong = "the world does not move" if stop.body == WORLD else unknown("body or marker", stop.body, known)
            yield Problem((*where, "body"), wrong)
        yield from zero_axes(where, stop, ("axis",))
