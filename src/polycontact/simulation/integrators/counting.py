"""f with its calls counted, and with one answer to everything that is not finite."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.problem import DerivativeFunction


class CountedFunction:
    """Calls f, counts, and writes nan into all of `out` where the derivative is not finite.

    A state that is not finite comes from such a derivative, inside an attempt that fails anyway: f is spared it.
    `not_finite` says whether that has happened since it was last set to False.
    """

    __slots__ = ("_function", "_statistics", "not_finite")

    def __init__(self, function: DerivativeFunction, statistics: IntegratorStatistics) -> None:
        self._function = function
        self._statistics = statistics
        self.not_finite = False

    def __call__(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Write dy/dt at `t` (s) into `out`."""
        if _is_finite(y):
            self._statistics.evaluations += 1
            self._function(t, y, out)
            if _is_finite(out):
                return
        self.not_finite = True
        out.fill(math.nan)


def _is_finite(values: NDArray[np.float64]) -> bool:
    # The sum of squares is several times faster than isfinite; only where it overflows, the answer is open.
    return math.isfinite(values.dot(values)) or bool(np.isfinite(values).all())
