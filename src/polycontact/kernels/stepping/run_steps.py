"""The loop of a run on a page: steps until there is something that Python must do.

A step of the integrator; was its Jacobian still good? The loads at its end, how long the next one may be, the greatest
loads so far; then the next. Whatever needs Python ends the loop after a step with bits of `Need`: Python does it, and
calls again. A run in which nothing happens comes back after as many evaluations as Python asked for.
"""

from __future__ import annotations

import math
from enum import IntEnum

from numba import types

from polycontact.kernels.addresses import Interface, data_address, doubles_at, longs_at
from polycontact.kernels.dynamics.evaluation_views import Status
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.peaks import Peaks, follow_peaks, note_loads, peaks_at
from polycontact.kernels.dynamics.projection_calls import call_project, call_violation
from polycontact.kernels.dynamics.right_hand_side import move
from polycontact.kernels.dynamics.step_length import longest_step
from polycontact.kernels.dynamics.stop_limits import StopLimits, is_beyond
from polycontact.kernels.dynamics.system_row import ROW, STATE, Row, system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.stepping.equations import Answer, Equations, call_help, find_rates
from polycontact.kernels.stepping.fading_contacts import FadingContacts, Verdict, goes_astray, look_at_contacts
from polycontact.kernels.stepping.sample_rows import SampleRows, add_sample
from polycontact.kernels.stepping.step_contacts import StepContacts, call_at_step
from polycontact.kernels.stepping.sundials_steps import StepEnd, SundialsSolver, begin_anew, look_back, make_step
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, nested, number, reference
from polycontact.tolerances import END_SPAN, LETS_GO, LONG_STEP, LOOP_TOLERANCE, SHORTEST_LIMIT, THICKNESS_SHARE


class Need(IntEnum):
    """What Python must do after a step, or why there was none: bits of a sum."""

    NOTHING = 0
    STOPPED = 1  # the step could not be made: see `StepEnd`
    RAISED = 2  # Python has raised an error in an evaluation of its own
    EVENTS = 4  # look for events
    CONTACTS = 8  # tell of contacts with certain status bits
    DEAD_CENTRE = 16  # tell of a dead centre
    SAMPLES = 32  # take over the samples taken, there is no room for more; or take those that are due
    COMMIT = 64  # contact laws remember elements, and Python looks after that
    BREAK = 128  # a motion changes its character here
    LOOPS = 256  # close the loops, if they have drifted
    MEETING = 512  # a step was long: look whether a body has moved through another
    LOOK = 4096  # look at the sample taken last: the memory of the observer holds its contacts
    PEAKS = 1024  # take over the peaks found: there is no room for more
    OPEN_LOOPS = 8192  # the loops cannot be closed for a sample
    AT_END = 2048  # the end time is reached
    REMEMBER = 16384  # all is done but what contact laws remember of elements: there is no room for it


ALL_OF_A_STEP = Need.EVENTS | Need.DEAD_CENTRE | Need.SAMPLES | Need.COMMIT | Need.BREAK | Need.LOOPS
"""What follows any step of a stepper in Python."""


NOTE = Interface("long", ("long", "double", "long"))
"""note(run, t, is_observed): see `note_step`."""
LIMIT = Interface("long", ("long", "double", "long", "double"))
"""limit(run, t, y, step): see `limit_after`."""
LOADS = Interface("long", ("long", "double", "long"))
"""loads(run, t, y): see `loads_after`."""
SAMPLE = Interface("long", ("long", "double", "long", "long", "long", "double"))
"""sample(run, t, y, evaluations, steps, lost): see `sample_of`."""
MAPS = Interface("long", ("long",))
"""maps(run): an accepted step leaves its traces on the surfaces, see `mapped_steps`; bits of `Need`."""

_note, _limit, _loads, _sample = NOTE.caller(), LIMIT.caller(), LOADS.caller(), SAMPLE.caller()
_maps = MAPS.caller()


