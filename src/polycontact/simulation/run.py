"""`simulate`: a system, an end time and tolerances in; a trajectory, statistics and an energy ledger out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time, thread_time

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError, SimulationError
from polycontact.kernels.dynamics import memory as slots
from polycontact.kernels.dynamics.memory import N_POWERS
from polycontact.kernels.memory import AREA
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.system import MultibodySystem
from polycontact.simulation.description import describe
from polycontact.simulation.events import Events
from polycontact.simulation.failures import explained, not_finite
from polycontact.simulation.integrators import Integrator, make_integrator
from polycontact.simulation.ledger import COLUMNS, EnergyLedger, EnergyStart
from polycontact.simulation.motion_times import MotionTimes
from polycontact.simulation.profile import ProfiledRates
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import ContactEvent, Recorder, Sample
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.sampling import Sampler
from polycontact.simulation.settings import SimulationSettings
from polycontact.simulation.statistics import RunStatistics
from polycontact.simulation.step_limit import StepLimit

PREPARED_PAIRS = 200
"""Up to this many contacts get their memory before the run, more of them when their bodies come near."""

LARGEST_RECORD = 4e9
"""Bytes that the samples of all pairs may take."""

LOOP_DRIFT = 10.0
"""Closed loops are projected where they have drifted by this many absolute tolerances; samples always are."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands: times in s; ``contacts``: pairs that touch now."""

    time: float
    end_time: float
    real_time_factor: float
    contacts: int
    steps: int
    evaluations: int


@dataclass(frozen=True)
class Run:
    """A run that has ended: ``status`` "finished", "stopped" (by Ctrl-C) or "failed", with a ``message``."""

    status: str
    message: str
    statistics: RunStatistics
    trajectory: Trajectory
    events: tuple[ContactEvent, ...]
    ledger: EnergyLedger

    def _repr_html_(self) -> str:
        """What a notebook shows: the trajectory's facts and what the run cost."""
        s = self.statistics
        cost = (
            f"{s.integrator}: {s.steps} steps, {s.evaluations} evaluations, {s.cpu_seconds:.2f} s CPU, "
            f"real-time factor {s.real_time_factor:.2f}; error of the energy balance {self.ledger.worst_balance:.3g} J "
            f"of {self.ledger.turnover:.3g} J. polycontact.show(run) plays it."
        )
        return f"{self.trajectory._repr_html_()}<p>{cost}</p>"


def simulate(
    system: MultibodySystem,
    *,
    end_time: float,
    start_time: float = 0.0,
    integrator: str = "cvode-bdf",
    rtol: float = 1e-4,
    atol: float = 1e-4,
    velocity_atol: float | None = None,
    max_step: float | None = None,
    first_step: float | None = None,
    output_step: float | None = None,
    output_times: Sequence[float] | None = None,
    contact_events: bool = False,
    step_limit: bool = True,
    workers: int = 1,
    record: str | Path | None = None,
    elements: bool = False,
    progress: Callable[[Progress], None] | None = None,
    profile: bool = False,
    continue_from: str | Path | None = None,
    scenario: str | None = None,
    scenario_folder: str | None = None,
) -> Run:
    """Integrate the motion of a system until ``end_time`` (s).

    - ``integrator``: "cvode-bdf", "cvode-adams", "ida", "lsoda" or "dopri5"; ``rtol``, ``atol`` (m, rad) and
      ``velocity_atol`` (m/s, rad/s; as ``atol`` where None) bound the local error. Where friction matters keep the
      velocity's tolerance below a tenth of the friction law's velocity.
    - ``max_step``, ``first_step``: s. ``step_limit``: no step so long that a body could move through another.
    - ``output_step`` or ``output_times``: when samples are taken, s (300 in all where neither is given).
    - ``contact_events``: locate when each contact starts and ends.
    - ``workers``: threads that evaluate contacts; the results are the same bits.
    - ``record``: an HDF5 file to write as the run goes; ``elements``: also the contact elements of each sample.
    - ``progress``: called after steps with a `Progress`. ``profile``: measure where the time goes.
    - ``continue_from``: go on from the end of a recorded run of the same system; into the same file where ``record``
      is None or that file.

    Ctrl-C ends the run with status "stopped". A run that cannot go on raises `IntegrationError`, which carries what was
    computed as ``run``; nothing recorded is lost.
    """
    compiled = system.compile()
    recorder, previous = _make_recorder(record, continue_from)
    if previous is not None:
        start_time = _end_of(compiled, previous, Path(str(continue_from)))
    settings = SimulationSettings(
        end_time=end_time, start_time=start_time, integrator=integrator, rtol=rtol, atol=atol,
        velocity_atol=velocity_atol, max_step=max_step, first_step=first_step, output_step=output_step,
        output_times=output_times, contact_events=contact_events, step_limit=step_limit, workers=workers,
        elements=elements,
    )  # fmt: skip
    _refuse_huge_record(compiled, settings)
    _prepare(compiled, settings)
    state = _start_state(compiled, settings, previous)
    driver = _Driver(
        compiled, settings, state, recorder, profile=profile, progress=progress, start=_energy_start(previous)
    )
    recorder.begin(describe(compiled, settings, scenario, scenario_folder))
    return driver.run()


