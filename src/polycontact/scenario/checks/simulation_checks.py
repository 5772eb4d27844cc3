"""Checks of the settings of the simulation against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.raw_content import Raw, is_number, names, table, text, zero_axes
from polycontact.scenario.file_problems import Problem, unknown

MAX_SAMPLES: Final = 10_000_000
"""Most samples that a scenario may ask to record."""


def check_simulation(raw: Raw) -> list[Problem]:
    """Problems of the simulation table."""
    simulation = table(raw, "simulation")
    end, problems = simulation.get("end_time"), list(_check_stops(raw, simulation))
    if not is_number(end) or not end > 0:
        return problems
    for key in ("output_step", "first_step"):
        value = simulation.get(key)
        if is_number(value) and value > end:
            problems.append(Problem(("simulation", key), f"{value:g} s is longer than end_time = {end:g} s"))
    step = simulation.get("output_step")
    if is_number(step) and step > 0 and end / step > MAX_SAMPLES:
        problems.append(
            Problem(
                ("simulation", "output_step"),
                f"{step:g} s makes {end / step:.3g} samples; allowed are {MAX_SAMPLES:g}",
            )
        )
    return problems


def _check_stops(raw: Raw, simulation: Raw) -> Iterator[Problem]:
    """Conditions must name bodies or markers that there are, and axes with a direction."""
    listed = simulation.get("stop_when")
    known = [*names(raw, "bodies"), *names(raw, "markers")]
    for i, stop in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(stop, dict):
            continue
        body = text(stop, "body")
        if body is not None and body not in known:
            wrong = "the world does not move" if body == WORLD else unknown("body or marker", body, known)
            yield Problem(("simulation", "stop_when", i, "body"), wrong)
        yield from zero_axes(("simulation", "stop_when", i), stop, ("axis",))
