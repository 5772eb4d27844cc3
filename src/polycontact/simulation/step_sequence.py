"""The steps of a run, one after the other, until there is something that Python must do.

An integrator by address makes them in compiled code, from one thing that happens to the next
(`kernels/stepping/run_steps.py`). Any other stepper makes one at a time in Python, and what follows a step is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.dynamics.right_hand_side import rates_at
from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.kernels.response.codes import StepsEnd
from polycontact.kernels.stepping.equations import RATES, TELL_TROUBLE, Answer
from polycontact.kernels.stepping.fading_contacts import Verdict
from polycontact.kernels.stepping.run_steps import (
    ALL_OF_A_STEP,
    LIMIT,
    LOADS,
    NOTE,
    SAMPLE,
    Need,
    RunSteps,
    limit_after,
    loads_after,
    note_step,
    run_steps,
    sample_of,
    strays_after,
    verdict_after,
)
from polycontact.kernels.stepping.step_contacts import AT_STEP, commit_step, look_for_changes
from polycontact.kernels.stepping.sundials_steps import StepEnd
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.integrated_rates import INSIDE, IntegratedRates
from polycontact.simulation.integrators import IntegratorSettings
from polycontact.simulation.integrators.rates_by_address import RatesByAddress
from polycontact.simulation.sampler import Sampler, plain_state
from polycontact.simulation.stale_jacobian import describe_fading
from polycontact.simulation.stepper import Stepper, make_step, name_of
from polycontact.simulation.weak_calls import weakly
from polycontact.tolerances import END_SPAN, SHORTEST_LIMIT

if TYPE_CHECKING:
    from polycontact.simulation.integrators.sundials_by_address import AddressedIntegrator

Array = NDArray[np.float64]

SLICE_SECONDS = 0.05
"""After so much work compiled steps come back, so that Ctrl-C is heard and progress told."""

FEWEST_EVALUATIONS = 8
"""Evaluations between two looks at the clock at least; a step takes two or three."""


class StepSequence:
    """Steps of a stepper that has been started; ``view``: what compiled code knows of them."""

    def __init__(
        self,
        compiled: CompiledSystem,
        observer: Evaluator,
        rates: IntegratedRates,
        stepper: Stepper,
        tolerances: IntegratorSettings,
        *,
        is_limited: bool,
        end_time: float,
    ) -> None:
        self._end_time = end_time
        self.may_be_in_series = False
        """Whether nothing needs Python between two samples, where the stepper can make steps without it."""
        self._stepper, self._rates, self._observer = stepper, rates, observer
        self._addressed: AddressedIntegrator | None = getattr(stepper, "by_address", None)
        self._raised = rates.by_address.raised
        self._evaluations = FEWEST_EVALUATIONS
        self._observed = RatesByAddress(
            compiled.setup.tree.n_states,
            compiled.setup.tree.ledger,
            weakly(observer.rates),
            system=observer.view.address,
            entry=c_address_of(rates_at, RATES) if observer.is_compiled else 0,
            help=weakly(self._heed),
            raised=self._raised,
        )
        self.view = view = RunSteps()
        view.reserve(n=compiled.setup.tree.n_states)
        view.place = view.address
        view.note, view.limit = c_address_of(note_step, NOTE), c_address_of(limit_after, LIMIT)
        view.loads, view.sample = c_address_of(loads_after, LOADS), c_address_of(sample_of, SAMPLE)
        view.integrator, view.observer = rates.by_address.view, self._observed.view
        view.contacts.place = view.contacts.address
        view.contacts.observer, view.contacts.integrator = view.observer, view.integrator
        view.stops = StopLimits()
        view.is_limited, view.inside_bits = int(is_limited), INSIDE
        view.next_break = math.inf
        view.noted_at = math.nan
        if getattr(stepper, "keeps_jacobian", False):
            describe_fading(view.fading, compiled.setup, tolerances)
        if self._addressed is not None:
            view.solver = self._addressed.view

    def watch_contacts(self) -> None:
        """Let compiled steps end where a contact begins or ends; `known_touching` tells which touch before."""
        contacts = self.view.contacts
        contacts.reserve(n_watched=self.view.integrator.n_watched)
        contacts.changes = c_address_of(look_for_changes, AT_STEP)

    def known_touching(self, touching: NDArray[np.bool_]) -> None:
        """Which contacts touch at the state from which steps go on, where they are watched."""
        if self.view.contacts.changes:
            self.view.contacts.touching[:] = touching

    def commit_elements(self, pairs: Sequence[int]) -> None:
        """Let compiled steps change what the laws of some pairs remember of elements."""
        contacts = self.view.contacts
        contacts.reserve(n_remembering=len(pairs))
        contacts.remembering[:] = pairs
        contacts.commit = c_address_of(commit_step, AT_STEP)

    def stop_at(self, limits: StopLimits) -> None:
        """Let compiled steps end where a limit is reached."""
        self.view.stops = limits
        if hasattr(self._stepper, "stop_at"):
            self._stepper.stop_at(limits)

    def go_on(self) -> int:
        """Make steps until Python must do something about the last one; nothing where it is only to look up."""
        if self._addressed is not None:
            return self._compiled_steps(self._addressed)
        view = self.view
        in_series = self.may_be_in_series and view.follows_loads == 0 and view.takes_samples == 1
        if in_series and getattr(self._stepper, "makes_series", False):
            return self._steps_in_series(self._stepper)
        return self._step_in_python()

    def _steps_in_series(self, stepper: Any) -> int:
        """Steps with rigid contact in one compiled call, up to the next sample."""
        view, rates = self.view, self._rates
        rates.begin_step()
        due = view.times[view.next_time] if view.next_time < view.n_times else math.inf
        until = min(view.next_break, self._end_time)
        try:
            ended = stepper.go_on(float(min(due, until)), until=until, is_limited=bool(view.is_limited))
        except FloatingPointError as error:
            at = stepper.t
            raise IntegrationError(f"{name_of(stepper)}: {error}", time=at, reason="not finite") from error
        rates.accept_step()
        note_step(view.place, stepper.t, 0)
        needs = int(Need.CONTACTS) if stepper.seen & view.told_bits else 0
        if stepper.t >= due:
            needs |= Need.SAMPLES
        if stepper.t >= view.next_break:
            needs |= Need.BREAK
        if ended & StepsEnd.STOPS:
            needs |= Need.EVENTS
        if ended & StepsEnd.LETS_GO:  # the next step is no part of a series: it wants its limit found from here
            needs |= Need.SAMPLES
        if ended & StepsEnd.MEETING:
            needs |= Need.MEETING
        return needs

    def _heed(self, what: int, t: float) -> int:
        """Do what an evaluation of the observer asks for."""
        if what != TELL_TROUBLE:
            self._observer.heed(what, t)
        return int(Answer.WELL)

    def _compiled_steps(self, integrator: AddressedIntegrator) -> int:
        """Steps of an integrator by address."""
        view = self.view
        view.evaluations_before_pause = view.integrator.evaluations + self._evaluations
        # Within a step only where it takes much longer than a slice.
        view.integrator.look_every = 2 * self._evaluations
        view.integrator.look_at = view.integrator.evaluations + 2 * self._evaluations
        begin = perf_counter()
        with self._raised:
            needs = int(run_steps(view.row))
        took = perf_counter() - begin
        if needs == Need.NOTHING:
            factor = min(max(SLICE_SECONDS / max(took, 1e-9), 0.5), 2.0)
            self._evaluations = max(int(factor * self._evaluations), FEWEST_EVALUATIONS)
        integrator.take_over()
        if needs & Need.STOPPED:
            try:
                integrator.after(view.step_end)
            except FloatingPointError as error:
                at = self._stepper.t
                raise IntegrationError(f"{name_of(self._stepper)}: {error}", time=at, reason="not finite") from error
        self._raised.raise_kept()
        if needs & Need.STOPPED and view.step_end == StepEnd.STIFF:
            self._change_over(integrator)
            needs &= ~Need.STOPPED
        return needs

    def _change_over(self, integrator: AddressedIntegrator) -> None:
        """Let an integrator go on with its method for stiff problems, if it has one."""
        change = getattr(self._stepper, "change_over", None)
        if change is not None:
            change()
            self.view.solver = integrator.view

    def _step_in_python(self) -> int:
        """One step of any other stepper."""
        view, stepper, rates = self.view, self._stepper, self._rates
        rates.begin_step()
        limit = max(view.longest, SHORTEST_LIMIT) if view.is_limited else math.inf
        make_step(stepper, limit, view.next_break, self._end_time)
        if view.fading.n_pairs and self._is_spoiled():
            stepper.restart(stepper.t_old, stepper.interpolate(stepper.t_old))
            return Need.NOTHING
        rates.accept_step()
        note_step(view.place, stepper.t, 0)
        return ALL_OF_A_STEP | Need.CONTACTS if view.seen & view.told_bits else ALL_OF_A_STEP

    def _is_spoiled(self) -> bool:
        """Whether a Jacobian that was kept has spoiled the last step."""
        stepper, row = self._stepper, self.view.row
        t, step = stepper.t, stepper.t - stepper.t_old
        verdict = verdict_after(row, stepper.statistics.jacobians, step)
        if verdict != Verdict.DOUBTFUL:
            return bool(verdict == Verdict.SPOILED)
        span = END_SPAN * step
        before = stepper.interpolate(t - span)
        with self._raised:
            strays = strays_after(row, t, stepper.y, before, span, step)
        self._raised.raise_kept()
        return bool(strays == Answer.NOT_FINITE)

    def limit_after(self, t: float, y: Array, step: float) -> int:
        """Find how long the next step may be, from y at t (s) after a step (s); whether that was too long."""
        state = plain_state(y)
        with self._raised:
            needs = int(limit_after(self.view.place, t, state.ctypes.data, step))
        self._raised.raise_kept()
        return needs

    def loads_after(self, t: float, y: Array) -> int:
        """Follow the loads to the state y at t (s), where a step was accepted."""
        state = plain_state(y)
        with self._raised:
            needs = int(loads_after(self.view.place, t, state.ctypes.data))
        self._raised.raise_kept()
        return needs

    def sample(self, sampler: Sampler, t: float, y: Array, lost: float) -> int:
        """Take a sample of the state y at t (s), where steps have lost energy (J); what Python must do then."""
        counted = self._stepper.statistics
        with self._raised:
            needs = sampler.take(self.view, t, y, (counted.evaluations, counted.steps), lost)
        self._raised.raise_kept()
        return needs
