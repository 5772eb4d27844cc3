"""What the calls of f tell about an integrator that tells nothing itself.

The corrector of a multistep method evaluates f only at the end of the step it tries. A new time within one step
therefore means a rejected attempt, and each call an iteration of the nonlinear solver.
"""

from __future__ import annotations

import math

from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics


class AttemptCounter:
    """Counts attempts and iterations of one step from the times at which f is called."""

    __slots__ = ("_iterations", "_start", "count", "length", "time")

    def __init__(self) -> None:
        self.begin(math.nan)

    def begin(self, start: float) -> None:
        """A step begins at `start` (s)."""
        self._start = start
        self.count = 0
        self._iterations = 0
        self.time = math.nan
        self.length = math.nan

    def note(self, t: float) -> None:
        """F is called for the corrector at `t` (s)."""
        if t == self._start:
            return
        self._iterations += 1
        if t != self.time:
            self.count += 1
            self.time = t
            self.length = t - self._start

    def discard_trials(self) -> None:
        """The calls so far, but for the last, were trials for the first step size."""
        self.count = min(self.count, 1)
        self._iterations = min(self._iterations, 1)

    def finish(self, statistics: IntegratorStatistics) -> None:
        """The step is accepted: add its counts."""
        statistics.nonlinear_iterations += self._iterations
        statistics.rejected_steps += max(self.count - 1, 0)
