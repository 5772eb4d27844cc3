"""A run: a system and its options in; a trajectory, statistics and an energy ledger out."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polycontact.errors import SimulationError, SimulationWarning, level_of_the_caller
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.simulation.contact_tolerance import tolerance_of_contacts
from polycontact.simulation.driver import Driver
from polycontact.simulation.integrator_names import EXPLICIT
from polycontact.simulation.integrator_stepper import IntegratorStepper
from polycontact.simulation.ledger import COLUMNS, EnergyStart, ledger_columns
from polycontact.simulation.map_keeping import refuse_unmapped
from polycontact.simulation.progress_line import shown_progress
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.interrupts import leaving_on_request
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import Recorder, RememberedRecord
from polycontact.simulation.recording.trajectory import EndState, Trajectory
from polycontact.simulation.responses.response import (
    CompliantResponse,
    MultiplierResponse,
    RigidResponse,
    response_of,
)
from polycontact.simulation.run_evaluators import make_evaluators
from polycontact.simulation.run_options import DEFAULT_ATOL, RunOptions
from polycontact.simulation.run_record import describe
from polycontact.simulation.run_result import Run
from polycontact.simulation.stepper import Stepper, check_stepper
from polycontact.simulation.stop_conditions import checked_conditions

if TYPE_CHECKING:
    from polycontact.simulation.responses.impulse_stepper import ImpulseStepper
    from polycontact.simulation.responses.multiplier_stepper import MultiplierStepper

COARSE_TOLERANCE = 0.1
"""Part of the thinnest body's thickness above which the tolerance of positions is no accuracy any more."""

MANY_STATES = 1000
"""States above which a dense Jacobian dominates a run."""

LARGEST_RECORD = 4e9
"""Bytes that the samples of all pairs may take."""


MOST_REACTIONS = 5000
"""Numbers of reactions and accelerations in a sample up to which they are recorded unless something else is asked."""


def run_system(system: MultibodySystem, options: RunOptions) -> Run:
    """Integrate the motion of a system until the end time of the ``options``: what `simulate` does."""
    compiled = system.compile()
    recorder, previous = _make_recorder(options.record, options.continue_from)
    if previous is not None:
        options = _going_on(options, _end_of(compiled, previous, Path(str(options.continue_from))))
    response = response_of(options.response)
    finest = None
    if options.atol is None and options.uses("atol"):
        finest = tolerance_of_contacts(compiled)
        options = replace(options, atol=DEFAULT_ATOL if finest is None else finest.atol)
    settings = replace(
        options,
        stop_when=checked_conditions(system, options.stop_when),
        reactions=_with_reactions(compiled, options.reactions, recorder, previous),
        maps=_with_maps(options.maps, previous if _goes_on(recorder) else None),
    )
    if settings.maps:
        refuse_unmapped(compiled)
    _refuse_huge_record(compiled, settings)
    _warn_of_settings(compiled, settings)
    start = _start_state(compiled, settings, previous)
    evaluators = make_evaluators(compiled, start.discrete, settings, start.remembered)
    if isinstance(response, CompliantResponse):
        used = _make_stepper(settings)
    else:
        used = _rigid_stepper(response, settings.integrator, len(compiled.contacts))
        evaluators.observer.impose(used.wrenches)
    energy_start, lost_before = _energy_start(previous, compiled.ledger)
    driver = Driver(
        compiled,
        settings,
        start.state,
        evaluators,
        used,
        recorder,
        profile=settings.profile,
        progress=None,
        start=energy_start,
        lost_before=lost_before,
        earlier=previous if _goes_on(recorder) else None,
        continues=previous is not None,
        finest=finest,
    )
    recorder.begin(describe(compiled, settings), n_samples=len(settings.sample_times()))
    with leaving_on_request(), shown_progress(settings.progress, system.name) as driver.progress:
        return driver.run()


