"""Looks at the conditions of a run while it goes, and ends it at the time at which the first one holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polycontact.errors import SimulationError
from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.event_location import EventLocator
from polycontact.simulation.stepper import LastStep
from polycontact.simulation.stop_conditions import Array, StopCondition, StopFound
from polycontact.simulation.weak_calls import weakly


class StopWatch:
    """Looks at the conditions of a run in every step, and finds the time inside the step at which the first holds."""

    def __init__(self, evaluator: Evaluator, conditions: Sequence[StopCondition]) -> None:
        self._evaluator = evaluator
        self._conditions = conditions
        self._locator = EventLocator(weakly(self._excesses), directions=[1] * len(conditions))
        self._values = np.zeros(0)

    def compiled(self, setup: SystemSetup) -> StopLimits | None:
        """The conditions for compiled code; None where one of them is only for Python."""
        found = [condition.compiled(setup.system) for condition in self._conditions]
        limits = StopLimits()
        limits.reserve(n=len(found))
        for i, each in enumerate(found):
            if each is None:
                return None
            limits.kind[i], limits.body[i] = each.kind, setup.number[each.body]
            limits.vector[i], limits.place[i], limits.limit[i] = each.vector, each.place, each.limit
        return limits

    def start(self, t: float, y: Array) -> None:
        """Begin at a state, also after a restart."""
        self._values = self._excesses(t, y)

    def refuse_those_that_hold(self, t: float, y: Array) -> None:
        """Complain of a condition that holds before anything has moved."""
        for condition, excess in zip(self._conditions, self._excesses(t, y), strict=True):
            if excess >= 0.0:
                found = self._found(condition, t, y)
                raise SimulationError(
                    f"stop_when: the run would end at its start, {found.message}; take another limit, or leave the "
                    f"condition out"
                )

    def look(self, step: LastStep) -> StopFound | None:
        """The first condition that came to hold in the last step, if any."""
        if not self._conditions:
            return None
        event = self._locator.locate(step, self._values)
        self._values = self._locator.end_values
        if event is None:
            return None
        return self._found(self._conditions[event.indices[0]], event.time, step.interpolate(event.time))

    def _excesses(self, t: float, y: Array) -> Array:
        if not self._conditions:
            return np.zeros(0)
        placed = self._evaluator.place(t, y)
        return np.array([condition.excess(placed) for condition in self._conditions])

    def _found(self, condition: StopCondition, t: float, y: Array) -> StopFound:
        return StopFound(condition, t, condition.value(self._evaluator.place(t, y)))
