"""Conditions on results of runs: "max position of block.x < 1 mm"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from polycontact.errors import StudyError, UnitError
from polycontact.scenario.file_problems import shown
from polycontact.scenario.parsing import Scenario
from polycontact.studies.results import Result
from polycontact.studies.study_plan import parse_results
from polycontact.units import has_dimension, quantity

_PARTS: Final = re.compile(r"(?P<result>.+?)\s*(?P<sign><=|>=|<|>|≤|≥)\s*(?P<bound>[^<>≤≥=]+)", re.DOTALL)

Said = str | tuple[Callable[..., float], str, float]
"""A condition as a user says it: a text, or a function of a `Run`, "<" or ">", and a bound."""


@dataclass(frozen=True)
class Condition:
    """A ``result`` of a run below or above a ``bound``, in the unit of the result."""

    result: Result
    is_below: bool
    bound: float

    def room(self, value: float) -> float:
        """How far a value is from the bound, positive where the condition holds."""
        return self.bound - value if self.is_below else value - self.bound

    def holds(self, value: float) -> bool | None:
        """Whether the condition holds for a value of the result; None where there is none."""
        return None if not math.isfinite(value) else self.room(value) > 0.0

    def told(self) -> str:
        """The condition in words."""
        unit = f" {self.result.unit}" if self.result.unit else ""
        return f"{self.result.name} {'<' if self.is_below else '>'} {self.bound:g}{unit}"


def parse_conditions(said: list[Said], scenario: Scenario) -> tuple[Condition, ...]:
    """The conditions that texts and functions say of runs of a scenario; what they cannot mean raises an error."""
    return tuple(_parsed(each, scenario) for each in said)


def _parsed(said: Any, scenario: Scenario) -> Condition:
    if isinstance(said, str):
        parts = _PARTS.fullmatch(" ".join(said.split()))
        if parts is None:
            raise StudyError(
                f"condition {shown(said)}: write a result, < or >, and a number, as in 'peak force of A-B < 100 N'"
            )
        asked, sign, bound = parts["result"], parts["sign"], parts["bound"]
        (result,) = parse_results([asked], scenario, "the scenario")
        return Condition(result, sign in "<=≤", _number(said, bound, result.unit))
    if not (isinstance(said, tuple) and len(said) == 3 and callable(said[0]) and said[1] in ("<", ">")):
        raise StudyError(f"condition {said!r}: give a text, or a function of a Run, '<' or '>', and a number")
    function, sign, bound = said
    (result,) = parse_results([function], scenario, "the scenario")
    if isinstance(bound, bool) or not isinstance(bound, int | float) or not math.isfinite(bound):
        raise StudyError(f"condition on {result.name}: its bound is {bound!r}; give a finite number")
    return Condition(result, sign == "<", float(bound))


def _number(said: str, text: str, unit: str) -> float:
    try:
        found = float(text)
    except ValueError:
        if not has_dimension(unit):
            raise StudyError(f"condition {shown(said)}: {text!r} is no number, and the result has no unit") from None
        try:
            found = quantity(text, unit)
        except UnitError as error:
            raise StudyError(f"condition {shown(said)}: {error}") from error
    if not math.isfinite(found):
        raise StudyError(f"condition {shown(said)}: its bound {text} is not finite; give a finite number")
    return found
