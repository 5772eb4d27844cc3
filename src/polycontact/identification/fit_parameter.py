"""Parameters that are sought, and the coordinates in which the search sees them.

A parameter with a range over several powers of ten is sought by its logarithm: its error is then a share of it, and its
interval is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError, UnitError
from polycontact.units import has_dimension, quantity

Array = NDArray[np.float64]
Scale = Literal["linear", "log"]

SMALL_SHARE = 0.01
"""Part of a linear parameter's range that stands for its size where the parameter itself is nearly zero."""


@dataclass(frozen=True)
class FitParameter:
    """A value of a scenario that is sought between ``lower`` and ``upper``.

    - ``key``: where it stands, as in ``contact.law.stiffness`` or ``bodies.ball.mass``.
    - ``lower``, ``upper``, ``start``: numbers in the unit of the key, or texts such as "5 N/mm". Without ``start`` the
      search also begins at the value that the scenario has, where that lies in between.
    - ``scale``: "log" where the order of magnitude is not known, as for stiffness and damping; "linear" else.
    """

    key: str
    lower: float | str
    upper: float | str
    scale: Scale = "linear"
    start: float | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not self.key.strip():
            raise IdentificationError(f"{self.key!r} is no key of a parameter; write one such as contact.law.stiffness")
        if self.scale not in get_args(Scale):
            raise IdentificationError(f'{self.key}: scale {self.scale!r}; allowed is "linear" or "log"')

    def in_unit(self, unit: str) -> FitParameter:
        """The same with numbers in ``unit`` (empty where it has none) instead of texts, checked."""
        lower, upper = self._number("lower", self.lower, unit), self._number("upper", self.upper, unit)
        start = None if self.start is None else self._number("start", self.start, unit)
        told = f" {unit}" if unit else ""
        if not lower < upper:
            raise IdentificationError(f"{self.key}: lower {lower:g}{told} is not below upper {upper:g}{told}")
        if self.scale == "log" and lower <= 0.0:
            raise IdentificationError(
                f'{self.key}: lower {lower:g}{told} with scale = "log"; give a positive bound, or scale = "linear"'
            )
        if start is not None and not lower <= start <= upper:
            raise IdentificationError(
                f"{self.key}: start {start:g}{told} is not between lower {lower:g} and upper {upper:g}{told}"
            )
        return FitParameter(self.key, lower, upper, self.scale, start)

    def _number(self, name: str, value: float | str, unit: str) -> float:
        if isinstance(value, str):
            if not has_dimension(unit):
                raise IdentificationError(f"{self.key}: {name} {value!r}; a number without a unit belongs here")
            try:
                return quantity(value, unit)
            except UnitError as error:
                raise IdentificationError(f"{self.key}: {name}: {error}") from error
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise IdentificationError(f"{self.key}: {name} {value!r}; allowed is a finite number")
        return float(value)


class ParameterSpace:
    """All sought parameters as one point: logarithms of those with scale "log", others as a share of their range."""

    def __init__(self, parameters: Sequence[FitParameter]) -> None:
        self.parameters = tuple(parameters)
        self.is_log = np.array([each.scale == "log" for each in parameters])
        self._lower = np.array([float(each.lower) for each in parameters])
        self._upper = np.array([float(each.upper) for each in parameters])

    def __len__(self) -> int:
        return len(self.parameters)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the scenario that are sought, in the order of a point's entries."""
        return tuple(each.key for each in self.parameters)

    @property
    def lower(self) -> Array:
        """The point (np,) of all lower bounds."""
        return self.point(self._lower)

    @property
    def upper(self) -> Array:
        """The point (np,) of all upper bounds."""
        return self.point(self._upper)

    @property
    def width(self) -> Array:
        """Difference (np,) of the upper and the lower point; 1 for parameters without logarithm."""
        return self.upper - self.lower

    def point(self, values: Array) -> Array:
        """The point of the ``values`` (np,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.is_log, np.log(values), values / (self._upper - self._lower))

    def values(self, point: Array) -> Array:
        """The values (np,) at a point, within their bounds."""
        with np.errstate(over="ignore"):
            values = np.where(self.is_log, np.exp(point), point * (self._upper - self._lower))
        return np.clip(values, self._lower, self._upper)

    def named(self, point: Array) -> dict[str, float]:
        """The values at a point, by key."""
        return dict(zip(self.keys, self.values(point).tolist(), strict=True))

    def slopes(self, point: Array) -> Array:
        """Derivatives of the values by the coordinates of a point, (np,)."""
        return np.where(self.is_log, self.values(point), self._upper - self._lower)

    def sizes(self, point: Array) -> Array:
        """What a relative step counts from: one for a logarithm, the coordinate itself, if not too small, else."""
        return np.where(self.is_log, 1.0, np.maximum(np.abs(point), SMALL_SHARE))
