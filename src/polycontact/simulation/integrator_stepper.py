"""The integrators as steppers of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.integrators import (
    Integrator,
    IntegratorStatistics,
    JacobianFunction,
    Stiffness,
    make_integrator,
)
from polycontact.simulation.integrators.auto import Auto
from polycontact.simulation.stepper import StepperProblem

if TYPE_CHECKING:
    from polycontact.simulation.integrators.sundials_by_address import AddressedIntegrator


class IntegratorStepper:
    """An integrator of variable step by its name; ``jacobian``: df/dy, where it is known."""

    def __init__(self, name: str, jacobian: JacobianFunction | None = None) -> None:
        self.name = name
        self._jacobian = jacobian
        self._integrator: Integrator

    def start(self, problem: StepperProblem) -> None:
        """Stand at the start; f is not called before the first step."""
        self._integrator = make_integrator(
            self.name,
            problem.rates,
            problem.start_time,
            problem.state,
            problem.end_time,
            problem.settings,
            jacobian_size=problem.system.ledger,
            jacobian=self._jacobian,
        )

    @property
    def by_address(self) -> AddressedIntegrator | None:
        """The integrator, where compiled code makes its steps."""
        return cast("AddressedIntegrator", self._integrator) if self._integrator.by_address else None

    @property
    def stiffness(self) -> Stiffness | None:
        """Where an explicit method has noticed stiffness."""
        return self._integrator.stiffness

    def change_over(self) -> None:
        """Go on with the method for stiff problems where stiffness was noticed, if the integrator has one."""
        if isinstance(self._integrator, Auto):
            self._integrator.change_over()

    @property
    def t(self) -> float:
        """Time that the integrator has reached, s."""
        return self._integrator.t

    @property
    def t_old(self) -> float:
        """Time at the start of the last step, s."""
        return self._integrator.t_old

    @property
    def y(self) -> NDArray[np.float64]:
        """State (ns,) at the time reached."""
        return self._integrator.y

    @property
    def keeps_jacobian(self) -> bool:
        """Whether it uses Jacobians of earlier steps."""
        return self._integrator.keeps_jacobian

    @property
    def statistics(self) -> IntegratorStatistics:
        """Counters since the start."""
        return self._integrator.statistics

    def step(self, limit: float, *, until: float) -> float:
        """Make one step, as `Integrator.step` does."""
        self._integrator.step(limit, until=until)
        return self._integrator.t

    def interpolate(self, t: float) -> NDArray[np.float64]:
        """The state at a time t (s) inside the last step, from the integrator's own polynomial."""
        return self._integrator.interpolate(t)

    def restart(self, t: float, y: NDArray[np.float64]) -> None:
        """Forget the history and go on from t (s) and y."""
        self._integrator.restart(t, y)
