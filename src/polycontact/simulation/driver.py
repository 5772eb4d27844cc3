"""One run of a compiled system: step, look for events, record, check, until the end."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError, SimulationWarning, level_of_the_caller
from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.dynamics.projection_calls import PROJECT, VIOLATION
from polycontact.kernels.stepping.run_steps import Need
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_warnings import ContactWarnings
from polycontact.simulation.contact_tolerance import ContactTolerance, told_coarse
from polycontact.simulation.dead_centres import DeadCentres
from polycontact.simulation.events import Events, Happened
from polycontact.simulation.failure_messages import explained
from polycontact.simulation.integrated_rates import IntegratedRates
from polycontact.simulation.integrators import Stiffness
from polycontact.simulation.ledger import COLUMNS, EnergyLedger, EnergyStart, ledger_columns
from polycontact.simulation.map_keeping import MapKeeper, earlier_maps
from polycontact.simulation.mesh_watch import MeshWatch
from polycontact.simulation.motion_times import MotionTimes
from polycontact.simulation.peak_search import PeakSearch
from polycontact.simulation.profile import StageTimes
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.interrupts import EndRequested, uninterrupted
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import ContactEvent, Recorder
from polycontact.simulation.recording.run_peaks import ContactTimes, RunPeaks
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.residual_warning import told_balance, told_made, told_residual
from polycontact.simulation.responses.response import CompliantResponse
from polycontact.simulation.run_evaluators import RunEvaluators
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_result import Progress, Run
from polycontact.simulation.run_statistics import RunStatistics
from polycontact.simulation.sampler import Sampler
from polycontact.simulation.state_tolerances import integrator_settings
from polycontact.simulation.step_guard import StepGuard
from polycontact.simulation.step_sequence import StepSequence
from polycontact.simulation.stepper import Stepper, StepperProblem, lost_in_steps, name_of
from polycontact.simulation.stiffness_warning import told_stiffness
from polycontact.simulation.stop_conditions import StopFound

LOOP_DRIFT = 10.0
"""Closed loops are projected where they have drifted by this many absolute tolerances; samples always are."""

STEPS_TO_PART = 256
"""Steps after which memory of contacts is given back whose bodies were far apart then and so many steps before."""

HAND_OVER_SECONDS = 0.1
"""Real time after which the recorder gets samples that were taken in compiled steps: somebody may look on."""


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
        lost_before: float = 0.0,
        earlier: Trajectory | None = None,
        continues: bool = False,
        finest: ContactTolerance | None = None,
    ) -> None:
        """``earlier``: the run that this one goes on from in its file; ``continues``: whether there is one anywhere;
        ``lost_before``: energy (J) that its steps have lost; ``finest``: the contact that the tolerance comes from.
        """
        self.compiled = compiled
        self.settings = settings
        self.recorder = recorder
        self.earlier: Mapping[str, Any] = {} if earlier is None else earlier.statistics
        """Statistics of the part of the run that this one continues in its file."""
        self.earlier_peaks = None if earlier is None else earlier.peaks
        self.continued_at = (settings.start_time,) if continues else ()
        self.atol_from = "" if finest is None else finest.told()
        self.progress = progress
        self.cpu_time = thread_time if settings.workers == 1 else process_time
        self.evaluators = evaluators
        self.observer = observer = evaluators.observer
        self.clock = StageTimes() if profile else None
        watched = bool(settings.contact_events)
        self.rates = IntegratedRates(compiled.setup, evaluators.integrator, self.clock, watched=watched)
        self.guard = StepGuard(compiled.setup, observer)
        self.recording = 0.0
        self.sampler = Sampler(
            compiled, observer, elements=settings.elements, reactions=bool(settings.reactions), start=start
        )
        self.lost_before = lost_before
        self.warnings = ContactWarnings(compiled.setup, observer)
        self.meshes = MeshWatch(compiled.setup, observer, self.earlier.get("mesh_errors", {}))
        self.yields = isinstance(settings.response, CompliantResponse)
        """Whether forces follow from depths, which facets then falsify; rigid bodies have none."""
        self.start = observer.evaluate(settings.start_time, state)
        self.rows = [] if earlier is None else [_ledger_rows(earlier)]
        """Time and energies of all samples, those of the earlier part included."""
        self.handed_over = perf_counter()
        self.n_samples = 0
        """Samples handed to the recorder."""
        self.found: list[ContactEvent] = []
        self.stepper = stepper
        self.stiffness: Stiffness | None = None
        """What an explicit integrator has noticed."""
        MotionTimes.refuse_too_fast(compiled.setup, settings.start_time, settings.end_time)
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
        self.dead_centres = DeadCentres(compiled, evaluators.integrator)
        self.steps = StepSequence(
            compiled,
            observer,
            self.rates,
            stepper,
            tolerances,
            is_limited=settings.step_limit,
            end_time=settings.end_time,
        )
        self.peaks.attach(self.steps.view)
        self.maps: MapKeeper | None = None
        """Maps of the surfaces, where they are asked for."""
        if settings.maps:
            self.maps = MapKeeper(compiled, settings.start_time, earlier_maps(compiled, earlier))
            self.maps.attach(self.steps.view)
        self._attach_samples(settings.sample_times())
        stops = self.events.watch.compiled(compiled.setup)
        needs = int(Need.EVENTS) if self.events.awaits_roots or stops is None else 0
        if compiled.has_loops:
            self._attach_loops(settings.position_atol)
        remembers = observer.has_memory and not observer.is_imposed
        if settings.workers > 1:  # contacts are evaluated in several threads, by Python
            needs |= (Need.EVENTS if watched else 0) | (Need.COMMIT if remembers else 0)
        else:
            if watched:
                self.steps.watch_contacts()
            if remembers:
                self.steps.commit_elements(compiled.setup.remembering)
        self.steps.view.needs_always = needs
        if stops is not None:
            self.steps.stop_at(stops)
        self.steps.may_be_in_series = not (needs or watched or remembers or compiled.has_loops)

    def _attach_loops(self, atol: float) -> None:
        """Let the steps see where loops have drifted, and close them for samples."""
        from polycontact.kernels.dynamics.projection import project_at, violation_at

        run = self.steps.view
        run.place_of_projection = self.compiled.projection_place
        run.project, run.violation = c_address_of(project_at, PROJECT), c_address_of(violation_at, VIOLATION)
        run.most_drift = LOOP_DRIFT * atol
        run.awaits_dead_centre = 1

    def _attach_samples(self, times: NDArray[np.float64]) -> None:
        """Let the steps take samples at some times (s), and tell them at which of these Python must look."""
        run, rows = self.steps.view, self.sampler.rows
        run.reserve(n_times=len(times))
        run.times[:], run.samples = times, rows
        run.evaluations_before, run.steps_before = (int(self.earlier.get(name, 0)) for name in ("evaluations", "steps"))
        run.lost_before = self.lost_before
        run.takes_samples = int(self.clock is None)
        self.warnings.begin(rows)
        rows.judged_load[:], rows.is_judged[:] = np.inf, 1
        if self.yields:
            self.meshes.begin(rows)

    def run(self) -> Run:
        """Integrate to the end; whatever happens, what was recorded is kept."""
        self.cpu_start = self.cpu_time()
        try:
            stop = self._integrate()
            self._hand_over()
        except KeyboardInterrupt as interrupt:
            whose = "a request to end (SIGTERM)" if isinstance(interrupt, EndRequested) else "the user"
            return self._finish("stopped", f"stopped by {whose} at t = {self.stepper.t:.6g} s")
        except IntegrationError as error:
            message = explained(error, self.compiled.setup, self.observer, self.stepper.y, self.rates.trouble)
            failure = IntegrationError(message, time=error.time, step=error.step, reason=error.reason)
            failure.run = self._finish("failed", message)
            raise failure from error
        except FloatingPointError as error:  # of a sample, or of what looks at a step
            message = f"{name_of(self.stepper)}: {error}"
            failure = IntegrationError(message, time=self.stepper.t_old, reason="not finite")
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
        stepper = self.stepper
        self._record_until(stepper.t)
        self.warnings.of_overlap(self.start)
        self.events.start(stepper.t, stepper.y)
        self.steps.known_touching(self.events.touching)
        self._begin_at(stepper.t, stepper.y)
        self.peaks.start(stepper.t, stepper.y)
        self.evaluators.commit(stepper.t, stepper.y)
        reported, released = 0.0, 0
        while stepper.t < self.settings.end_time or self.steps.view.is_between:
            needs = self.steps.go_on()
            if self.stiffness is None:
                self._tell_of_stiffness()
            stop = self._finish_step(needs)
            if stop is not None:
                return stop
            if not self.steps.view.is_between and stepper.statistics.steps >= released + STEPS_TO_PART:
                released = stepper.statistics.steps
                self.evaluators.release_parted()
            if perf_counter() - self.handed_over > HAND_OVER_SECONDS:
                self._hand_over()
            if self.progress is not None and perf_counter() - reported > 0.1:
                reported = perf_counter()
                self.progress(self._where())
        return None

    def _tell_of_stiffness(self) -> None:
        """Warn where an explicit integrator has noticed stiffness, unless it changes over."""
        self.stiffness = getattr(self.stepper, "stiffness", None)
        if self.stiffness is not None and self.settings.integrator != "auto":
            told = told_stiffness(self.stiffness, self.settings.integrator)
            warnings.warn(told, SimulationWarning, stacklevel=level_of_the_caller())

    def _finish_step(self, needs: int) -> StopFound | None:
        """Do what a step needs that compiled code does not do; the condition that ends the run, if one does."""
        if self.steps.view.is_between:  # its samples are being taken
            self._look(needs)
            return None
        stepper = self.stepper
        if not needs & ~(Need.AT_END | Need.PEAKS | Need.REMEMBER):  # all else is done
            if needs & Need.PEAKS:
                self.peaks.take_over()
            if needs & Need.REMEMBER:
                self.evaluators.commit(stepper.t, stepper.y)
            return None
        # Compiled code looks at conditions that end the run only in steps that need nothing else.
        looks = needs & Need.EVENTS or self.settings.stop_when
        happened = self._look_for_events() if looks else Happened()
        stop = happened.stop
        reached = stop.time if stop else stepper.t if happened.restart_at is None else happened.restart_at
        y = stepper.interpolate(reached)
        if not needs & Need.MEETING:
            needs |= self.steps.limit_after(reached, y, reached - stepper.t_old)
        if needs & Need.MEETING:
            before = (stepper.t_old, stepper.interpolate(stepper.t_old))
            self.guard.look(before, (reached, y), self.steps.view.longest)
        if needs & Need.DEAD_CENTRE:
            self.dead_centres.look(stepper.t)
            self.steps.view.awaits_dead_centre = int(not self.dead_centres.is_told)
        if needs & Need.CONTACTS:
            self._tell_of_contacts(reached, y)
        self._record_until(reached)
        if self.steps.loads_after(reached, y) & Need.PEAKS:
            self.peaks.take_over()
        self.evaluators.commit(reached, y)
        if stop is not None:
            stepper.restart(reached, y)  # it stands where the run ends
        elif happened.restart_at is not None:
            stepper.restart(happened.restart_at, self.events.change_state(happened, stepper))
            self._begin_at(stepper.t, stepper.y)
            if happened.roots:
                self.peaks.start(stepper.t, stepper.y)
        elif self.motions.bends_at(stepper.t) and stepper.t < self.settings.end_time:
            stepper.restart(stepper.t, stepper.y)
            self._begin_at(stepper.t, stepper.y)
        elif needs & Need.LOOPS:
            self._close_loops()
        self.steps.view.next_break = self.motions.next_break(stepper.t)
        self.steps.known_touching(self.events.touching)
        return stop

    def _begin_at(self, t: float, y: NDArray[np.float64]) -> None:
        """Steps go on from a state at t (s) that no step led to."""
        view = self.steps.view
        view.longest = self.guard.longest_step(t, y)
        view.next_break = self.motions.next_break(t)
        view.told_bits = self.warnings.awaited_bits

    def _look_for_events(self) -> Happened:
        happened = self.events.look(self.stepper, self.rates)
        for event in happened.contacts:
            self.found.append(event)
            self.recorder.add_event(event)
        return happened

    def _tell_of_contacts(self, t: float, y: NDArray[np.float64]) -> None:
        """Warn of contacts that are open or lost at t (s) and state y, seen in the step before."""
        status = self.observer.contacts(t, y).status
        self.warnings.of_open_polygons(t, status)
        self.warnings.of_lost_contacts(t, status)
        self.steps.view.told_bits = self.warnings.awaited_bits

    def _record_until(self, t: float) -> None:
        """Samples at all output times up to t."""
        stepper, steps = self.stepper, self.steps.view
        while (time := steps.times[steps.next_time] if steps.next_time < steps.n_times else math.inf) <= t:
            self._take(float(time), stepper.y if time >= stepper.t else stepper.interpolate(float(time)))
        if self.sampler.rows.n > 0:
            self._hand_over()

    def _take(self, t: float, y: NDArray[np.float64]) -> None:
        """Take a sample of the system at time t (s) and state y."""
        begin = self.cpu_time()
        lost = self.lost_before + lost_in_steps(self.stepper, t)
        self._look(self.steps.sample(self.sampler, t, y, lost))
        self.recording += self.cpu_time() - begin

    def _look(self, needs: int) -> None:
        """Warn of what the sample just taken shows, and hand the samples over where there is no room for more."""
        rows = self.sampler.rows
        if needs & Need.OPEN_LOOPS:  # it is said why
            self.compiled.project(
                float(self.steps.view.times[self.steps.view.next_time]), self.steps.view.looked.copy()
            )
        if needs & Need.LOOK:
            found = self.observer.contacts_seen(float(rows.time[rows.n - 1]))
            self.sampler.take_extras()
            self.warnings.of_contacts(found)
            self.warnings.leave(rows, found)
            if self.yields:
                self.meshes.look(found)
                self.meshes.leave(rows, found)
        if self.sampler.is_full:
            self._hand_over()

    @uninterrupted
    def _hand_over(self) -> None:
        """The samples taken go to the recorder and to the ledger."""
        self.handed_over = perf_counter()
        block = self.sampler.hand_over()
        if block is not None:
            self.recorder.add_block(block)
            self.rows.append(np.column_stack([block.arrays["time"], block.arrays["energies"]]))
            self.n_samples += len(block)

    def _record_end(self) -> None:
        """The last state that was reached, between two output times, so that the run can go on from there."""
        self._hand_over()
        t = self.stepper.t
        if self.n_samples and t > self.rows[-1][-1, 0]:
            try:
                self._take(t, self.stepper.y)
            except (
                ArithmeticError,
                ValueError,
                RuntimeError,
            ):  # what ended the run may prevent its evaluation
                return

    def _close_loops(self) -> None:
        """Project the state where the loops have drifted: the stepper starts anew, so not for a trifle.

        Nor at a dead centre, where the direction in which a rod holds is not known: its speeds would be lost.
        """
        compiled, stepper = self.compiled, self.stepper
        if compiled.has_loops and stepper.t < self.settings.end_time:
            worst, _ = compiled.violation(stepper.t, stepper.y)
            if worst > LOOP_DRIFT * self.settings.position_atol and not self.dead_centres.is_at_one:
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
        return Run(status, message, statistics, trajectory, trajectory.events, ledger, warning, stop)

    def _close(
        self, status: str, message: str, stop: StopFound | None = None
    ) -> tuple[RunStatistics, EnergyLedger, str]:
        """Write how the run ended, with what is to be said of its energy, and close the file."""
        self._hand_over()
        statistics = self._statistics()
        rows = np.concatenate([np.zeros((0, 1 + len(COLUMNS))), *self.rows])
        ledger = EnergyLedger(rows[:, 0], rows[:, 1:])
        descriptions = [contact.description for contact in self.compiled.contacts]
        made = (statistics.response or {}).get("energy_made", 0.0)
        off = told_made(ledger, made, self.settings)
        off = off or told_balance(ledger, self.energy_tolerance, self.settings)
        warning = off or told_residual(ledger, self.energy_tolerance, self.settings, descriptions)
        more = {"ledger": ledger.summary(), "energy_warning": warning}
        if stop is not None:
            more["ended_by"] = stop.to_dict()
        if self.peaks.is_following:
            peaks = self._greatest_loads()
            more["peaks"] = peaks.to_plain()
            more["tolerance_warning"] = self._tell_of_tolerance(peaks)
            more["contact_times"] = self._contact_times()
        if errors := self.meshes.finish():
            more["mesh_errors"] = errors
        if between := self._touched_between():
            more["touched_between_samples"] = between
        maps = None
        if self.maps is not None:
            maps, more["maps"] = self.maps.finish(self.observer)
        self.recorder.finish(status, message, statistics.to_dict() | more, maps)
        return statistics, ledger, warning

    def _greatest_loads(self) -> RunPeaks:
        """Peaks of this run and of the one that it goes on from; none of this one where it left nothing to evaluate."""
        try:
            found = self.peaks.finish()
        except (ArithmeticError, ValueError, RuntimeError):  # what ended the run may prevent it
            found = RunPeaks()
        return found if self.earlier_peaks is None else self.earlier_peaks.joined(found)

    def _tell_of_tolerance(self, peaks: RunPeaks) -> str:
        """Warn of a tolerance far above the depths of contacts; what is said, empty where nothing is."""
        if self.settings.steps_are_own:
            return ""
        told = told_coarse(self.compiled, peaks.contacts, self.settings.position_atol)
        if told:
            warnings.warn(told, SimulationWarning, stacklevel=level_of_the_caller())
        return told

    def _contact_times(self) -> dict[str, dict[str, float]]:
        """When pairings touched in this run and in the part before it."""
        found = self.peaks.contact_times()
        for name, earlier in self.earlier.get("contact_times", {}).items():
            before = ContactTimes(**earlier)
            found[name] = before.joined(found[name]) if name in found else before
        return {name: times._asdict() for name, times in found.items()}

    def _touched_between(self) -> list[str]:
        """Pairings that touched at the end of a step, here or in the part of the run before, and at no sample."""
        names = [contact.name for contact in self.compiled.contacts]
        in_steps = {*self.peaks.touched(), *self.earlier.get("touched_between_samples", ())}
        return [
            name
            for name, sampled in zip(names, self.sampler.rows.touched, strict=True)
            if name in in_steps and not sampled
        ]

    def _statistics(self) -> RunStatistics:
        counted = self.stepper.statistics
        cpu = self.cpu_time() - self.cpu_start
        simulated = self.stepper.t - self.settings.start_time
        profile = None
        if self.clock is not None:
            profile = {"recording": self.recording}
            if isinstance(self.settings.response, CompliantResponse):
                profile = {"contacts": self.clock.contacts, "dynamics": self.clock.dynamics} | profile
            profile["integrator"] = cpu - sum(profile.values())  # of rigid contacts: all that makes the steps
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
            samples=self.n_samples,
            continued_at=self.continued_at,
            cpu_seconds=cpu,
            real_time_factor=cpu / simulated if simulated > 0 else 0.0,
            time_per_evaluation=cpu / max(counted.evaluations, 1),
            profile=profile,
            response=_response_counters(self.stepper),
            stiff_since=None if self.stiffness is None else self.stiffness.since,
            atol_from=self.atol_from,
        ).after(self.earlier)


def _ledger_rows(earlier: Trajectory) -> NDArray[np.float64]:
    """Time and energies of the samples before the last one, with which the continuation begins."""
    return np.column_stack([earlier.time, ledger_columns(earlier.energies, len(earlier.time))])[:-1]


def _response_counters(stepper: Stepper) -> dict[str, Any] | None:
    """Counters of the stepper's contact response as plain values; None for steppers without one."""
    counted = getattr(stepper, "response_statistics", None)
    return None if counted is None else counted.to_dict()
