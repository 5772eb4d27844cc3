"""A measured curve: times, values in SI units, which quantity of a run it is, and how uncertain it is."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import IdentificationError, UnitError
from polycontact.identification.table_file import TableColumn, read_table
from polycontact.units import parse_unit, quantity
from polycontact.wording import counted

Array = NDArray[np.float64]

MAX_POINTS = 100_000
"""Most points of a curve: a run takes a sample at each of them."""

WITHOUT_UNIT = ("1", "-", "")
"""How a number without a unit may be written."""


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredCurve:
    """Measured ``values`` (n,) of a ``quantity`` at ``time`` (n,) s of the run.

    - ``quantity``: the title of a column of the run's table (`Trajectory.to_csv`), or as much of its beginning as tells
      it from others: "ball position z", "ball–plate force z", "crank angle", "hinge reaction force x".
    - ``unit``: unit of the values; they are kept in SI units.
    - ``standard_deviation``: of the values, in ``unit`` or with one of its own, such as "0.1 mm". Without it the
      scatter of the residuals tells it.
    - ``weight``: how much the curve counts besides: 2 is as though its standard deviation were half.
    - ``label``: how it is called in tables and plots.
    - ``gaps``: "refuse" or "skip" points that are NaN.
    """

    time: Array
    values: Array
    quantity: str
    unit: str
    standard_deviation: float | None = None
    weight: float = 1.0
    label: str = ""

    def __init__(
        self,
        time: ArrayLike,
        values: ArrayLike,
        quantity: str,
        unit: str,
        *,
        standard_deviation: float | str | None = None,
        weight: float = 1.0,
        label: str = "",
        gaps: Literal["refuse", "skip"] = "refuse",
    ) -> None:
        label = label or quantity
        factor = unit_factor(unit, label)
        times, numbers = _arrays(time, values, label)
        times, numbers = _without_gaps(times, numbers, gaps, label)
        _check_times(times, label)
        deviation = _deviation(standard_deviation, unit, factor, label)
        if not isinstance(weight, int | float) or not math.isfinite(weight) or weight <= 0.0:
            raise IdentificationError(f"{label}: weight {weight!r}; allowed is a positive number")
        for array in (times, numbers):
            array.flags.writeable = False
        numbers = numbers * factor
        numbers.flags.writeable = False
        for name, value in (
            ("time", times),
            ("values", numbers),
            ("quantity", str(quantity)),
            ("unit", unit),
            ("standard_deviation", deviation),
            ("weight", float(weight)),
            ("label", label),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s"
        return f"MeasuredCurve({self.label!r}: {self.quantity!r}, {len(self.time)} points, {span})"

    def __len__(self) -> int:
        return len(self.time)

    @property
    def factor(self) -> float:
        """SI units in one unit of the curve."""
        return unit_factor(self.unit, self.label)

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        column: str | int,
        quantity: str,
        *,
        time: str | int = 1,
        unit: str | None = None,
        time_unit: str | None = None,
        standard_deviation: float | str | None = None,
        weight: float = 1.0,
        label: str = "",
        gaps: Literal["refuse", "skip"] = "refuse",
        time_shift: float | str = 0.0,
        between: tuple[float, float] | None = None,
        every: int = 1,
        **format: Any,
    ) -> MeasuredCurve:
        """The curve in a ``column`` of a text file, by title or number from 1, over that of ``time``.

        - ``unit``, ``time_unit``: needed where the titles have no unit, as in "z [mm]".
        - ``time_shift``: added to the times of the file (s, or a text such as "-350 ms"), so that 0 is the run's start.
        - ``between``: first and last time that are used, after the shift, s. ``every``: only every n-th row.
        - ``gaps``: "skip" leaves out rows without a number. ``separator``, ``decimal``, ``skip_lines``: how the file is
          written, where that is not recognised.
        """
        table = read_table(path, **format)
        label = label or f"{table.label}: {table.column(column).name}"
        times, numbers = table.column(time), table.column(column)
        written, seconds = _chosen_unit(numbers, unit, table.label), _chosen_unit(times, time_unit, table.label)
        factor = unit_factor(seconds, f"{table.label}: column {times.name!r}")
        if dimension_of(seconds) != dimension_of("s"):
            raise IdentificationError(f"{table.label}: column {times.name!r} is in {seconds}; a time is expected")
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise IdentificationError(f"{table.label}: every {every!r}; allowed is an integer of at least 1")
        _check_order(times, table.label, gaps)
        shifted = times.values * factor + _seconds(time_shift, table.label)
        chosen = np.arange(len(shifted)) % every == 0
        if between is not None:
            chosen &= ~((shifted < between[0]) | (shifted > between[1]))
            if not chosen.any():
                raise IdentificationError(
                    f"{table.label}: no time lies between {between[0]:g} and {between[1]:g} s; with the shift of "
                    f"{_seconds(time_shift, table.label):g} s the file has {shifted.min():g} to {shifted.max():g} s"
                )
        return cls(
            shifted[chosen],
            numbers.values[chosen],
            quantity,
            written,
            standard_deviation=standard_deviation,
            weight=weight,
            label=label,
            gaps=gaps,
        )


def unit_factor(unit: str, label: str) -> float:
    """Factor from ``unit`` to SI units; 1 for numbers without a unit."""
    if not isinstance(unit, str):
        raise IdentificationError(f'{label}: unit {unit!r}; write a text such as "mm"')
    if unit in WITHOUT_UNIT:
        return 1.0
    try:
        return parse_unit(unit).factor
    except UnitError as error:
        raise IdentificationError(f"{label}: {error}") from error


def dimension_of(unit: str) -> tuple[int, ...]:
    """Exponents of length, mass, time and angle of a unit that is known to be one."""
    return (0, 0, 0, 0) if unit in WITHOUT_UNIT else parse_unit(unit).dimension


def _chosen_unit(column: TableColumn, given: str | None, label: str) -> str:
    """The unit of a column: as given, or as its title says; both must agree."""
    if given is None and not column.unit:
        raise IdentificationError(
            f"{label}: column {column.name!r} has no unit; write it in the title, as in 'z [mm]', or give it with "
            f"unit or time_unit"
        )
    if given is None or not column.unit or given == column.unit:
        return column.unit if given is None else given
    where = f"{label}: column {column.name!r}"
    factors = unit_factor(given, where), unit_factor(column.unit, where)
    if factors[0] != factors[1] or dimension_of(given) != dimension_of(column.unit):
        raise IdentificationError(
            f"{label}: column {column.name!r} is in {column.unit} by its title, but in {given} as asked for; correct it"
        )
    return given


def _arrays(time: ArrayLike, values: ArrayLike, label: str) -> tuple[Array, Array]:
    try:
        times, numbers = np.array(time, float), np.array(values, float)
    except (TypeError, ValueError) as error:
        raise IdentificationError(f"{label}: times and values must be numbers: {error}") from error
    if times.ndim != 1 or times.shape != numbers.shape:
        raise IdentificationError(
            f"{label}: times of shape {times.shape}, values of shape {numbers.shape}; give two arrays of one length"
        )
    return times, numbers


def _without_gaps(times: Array, numbers: Array, gaps: str, label: str) -> tuple[Array, Array]:
    if gaps not in ("refuse", "skip"):
        raise IdentificationError(f'{label}: gaps {gaps!r}; allowed is "refuse" or "skip"')
    infinite = np.isinf(times) | np.isinf(numbers)
    if infinite.any():
        raise IdentificationError(f"{label}: point {int(np.argmax(infinite))} is infinite; leave it out")
    missing = np.isnan(times) | np.isnan(numbers)
    if missing.any() and gaps == "refuse":
        raise IdentificationError(
            f"{label}: {int(missing.sum())} of {len(missing)} points have no number, the first is point "
            f'{int(np.argmax(missing))}, counted from 0; leave them out with gaps = "skip"'
        )
    times, numbers = times[~missing], numbers[~missing]
    if len(times) < 2:
        raise IdentificationError(f"{label}: {counted(len(times), 'point')}; a curve needs at least 2")
    if len(times) > MAX_POINTS:
        raise IdentificationError(f"{label}: {len(times)} points; allowed are {MAX_POINTS}: thin it out with every = n")
    return times, numbers


def _check_times(times: Array, label: str) -> None:
    steps = np.diff(times)
    if (steps <= 0.0).any():
        i = int(np.argmax(steps <= 0.0))
        raise IdentificationError(
            f"{label}: times must grow, but t = {times[i]:g} s is followed by {times[i + 1]:g} s at point {i + 1}"
        )
    if times[0] < 0.0:
        raise IdentificationError(
            f"{label}: the first time is {times[0]:g} s; a run starts at 0 s: shift the times with time_shift"
        )


def _check_order(times: TableColumn, label: str, gaps: str) -> None:
    """Times of a file grow from row to row, told with the line where they do not."""
    there = np.flatnonzero(~np.isnan(times.values))
    if len(there) < len(times.values) and gaps == "refuse":
        line = times.lines[int(np.argmax(np.isnan(times.values)))]
        raise IdentificationError(f'{label}: line {line} has no time; leave such rows out with gaps = "skip"')
    back = np.diff(times.values[there]) <= 0.0
    if back.any():
        i, j = there[int(np.argmax(back))], there[int(np.argmax(back)) + 1]
        raise IdentificationError(
            f"{label}: times must grow, but {times.values[i]:g} {times.unit} in line {times.lines[i]} is followed by "
            f"{times.values[j]:g} in line {times.lines[j]}"
        )


def _deviation(given: float | str | None, unit: str, factor: float, label: str) -> float | None:
    if given is None:
        return None
    if isinstance(given, str):
        try:
            value = quantity(given, None if unit in WITHOUT_UNIT else unit) * factor
        except UnitError as error:
            raise IdentificationError(f"{label}: standard_deviation: {error}") from error
    elif isinstance(given, bool) or not isinstance(given, int | float):
        raise IdentificationError(f"{label}: standard_deviation {given!r}; allowed is a positive number")
    else:
        value = float(given) * factor
    if not math.isfinite(value) or value <= 0.0:
        raise IdentificationError(f"{label}: standard_deviation {given!r}; allowed is a positive number")
    return value


def _seconds(given: float | str, label: str) -> float:
    if isinstance(given, str):
        try:
            return quantity(given, "s")
        except UnitError as error:
            raise IdentificationError(f"{label}: time_shift: {error}") from error
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise IdentificationError(f'{label}: time_shift {given!r}; allowed is a number in s, or a text such as "-2 ms"')
    return float(given)
