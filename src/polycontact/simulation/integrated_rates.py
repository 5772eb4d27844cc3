"""The right-hand side as an integrator sees it: errors become numbers that it can step back from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.contact.contact_report import Status
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.failure_messages import not_finite
from polycontact.simulation.profile import StageTimes

INSIDE = int(Status.E_INSIDE_F | Status.F_INSIDE_E)
"""Status bits of a contact of which one body lies wholly inside the other."""


class IntegratedRates:
    """dy/dt for an integrator, by an evaluator that nobody else uses: it remembers the integrator's last call.

    ``watched``: it also remembers which contacts touched, and which did not, in any call of a step.
    """

    def __init__(
        self, setup: SystemSetup, evaluator: Evaluator, times: StageTimes | None = None, *, watched: bool = False
    ) -> None:
        self._setup = setup
        self._evaluator = evaluator
        self._times = times
        self.trouble = ""
        """What was wrong at the first call that failed since this was last emptied."""
        self.last_time = math.nan
        """Time of the last call, s."""
        self.last_rates = np.zeros(0)
        """What the last call wrote; a later one, or the integrator, may write to it."""
        n = len(setup.contacts) if watched else 0
        self.touched = np.zeros(n, np.bool_)
        """Contacts that touched at a call since `begin_step`, where they are watched."""
        self.parted = np.zeros(n, np.bool_)
        """Contacts that did not."""

    def begin_step(self) -> None:
        """Forget which contacts touched or parted in the last step."""
        self.touched[:] = self.parted[:] = False

    def __call__(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """dy/dt at time t (s) into ``out``; no numbers where there are none."""
        self.last_time, self.last_rates = t, out
        try:
            if self._times is None:
                self._evaluator.rates(t, y, out)
            else:
                self._evaluator.staged_rates(t, y, out, self._times.start())
        except FloatingPointError as error:
            self.trouble = self.trouble or str(error)
            out[:] = math.nan
        if not math.isfinite(out.dot(out)) and not self.trouble:
            self.trouble = not_finite(self._setup, self.acceleration, t)
        if len(self.touched):
            touching = self._evaluator.touching_last
            self.touched |= touching
            self.parted |= ~touching

    @property
    def acceleration(self) -> NDArray[np.float64]:
        """Accelerations (n_bodies, 6) of the bodies at the last call."""
        return self._evaluator.acceleration

    @property
    def saw_inside(self) -> bool:
        """Whether a body lay wholly inside another at the last call."""
        return bool(self._evaluator.contact_bits & INSIDE)

    @property
    def saw_open_polygon(self) -> bool:
        """Whether the intersection polygon of a contact was open at the last call."""
        return bool(self._evaluator.contact_bits & Status.OPEN_POLYGON)

    @property
    def n_touching(self) -> int:
        """Contacts that touched at the last call."""
        return self._evaluator.n_touching
