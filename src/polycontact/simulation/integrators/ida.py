"""IDA: variable-order BDF for implicit systems, here with the residual y' - f(t, y).

Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, 2005.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from sksundae.ida import IDA

from polycontact.simulation.integrators.failure_reasons import FailureReason
from polycontact.simulation.integrators.problem import InitialValueProblem
from polycontact.simulation.integrators.starting import first_step
from polycontact.simulation.integrators.sundials import SundialsIntegrator
from polycontact.simulation.weak_calls import weakly

GREATEST_ORDER = 5


class Ida(SundialsIntegrator):
    """IDA with backward differentiation formulas of order 1 to 5, for stiff problems."""

    name = "ida"
    _growing_part = 1e-4

    def __init__(self, problem: InitialValueProblem) -> None:
        super().__init__(problem)
        self._derivative = np.empty(len(problem.state))
        self._derivative_time = math.nan

    def _prepare(self, stop: float) -> None:
        """A new solver each time: its own first step is very short, and another can be set only here."""
        derivative = np.empty(len(self.y))
        self._function(self.t, self.y, derivative)
        if self._function.not_finite:
            raise self._error(FailureReason.NOT_FINITE)
        options = self._options(self._first_step(derivative, stop - self.t), GREATEST_ORDER)
        self._solver = IDA(weakly(self._write_residual), jacfn=weakly(self._write_jacobian), **options)
        self._solver.init_step(self.t, self.y, derivative)

    def _first_step(self, derivative: NDArray[np.float64], longest: float) -> float:
        longest = min(longest, self._problem.settings.max_step)
        if (given := self._problem.settings.first_step) is not None:
            return min(given, longest)
        rtol, atol = self._problem.mean_square_tolerances()
        weights = rtol * np.abs(self.y) + atol
        return first_step(self._function, self.t, self.y, derivative, weights, longest)

    def _write_residual(
        self, t: float, y: NDArray[np.float64], slope: NDArray[np.float64], out: NDArray[np.float64]
    ) -> None:
        self._note(t)
        self._function(t, y, self._derivative)
        self._derivative_time = t
        np.subtract(slope, self._derivative, out=out)

    def _write_jacobian(
        self,
        t: float,
        y: NDArray[np.float64],
        slope: NDArray[np.float64],
        residual: NDArray[np.float64],
        cj: float,
        out: NDArray[np.float64],
    ) -> None:
        """cj I - df/dy, where cj is the derivative of the slope by the state, 1/s.

        IDA has just evaluated the residual here: f is known, without the rounding of slope - residual.
        """
        derivative = self._derivative if self._derivative_time == t else slope - residual
        self._jacobian.write(t, y, derivative, t - self.t, out)
        size = self._jacobian.size
        np.negative(out[:, :size], out=out[:, :size])
        out[:, size:] = 0.0
        out.flat[:: len(y) + 1] += cj