class PeakLog(View):
    """Peaks that may be the greatest, with the ends of steps around them, until Python takes them over."""

    n = count("states")
    most = count("peaks that one step can find")
    room = count("steps with peaks that fit")
    n_steps = count("steps with peaks")
    room_of_peaks = count("peaks that fit")
    n_peaks = count("peaks")
    n_points = ints("room", doc="ends of steps that are known around the peaks of a step, at most 3")
    end = ints("room", doc="last peak + 1 of each step")
    time = doubles("room", 3, doc="times of those ends", unit="s")
    state = doubles("room", 3, "n", doc="states there")
    rates = doubles("room", 3, "n", doc="rates there")
    column = ints("room_of_peaks", doc="which load it is")
    is_onset = ints("room_of_peaks", doc="1 where the load has begun in the step")
    height = doubles("room_of_peaks", doc="estimate of the peak")
    place = doubles("room_of_peaks", doc="estimate of its time", unit="s")
    around = doubles("room_of_peaks", 3, doc="loads before, at and after it")


class RunSteps(View):
    """What the steps of a run read and write between two calls of Python."""

    solver = reference(SundialsSolver)
    stops = reference(StopLimits)
    integrator = reference(Equations)
    observer = reference(Equations)
    fading = nested(FadingContacts)
    samples = reference(SampleRows)
    log = nested(PeakLog)
    contacts = nested(StepContacts)
    place = count("address of this view")
    n = count("states")
    note = count("address of `note_step`: large parts are compiled once, and called by their addresses")
    limit = count("address of `limit_after`")
    loads = count("address of `loads_after`")
    sample = count("address of `sample_of`")
    is_between = count("1 where a step was made and its samples are still to be taken")
    maps = count("address of what keeps maps of the surfaces, see `MAPS`; 0 where there are none")
    place_of_maps = count("address of those")
    place_of_projection = count("address of the system in whose memory states are projected onto loops")
    project = count("address of what projects them, see `PROJECT`; 0 where there are no loops")
    violation = count("address of what finds how far loops have drifted, see `VIOLATION`")
    awaits_dead_centre = count("1 where Python is to tell of the first dead centre")
    takes_samples = count("1 where compiled steps take the samples, 0 where Python does")
    n_times = count("times at which samples are taken")
    next_time = count("number of the next one")
    evaluations_before = count("evaluations in the part of the run before this one")
    steps_before = count("steps in it")
    place_of_peaks = count("address of the loads that are followed")
    place_of_reactions = count("address of the reactions of the integrator's system")
    place_of_observed = count("address of those of the observer's")
    seen = count("status bits of contacts at the integrator's last call in a step")
    step_end = count("how the last step ended, a `StepEnd`")
    needs_always = count("bits of `Need` after every step")
    told_bits = count("status bits of contacts of which Python tells")
    inside_bits = count("those of bodies that lie wholly inside another")
    evaluations_before_pause = count("number of evaluations at which Python wants to look up")
    is_limited = count("1 where the lengths of steps are limited")
    follows_loads = count("1 where loads are followed")
    has_own_stepper = count("1 where steps are not an integrator's: loads are those of its calls, or not followed")
    n_points = count("ends of accepted steps that are kept, at most 3")
    most_drift = number("violation of loops from which on the state is projected", unit="m, rad")
    longest = number("longest step from the last accepted state", unit="s")
    longest_before = number("longest step from the one before it", unit="s")
    noted_at = number("time of the loads noted last", unit="s")
    lost_before = number("energy that steps have lost in the part of the run before this one", unit="J")
    next_break = number("next time at which a motion changes its character", unit="s")
    times = doubles("n_times", doc="times at which samples are taken", unit="s")
    point_time = inline(3, doc="times of the last accepted steps", unit="s")
    point_state = doubles(3, "n", doc="states there")
    point_rates = doubles(3, "n", doc="rates there")
    rates = doubles("n", doc="rates of the observer's last evaluation")
    noted_rates = doubles("n", doc="rates at the time of the loads noted last")
    looked = doubles("n", doc="a state in the last step")
    projected = doubles("n", doc="a state whose loops are closed")


run_at = cast_to(RunSteps)
"""``run_at(row)``: the `RunSteps` whose slots a row holds."""


