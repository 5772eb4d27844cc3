"""Where inside the last step of an integrator an event happens.

In: root functions g(t, y), the last step, g at the start of that step. Out: the first time at which one of them changes
sign, found on the step's interpolant by the Illinois variant of regula falsi, which falls back to bisection; so g may
also jump, as a contact indicator of -1 and +1 does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.stepper import LastStep

RootFunction = Callable[[float, NDArray[np.float64]], ArrayLike]
"""g(t, y): one value for each event function; an event is a change of sign."""

DEFAULT_TOLERANCE = 1e-12
"""Width of the final bracket relative to the step; a few units in the last place of the time are added."""

TIME_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Relative to the time: a bracket cannot become narrower."""

SIGN_PROBE_SHARE = 1e-3
"""A function that is zero at the start of a step gets its sign from this part of the step."""

CONTINUOUS = 1e-6
"""A function whose value at its event is below this part of its size in the step has come to zero, not jumped."""

ZERO_BAND = 1e-9
"""After its event such a function counts as zero until it has left this part of its size in the step."""

MAX_ITERATIONS = 200
"""Bisection alone needs about 50; a bracket that is not narrow enough by then is taken as it is."""


@dataclass(frozen=True)
class LocatedEvent:
    """The first change of sign in a step.

    `time` is the end of the final bracket: every function in `indices` has its new sign there. `time_before` is the
    beginning of the bracket, where none of them has it yet (both in s). `directions` has +1 for each function that
    rises and -1 for each that falls.
    """

    time: float
    time_before: float
    indices: tuple[int, ...]
    directions: tuple[int, ...]


class _Point(NamedTuple):
    """A time (s) and the values of g there."""

    time: float
    values: NDArray[np.float64]


