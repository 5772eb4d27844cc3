"""The right-hand side as an integrator sees it: errors become numbers that it can step back from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.dynamics.right_hand_side import rates_at
from polycontact.kernels.stepping.equations import LOOK_UP, RATES, TELL_TROUBLE, Answer
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.failure_messages import not_finite
from polycontact.simulation.integrators.rates_by_address import RatesByAddress
from polycontact.simulation.profile import StageTimes
from polycontact.simulation.slope_jacobian import SlopeJacobian
from polycontact.simulation.weak_calls import weakly

INSIDE = int(Status.E_INSIDE_F | Status.F_INSIDE_E)
"""Status bits of a contact of which one body lies wholly inside the other."""


class IntegratedRates:
    """dy/dt for an integrator, by an evaluator that nobody else uses: it remembers the integrator's last call.

    Integrators in Python call it; those by address get ``by_address``, which is compiled unless users' elements,
    several threads or the clock of a profile take part. ``watched``: it also remembers which contacts touched, and
    which did not, in any call of a step.
    """

    def __init__(
        self, setup: SystemSetup, evaluator: Evaluator, times: StageTimes | None = None, *, watched: bool = False
    ) -> None:
        self._setup = setup
        self._evaluator = evaluator
        self._times = times
        self._trouble = ""
        is_compiled = evaluator.is_compiled and times is None
        self.by_address = RatesByAddress(
            setup.tree.n_states,
            setup.tree.ledger,
            weakly(self._evaluate),
            system=evaluator.view.address,
            entry=c_address_of(rates_at, RATES) if is_compiled else 0,
            help=weakly(self._help),
            jacobian=self._jacobian(),
            n_watched=len(setup.contacts) if watched else 0,
        )
        self._seen = self.by_address.view
        self._seen.last_time = math.nan

    def _jacobian(self) -> SlopeJacobian | None:
        """df/dy from slopes of the contacts; None where contacts have states, or exert given wrenches.

        The same for compiled rates and others, so that threads and profiles change no bit.
        """
        evaluator = self._evaluator
        if self._setup.pairs.n_states > 0 or evaluator.is_imposed:
            return None
        return SlopeJacobian(evaluator.view, weakly(evaluator.apply_users) if evaluator.has_users else None)

    @property
    def trouble(self) -> str:
        """What was wrong at the first call that failed since the last accepted step."""
        return self._trouble if self._seen.is_told else ""

    @property
    def last_time(self) -> float:
        """Time of the last call, s."""
        return self._seen.last_time

    @property
    def last_rates(self) -> NDArray[np.float64]:
        """What the last call found; a later one writes to it."""
        return self._seen.last_rates

    @property
    def touched(self) -> NDArray[np.bool_]:
        """Contacts that touched at a call since `begin_step`, where they are watched."""
        return np.asarray(self._seen.touched != 0)

    @property
    def parted(self) -> NDArray[np.bool_]:
        """Contacts that did not."""
        return np.asarray(self._seen.parted != 0)

    def begin_step(self) -> None:
        """Forget which contacts touched or parted in the last step."""
        self._seen.touched[:] = self._seen.parted[:] = 0

    def accept_step(self) -> None:
        """A step was made: whatever was wrong, a shorter one has overcome it."""
        self._seen.is_told = 0

    def _tell(self, trouble: str) -> None:
        """Keep what was wrong, if it is the first."""
        if not self._seen.is_told:
            self._trouble, self._seen.is_told = trouble, 1

    def __call__(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """dy/dt at time t (s) into ``out``; no numbers where there are none."""
        self._evaluate(t, y, out)
        seen = self._seen
        seen.last_time, seen.last_rates[:] = t, out
        if not math.isfinite(out.dot(out)):
            self._help(TELL_TROUBLE, t)
        if seen.n_watched:
            touching = self._evaluator.touching_last
            seen.touched |= touching
            seen.parted |= ~touching

    def _evaluate(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """dy/dt by the evaluator."""
        try:
            if self._times is None:
                self._evaluator.rates(t, y, out)
            else:
                self._evaluator.staged_rates(t, y, out, self._times.start())
        except FloatingPointError as error:
            self._tell(str(error))
            out[:] = math.nan

    def _help(self, what: int, t: float) -> int:
        """Do what compiled rates ask for, or note what was wrong; whether they can go on."""
        if what == LOOK_UP:
            return int(Answer.WELL)
        if what == TELL_TROUBLE:
            self._tell(not_finite(self._setup, self.acceleration, t))
            return int(Answer.NOT_FINITE)
        try:
            self._evaluator.heed(what, t)
        except FloatingPointError as error:
            self._tell(str(error))
            return int(Answer.NOT_FINITE)
        return int(Answer.WELL)

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

    def saw(self, bits: int) -> bool:
        """Whether any contact had one of some status bits at the last call."""
        return bool(self._evaluator.contact_bits & bits)

    @property
    def n_touching(self) -> int:
        """Contacts that touched at the last call."""
        return self._evaluator.n_touching
