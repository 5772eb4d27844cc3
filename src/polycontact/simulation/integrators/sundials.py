"""What CVODE and IDA of scikit-sundae have in common: limits, looking back, failures.

scikit-sundae tells neither order nor next step size, and a stop time that does not bind in this step would shorten
the one after. So a step is first tried without one: if its first call of f lies past the limit, the attempt is broken
off there, before f is evaluated, and made again with a stop time at the limit. SUNDIALS undoes the broken attempt
as after any failed one, and what it knows of the solution stays. Only the first step has its stop time at once: IDA
cannot repeat it (it scales the initial slope each time).

To look back, the solver is asked for a time inside its last step, which it interpolates. The next step would then
only return to the end of the last one; so the solver is sent there first.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.integrators.attempts import AttemptCounter
from polycontact.simulation.integrators.failure_reasons import FailureReason
from polycontact.simulation.integrators.interface import Integrator
from polycontact.simulation.integrators.jacobian import make_jacobian
from polycontact.simulation.integrators.problem import InitialValueProblem, shortest_step
from polycontact.simulation.integrators.quiet import QuietSundials

MAX_CONVERGENCE_FAILURES = 25
"""In one step, each with a quarter of the step: enough to get from any step down to the shortest."""

REASONS = {
    -1: FailureReason.TOO_MUCH_WORK,
    -2: FailureReason.ERROR_TEST,  # more accuracy asked for than the machine has
    -3: FailureReason.ERROR_TEST,
    -22: FailureReason.STEP_TOO_SMALL,
    -27: FailureReason.STEP_TOO_SMALL,  # end and start too close
}
"""Status of CVODE and IDA to reason; all others are failures of the nonlinear solver or of its linear one."""


class _StepTooLongError(Exception):
    """Breaks off an attempt that goes past the limit; never leaves this module."""


class SundialsIntegrator(Integrator):
    """One step of scikit-sundae's CVODE or IDA at a time."""

    keeps_jacobian = True

    def __init__(self, problem: InitialValueProblem) -> None:
        super().__init__(problem)
        self._jacobian = make_jacobian(problem, self._function, self.statistics)
        self._attempts = AttemptCounter()
        self._solver: Any = None
        self._stop = problem.end_time
        self._wanted = math.nan
        self._looked_back = False
        self._fresh = True

    def _start(self, stop: float) -> None:
        self._looked_back = False
        self._fresh = True
        self._prepare(stop)

    @abstractmethod
    def _prepare(self, stop: float) -> None:
        """Make the solver, or bring it to `t`, `y`."""

    def _advance(self, stop: float) -> tuple[float, NDArray[np.float64]]:
        self._attempts.begin(self.t)
        self._stop = stop
        self._wanted = math.nan
        with QuietSundials() as quiet:
            if self._looked_back:
                self._solver.step(self.t, "normal")
                self._looked_back = False
            result = None if self._fresh else self._try(stop)
            if result is None:
                result = self._solver.step(self._stop, "onestep", self._stop)
        self._tried_step = self._attempts.length
        if result.status < 0:
            reason = REASONS.get(result.status, FailureReason.NO_CONVERGENCE)
            raise self._error(reason, quiet.message or result.message)
        self._fresh = False
        self._attempts.finish(self.statistics)
        self._forget_if_cut(result.t - self.t, self._wanted)
        return float(result.t), result.y

    def _try(self, stop: float) -> Any:
        """One step without a stop time; None if it was broken off, then `_stop` (s) is where to stop."""
        try:
            return self._solver.step(stop, "onestep")
        except _StepTooLongError:
            return None

    def _note(self, t: float) -> None:
        """F is about to be evaluated at `t` (s); break the attempt off if a shorter step is wanted."""
        attempts = self._attempts
        if t > self._stop or (attempts.count == 0 and t > self.t):
            stop = self._spread(self._stop, t - self.t)
            # Only with a stop time a step that nearly meets it is made to end there.
            if t > stop - self._resolution() and not self._fresh and math.isnan(self._wanted):
                self._stop = stop
                self._wanted = t - self.t
                raise _StepTooLongError
        attempts.note(t)

    def _interpolate(self, t: float) -> NDArray[np.float64]:
        self._looked_back = True
        with QuietSundials() as quiet:
            result = self._solver.step(t, "normal")
        if result.status < 0:
            raise self._error(FailureReason.STEP_TOO_SMALL, quiet.message or result.message)
        state: NDArray[np.float64] = result.y
        return state

    def _abandon(self) -> None:
        super()._abandon()
        self._solver = None  # an exception leaves a stop time behind that nothing else removes

    def _options(self, first_step: float | None, greatest_order: int) -> dict[str, Any]:
        """Options that CVODE and IDA share."""
        problem, settings = self._problem, self._problem.settings
        rtol, atol = problem.mean_square_tolerances()
        order = settings.order
        return {
            "rtol": rtol,
            "atol": atol,
            "first_step": first_step or 0.0,
            "min_step": shortest_step(problem.start_time, problem.end_time),
            # Not the library's 0 for "unlimited", which it refuses beside a least step.
            "max_step": min(settings.max_step, problem.end_time - problem.start_time),
            "max_order": greatest_order if order is None else min(order, greatest_order),
            "max_conv_fails": MAX_CONVERGENCE_FAILURES,
        }