@kernel
def _is_spoiled(run: RunSteps) -> int:
    """Whether the last step is to be made again; an `Answer` of the evaluation that this may take, 1 for yes."""
    solver = run.solver
    step = solver.t - solver.t_old
    verdict = look_at_contacts(run.fading, system_at(run.integrator.system).contacts, solver.jacobians, step)
    if verdict != Verdict.DOUBTFUL:
        return 1 if verdict == Verdict.SPOILED else 0
    if find_rates(run.observer, solver.t, solver.y, run.rates) == Answer.RAISED:
        return Answer.RAISED.value
    span = END_SPAN * step
    look_back(solver, solver.t - span, run.looked)
    contacts = system_at(run.observer.system).contacts
    if goes_astray(run.fading, contacts, run.rates, solver.y, run.looked, span, step):
        return 1
    run.contacts.known_at = solver.t
    return 0


@kernel
def _log_peaks(run: RunSteps, log: PeakLog, peaks: Peaks) -> int:
    """Keep the peaks found in the last step until Python takes them over; `Need.PEAKS` where the next may not fit."""
    i = log.n_steps
    log.n_points[i] = run.n_points
    log.time[i, :] = run.point_time
    log.state[i, :, :] = run.point_state
    log.rates[i, :, :] = run.point_rates
    for k in range(peaks.n_found):
        at = log.n_peaks + k
        log.column[at] = peaks.found[k]
        log.is_onset[at] = peaks.is_onset[k]
        log.height[at] = peaks.height[k]
        log.place[at] = peaks.place[k]
        for j in range(3):
            log.around[at, j] = peaks.around[k, j]
    log.n_peaks += peaks.n_found
    log.end[i] = log.n_peaks
    log.n_steps = i + 1
    is_full = log.n_steps == log.room or log.n_peaks + log.most > log.room_of_peaks
    return Need.PEAKS.value if is_full else Need.NOTHING.value


@kernel
def _needs_of_loops(run: RunSteps, t: float) -> int:
    """Whether loops have drifted, or a rod was at a dead centre, after a step of the solver to t (s)."""
    needs = Need.NOTHING.value
    if run.project == 0:
        return needs
    loop_forces = system_at(run.integrator.system).loop_forces
    holds = True
    for k in range(loop_forces.n):
        if run.awaits_dead_centre == 1 and loop_forces.dead[k] != 0:
            needs |= Need.DEAD_CENTRE.value
        holds = holds and not loop_forces.relief[k] > LETS_GO
    # At a dead centre the direction in which a rod holds is not known: its speeds would be lost.
    if holds and call_violation(run.violation, run.place_of_projection, t, data_address(run.solver.y)) > run.most_drift:
        needs |= Need.LOOPS.value
    return needs


@kernel
def _needs(run: RunSteps, t: float) -> int:
    """What Python must do after a step to t (s), as far as nothing has to be worked out for it."""
    needs = run.needs_always
    if run.seen & run.told_bits:
        needs |= Need.CONTACTS.value
    if run.takes_samples == 0 and run.next_time < run.n_times and t >= run.times[run.next_time]:
        needs |= Need.SAMPLES.value
    if t >= run.next_break:
        needs |= Need.BREAK.value
    return needs | _needs_of_loops(run, t)


@kernel
def _take_samples(run: RunSteps) -> int:
    """The samples that are due in the last step, until one needs Python; a `Need`."""
    solver = run.solver
    while run.next_time < run.n_times and run.times[run.next_time] <= solver.t:
        t = run.times[run.next_time]
        look_back(solver, t, run.looked)
        looked = data_address(run.looked)
        needs = _sample(run.sample, run.place, t, looked, run.integrator.evaluations, solver.steps, run.lost_before)
        if needs != Need.NOTHING:
            return int(needs)
    return Need.NOTHING.value


@kernel
def _at_step_end(run: RunSteps, entry: int) -> int:
    """Call an entry of `StepContacts` for the state where the last step of the solver ends."""
    return int(call_at_step(entry, run.contacts.place, run.solver.t, data_address(run.solver.y)))


@kernel
def _finish_step(run: RunSteps) -> int:
    """What follows the samples of a step: the loads at its end, and what contact laws remember of it; a `Need`."""
    run.is_between = 0
    needs = int(_loads(run.loads, run.place, run.solver.t, data_address(run.solver.y)))
    if needs & Need.RAISED == 0 and run.contacts.commit != 0 and _at_step_end(run, run.contacts.commit) == 1:
        needs |= Need.REMEMBER.value
    return needs