class EventLocator:
    """Looks for the first event in each step; counts evaluations of g.

    Two changes of sign of one function in one step cannot be seen: limit the step where they matter.

    Args:
        function: g(t, y).
        directions: for each function +1 (events where it rises), -1 (where it falls) or 0 (both); 0 for all
            where None.
        tolerance: width of the final bracket, relative to the step.
    """

    def __init__(
        self,
        function: RootFunction,
        *,
        directions: Sequence[int] | None = None,
        tolerance: float = DEFAULT_TOLERANCE,
    ) -> None:
        if not 0.0 < tolerance < 1.0:
            raise SimulationError(f"tolerance is {tolerance}; give a part of a step such as 1e-12")
        if directions is not None and any(direction not in (-1, 0, 1) for direction in directions):
            raise SimulationError(f"directions are {list(directions)}; give +1, -1 or 0 for each function")
        self.evaluations = 0
        """Calls of g."""
        self.end_values: NDArray[np.float64] = np.empty(0)
        """G at the end of the last step looked at; the start values of the next one, if nothing is changed."""
        self._function = function
        self._directions = None if directions is None else np.array(directions, dtype=np.intp)
        self._tolerance = tolerance
        self._bands: NDArray[np.float64] = np.zeros(0)

    def evaluate(self, t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """G at `t` (s) and `y`, counted; for the start values of a first step."""
        self.evaluations += 1
        values = np.array(self._function(t, y), dtype=np.float64)
        if values.ndim != 1 or (self._directions is not None and len(values) != len(self._directions)):
            raise SimulationError(f"g has shape {values.shape} at {t} s; give a vector, one value for each direction")
        if np.isnan(values).any():
            raise SimulationError(f"g[{int(np.isnan(values).argmax())}] is not a number at {t} s; give a finite one")
        return values

    def locate(self, step: LastStep, start_values: ArrayLike) -> LocatedEvent | None:
        """The first event in the last step, `step`, or None.

        `start_values` is g at the start of the step. A function that is zero there does not fire for leaving zero,
        nor does one whose event was located last, for what rounding has left of its value.
        """
        start = np.array(start_values, dtype=np.float64)
        self.end_values = end = self.evaluate(step.t, step.y)
        if len(self._bands) != len(end):
            self._bands = np.zeros(len(end))
        low = _Point(step.t_old, self._leaving_signs(step, start, end))
        high = _Point(step.t, end)
        if not self._crossings(low.values, high.values).any():
            return None
        low, high = self._narrow(step, low, high)
        indices = np.flatnonzero(self._crossings(low.values, high.values))
        directions = np.where(low.values[indices] < 0.0, 1, -1)
        self._set_bands(indices, high.values, np.maximum(np.abs(start), np.abs(end)))
        return LocatedEvent(high.time, low.time, tuple(indices.tolist()), tuple(directions.tolist()))

    def _leaving_signs(
        self, step: LastStep, start: NDArray[np.float64], end: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The start values, those around zero replaced by values with the sign they have on leaving zero.

        That is the sign shortly after the start or, where a function is still around zero, at the end; zero, and
        so no event, where it is around zero even there.
        """
        zeros = np.abs(start) <= self._bands
        if not zeros.any():
            self._bands.fill(0.0)
            return start
        time = step.t_old + SIGN_PROBE_SHARE * (step.t - step.t_old)
        probe = self.evaluate(time, step.interpolate(time))
        leaving = np.where(np.abs(probe) > self._bands, probe, np.where(np.abs(end) > self._bands, end, 0.0))
        self._bands[~zeros | (leaving != 0.0)] = 0.0
        return np.where(zeros, leaving, start)

    def _set_bands(self, indices: NDArray[np.intp], values: NDArray[np.float64], sizes: NDArray[np.float64]) -> None:
        """Remember what counts as zero for functions that have just had an event; nothing if they jump."""
        for index in indices:
            continuous = abs(values[index]) <= CONTINUOUS * sizes[index]
            self._bands[index] = ZERO_BAND * sizes[index] if continuous else 0.0

    def _crossings(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which functions have an event between two points: reaching zero is one, leaving it is none."""
        falls = (before > 0.0) & (after <= 0.0)
        rises = (before < 0.0) & (after >= 0.0)
        if self._directions is None:
            return falls | rises
        return (falls & (self._directions <= 0)) | (rises & (self._directions >= 0))

    def _narrow(self, step: LastStep, low: _Point, high: _Point) -> tuple[_Point, _Point]:
        """The bracket around the first crossing, made as narrow as the tolerance says.

        Invariant: no crossing before `low`, at least one between `low` and `high`.
        """
        width = self._tolerance * (high.time - low.time) + TIME_ROUNDING * max(abs(low.time), abs(high.time))
        part, side, slow = 1.0, 0, 0
        for _ in range(MAX_ITERATIONS):
            length = high.time - low.time
            if length <= width:
                break
            bisect = slow >= 1
            time = low.time + 0.5 * length if bisect else self._secant(low, high, part, width)
            if not low.time < time < high.time:
                break
            middle = _Point(time, self.evaluate(time, step.interpolate(time)))
            new_side = 1 if self._crossings(low.values, middle.values).any() else -1
            if new_side > 0:
                high = middle
            else:
                low = middle
            part = 1.0 if bisect or new_side != side else (2.0 * part if new_side < 0 else 0.5 * part)
            slow = slow + 1 if high.time - low.time > 0.5 * length and not bisect else 0
            side = new_side
        return low, high

    def _secant(self, low: _Point, high: _Point, part: float, width: float) -> float:
        """The earliest zero of the chords, with the value at `low` weighted by `part` (Illinois)."""
        crossing = self._crossings(low.values, high.values)
        before, after = part * low.values[crossing], high.values[crossing]
        fraction = float(np.min(before / (before - after)))
        # Half a width away from both ends, so that a good guess closes the bracket from its other side.
        margin = 0.5 * width
        time = low.time + fraction * (high.time - low.time)
        return min(max(time, low.time + margin), high.time - margin)
