"""Where a condition begins or ceases to hold: the bracket, the values that were tried, and whether they agree."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from polycontact.replacing import write_whole
from polycontact.scenario.parsing import Scenario
from polycontact.seeking.condition import Condition
from polycontact.studies.parameters import StudyParameter
from polycontact.wording import counted


@dataclass(frozen=True)
class TriedValue:
    """A run: the ``value`` of the key, the ``result``, and whether the condition holds (None where the run failed)."""

    value: float
    result: float
    holds: bool | None
    failed: str = ""


@dataclass(frozen=True)
class Threshold:
    """Where a condition begins or ceases to hold, as `find` found it.

    ``bracket``: the two values between which it lies, of which one was tried to hold and the other not to; ``value``:
    the end of the bracket that holds. ``holds_above``: whether the condition holds above it. ``is_sound``: False where
    the answer changes more than once, by noise or because it is not monotone, as ``notes`` say. ``tried``: all runs, by
    value.
    """

    scenario: Scenario
    parameter: StudyParameter
    condition: Condition
    bracket: tuple[float, float]
    holds_above: bool
    is_sound: bool
    tried: tuple[TriedValue, ...]
    notes: tuple[str, ...]
    runs: int
    recorded: int

    @property
    def value(self) -> float:
        """The smallest value, or the largest, that was tried and holds; in the unit of the key."""
        return self.bracket[1] if self.holds_above else self.bracket[0]

    @property
    def scenario_there(self) -> Scenario:
        """The scenario with the value in it."""
        number = round(self.value) if self.parameter.integer else self.value
        return self.scenario.with_values(self.parameter.set_to(number))

    def told(self) -> str:
        """The threshold in a sentence."""
        unit = f" {self.parameter.unit}" if self.parameter.unit else ""
        side = "smallest" if self.holds_above else "largest"
        low, high = (f"{each:.6g}" for each in self.bracket)
        return (
            f"{side} {self.parameter.name} with {self.condition.told()}: {self.value:.6g}{unit} (between {low} and "
            f"{high}{unit}, {counted(self.runs, 'run')})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "ok": self.is_sound,
            "scenario": self.scenario.name,
            "key": self.parameter.key,
            "unit": self.parameter.unit,
            "condition": self.condition.told(),
            "value": self.value,
            "bracket": list(self.bracket),
            "holds_above": self.holds_above,
            "told": self.told(),
            "notes": list(self.notes),
            "runs": self.runs,
            "tried": [
                {
                    "value": each.value,
                    "result": None if each.holds is None else each.result,
                    "holds": each.holds,
                    "failed": each.failed,
                }
                for each in self.tried
            ],
        }

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` as JSON."""
        write_whole(path, json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
