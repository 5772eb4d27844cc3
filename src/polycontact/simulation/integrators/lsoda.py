"""LSODA of SciPy: changes by itself between Adams and BDF formulas.

Petzold, Automatic selection of methods for solving stiff and nonstiff systems of ordinary differential equations,
1983. The Jacobian of the stiff method is ours.

What a step needs is not all public in SciPy's class: a limit that changes from step to step, the greatest order, the
length of the next step, the order of the last one, and why a step failed (a warning without its number). It is reached
through LSODA's work arrays, whose layout ODEPACK fixes: rwork[0] is the time not to step past, iwork[7] and iwork[8]
the greatest orders, iwork[13] the order of the last step, rwork[11] the length of the next one; and through the
function that SciPy calls for a step. With public names only, each nearer limit needs a new solver, which starts at
order 1 without history. So tried, the built-in scenarios took 1.1 (bubbles), 1.2 (ball_on_table), 1.6 (gripper), 2.0
(newtons_cradle) and 2.2 (block_on_slope) times the evaluations, with up to 1560 new solvers in a run. The class
`scipy.integrate.ode` takes the orders and tells its failures, but has neither a limit nor dense output.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import LSODA

from polycontact.simulation.integrators.attempts import AttemptCounter
from polycontact.simulation.integrators.failure_reasons import FailureReason
from polycontact.simulation.integrators.interface import EPS, Integrator
from polycontact.simulation.integrators.jacobian import make_jacobian
from polycontact.simulation.integrators.problem import InitialValueProblem
from polycontact.simulation.weak_calls import take_apart, weakly

GREATEST_ADAMS_ORDER = 12
GREATEST_BDF_ORDER = 5

SHORTENING = 0.25
"""After a derivative that is not finite the step is tried again with this part of it, as after no convergence."""

_REASONS = {
    -1: FailureReason.TOO_MUCH_WORK,
    -2: FailureReason.ERROR_TEST,  # more accuracy asked for than the machine has
    -3: FailureReason.STEP_TOO_SMALL,  # end and start too close
    -4: FailureReason.ERROR_TEST,
    -5: FailureReason.NO_CONVERGENCE,
    -6: FailureReason.ERROR_TEST,
    -7: FailureReason.TOO_MUCH_WORK,
}
"""ODEPACK's istate to reason."""


class _NotFiniteError(Exception):
    """Breaks off a step at a derivative that is not finite: LSODA would accept it."""


class _LsodaError(Exception):
    """LSODA failed: it returned a negative ``istate``."""

    def __init__(self, istate: int) -> None:
        super().__init__(istate)
        self.istate = istate


class Lsoda(Integrator):
    """LSODA, for problems of which nobody knows whether they are stiff."""

    name = "lsoda"
    _solver: Any = None
    _growing_part = 0.02

    def __init__(self, problem: InitialValueProblem) -> None:
        super().__init__(problem)
        self._jacobian = make_jacobian(problem, self._function, self.statistics)
        self._attempts = AttemptCounter()
        self._interpolant: Any = None
        self._derivative = np.empty(len(problem.state))
        self._evaluated_time = np.nan
        self._evaluated_state = np.empty(len(problem.state))
        self._matrix = np.zeros((len(problem.state), len(problem.state)))

    def _start(self, stop: float) -> None:
        settings = self._problem.settings
        rtol, atol = self._problem.bounded_tolerances()
        first = None if settings.first_step is None else min(settings.first_step, stop - self.t)
        take_apart(self._solver)
        self._solver = LSODA(
            weakly(self._evaluate),
            self.t,
            self.y.copy(),
            stop,
            rtol=rtol,
            atol=atol,
            first_step=first,
            max_step=settings.max_step,
            jac=weakly(self._evaluate_jacobian),
        )
        self._work = self._solver._lsoda_solver._integrator
        if settings.order is not None:
            self._work.iwork[7] = min(settings.order, GREATEST_ADAMS_ORDER)
            self._work.iwork[8] = min(settings.order, GREATEST_BDF_ORDER)
        _raise_failures(self._work)

    def _advance(self, stop: float) -> tuple[float, NDArray[np.float64]]:
        self._interpolant = None
        self._attempts.begin(self.t)
        wanted = float(self._work.rwork[11])  # the next step; 0 at the start
        stop = self._spread(stop, wanted)
        while not self._try(stop):
            stop = self.t + SHORTENING * (self._attempts.time - self.t)
            if stop - self.t <= 10.0 * EPS * abs(self.t):
                raise self._error(FailureReason.NOT_FINITE)
            self._start(stop)
        self._attempts.finish(self.statistics)
        self.statistics.order = int(self._work.iwork[13])
        if self._solver.t == stop:
            self._forget_if_cut(stop - self.t, wanted)
        return float(self._solver.t), self._solver.y

    def _try(self, stop: float) -> bool:
        """One step, not past `stop` (s); False if a derivative was not finite."""
        solver = self._solver
        solver.t_bound = self._work.rwork[0] = stop
        solver.status = "running"
        failure = None
        try:
            solver.step()
        except _NotFiniteError:
            self._tried_step = self._attempts.length
            if np.isnan(self._attempts.length):
                raise self._error(FailureReason.NOT_FINITE) from None  # at the given state
            return False
        except _LsodaError as error:
            failure = error.istate
        self._tried_step = self._attempts.length
        if failure is not None:
            raise self._error(_REASONS.get(failure, FailureReason.NO_CONVERGENCE), f"istate {failure}")
        return True

    def _evaluate(self, t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        self._attempts.note(t)
        y.flags.writeable = False
        self._function(t, y, self._derivative)
        if self._derivative[0] != self._derivative[0]:
            raise _NotFiniteError
        self._evaluated_time = t
        self._evaluated_state[:] = y
        return self._derivative

    def _evaluate_jacobian(self, t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        # LSODA has just evaluated f here, as a rule.
        known = self._evaluated_time == t and np.array_equal(self._evaluated_state, y)
        if self._jacobian.needs_derivative and not known:
            self._evaluate(t, y)
        self._jacobian.write(t, y, self._derivative, t - self.t, self._matrix)
        if not np.isfinite(self._matrix).all():
            raise _NotFiniteError
        return self._matrix

    def _interpolate(self, t: float) -> NDArray[np.float64]:
        if self._interpolant is None:
            self._interpolant = self._solver.dense_output()
        state: NDArray[np.float64] = self._interpolant(t)
        return state

    def __del__(self) -> None:
        take_apart(self._solver)


def _raise_failures(work: Any) -> None:
    """Let a failure be an exception; SciPy would make it a warning and hide its number."""
    runner = work.runner

    def run(*arguments: Any) -> Any:
        result = runner(*arguments)
        if result[2] < 0:
            raise _LsodaError(int(result[2]))
        return result

    work.runner = run
