"""Input of an identification, checked before the first run, and where its search begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import finds_points
from polycontact.contact.options import PER_POINT
from polycontact.errors import IdentificationError, ScenarioError
from polycontact.identification.fit_parameter import FitParameter, ParameterSpace
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.trial_pool import Trial
from polycontact.scenario.changed_values import value_at, with_values
from polycontact.scenario.key_units import unit_of_key
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.units import has_dimension

Array = NDArray[np.float64]
Subject = Scenario | str | os.PathLike[str] | Trial
"""A scenario, its file or its name; or a function that returns curves."""

MAX_PARAMETERS = 50
"""Most parameters that are sought at once."""


def checked_curves(measured: MeasuredCurve | Sequence[MeasuredCurve]) -> tuple[MeasuredCurve, ...]:
    """One curve or several, at least one."""
    curves = (measured,) if isinstance(measured, MeasuredCurve) else tuple(measured)
    if not curves:
        raise IdentificationError("there is no measured curve; give at least one MeasuredCurve")
    for each in curves:
        if not isinstance(each, MeasuredCurve):
            raise IdentificationError(
                f"{type(each).__name__} is no measured curve; give MeasuredCurve(time, values, …)"
            )
    return curves


def check_options(starts: int | None, refined: int, workers: int, seed: int, max_runs: int) -> None:
    """Refuse options of `identify` that make no sense."""
    limits = {"refined": (refined, 1, 100), "workers": (workers, 1, 256), "max_runs": (max_runs, 1, 10**7)}
    limits |= {"seed": (seed, 0, 2**63)} | ({} if starts is None else {"starts": (starts, 0, 10**5)})
    for name, (value, low, high) in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
            raise IdentificationError(f"{name} {value!r}; allowed is an integer from {low} to {high}")


def checked_parameters(
    scenario: Subject, parameters: FitParameter | Sequence[FitParameter]
) -> tuple[Scenario | Trial, ParameterSpace, list[str]]:
    """The scenario, its parameters as numbers, and their units; both ends of each range must be allowed values."""
    if isinstance(parameters, FitParameter):
        parameters = (parameters,)
    if not parameters:
        raise IdentificationError("there is no parameter to identify; give at least one FitParameter")
    if len(parameters) > MAX_PARAMETERS:
        raise IdentificationError(f"{len(parameters)} parameters; allowed are {MAX_PARAMETERS}")
    for each in parameters:
        if not isinstance(each, FitParameter):
            raise IdentificationError(f"{type(each).__name__} is no parameter; give FitParameter(key, lower, upper)")
    keys = [each.key for each in parameters]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise IdentificationError(f"{twice[0]} is given twice; a parameter has one range")
    if isinstance(scenario, str | Path | os.PathLike):
        scenario = load_scenario(scenario)
    if not isinstance(scenario, Scenario):
        if not callable(scenario):
            raise IdentificationError(f"{type(scenario).__name__} is no scenario, nor the name or file of one")
        return scenario, ParameterSpace([each.in_unit("") for each in parameters]), [""] * len(parameters)
    units = [unit_of_parameter(scenario, each.key) for each in parameters]
    for each, unit in zip(parameters, units, strict=True):
        if not unit and isinstance(each.lower, str):  # a key that is not there has no unit either
            _check_value(scenario, each.key, each.lower)
    space = ParameterSpace([each.in_unit(unit) for each, unit in zip(parameters, units, strict=True)])
    for end in (space.lower, space.upper):
        for key, value in space.named(end).items():
            _check_value(scenario, key, value)
    return scenario, space, units


def _check_value(scenario: Scenario, key: str, value: float | str) -> None:
    try:
        with_values(scenario, {key: value})
    except ScenarioError as error:
        if any("unknown key" in problem or "there is no" in problem for problem in error.problems):
            raise IdentificationError(str(error)) from error
        shown = value if isinstance(value, str) else f"{value:g}"
        raise IdentificationError(f"{key}: the range reaches {shown}, which is not allowed: {error}") from error


def start_point(scenario: Scenario | Trial, space: ParameterSpace) -> Array:
    """Where the search begins: start values, else those of the scenario, else the middle of the range."""
    point = 0.5 * (space.lower + space.upper)
    for i, each in enumerate(space.parameters):
        value: Any = each.start
        if value is None and isinstance(scenario, Scenario):
            value = value_at(scenario, each.key)
        if isinstance(value, int | float) and not isinstance(value, bool) and each.lower <= value <= each.upper:  # type: ignore[operator]
            values = space.values(point)
            values[i] = float(value)
            point = space.point(values)
    return point


def unit_of_parameter(scenario: Scenario, key: str) -> str:
    """The unit, such as "N/m³"; empty where numbers have none, or where it depends on other keys."""
    unit = unit_of_key(scenario, key)
    if key.startswith("contact") and unit in PER_POINT and _only_points(scenario):
        return PER_POINT[unit]
    return unit if has_dimension(unit) else ""


def _only_points(scenario: Scenario) -> bool:
    """Whether all contacts find points, which have no area."""
    contacts = scenario.build().compile().contacts
    return all(finds_points(each.description.to_plain()) for each in contacts) and len(contacts) > 0
