"""Accuracy and step sizes that a user asks of an integrator."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError

SMALLEST_RTOL = 100.0 * float(np.finfo(np.float64).eps)
"""Below, rounding in f makes error estimates meaningless; SciPy draws the same line."""


@dataclass(frozen=True, eq=False)
class IntegratorSettings:
    """Tolerances and step sizes; the local error of component i is kept below rtol |y_i| + atol_i.

    Args:
        rtol: relative tolerance, at least 100 machine epsilons.
        atol: absolute tolerance in the units of y, one number or one for each component. `numpy.inf` excludes
            a component from the error control (a quadrature that nobody needs exactly).
        max_step: no step is longer, s.
        first_step: step to try first and after each restart, s; None leaves it to the integrator.
        order: greatest order of the method; None for the greatest there is.
    """

    rtol: float = 1e-4
    atol: float | NDArray[np.float64] = 1e-6
    max_step: float = math.inf
    first_step: float | None = None
    order: int | None = None

    def __post_init__(self) -> None:
        """Check every value and freeze a copy of `atol`."""
        _check_rtol(self.rtol)
        object.__setattr__(self, "atol", _checked_atol(self.atol))
        if not self.max_step > 0.0:
            raise SimulationError(f"max_step is {self.max_step} s; give a positive length, or inf for no limit")
        if self.first_step is not None and not 0.0 < self.first_step < math.inf:
            raise SimulationError(
                f"first_step is {self.first_step} s; give a positive length, or None to leave it to the integrator"
            )
        if self.order is not None and (self.order != int(self.order) or self.order < 1):
            raise SimulationError(f"order is {self.order}; give a whole number from 1 on, or None")


def _check_rtol(rtol: float) -> None:
    if not (math.isfinite(rtol) and rtol > 0.0):
        raise SimulationError(f"rtol is {rtol}; give a positive number such as 1e-4")
    if rtol < SMALLEST_RTOL:
        raise SimulationError(f"rtol is {rtol}, below what rounding allows; give at least {SMALLEST_RTOL:.1e}")


def _checked_atol(atol: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    values = np.array(atol, dtype=np.float64)
    if values.ndim > 1:
        raise SimulationError(f"atol has shape {values.shape}; give one number, or one for each component")
    bad = np.flatnonzero(~(np.atleast_1d(values) > 0.0))
    if bad.size:
        where = f"atol[{bad[0]}]" if values.ndim else "atol"
        value = np.atleast_1d(values)[bad[0]]
        raise SimulationError(f"{where} is {value}; give a positive number, or inf to exclude a component")
    if not np.isfinite(values).any():
        raise SimulationError("no finite number in atol: nothing would control the error; give one to some component")
    if values.ndim == 0:
        return float(values)
    values.flags.writeable = False
    return values
