"""CVODE: variable-order BDF with Newton's method for stiff problems, Adams with functional iteration for others.

Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, 2005.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sksundae.cvode import CVODE

from polycontact.simulation.integrators.failure_reasons import FailureReason
from polycontact.simulation.integrators.problem import InitialValueProblem
from polycontact.simulation.integrators.stiffness_looks import StiffnessLooks
from polycontact.simulation.integrators.sundials import SundialsIntegrator
from polycontact.simulation.weak_calls import weakly


class _Cvode(SundialsIntegrator):
    """One of CVODE's two families."""

    _method: ClassVar[str]
    _greatest_order: ClassVar[int]
    _choosing_step = False

    def _prepare(self, stop: float) -> None:
        self._choosing_step = True
        if self._solver is None:
            options = self._options(self._problem.settings.first_step, self._greatest_order)
            rates, jacobian = weakly(self._derivative), weakly(self._write_jacobian)
            self._solver = CVODE(rates, jacfn=jacobian, method=self._method, **options)
        self._solver.init_step(self.t, self.y)

    def _derivative(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        self._note(t)
        self._function(t, y, out)
        if t == self.t and self._choosing_step and out[0] != out[0]:
            raise self._error(FailureReason.NOT_FINITE)  # at the given state; no shorter step helps

    def _write_jacobian(self, t: float, y: NDArray[np.float64], derivative: NDArray[np.float64], out: Any) -> None:
        if self._choosing_step:
            self._choosing_step = False
            self._attempts.discard_trials()


class CvodeBdf(_Cvode):
    """CVODE with backward differentiation formulas of order 1 to 5, for stiff problems."""

    name = "cvode-bdf"
    _method = "BDF"
    _greatest_order = 5

    def _write_jacobian(self, t: float, y: NDArray[np.float64], derivative: NDArray[np.float64], out: Any) -> None:
        super()._write_jacobian(t, y, derivative, out)
        self._jacobian.write(t, y, derivative, t - self.t, out)


class CvodeAdams(_Cvode):
    """CVODE with Adams-Moulton formulas of order 1 to 12, for problems that are not stiff.

    scikit-sundae offers Newton's method only. With a Jacobian of zeros, which `out` is from the beginning, its
    matrix I - γ J is the identity and Newton's method becomes functional iteration, the right one for Adams.
    """

    name = "cvode-adams"
    _method = "Adams"
    _greatest_order = 12

    def __init__(self, problem: InitialValueProblem) -> None:
        super().__init__(problem)
        self._watch = StiffnessLooks(problem)
