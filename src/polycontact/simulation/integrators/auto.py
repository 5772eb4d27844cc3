"""CVODE with formulas of Adams while a problem is not stiff, then with BDF formulas.

Where it pays, measured: bodies that fly and bounce take two thirds to four fifths of the evaluations with Adams, bodies
at rest in contact ten to a hundred times more. The change is a new start from the present state. There is no way back:
what was stiff is so again at the next rest, and looking for the end of it would cost two evaluations each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.interface import Integrator
from polycontact.simulation.integrators.problem import InitialValueProblem
from polycontact.simulation.integrators.stiffness_looks import LOOKS_TO_CHANGE, Stiffness

if TYPE_CHECKING:
    from polycontact.kernels.stepping.sundials_steps import SundialsSolver
    from polycontact.simulation.integrators.sundials_by_address import AddressedIntegrator

Array = NDArray[np.float64]
Maker = Callable[[str, InitialValueProblem], Integrator]
"""Makes the integrator of a name."""


class Auto(Integrator):
    """Two integrators, one after the other; where it stands and what it has counted are those of the present one."""

    name = "auto"
    keeps_jacobian = True

    def __init__(self, problem: InitialValueProblem, make: Maker) -> None:
        self._problem = problem
        self._make = make
        self._present = self._made("cvode-adams", problem)
        self._stiffness: Stiffness | None = None
        watch = self._present._watch
        assert watch is not None
        watch.view.most = LOOKS_TO_CHANGE
        self.by_address = self._present.by_address
        self._stand_there()

    @property
    def view(self) -> SundialsSolver:
        """What compiled steps work with; another one after the change."""
        return cast("AddressedIntegrator", self._present).view

    @property
    def stiffness(self) -> Stiffness | None:
        """Where stiffness was noticed; from the next step on formulas are BDF."""
        return self._stiffness or self._present.stiffness

    @property
    def statistics(self) -> IntegratorStatistics:
        """Counters since the start, of both."""
        return self._present.statistics

    @statistics.setter
    def statistics(self, statistics: IntegratorStatistics) -> None:
        """Counters are those of the present integrator."""

    def step(self, limit: float = math.inf, *, until: float = math.inf) -> None:
        """Make one step, as `Integrator.step` does."""
        self.change_over()
        try:
            self._present.step(limit, until=until)
        finally:
            self._stand_there()

    def restart(self, t: float, y: ArrayLike) -> None:
        """Go on from `t` (s) and `y`, as `Integrator.restart` does."""
        self.change_over()
        self._present.restart(t, y)
        self._stand_there()

    def take_over(self) -> None:
        """Stand where compiled steps have come to."""
        cast("AddressedIntegrator", self._present).take_over()
        self._stand_there()

    def after(self, end: int) -> None:
        """Stand where compiled steps have come to, and raise what has ended the last one, a `StepEnd`."""
        try:
            cast("AddressedIntegrator", self._present).after(end)
        finally:
            self._stand_there()

    def change_over(self) -> None:
        """Begin anew with BDF formulas where stiffness was noticed; the last step can no longer be looked back into."""
        before = self._present
        if self._stiffness is not None or before.stiffness is None or before.t >= self._problem.end_time:
            return
        self._stiffness = before.stiffness
        present = self._made("cvode-bdf", replace(self._problem, start_time=before.t, state=before.y))
        present.go_on_counting(replace(before.statistics, restarts=before.statistics.restarts + 1))
        self._present = present
        self._stand_there()

    def _made(self, name: str, problem: InitialValueProblem) -> Integrator:
        made = self._make(name, problem)
        made.told_as = self.name
        return made

    def _stand_there(self) -> None:
        """Show where the present integrator stands."""
        present = self._present
        self.t, self.t_old, self.y, self.y_old = present.t, present.t_old, present.y, present.y_old

    def _state_at(self, t: float) -> Array:
        return self._present._state_at(t)

    def _start(self, stop: float) -> None:
        """Nothing: `step` begins by itself where it has to."""

    def _advance(self, stop: float) -> tuple[float, Array]:
        """Never called: `step` advances by itself."""
        raise NotImplementedError

    def _interpolate(self, t: float) -> Array:
        return self._present._interpolate(t)
