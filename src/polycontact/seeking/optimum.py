"""The best values of keys for a result, as `optimise` found them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polycontact.replacing import write_whole
from polycontact.scenario.parsing import Scenario
from polycontact.seeking.condition import Condition
from polycontact.studies.results import Result


@dataclass(frozen=True)
class OptimumRun:
    """A run of the search: ``values`` by key, the ``objective``, ``results`` of the conditions, whether all hold."""

    values: Mapping[str, float]
    objective: float
    results: tuple[float, ...]
    is_feasible: bool
    failed: str = ""


@dataclass(frozen=True)
class Optimum:
    """The best run that was found.

    ``status``: "converged", "not converged", or "no feasible point"; ``best`` the run, ``first`` the one with
    the scenario's own values where they lie in the ranges; ``at_bounds``: keys whose value lies at an end of its range;
    ``history``: all runs, in their order.
    """

    scenario: Scenario
    objective: Result
    minimise: bool
    conditions: tuple[Condition, ...]
    units: Mapping[str, str]
    status: str
    message: str
    best: OptimumRun
    first: OptimumRun
    at_bounds: tuple[str, ...]
    history: tuple[OptimumRun, ...]
    notes: tuple[str, ...]
    runs: int
    recorded: int

    @property
    def ok(self) -> bool:
        """Whether the search converged to a point where all conditions hold."""
        return self.status == "converged"

    @property
    def values(self) -> dict[str, float]:
        """The best values by key, in the units of the keys."""
        return dict(self.best.values)

    @property
    def value(self) -> float:
        """The objective there, in its unit."""
        return self.best.objective

    @property
    def scenario_there(self) -> Scenario:
        """The scenario with the best values in it."""
        return self.scenario.with_values(self.best.values)

    def told(self) -> str:
        """What was found, in a sentence."""
        unit = f" {self.objective.unit}" if self.objective.unit else ""
        values = ", ".join(f"{key} = {value:.5g} {self.units[key]}".rstrip() for key, value in self.best.values.items())
        what = "least" if self.minimise else "greatest"
        return f"{what} {self.objective.name}: {self.value:.6g}{unit} with {values} ({self.status}, {self.runs} runs)"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what is no finite number is None."""
        return {
            "ok": self.ok,
            "status": self.status,
            "message": self.message,
            "scenario": self.scenario.name,
            "objective": self.objective.name,
            "unit": self.objective.unit,
            "minimise": self.minimise,
            "conditions": [each.told() for each in self.conditions],
            "value": _plain(self.value),
            "values": self.values,
            "units": dict(self.units),
            "results": [_plain(each) for each in self.best.results],
            "at_bounds": list(self.at_bounds),
            "first": _plain(self.first.objective),
            "told": self.told(),
            "notes": list(self.notes),
            "runs": self.runs,
            "history": [
                {
                    "values": dict(each.values),
                    "objective": _plain(each.objective),
                    "feasible": each.is_feasible,
                    "failed": each.failed,
                }
                for each in self.history
            ],
        }

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` as JSON."""
        write_whole(path, json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
