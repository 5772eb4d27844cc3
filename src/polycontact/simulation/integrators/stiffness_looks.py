"""Explicit methods look for stiffness: `kernels/stepping/stiffness_watch.py` judges, here is what it has found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.stepping.stiffness_watch import StiffnessWatch, aim_at, begin_watch_at, judge_at
from polycontact.simulation.integrators.counting import CountedFunction
from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.problem import InitialValueProblem

Array = NDArray[np.float64]

LOOKS_TO_TELL = 40
"""A user is told of stiffness after so many looks, 480 steps: shorter stiffness, as in a hard impact, costs little."""

LOOKS_TO_CHANGE = 3
"""An integrator that can change over does so after so many looks, 36 steps: that is what a change costs."""


@dataclass(frozen=True)
class Stiffness:
    """An explicit method has noticed that stability limits its steps.

    ``since``: when that began, s; ``noticed_at``: when it was sure of it, s; ``evaluations_per_second``: how many
    evaluations a simulated second took in between.
    """

    since: float
    noticed_at: float
    evaluations_per_second: float


class StiffnessLooks:
    """Looks for stiffness after some of the steps of an explicit method.

    An integrator by address lets its compiled steps look, with the same ``view``.
    """

    def __init__(self, problem: InitialValueProblem, *, is_runge_kutta: bool = False) -> None:
        self.found: Stiffness | None = None
        self.view = view = StiffnessWatch()
        view.reserve(n=len(problem.state))
        view.n_influencing, view.is_runge_kutta, view.most = problem.jacobian_size, is_runge_kutta, LOOKS_TO_TELL
        view.relative, view.absolute[:] = problem.mean_square_tolerances()
        begin_watch_at(view.row, problem.start_time, 0)

    def is_due(self, steps: int) -> bool:
        """Whether a look is due after so many steps; none is where stiffness was noticed before."""
        return self.found is None and steps >= self.view.next_look

    def look(
        self,
        function: CountedFunction,
        interval: tuple[float, float],
        states: tuple[Array, Array, Array],
        counted: IntegratorStatistics,
    ) -> None:
        """Look at a step over an interval (s), with the states at its start, middle and end; two evaluations."""
        view, t = self.view, interval[1]
        aim_at(view.row, states[2])
        function(t, view.moved, view.moved_rates)
        function(t, states[2], view.rates)
        # Rejected steps of DOPRI5 tell nothing; of CVODE through Python nobody knows what they were rejected for.
        failures = 0 if view.is_runge_kutta else counted.rejected_steps
        counters = counted.order or 1, counted.steps, failures, counted.evaluations
        if judge_at(view.row, interval, counters, *states):
            self.tell(t, counted.evaluations)

    def tell(self, t: float, evaluations: int) -> None:
        """Stiffness is noticed at t (s), after so many evaluations."""
        view = self.view
        took = max(evaluations - view.evaluations_since, 1)
        self.found = Stiffness(view.since, t, took / max(t - view.since, np.finfo(float).tiny))