@kernel
def _make_next_step(run: RunSteps) -> int:
    """A step, and what must be known of it before its samples are taken: bits of `Need`."""
    solver, integrator = run.solver, run.integrator
    for pair in range(integrator.n_watched):
        integrator.touched[pair] = 0
        integrator.parted[pair] = 0
    limit = max(run.longest, SHORTEST_LIMIT) if run.is_limited == 1 else math.inf
    run.contacts.known_at = math.nan
    run.step_end = make_step(solver, limit, run.next_break)
    if run.step_end != StepEnd.MADE:
        return Need.STOPPED.value
    spoiled = _is_spoiled(run)
    if spoiled == Answer.RAISED:
        return Need.RAISED.value
    if spoiled == 1:
        begin_anew(solver, solver.t_old, solver.y_old)
        return Need.NOTHING.value
    integrator.is_told = 0  # whatever was wrong, a shorter step has overcome it
    _note(run.note, run.place, solver.t, 0)
    needs = _needs(run, solver.t)
    if run.contacts.changes != 0 and _at_step_end(run, run.contacts.changes) == 1:
        needs |= Need.EVENTS.value
    if needs == Need.NOTHING:
        needs = _limit(run.limit, run.place, solver.t, data_address(solver.y), solver.t - solver.t_old)
    run.is_between = 1 if needs == Need.NOTHING else 0
    return needs


@entry_kernel((ROW,))
def run_steps(row: Row) -> int:
    """Steps until there is something that Python must do; bits of `Need`. Those are NOTHING where it may look up."""
    run = run_at(row)
    solver = run.solver
    run.contacts.known_at = math.nan  # Python may have looked at another state since
    while run.is_between == 1 or solver.t < solver.end_time:
        if run.is_between == 0:
            if run.integrator.evaluations >= run.evaluations_before_pause:
                return Need.NOTHING.value
            needs = _make_next_step(run)
            if needs != Need.NOTHING:
                return needs
        if run.is_between == 1:
            needs = _take_samples(run)
            if needs != Need.NOTHING:
                return needs
            needs = _finish_step(run)
            if needs != Need.NOTHING:
                return needs
    return Need.AT_END.value


# Called by Python too, which goes on with a step in which something has happened, or which it has made itself


@entry_kernel((ROW, types.int64, types.float64))
def verdict_after(row: Row, jacobians: int, step: float) -> int:
    """`look_at_contacts` for Python."""
    run = run_at(row)
    return look_at_contacts(run.fading, system_at(run.integrator.system).contacts, jacobians, step)


@entry_kernel((ROW, types.float64, STATE, STATE, types.float64, types.float64))
def strays_after(row: Row, t: float, y: Array, before: Array, span: float, step: float) -> int:
    """`goes_astray` for Python, with an evaluation at t (s) and y; an `Answer`, 1 for yes."""
    run = run_at(row)
    if find_rates(run.observer, t, y, run.rates) == Answer.RAISED:
        return Answer.RAISED.value
    contacts = system_at(run.observer.system).contacts
    return 1 if goes_astray(run.fading, contacts, run.rates, y, before, span, step) else 0


@entry_kernel((types.int64, types.float64, types.int64))
def note_step(place: int, t: float, is_observed: int) -> int:
    """Take what the integrator's last call has seen, and its loads if it was at the end of the step, at t (s).

    ``is_observed``: the loads of the observer's last evaluation, which was there.
    """
    run = run_at(place)
    integrator = run.integrator
    system, reactions = run.observer.system, run.place_of_observed
    if is_observed == 0:
        system, reactions = integrator.system, run.place_of_reactions
        run.seen = system_at(system).contacts.seen
        if run.follows_loads == 0 or integrator.last_time != t:
            return 0
        run.noted_rates[:] = integrator.last_rates
    note_loads(longs_at(system, 1), longs_at(reactions, 1), longs_at(run.place_of_peaks, 1), t)
    run.noted_at = t
    return 0