def _make_stepper(options: RunOptions) -> Stepper:
    """The user's stepper, or the integrator of a name."""
    if options.stepper is None:
        return IntegratorStepper(options.integrator, options.jacobian)
    return check_stepper(options.stepper)


def _rigid_stepper(response: RigidResponse, integrator: str, n_pairs: int) -> MultiplierStepper | ImpulseStepper:
    """The stepper of a response of rigid bodies; what only it needs is compiled when it is made."""
    from polycontact.simulation.responses.impulse_stepper import ImpulseStepper
    from polycontact.simulation.responses.multiplier_stepper import MultiplierStepper

    if isinstance(response, MultiplierResponse):
        return MultiplierStepper(response, n_pairs)
    return ImpulseStepper(response, integrator, n_pairs)


def _going_on(options: RunOptions, end: float) -> RunOptions:
    """The options of a run that begins where the one before it has ended, at ``end`` (s)."""
    if options.start_time not in (0.0, end):
        raise SimulationError(
            f"start_time is {options.start_time} s, but the run of continue_from goes on at its end, {end} s; leave "
            f"start_time out"
        )
    later = replace(options, start_time=end)
    later.check_times()
    return later


def _make_recorder(record: str | Path | None, continue_from: str | Path | None) -> tuple[Recorder, Trajectory | None]:
    """The recorder of the samples, and the run that is continued."""
    if continue_from is None:
        return (MemoryRecorder() if record is None else Hdf5Recorder(record)), None
    previous = Trajectory.open(continue_from)
    if record is None or Path(record).resolve() == Path(continue_from).resolve():
        return Hdf5Recorder.resume(continue_from), previous
    return Hdf5Recorder(record), previous


def _with_reactions(
    compiled: CompiledSystem, asked: bool | None, recorder: Recorder, previous: Trajectory | None
) -> bool | None:
    """Whether samples hold reactions: as asked for, as in the file that a run goes on in, or where they are few."""
    if asked is not None:
        return asked
    if previous is not None and _goes_on(recorder):
        return previous.has_reactions
    tree, loops = compiled.setup.tree, compiled.system.loops
    numbers = 12 * tree.n_bodies + 2 * tree.n_speeds + 6 * len(loops) + 3 * len(compiled.contacts)
    return numbers <= MOST_REACTIONS


def _with_maps(asked: bool, earlier: Trajectory | None) -> bool:
    """Whether maps of the surfaces are kept: as asked for, or as in the file that a run goes on in."""
    if earlier is None:
        return asked
    if asked and not earlier.description.maps:
        raise SimulationError(
            "maps of the surfaces are asked for, but the part of the run before has none; keep them for the whole run "
            "or not at all, or write the continuation to another file"
        )
    return bool(earlier.description.maps)


def _goes_on(recorder: Recorder) -> bool:
    """Whether the samples are added to those of the run before."""
    return isinstance(recorder, Hdf5Recorder) and recorder.continues


def _end_of(compiled: CompiledSystem, previous: Trajectory, path: Path) -> float:
    """Time (s) at the end of a recorded run, which must be one of the same system."""
    if previous.description.state_names != compiled.state_names:
        raise SimulationError(
            f"{path}: its states are not those of this system ({len(previous.description.state_names)} and "
            f"{len(compiled.state_names)}); continue it with the system it was made from"
        )
    end = previous.state_at_end()
    n_discrete = len(compiled.start_discrete())
    if len(end.discrete) != n_discrete:
        raise SimulationError(
            f"{path}: it has {len(end.discrete)} discrete states, this system {n_discrete}; continue it with the "
            f"system it was made from"
        )
    _refuse_other_memories(compiled, previous, end, path)
    return end.time


def _refuse_other_memories(compiled: CompiledSystem, previous: Trajectory, end: EndState, path: Path) -> None:
    """Raise an error where a contact remembers numbers that the laws of this system do not have."""
    widths = {contact.name: contact.description.memory_widths for contact in compiled.contacts}
    for record in end.remembered:
        name, n = previous.pairings[record.pairing], record.values.shape[1]
        if widths.get(name, ())[record.law : record.law + 1] != (n,):
            raise SimulationError(
                f"{path}: contact {name!r} remembers {n} numbers of an element, in this system it does not; continue "
                f"it with the system it was made from"
            )