def _make_recorder(
    record: str | Path | None, continue_from: str | Path | None
) -> tuple[Recorder, Trajectory | None]:
    """Where samples go, and the run that is continued."""
    if continue_from is None:
        return (MemoryRecorder() if record is None else Hdf5Recorder(record)), None
    previous = Trajectory.open(continue_from)
    if record is None or Path(record).resolve() == Path(continue_from).resolve():
        return Hdf5Recorder.resume(continue_from), previous
    return Hdf5Recorder(record), previous


def _end_of(compiled: CompiledSystem, previous: Trajectory, path: Path) -> float:
    """Time (s) at the end of a recorded run, which must be one of the same system."""
    if previous.description.state_names != compiled.state_names:
        raise SimulationError(
            f"{path}: its states are not those of this system ({len(previous.description.state_names)} and "
            f"{len(compiled.state_names)}); continue it with the system it was made from"
        )
    end = previous.state_at_end()
    if len(end.discrete) != len(compiled.discrete):
        raise SimulationError(
            f"{path}: it has {len(end.discrete)} discrete states, this system {len(compiled.discrete)}; continue it "
            f"with the system it was made from"
        )
    return end.time


def _start_state(
    compiled: CompiledSystem, settings: SimulationSettings, previous: Trajectory | None
) -> NDArray[np.float64]:
    """State to start from, also the discrete states, whatever an earlier run of the system has made of them."""
    if previous is not None:
        _, state, compiled.discrete[:] = previous.state_at_end()
        return state
    compiled.discrete[:] = [value for element, _, _ in compiled.users for value in element.discrete]
    return compiled.start_state(settings.start_time)


def _energy_start(previous: Trajectory | None) -> EnergyStart | None:
    """Where the ledger of a continued run is measured from: the start of the run before."""
    if previous is None:
        return None
    row = np.array([previous.energies[name][0] for name in COLUMNS])
    return EnergyStart.recorded(row, previous.array("state")[0, -N_POWERS:])


def _refuse_huge_record(compiled: CompiledSystem, settings: SimulationSettings) -> None:
    """Each sample holds twelve numbers for every pair; say so before they fill the memory."""
    size = 96.0 * len(compiled.contacts) * len(settings.sample_times())
    if size > LARGEST_RECORD:
        raise SimulationError(
            f"{len(compiled.contacts)} contact pairs in {len(settings.sample_times())} samples would take "
            f"{1e-9 * size:.1f} GB; take fewer samples (output_step), or fewer pairs (among, exclude of find_contacts)"
        )