@kernel
def follow_limit(run: RunSteps, t: float, y: Array, step: float) -> int:
    """How long the next step may be from y at t (s), after a step (s); `Need` of a closer look, or `Need.RAISED`.

    By the accelerations at the integrator's last call.
    """
    row = longs_at(run.observer.system, 1)
    status = move(row, t, y)
    if status != Status.WELL and status != Status.PREPARE_PAIR:  # where shapes lie is known without memory of pairs
        call_help(run.observer.help, run.observer.place, status, t)
        return Need.RAISED.value
    run.longest_before = run.longest
    run.longest = longest_step(row, system_at(run.integrator.system).bodies.acceleration, THICKNESS_SHARE)
    needs = Need.EVENTS.value if is_beyond(run.stops, system_at(run.observer.system).bodies) else Need.NOTHING.value
    if run.seen & run.inside_bits or step > LONG_STEP * min(run.longest_before, run.longest):
        needs |= Need.MEETING.value
    return needs


@entry_kernel((types.int64, types.float64, types.int64, types.float64))
def limit_after(place: int, t: float, y: int, step: float) -> int:
    """`follow_limit` by addresses."""
    run = run_at(place)
    return follow_limit(run, t, doubles_at(y, run.n), step)


@kernel
def go_on_with_loads(run: RunSteps, t: float, y: Array) -> int:
    """An accepted step ends at t (s) in y: bits of `Need`. Costs an evaluation where `note` has not seen that."""
    if run.has_own_stepper == 1 and run.noted_at != t:
        run.follows_loads = 0
    if run.follows_loads == 0:
        return Need.NOTHING.value
    if run.noted_at != t:
        answer = find_rates(run.observer, t, y, run.noted_rates)
        if answer == Answer.RAISED:
            return Need.RAISED.value
        run.contacts.known_at = t if answer == Answer.WELL else math.nan
        _note(run.note, run.place, t, 1)
    # The last three points, through which a peak between them is sought.
    if run.n_points == 3:
        for k in range(2):
            run.point_time[k] = run.point_time[k + 1]
            run.point_state[k] = run.point_state[k + 1]
            run.point_rates[k] = run.point_rates[k + 1]
    else:
        run.n_points += 1
    last = run.n_points - 1
    run.point_time[last] = t
    run.point_state[last] = y
    run.point_rates[last] = run.noted_rates
    # What the step leaves on the surfaces, and the peaks it may have passed.
    needs = Need.NOTHING.value
    if run.maps != 0:
        needs = int(_maps(run.maps, run.place))
    if follow_peaks(longs_at(run.place_of_peaks, 1), t) > 0:
        needs |= _log_peaks(run, run.log, peaks_at(run.place_of_peaks))
    return needs


@entry_kernel((types.int64, types.float64, types.int64))
def loads_after(place: int, t: float, y: int) -> int:
    """`go_on_with_loads` by addresses."""
    run = run_at(place)
    return go_on_with_loads(run, t, doubles_at(y, run.n))


@kernel
def take_sample(run: RunSteps, t: float, y: Array, evaluations: int, steps: int, lost: float) -> int:
    """A sample of the state y at t (s), after so many evaluations and steps, which have lost energy (J): a `Need`."""
    samples = run.samples
    if run.project != 0:
        run.projected[:] = y
        place = data_address(run.projected)
        if call_project(run.project, run.place_of_projection, t, place, LOOP_TOLERANCE) == 0:
            return Need.OPEN_LOOPS.value
        y = run.projected
    i = samples.n
    samples.evaluations[i] = evaluations + run.evaluations_before
    samples.steps[i] = steps + run.steps_before
    samples.lost[i] = lost
    run.contacts.known_at = math.nan
    answer = add_sample(samples, run.observer, run.place_of_observed, run.rates, t, y)
    if answer == Answer.RAISED:
        return Need.RAISED.value
    run.next_time += 1
    if answer == Answer.NOT_FINITE:
        return Need.LOOK.value
    return Need.SAMPLES.value if samples.n == samples.room else Need.NOTHING.value


@entry_kernel((types.int64, types.float64, types.int64, types.int64, types.int64, types.float64))
def sample_of(place: int, t: float, y: int, evaluations: int, steps: int, lost: float) -> int:
    """`take_sample` by addresses."""
    run = run_at(place)
    return take_sample(run, t, doubles_at(y, run.n), evaluations, steps, lost)
