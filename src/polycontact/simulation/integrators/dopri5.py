"""DOPRI5: the explicit Runge-Kutta pair of order 5(4) by Dormand and Prince, SciPy's RK45.

Dormand and Prince, A family of embedded Runge-Kutta formulae, 1980.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import RK45

from polycontact.errors import SimulationError
from polycontact.simulation.integrators.failure_reasons import FailureReason
from polycontact.simulation.integrators.interface import ROUNDED, Integrator
from polycontact.simulation.integrators.problem import InitialValueProblem
from polycontact.simulation.integrators.stiffness_looks import StiffnessLooks
from polycontact.simulation.weak_calls import take_apart, weakly

ORDER = 5
"""The pair has no other."""

EVALUATIONS_PER_ATTEMPT = 6
"""Seven stages, of which the first is the last of the step before."""


class Dopri5(Integrator):
    """Dormand-Prince 5(4), for smooth problems that are not stiff."""

    name = "dopri5"
    _solver: Any = None

    def __init__(self, problem: InitialValueProblem) -> None:
        super().__init__(problem)
        if problem.settings.order not in (None, ORDER):
            raise SimulationError(f"order is {problem.settings.order}; dopri5 has order {ORDER} only, give None")
        self.statistics.order = ORDER
        self._watch = StiffnessLooks(problem, is_runge_kutta=True)
        self._interpolant: Any = None
        self._calls = 0

    def _start(self, stop: float) -> None:
        settings = self._problem.settings
        rtol, atol = self._problem.mean_square_tolerances()
        first = None if settings.first_step is None else min(settings.first_step, stop - self.t)
        options: dict[str, Any] = {"rtol": rtol, "atol": atol, "first_step": first}
        take_apart(self._solver)
        self._solver = RK45(weakly(self._evaluate), self.t, self.y, stop, max_step=settings.max_step, **options)
        if np.isnan(self._solver.f).any():
            raise self._error(FailureReason.NOT_FINITE)
        if not self._solver.h_abs > 0.0:
            self._solver.h_abs = 0.0  # a trial was not finite: begin with the shortest step
        self._function.not_finite = False

    def _advance(self, stop: float) -> tuple[float, NDArray[np.float64]]:
        solver = self._solver
        self._interpolant = None
        self._calls = 0
        wanted = float(solver.h_abs)
        stop = self._spread(stop, wanted)
        if wanted >= (1.0 - ROUNDED) * (stop - self.t):
            solver.h_abs = stop - self.t
        self._tried_step = float(solver.h_abs)
        solver.t_bound = stop
        solver.status = "running"
        if solver.step() is not None:
            raise self._error(FailureReason.STEP_TOO_SMALL)
        rejected = self._calls // EVALUATIONS_PER_ATTEMPT - 1
        self.statistics.rejected_steps += rejected
        if rejected == 0 and solver.t == stop:
            solver.h_abs = max(solver.h_abs, wanted)  # a cut says nothing about the next step
        return float(solver.t), solver.y

    def _evaluate(self, t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        self._calls += 1
        out = np.empty(len(y))
        self._function(t, y, out)
        return out

    def _interpolate(self, t: float) -> NDArray[np.float64]:
        if self._interpolant is None:
            self._interpolant = self._solver.dense_output()
        state: NDArray[np.float64] = self._interpolant(t)
        return state

    def __del__(self) -> None:
        take_apart(self._solver)