def _start_state(compiled: CompiledSystem, settings: RunOptions, previous: Trajectory | None) -> EndState:
    """State, discrete states and what contact laws remember, to start from."""
    if previous is not None:
        return _numbered_anew(compiled, previous, previous.state_at_end())
    time = settings.start_time
    if settings.start == "equilibrium":
        return _resting(compiled, time)
    return EndState(time, compiled.start_state(time), compiled.start_discrete())


def _resting(compiled: CompiledSystem, time: float) -> EndState:
    """The state in which the system rests at a time (s), with what friction that sticks remembers there."""
    from polycontact.statics.resting import equilibrium

    rest = equilibrium(compiled.system, time=time)
    y = rest.state.copy()
    compiled.project(time, y)  # speeds of loops that prescribed motions drive
    records = (
        RememberedRecord(pair, law, each.keys, each.values)
        for pair, memories in rest.remembered.items()
        for law, each in memories.items()
    )
    return EndState(time, y, compiled.start_discrete(), tuple(records))


def _numbered_anew(compiled: CompiledSystem, previous: Trajectory, end: EndState) -> EndState:
    """What contact laws remember, with the numbers that their contacts have in this system: names are what stays."""
    number = {contact.name: i for i, contact in enumerate(compiled.contacts)}
    remembered = tuple(replace(record, pairing=number[previous.pairings[record.pairing]]) for record in end.remembered)
    return end._replace(remembered=remembered)


def _energy_start(previous: Trajectory | None, ledger: int) -> tuple[EnergyStart | None, float]:
    """Where the ledger of a continued run is measured from, the start of the run before, and what its steps lost, J.

    ``ledger``: where its integrals begin in the state.
    """
    if previous is None:
        return None, 0.0
    rows = ledger_columns(previous.energies, len(previous.time))
    start = EnergyStart.recorded(rows[0], previous.array("state")[0, ledger:])
    return start, float(rows[-1, COLUMNS.index("numerical")])


def _refuse_huge_record(compiled: CompiledSystem, settings: RunOptions) -> None:
    """Each sample holds twelve numbers for every pair, with reactions fifteen; say so before they fill the memory."""
    size = (120.0 if settings.reactions else 96.0) * len(compiled.contacts) * len(settings.sample_times())
    if size > LARGEST_RECORD:
        raise SimulationError(
            f"{len(compiled.contacts)} contact pairs in {len(settings.sample_times())} samples would take "
            f"{1e-9 * size:.1f} GB; take fewer samples (output_step), or fewer pairs (among, exclude of find_contacts)"
        )


def _warn_of_settings(compiled: CompiledSystem, settings: RunOptions) -> None:
    """Warn of a tolerance that bodies could hide in, and of an integrator that does not suit so many states."""
    thickness = compiled.setup.shapes.thickness
    thinnest = float(thickness.min()) if len(thickness) else math.inf
    if settings.uses("atol") and settings.position_atol > COARSE_TOLERANCE * thinnest:
        warnings.warn(
            f"atol is {settings.position_atol:.3g} m, but the thinnest body in contact is {thinnest:.3g} m thick; set "
            f"atol to {1e-3 * thinnest:.1g} or less",
            SimulationWarning,
            stacklevel=level_of_the_caller(),
        )
    implicit = settings.uses("integrator") and settings.integrator not in EXPLICIT
    if compiled.ledger > MANY_STATES and implicit:
        warnings.warn(
            f"{settings.integrator} works with a dense matrix of {compiled.ledger} states, each of which costs an "
            f"evaluation; {' or '.join(EXPLICIT)} may be quicker",
            SimulationWarning,
            stacklevel=level_of_the_caller(),
        )
