"""What a study varies: keys of a scenario, each with a range or with values to choose from."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import ScenarioError, StudyError
from polycontact.scenario.changed_values import locations, plain
from polycontact.scenario.file_problems import Location, shown
from polycontact.scenario.key_units import number_at, unit_of_key
from polycontact.scenario.written_units import what_is_wrong

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario

MOST_STEPS: Final = 10_000_000
"""Most steps of a range in a grid: as many runs as a study may have."""

SCALES: Final = ("linear", "log")

Value = float | int | str | bool | list[Any] | dict[str, Any]


@dataclass(frozen=True)
class StudyParameter:
    """A key of a scenario with a ``range`` of two ends or some ``values``; numbers in the key's unit, or "12 mm".

    ``name``: how tables call it, by default the key. ``scale`` of a range: "linear" or "log". ``integer``: whole
    numbers only. ``steps``: values of a range in a full grid. ``also``: further keys that get the same value. ``unit``
    is filled in from the scenario.
    """

    key: str
    range: tuple[Any, Any] | None = None
    values: tuple[Any, ...] | None = None
    name: str = ""
    scale: str = "linear"
    integer: bool = False
    steps: int | None = None
    also: tuple[str, ...] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        if self.values is not None:
            object.__setattr__(self, "values", tuple(plain(each) for each in self.values))
        if self.range is not None:
            object.__setattr__(self, "range", tuple(plain(each) for each in self.range))
        object.__setattr__(self, "also", tuple(self.also))
        object.__setattr__(self, "name", self.name or self.key)
        self._check()

    def _check(self) -> None:
        if (self.range is None) == (self.values is None):
            raise self.wrong("give either a range with two ends or values to choose from")
        if self.scale not in SCALES:
            raise self.wrong(f"its scale is {shown(self.scale)}; allowed is one of {', '.join(SCALES)}")
        if self.steps is not None and (self.range is None or self.steps < 2):
            raise self.wrong(f"it has {self.steps} steps; a range may have 2 or more, values have none")
        if self.steps is not None and self.steps > MOST_STEPS:
            raise self.wrong(f"it has {self.steps} steps; allowed are {MOST_STEPS}: take fewer, or a sample")
        if self.range is not None and len(self.range) != 2:
            raise self.wrong(f"its range has {len(self.range)} numbers; give two ends")
        if self.values is not None:
            if not self.values:
                raise self.wrong("it has no values; give at least one")
            most = Counter(map(repr, self.values)).most_common(1)[0]
            if most[1] > 1:
                raise self.wrong(f"its value {most[0]} is there {most[1]} times; leave all but one out")

    def resolved(self, scenario: Scenario) -> StudyParameter:
        """The parameter with its unit and with numbers for texts such as "12 mm"; a mistake raises an error."""
        try:
            unit = unit_of_key(scenario, self.key)
            if self.values is not None:
                return replace(
                    self, values=tuple(number_at(scenario, self.key, each) for each in self.values), unit=unit
                )
            assert self.range is not None
            low, high = (number_at(scenario, self.key, each) for each in self.range)
        except ScenarioError as error:
            raise self.wrong("; ".join(error.problems)) from error
        return replace(self, range=self._checked_range(low, high, unit), unit=unit)

    def _checked_range(self, low: Any, high: Any, unit: str) -> tuple[float, float]:
        for end in (low, high):
            if isinstance(end, str) and (wrong := what_is_wrong(end, unit)):
                raise self.wrong(f"an end of its range: {wrong}")
            if isinstance(end, bool) or not isinstance(end, int | float) or not math.isfinite(end):
                raise self.wrong(f"an end of its range is {shown(end)}; give two finite numbers")
        if not low < high:
            raise self.wrong(
                f"its range goes from {low:g} to {high:g}; give the smaller end first, and two different ends"
            )
        if self.scale == "log" and low <= 0:
            raise self.wrong(f"its range starts at {low:g}; a range with scale log must lie above 0")
        if self.integer and (low != round(low) or high != round(high)):
            raise self.wrong(f"its range goes from {low:g} to {high:g}; ends of whole numbers must be whole")
        return float(low), float(high)

    def places(self, scenario: Scenario) -> list[Location]:
        """Locations in the scenario's file to which the parameter's keys lead."""
        try:
            return [place for key in (self.key, *self.also) for place in locations(scenario, key)]
        except ScenarioError as error:
            raise self.wrong("; ".join(error.problems)) from error

    def set_to(self, value: Value) -> dict[str, Value]:
        """``value`` for the key of the parameter and for those that change with it."""
        return dict.fromkeys((self.key, *self.also), value)

    def wrong(self, text: str) -> StudyError:
        """An error, to be raised, that names the parameter and says ``text``."""
        return StudyError(f"parameter {shown(self.name)}: {text}")

    # Levels: the numbers by which points are stored -------------------------------------------------------------

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers, so that they can be drawn along an axis."""
        return self.values is None or all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)

    def from_share(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Levels for numbers from 0 to 1: of a range its values, of values their index."""
        if self.values is not None:
            return np.minimum(np.floor(share * len(self.values)), len(self.values) - 1)
        low, high = self._ends
        if self.integer:
            return np.minimum(np.floor(low + share * (high - low + 1.0)), high)
        if self.scale == "log":
            found = np.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            found = low + share * (high - low)
        return np.clip(found, low, high)

    @property
    def _ends(self) -> tuple[float, float]:
        assert self.range is not None
        return float(self.range[0]), float(self.range[1])

    @property
    def n_grid_levels(self) -> int:
        """Number of levels of a full grid, at most; known before any are made."""
        if self.values is not None:
            return len(self.values)
        if self.steps is None:
            raise self.wrong("a full grid needs its number of steps")
        low, high = self._ends
        return min(self.steps, int(high - low) + 1) if self.integer else self.steps

    def grid_levels(self) -> NDArray[np.float64]:
        """Levels of a full grid, ascending; a range without a number of steps raises an error."""
        if self.values is not None:
            return np.arange(len(self.values), dtype=float)
        if self.steps is None:
            raise self.wrong("a full grid needs its number of steps")
        if self.integer:
            low, high = self._ends
            return np.unique(np.round(np.linspace(low, high, self.steps)))
        return self.from_share(np.linspace(0.0, 1.0, self.steps))

    def tornado_levels(self) -> NDArray[np.float64]:
        """Levels of its middle, its lower and its upper end; of values the middle, the first and the last."""
        return self.from_share(np.array([0.5, 0.0, 1.0]))

    def value(self, level: float) -> Value:
        """The value that the scenario gets for a level."""
        if self.values is not None:
            found: Value = self.values[int(level)]
            return found
        return round(level) if self.integer else float(level)

    def extremes(self) -> tuple[Value, ...]:
        """Values that the schema must allow: both ends; of values all, or the smallest and the largest number."""
        if self.values is None:
            return tuple(self.value(end) for end in self._ends)
        if self.is_numeric and not any(map(math.isnan, self.values)):  # which have no order
            return tuple(dict.fromkeys((min(self.values), max(self.values))))
        return self.values

    def to_plain(self) -> dict[str, Any]:
        """The parameter as plain values for JSON."""
        course = {"values": list(self.values)} if self.values is not None else {"range": list(self.range or ())}
        return {
            "key": self.key,
            "name": self.name,
            **course,
            "scale": self.scale,
            "integer": self.integer,
            "steps": self.steps,
            "also": list(self.also),
            "unit": self.unit,
        }

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> StudyParameter:
        """The inverse of `to_plain`."""
        ends, values = content.get("range"), content.get("values")
        return cls(
            **{
                **content,
                "range": None if ends is None else (ends[0], ends[1]),
                "values": None if values is None else tuple(values),
            }
        )