def _prepare(compiled: CompiledSystem, settings: SimulationSettings) -> None:
    """Memory of the contacts, and threads."""
    if len(compiled.contacts) <= PREPARED_PAIRS:
        for pair in range(len(compiled.contacts)):
            compiled.prepare_pair(pair)
    compiled.parallel = settings.workers > 1
    if compiled.parallel:
        import numba

        numba.set_num_threads(min(settings.workers, int(vars(numba.config)["NUMBA_NUM_THREADS"])))


class _Driver:
    """One run: step, look for events, record, check, until the end."""

    def __init__(
        self, compiled: CompiledSystem, settings: SimulationSettings, state: NDArray[np.float64],
        recorder: Recorder, *, profile: bool, progress: Callable[[Progress], None] | None,
        start: EnergyStart | None = None,
    ) -> None:  # fmt: skip
        self.compiled = compiled
        self.settings = settings
        self.recorder = recorder
        self.progress = progress
        self.trouble = ""
        self.cpu_time = thread_time if settings.workers == 1 else process_time
        self.clock = ProfiledRates(compiled) if profile else None
        self.recording = 0.0
        self.sampler = Sampler(compiled, elements=settings.elements, start=start)
        self.times = settings.sample_times()
        self.next_sample = 0
        self.rows: list[NDArray[np.float64]] = []
        self.found: list[ContactEvent] = []
        self.integrator: Integrator = make_integrator(
            settings.integrator, self._rates, settings.start_time, state, settings.end_time,
            settings.for_integrator(compiled, state), jacobian_size=compiled.ledger,
        )  # fmt: skip
        self.events = Events(compiled, contacts=settings.contact_events)
        self.limit = StepLimit(compiled, active=settings.step_limit)
        self.motions = MotionTimes(compiled)

    def run(self) -> Run:
        """Integrate to the end; whatever happens, what was recorded is kept."""
        self.cpu_start = self.cpu_time()
        try:
            self._integrate()
        except KeyboardInterrupt:
            return self._finish("stopped", f"stopped by the user at t = {self.integrator.t:.6g} s")
        except IntegrationError as error:
            message = explained(error, self.compiled, self.integrator.y, self.trouble)
            failure = IntegrationError(message, time=error.time, step=error.step, reason=error.reason)
            failure.run = self._finish("failed", message)
            raise failure from error
        except Exception as error:  # of a user's force or progress, of the file, …
            self._close("failed", str(error) or type(error).__name__)
            raise
        return self._finish("finished", f"reached t = {self.integrator.t:.6g} s")

    def _integrate(self) -> None:
        integrator, limit, events = self.integrator, self.limit, self.events
        self._record_until(integrator.t)
        self.compiled.warn_of_overlap()
        events.start(integrator.t, integrator.y)
        limit.start(integrator.t, integrator.y)
        reported = 0.0
        while integrator.t < self.settings.end_time:
            integrator.step(limit.next_step(), until=self.motions.next_break(integrator.t))
            self.trouble = ""  # whatever it was, a shorter step has overcome it
            suspected = limit.suspects()
            happened = events.look(integrator)
            for event in happened.contacts:
                self.found.append(event)
                self.recorder.add_event(event)
            reached = integrator.t if happened.restart_at is None else happened.restart_at
            limit.follow(reached, integrator.interpolate(reached), reached - integrator.t_old, suspected)
            self._record_until(reached)
            if happened.restart_at is not None:
                integrator.restart(happened.restart_at, events.change_state(happened, integrator))
                limit.start(integrator.t, integrator.y)
            elif self.motions.bends_at(integrator.t) and integrator.t < self.settings.end_time:
                integrator.restart(integrator.t, integrator.y)
                limit.start(integrator.t, integrator.y)
            else:
                self._close_loops()
            if self.progress is not None and perf_counter() - reported > 0.1:
                reported = perf_counter()
                self.progress(self._where())

    def _rates(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        try:
            (self.compiled.rates if self.clock is None else self.clock)(t, y, out)
        except FloatingPointError as error:
            self.trouble = str(error)
            out[:] = math.nan
        if not math.isfinite(out.dot(out)) and not self.trouble:
            self.trouble = not_finite(self.compiled, t)

    def _record_until(self, t: float) -> None:
        """Samples at all output times up to t."""
        begin = self.cpu_time()
        integrator = self.integrator
        while self.next_sample < len(self.times) and self.times[self.next_sample] <= t:
            time = float(self.times[self.next_sample])
            y = integrator.y if time >= integrator.t else integrator.interpolate(time)
            self._record(
                self.sampler.sample(time, y, integrator.statistics.evaluations, integrator.statistics.steps)
            )
            self.next_sample += 1
        self.recording += self.cpu_time() - begin

    def _record_end(self) -> None:
        """The last state that was reached, between two output times, so that the run can go on from there."""
        t = self.integrator.t
        if self.rows and t > self.rows[-1][0]:
            counted = self.integrator.statistics
            try:
                self._record(self.sampler.sample(t, self.integrator.y, counted.evaluations, counted.steps))
            except (
                ArithmeticError,
                ValueError,
                RuntimeError,
            ):  # what ended the run may prevent its evaluation
                return

    def _record(self, sample: Sample) -> None:
        self.recorder.add(sample)
        self.rows.append(np.concatenate([[sample.time], sample.energies]))
        self.compiled.warn_of_contacts()

    def _close_loops(self) -> None:
        """Project the state where the loops have drifted: the integrator starts anew, so not for a trifle."""
        compiled, integrator = self.compiled, self.integrator
        if compiled.has_loops and integrator.t < self.settings.end_time:
            worst, _ = compiled.violation(integrator.t, integrator.y)
            if worst > LOOP_DRIFT * self.settings.atol:
                y = np.array(integrator.y)
                compiled.project(integrator.t, y)
                integrator.restart(integrator.t, y)

    def _where(self) -> Progress:
        integrator = self.integrator
        done = integrator.t - self.settings.start_time
        area = self.compiled.memory.array(slots.PAIR_SUMMARY)[:, AREA]
        cpu = self.cpu_time() - self.cpu_start
        return Progress(
            integrator.t, self.settings.end_time, cpu / done if done > 0 else 0.0,
            int(np.count_nonzero(area > 0.0)), integrator.statistics.steps, integrator.statistics.evaluations,
        )  # fmt: skip

    def _finish(self, status: str, message: str) -> Run:
        """Close the file and put the run together."""
        if status != "finished":
            self._record_end()
        statistics, ledger = self._close(status, message)
        if self.progress is not None and status == "finished":
            self.progress(self._where())
        if isinstance(self.recorder, Hdf5Recorder):
            trajectory = Trajectory.open(self.recorder.path)
        else:
            assert isinstance(self.recorder, MemoryRecorder)
            trajectory = Trajectory.from_memory(self.recorder)
        return Run(status, message, statistics, trajectory, tuple(self.found), ledger)

    def _close(self, status: str, message: str) -> tuple[RunStatistics, EnergyLedger]:
        """Write how the run ended and close the file."""
        statistics = self._statistics()
        rows = np.array(self.rows).reshape(len(self.rows), 1 + len(COLUMNS))
        ledger = EnergyLedger(rows[:, 0], rows[:, 1:])
        self.recorder.finish(status, message, statistics.to_dict() | {"ledger": ledger.summary()})
        return statistics, ledger

    def _statistics(self) -> RunStatistics:
        counted = self.integrator.statistics
        cpu = self.cpu_time() - self.cpu_start
        simulated = self.integrator.t - self.settings.start_time
        profile = None
        if self.clock is not None:
            spent = self.clock.contacts + self.clock.dynamics + self.recording
            profile = {
                "contacts": self.clock.contacts, "dynamics": self.clock.dynamics, "recording": self.recording,
                "integrator": cpu - spent,
            }  # fmt: skip
        return RunStatistics(
            integrator=self.settings.integrator,
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
        )
