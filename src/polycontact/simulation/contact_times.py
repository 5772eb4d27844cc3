"""When in a step a contact starts or ends: a root of the signed distance where the method knows one (S4.28, S4.29).

The distance is positive apart and negative in contact, smooth on the way, so that a few evaluations of one pair find
its root on the step's interpolant. Other methods say only whether there is contact, which is bisected.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.event_location import EventLocator, LocatedEvent
from polycontact.simulation.stepper import LastStep

BRACKET = 1e-9
"""The time of a contact event is found to this part of the step."""

PROBES = 15
"""Times in a step at which a contact is looked for that began and ended in it."""

State = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Beginning:
    """The last step up to a time (s) in it."""

    t_old: float
    t: float
    y: State
    interpolate: Callable[[float], State]


def find_change(evaluator: Evaluator, pair: int, step: LastStep, low: float, high: float, *, touched: bool) -> float:
    """Time (s) at which a pair that ``touched`` at the time ``low`` no longer did so, or the other way round.

    Both times are in the last step; at the time ``high`` it has changed, as at the time returned.
    """
    if evaluator.has_gap(pair):
        root = _root(evaluator, pair, _Beginning(low, high, step.interpolate(high), step.interpolate))
        if root is not None:
            # The contact itself decides: a distance that is just zero, or a user's that is off, is not believed.
            before, after = root.time_before, root.time
            if evaluator.touches(pair, before, step.interpolate(before)) != touched:
                high = before
            elif evaluator.touches(pair, after, step.interpolate(after)) != touched:
                return after
            else:
                low = after
    return _bisect(evaluator, pair, step, low, high, touched=touched)


def find_brief(evaluator: Evaluator, pair: int, step: LastStep, reached: float, *, touched: bool) -> float | None:
    """A time (s) in the last step, up to ``reached``, at which a pair has changed that has not at its ends.

    None where it has not at any of some times between them.
    """
    for time in np.linspace(step.t_old, reached, PROBES + 2)[1:-1].tolist():
        if evaluator.touches(pair, time, step.interpolate(time)) != touched:
            return float(time)
    return None


def _root(evaluator: Evaluator, pair: int, step: _Beginning) -> LocatedEvent | None:
    """A narrow bracket around the root of the signed distance; None where its sign does not change."""

    def indicator(t: float, y: State) -> list[float]:
        gap = evaluator.gap(pair, t, y)
        if not math.isfinite(gap):
            gap = -1.0 if evaluator.touches(pair, t, y) else 1.0
        return [gap]

    locator = EventLocator(indicator, tolerance=BRACKET)
    return locator.locate(step, locator.evaluate(step.t_old, step.interpolate(step.t_old)))


def _bisect(evaluator: Evaluator, pair: int, step: LastStep, low: float, high: float, *, touched: bool) -> float:
    """Find a change between two times (s) as `find_change` does, by bisection."""
    width = BRACKET * (high - low)
    while high - low > width:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if evaluator.touches(pair, middle, step.interpolate(middle)) == touched:
            low = middle
        else:
            high = middle
    return high
