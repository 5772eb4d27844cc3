"""One run of a compiled system: step, look for events, record, check, until the end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError, SimulationWarning, level_of_the_caller
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_warnings import ContactWarnings
from polycontact.simulation.events import Events
from polycontact.simulation.failure_messages import explained
from polycontact.simulation.integrated_rates import IntegratedRates
from polycontact.simulation.ledger import COLUMNS, EnergyLedger, EnergyStart
from polycontact.simulation.motion_times import MotionTimes
from polycontact.simulation.peak_search import PeakSearch
from polycontact.simulation.profile import StageTimes
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.interrupts import uninterrupted
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import ContactEvent, Recorder, Sample
from polycontact.simulation.recording.run_peaks import RunPeaks
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.residual_warning import told_balance, told_residual
from polycontact.simulation.run_evaluators import RunEvaluators
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_result import Progress, Run
from polycontact.simulation.run_statistics import RunStatistics
from polycontact.simulation.sampler import Sampler
from polycontact.simulation.stale_jacobian import StaleJacobian
from polycontact.simulation.state_tolerances import integrator_settings
from polycontact.simulation.step_guard import StepLimit
from polycontact.simulation.stepper import Stepper, StepperProblem, make_step, name_of
from polycontact.simulation.stop_conditions import StopFound

LOOP_DRIFT = 10.0
"""Closed loops are projected where they have drifted by this many absolute tolerances; samples always are."""


class Driver:
    """One run: step, look for events, record, check, until the end."""

    def __init__(
        self,
        compiled: CompiledSystem,
        settings: RunOptions,
        state: NDArray[np.float64],
        evaluators: RunEvaluators,
        stepper: Stepper,
        recorder: Recorder,
        *,
        profile: bool,
        progress: Callable[[Progress], None] | None,
        start: EnergyStart | None = None,
        earlier_peaks: RunPeaks | None = None,
        earlier: Mapping[str, Any] | None = None,
    ) -> None:
        self.compiled = compiled
        self.settings = settings
        self.recorder = recorder
        self.earlier = earlier or {}
        """Statistics of the part of the run that this one continues in its file."""
        self.progress = progress
        self.cpu_time = thread_time if settings.workers == 1 else process_time
        self.evaluators = evaluators
        self.observer = observer = evaluators.observer
        self.clock = StageTimes() if profile else None
        watched = bool(settings.contact_events)
        self.rates = IntegratedRates(compiled.setup, evaluators.integrator, self.clock, watched=watched)
        self.recording = 0.0
        self.sampler = Sampler(
            compiled, observer, elements=settings.elements, reactions=bool(settings.reactions), start=start
        )
        self.warnings = ContactWarnings(compiled.setup)
        self.start = observer.evaluate(settings.start_time, state)
        self.times = settings.sample_times()
        self.next_sample = 0
        self.rows: list[NDArray[np.float64]] = []
        self.found: list[ContactEvent] = []
        self.stepper = stepper
        tolerances = integrator_settings(settings, compiled, self.start)
        self.energy_tolerance = float(np.asarray(tolerances.atol)[compiled.ledger])
        stepper.start(
            StepperProblem(
                system=compiled,
                rates=self.rates,
                evaluator=evaluators.integrator,
                start_time=settings.start_time,
                state=state,
                end_time=settings.end_time,
                settings=tolerances,
            )
        )
        restarts = settings.contact_events == "restart"
        self.events = Events(
            observer, compiled.contacts if watched else (), restarts=restarts, stop_when=settings.stop_when
        )
        self.events.watch.refuse_those_that_hold(settings.start_time, state)
        self.motions = MotionTimes(compiled.setup)
        self.peaks = PeakSearch(
            compiled, evaluators, joints=bool(settings.reactions), own_stepper=settings.steps_are_own
        )
        self.earlier_peaks = earlier_peaks
        self.stale = StaleJacobian(compiled.setup, tolerances)

    def run(self) -> Run:
        """Integrate to the end; whatever happens, what was recorded is kept."""
        self.cpu_start = self.cpu_time()
        try:
            stop = self._integrate()
        except KeyboardInterrupt:
            return self._finish("stopped", f"stopped by the user at t = {self.stepper.t:.6g} s")
        except IntegrationError as error:
            message = explained(error, self.compiled.setup, self.observer, self.stepper.y, self.rates.trouble)
            failure = IntegrationError(message, time=error.time, step=error.step, reason=error.reason)
            failure.run = self._finish("failed", message)
            raise failure from error
        except Exception as error:  # of a user's force or progress, of the file, …
            self._close("failed", str(error) or type(error).__name__)
            raise
        if stop is not None:
            return self._finish("ended", stop.message, stop)
        return self._finish("finished", f"reached t = {self.stepper.t:.6g} s")

    def _integrate(self) -> StopFound | None:
        """Step after step to the end time, or to where a condition ends the run."""
        stepper, events = self.stepper, self.events
        self._record_until(stepper.t)
        self.warnings.of_overlap(self.start)
        events.start(stepper.t, stepper.y)
        limit = StepLimit(self.compiled.setup, self.observer, stepper.t, stepper.y, active=self.settings.step_limit)
        self.peaks.start(stepper.t, stepper.y)
        self.evaluators.commit(stepper.t, stepper.y)
        reported = 0.0
        while stepper.t < self.settings.end_time:
            self.rates.begin_step()
            make_step(stepper, limit.next_step(), self.motions.next_break(stepper.t), self.settings.end_time)
            if getattr(stepper, "keeps_jacobian", False) and self.stale.spoils(
                stepper, self.evaluators.integrator, self.observer
            ):
                stepper.restart(stepper.t_old, stepper.interpolate(stepper.t_old))
                continue
            self.peaks.note(self.rates, stepper)
            self.rates.trouble = ""  # whatever it was, a shorter step has overcome it
            suspected = self.rates.saw_inside  # in the step itself: to interpolate it may evaluate again
            torn = self.warnings.awaits_open_polygons and self.rates.saw_open_polygon
            happened = events.look(stepper, self.rates)
            for event in happened.contacts:
                self.found.append(event)
                self.recorder.add_event(event)
            stop = happened.stop
            reached = stop.time if stop else stepper.t if happened.restart_at is None else happened.restart_at
            y = stepper.interpolate(reached)
            limit.follow(reached, y, reached - stepper.t_old, self.rates.acceleration, suspected)
            if torn:
                self.warnings.of_open_polygons(reached, self.observer.contacts(reached, y).status)
            self._record_until(reached)
            self.peaks.follow(reached, y)
            self.evaluators.commit(reached, y)
            if stop is not None:
                stepper.restart(reached, y)  # it stands where the run ends
                return stop
            if happened.restart_at is not None:
                stepper.restart(happened.restart_at, events.change_state(happened, stepper))
                limit.restart(stepper.t, stepper.y)
                if happened.roots:
                    self.peaks.start(stepper.t, stepper.y)
            elif self.motions.bends_at(stepper.t) and stepper.t < self.settings.end_time:
                stepper.restart(stepper.t, stepper.y)
                limit.restart(stepper.t, stepper.y)
            else:
                self._close_loops()
            if self.progress is not None and perf_counter() - reported > 0.1:
                reported = perf_counter()
                self.progress(self._where())
        return None

    def _record_until(self, t: float) -> None:
        """Samples at all output times up to t."""
        begin = self.cpu_time()
        stepper = self.stepper
        while self.next_sample < len(self.times) and self.times[self.next_sample] <= t:
            time = float(self.times[self.next_sample])
            y = stepper.y if time >= stepper.t else stepper.interpolate(time)
            self._record(time, y)
            self.next_sample += 1
        self.recording += self.cpu_time() - begin

    def _record_end(self) -> None:
        """The last state that was reached, between two output times, so that the run can go on from there."""
        t = self.stepper.t
        if self.rows and t > self.rows[-1][0]:
            try:
                self._record(t, self.stepper.y)
            except (
                ArithmeticError,
                ValueError,
                RuntimeError,
            ):  # what ended the run may prevent its evaluation
                return

    def _record(self, t: float, y: NDArray[np.float64]) -> None:
        """Add a sample of the system at time t (s) and state y, and warn of what it shows."""
        counted = self.stepper.statistics
        before = [int(self.earlier.get(name, 0)) for name in ("evaluations", "steps")]
        found, sample = self.sampler.take(t, y, counted.evaluations + before[0], counted.steps + before[1])
        self._keep(sample)
        self.warnings.of_contacts(found)

    @uninterrupted
    def _keep(self, sample: Sample) -> None:
        """A sample goes to the recorder and to the ledger, or to neither."""
        self.recorder.add(sample)
        self.rows.append(np.concatenate([[sample.time], sample.energies]))

    def _close_loops(self) -> None:
        """Project the state where the loops have drifted: the stepper starts anew, so not for a trifle."""
        compiled, stepper = self.compiled, self.stepper
        if compiled.has_loops and stepper.t < self.settings.end_time:
            worst, _ = compiled.violation(stepper.t, stepper.y)
            if worst > LOOP_DRIFT * self.settings.atol:
                y = np.array(stepper.y)
                compiled.project(stepper.t, y)
                stepper.restart(stepper.t, y)

    def _touching(self) -> int:
        """Contacts that touch now; a stepper that is no integrator may not ask the integrator's evaluator at all."""
        if self.settings.steps_are_own:
            return int(np.count_nonzero(self.observer.touching(self.stepper.t, self.stepper.y)))
        return self.rates.n_touching

    def _where(self) -> Progress:
        stepper = self.stepper
        done = stepper.t - self.settings.start_time
        cpu = self.cpu_time() - self.cpu_start
        return Progress(
            stepper.t,
            self.settings.end_time,
            cpu / done if done > 0 else 0.0,
            self._touching(),
            stepper.statistics.steps,
            stepper.statistics.evaluations,
        )

    def _finish(self, status: str, message: str, stop: StopFound | None = None) -> Run:
        """Close the file and put the run together."""
        if status != "finished":
            self._record_end()
        statistics, ledger, warning = self._close(status, message, stop)
        if warning:
            warnings.warn(warning, SimulationWarning, stacklevel=level_of_the_caller())
        if self.progress is not None and status in ("finished", "ended"):
            with suppress(KeyboardInterrupt):  # too late: the run is over
                self.progress(self._where())
        if isinstance(self.recorder, Hdf5Recorder):
            trajectory = Trajectory.open(self.recorder.path)
        else:
            assert isinstance(self.recorder, MemoryRecorder)
            trajectory = Trajectory.from_memory(self.recorder)
        return Run(status, message, statistics, trajectory, tuple(self.found), ledger, warning, stop)

    def _close(
        self, status: str, message: str, stop: StopFound | None = None
    ) -> tuple[RunStatistics, EnergyLedger, str]:
        """Write how the run ended, with what is to be said of its energy, and close the file."""
        statistics = self._statistics()
        rows = np.array(self.rows).reshape(len(self.rows), 1 + len(COLUMNS))
        ledger = EnergyLedger(rows[:, 0], rows[:, 1:])
        descriptions = [contact.description for contact in self.compiled.contacts]
        off = told_balance(ledger, self.energy_tolerance, self.settings)
        warning = off or told_residual(ledger, self.energy_tolerance, self.settings, descriptions)
        more = {"ledger": ledger.summary(), "energy_warning": warning}
        if stop is not None:
            more["ended_by"] = stop.to_dict()
        if self.peaks.is_following:
            more["peaks"] = self._greatest_loads().to_plain()
        self.recorder.finish(status, message, statistics.to_dict() | more)
        return statistics, ledger, warning

    def _greatest_loads(self) -> RunPeaks:
        """Peaks of this run and of the one that it goes on from; none of this one where it left nothing to evaluate."""
        try:
            found = self.peaks.finish()
        except (ArithmeticError, ValueError, RuntimeError):  # what ended the run may prevent it
            found = RunPeaks()
        return found if self.earlier_peaks is None else self.earlier_peaks.joined(found)

    def _statistics(self) -> RunStatistics:
        counted = self.stepper.statistics
        cpu = self.cpu_time() - self.cpu_start
        simulated = self.stepper.t - self.settings.start_time
        profile = None
        if self.clock is not None:
            spent = self.clock.contacts + self.clock.dynamics + self.recording
            profile = {
                "contacts": self.clock.contacts,
                "dynamics": self.clock.dynamics,
                "recording": self.recording,
                "integrator": cpu - spent,
            }
        return RunStatistics(
            integrator=name_of(self.stepper),
            simulated_time=simulated,
            steps=counted.steps,
            mean_step=simulated / max(counted.steps, 1),
            evaluations=counted.evaluations,
            jacobians=counted.jacobians,
            jacobian_evaluations=counted.jacobian_evaluations,
            rejected_steps=counted.rejected_steps,
            limited_steps=counted.limited_steps,
            restarts=counted.restarts,
            events=len(self.found),
            samples=len(self.rows),
            cpu_seconds=cpu,
            real_time_factor=cpu / simulated if simulated > 0 else 0.0,
            time_per_evaluation=cpu / max(counted.evaluations, 1),
            profile=profile,
            response=_response_counters(self.stepper),
        ).after(self.earlier)


def _response_counters(stepper: Stepper) -> dict[str, Any] | None:
    """Counters of the stepper's contact response as plain values; None for steppers without one."""
    counted = getattr(stepper, "response_statistics", None)
    return None if counted is None else counted.to_dict()
