"""Checks of the settings of the simulation against each other."""

from __future__ import annotations

from typing import Final

from polycontact.scenario.checks.raw_content import Raw, is_number, table
from polycontact.scenario.file_problems import Problem

MAX_SAMPLES: Final = 10_000_000
"""Most samples that a scenario may ask to record."""


def check_simulation(raw: Raw) -> list[Problem]:
    """Problems of the simulation table."""
    simulation = table(raw, "simulation")
    end, problems = simulation.get("end_time"), []
    if not is_number(end) or not end > 0:
        return []
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
