"""The greatest loads of a run, found in every accepted step, so that they do not depend on when samples are taken.

After each step the loads of the integrator's last call are compared with those before, which costs no evaluation; peaks
that may be the greatest are kept with the states around them. Between two of these states the motion is the cubic
polynomial that has their rates (Hermite); at the end of the run the top of each peak is looked for on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import POINT_METHODS
from polycontact.kernels.dynamics.peaks import (
    JOINT_LOADS,
    NOTHING,
    PAIR_LOADS,
    Peaks,
    end_peaks,
)
from polycontact.kernels.stepping.run_steps import RunSteps, loads_after
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.joint_types import JointKind
from polycontact.simulation.recording.run_peaks import (
    MOST_PEAKS,
    ContactPeaks,
    ContactTimes,
    JointPeaks,
    Peak,
    RunPeaks,
)
from polycontact.simulation.run_evaluators import RunEvaluators
from polycontact.simulation.run_record import driven_joints, force_records
from polycontact.tolerances import RIVAL_PEAK, STEEP_ONSET

Array = NDArray[np.float64]

MAX_CANDIDATES = 2
"""Peaks of one load that are looked at more closely at the end of a run, and beginnings of it."""

LOGGED_STEPS = 32
"""Steps with peaks that compiled code keeps until Python takes them over."""

LOGGED_PEAKS = 256
"""Peaks that it keeps, or twice as many as one step can find."""

MAX_PEAK_EVALUATIONS = 4
"""Evaluations around a peak, to find its top."""

PEAK_TOLERANCE = 5e-4
"""The top is found where a parabola promises no more than this part of the load."""

ONSET_PROBES = (0.25, 0.5, 0.75)
"""Where a step is looked at in which a load began, as parts of it."""

RELIABLE_ESTIMATE_RATIO = 1.01
"""The estimate of a joint's peak is taken as it is up to this factor over the load at the end of a step: beyond, the
load jumps, or steps are long."""


class _Point(NamedTuple):
    """The end of an accepted step: time (s), state and its rates."""

    t: float
    y: Array
    rates: Array


class _Candidate(NamedTuple):
    """A peak that may be the greatest: estimated ``height`` and ``time`` (s), and the ends of steps around it.

    ``loads`` there, as the integrator saw them; none where the load began in the step.
    """

    height: float
    time: float
    points: tuple[_Point, ...]
    loads: tuple[float, ...] = ()


class PeakSearch:
    """Follows the loads of a run. ``joints``: those of joints, loops, drives and force elements too.

    ``own_stepper``: a user's stepper may be asked for no evaluation more, and its contacts may push by other means than
    its rates tell: where it does not call them at the end of a step, nothing is followed.
    """

    def __init__(
        self, compiled: CompiledSystem, evaluators: RunEvaluators, *, joints: bool, own_stepper: bool = False
    ) -> None:
        self._own_stepper = own_stepper
        self._compiled, self._setup = compiled, compiled.setup
        self._integrator, self._observer = evaluators
        self._columns = _ReactionColumns.of(compiled) if joints else None
        self._view = _make_view(len(self._setup.contacts), self._columns)
        self._peaks: dict[int, list[_Candidate]] = {}
        self._onsets: dict[int, list[_Candidate]] = {}
        self._row = self._view.row

    # During the run ---------------------------------------------------------------------------------------

    def attach(self, run: RunSteps) -> None:
        """Let the steps of a run follow the loads."""
        self._run = run
        columns = self._view.n_columns
        run.log.reserve(
            n=run.n, room=LOGGED_STEPS, room_of_peaks=max(LOGGED_PEAKS, 2 * columns), most=columns, n_steps=0, n_peaks=0
        )
        run.place_of_peaks = self._view.address
        run.place_of_reactions, run.place_of_observed = self._integrator.reaction_place, self._observer.reaction_place
        run.follows_loads, run.has_own_stepper = 1, int(self._own_stepper)

    @property
    def is_following(self) -> bool:
        """Whether all steps could be followed."""
        return bool(self._run.follows_loads)

    def start(self, t: float, y: Array) -> None:
        """Begin at time t (s) and state y, also after a jump of the state; costs an evaluation."""
        self._end()
        run = self._run
        if self.is_following:
            self._observer.rates(t, y, run.noted_rates)
            self._observer.note_loads(self._view, t)
            run.noted_at = t
            state = np.ascontiguousarray(y)
            loads_after(run.place, t, state.ctypes.data)

    def take_over(self) -> None:
        """Keep the peaks that compiled code has found since the last time."""
        log, first = self._run.log, 0
        for i in range(log.n_steps):
            points = tuple(
                _Point(float(log.time[i, k]), log.state[i, k].copy(), log.rates[i, k].copy())
                for k in range(int(log.n_points[i]))
            )
            end = int(log.end[i])
            for k in range(first, end):
                told = tuple(log.around[k].tolist())
                self._keep(
                    int(log.column[k]), bool(log.is_onset[k]), float(log.height[k]), float(log.place[k]), points, told
                )
            first = end
        log.n_steps = log.n_peaks = 0

    def _look(self, t: float, y: Array) -> None:
        """Loads at a state by an evaluation."""
        self._observer.rates(t, y, np.zeros(len(y)))
        self._observer.note_loads(self._view, t)

    def _end(self) -> None:
        """Count the last maximum as a peak too, although no step follows it."""
        self.take_over()
        run, found = self._run, self._view
        points = tuple(
            _Point(float(run.point_time[k]), run.point_state[k].copy(), run.point_rates[k].copy())
            for k in range(run.n_points)
        )[-2:]
        for i in range(end_peaks(self._row)):
            place = float(found.place[i])
            told = tuple(found.around[i].tolist())
            self._keep(int(found.found[i]), bool(found.is_onset[i]), float(found.height[i]), place, points, told)
        run.n_points = 0

    def _keep(
        self,
        column: int,
        is_onset: bool,
        height: float,
        time: float,
        points: tuple[_Point, ...],
        told: tuple[float, ...],
    ) -> None:
        """Keep a peak: of each load those that come near the greatest, and its steepest beginnings."""
        if is_onset:
            known = [*self._onsets.get(column, ()), _Candidate(height, time, points[-2:])]
            self._onsets[column] = sorted(known, key=_by_height)[:MAX_CANDIDATES]
            return
        known = [*self._peaks.get(column, ()), _Candidate(height, time, points, told)]
        least = RIVAL_PEAK * max(each.height for each in known)
        self._peaks[column] = sorted((each for each in known if each.height >= least), key=_by_height)[:MAX_CANDIDATES]

    # At the end -------------------------------------------------------------------------------------------

    def finish(self) -> RunPeaks:
        """The greatest loads of the run: of pairings that touched and of parts that carried something."""
        self._end()
        n_pairs = len(self._setup.contacts)
        in_pairs = {column // PAIR_LOADS for column in self._peaks if column < PAIR_LOADS * n_pairs}
        order = sorted(in_pairs, key=lambda pair: -self._estimate(PAIR_LOADS * pair))[:MOST_PEAKS]
        contacts = {self._setup.contacts[pair].name: self._of_pair(pair) for pair in sorted(order)}
        columns = self._columns
        if columns is None:
            return RunPeaks(contacts)
        joints = {
            name: JointPeaks(*(self._of_reaction(column) for column in pair))
            for name, pair in columns.joints.items()
            if not self._peaks.keys().isdisjoint(pair)
        }
        drives, forces = (
            {name: {load: self._of_reaction(column) for load, column in loads.items()} for name, loads in each.items()}
            for each in (columns.drives, columns.forces)
        )
        return RunPeaks(contacts, joints, drives=drives, forces=forces)

    def touched(self) -> tuple[str, ...]:
        """Names of the pairings that touched at the end of an accepted step."""
        return tuple(self._setup.contacts[pair].name for pair in np.flatnonzero(self._view.touched).tolist())

    def contact_times(self) -> dict[str, ContactTimes]:
        """When pairings touched, by the ends of accepted steps; of the most loaded ones."""
        found = {}
        for pair in sorted(np.flatnonzero(self._view.touched).tolist(), key=lambda i: -self._estimate(PAIR_LOADS * i)):
            view = (self._view.first_contact, self._view.last_contact, self._view.contact_time)
            found[self._setup.contacts[pair].name] = ContactTimes(*(float(each[pair]) for each in view))
            if len(found) == MOST_PEAKS:
                break
        return found

    def _estimate(self, column: int) -> float:
        return max((each.height for each in self._peaks.get(column, ())), default=0.0)

    def _of_pair(self, pair: int) -> ContactPeaks:
        """Peaks of a contact: the tops of the best candidates, or their estimates where laws remember elements."""
        known: dict[float, Array] = {}

        def loads(points: tuple[_Point, ...], t: float) -> Array:
            if t not in known:
                known[t] = self._observer.pair_loads(pair, t, self._state(points, t))
            return known[t]

        found = []
        is_point = isinstance(self._setup.contacts[pair].description.method, POINT_METHODS)
        for k in range(PAIR_LOADS):
            if is_point and k == ContactPeaks._fields.index("pressure"):
                found.append(Peak(0.0, math.nan))
                continue
            column = PAIR_LOADS * pair + k
            candidates = self._peaks.get(column, [])
            if self._observer.has_memory:
                tops = [Peak(each.height, each.time) for each in candidates]
            else:
                steep = STEEP_ONSET * self._estimate(column)
                begun = [each for each in self._onsets.get(column, ()) if each.height > steep]
                tops = [_top(each, loads, k) for each in candidates]
                tops += [_greatest_during_onset(each, loads, k) for each in begun]
            found.append(max(tops, default=Peak(0.0, math.nan)))
        return ContactPeaks(*found)

    def _of_reaction(self, column: int) -> Peak:
        """Peak of what a joint, a loop, a drive or a force element transmits.

        The estimate of the best candidate, or where that is not sure another look at it. Not with users' forces, which
        may depend on discrete states that have changed since, nor where contact laws remember elements, which they have
        forgotten since.
        """
        candidates = self._peaks.get(column, [])
        if not candidates:
            return Peak(0.0, math.nan)
        best = candidates[0]
        is_sure = best.height <= RELIABLE_ESTIMATE_RATIO * best.loads[1]
        if is_sure or self._setup.users or self._observer.has_memory:
            return Peak(best.height, best.time)
        self._look(best.time, self._state(best.points, best.time))
        return Peak(float(self._view.fresh[column]), best.time)

    def _state(self, points: tuple[_Point, ...], t: float) -> Array:
        """State at a time between the ends of steps, with its loops closed."""
        after = next((i for i, point in enumerate(points) if point.t >= t), len(points) - 1)
        a, b = points[max(after - 1, 0)], points[after]
        y = np.array(b.y) if b.t == t or a.t == b.t else _between(a, b, t)
        if self._compiled.has_loops:
            self._compiled.project(t, y)
        return y


class _ReactionColumns(NamedTuple):
    """Columns of loads by name: force and torque of joints and loops, efforts of drives, loads of force elements.

    ``first_number``, ``n_numbers``: which numbers of force elements the vector of each of their loads has.
    """

    joints: dict[str, tuple[int, int]]
    drives: dict[str, dict[str, int]]
    forces: dict[str, dict[str, int]]
    first_number: list[int]
    n_numbers: list[int]
    n_bodies: int
    n_loops: int
    n_speeds: int

    @classmethod
    def of(cls, compiled: CompiledSystem) -> _ReactionColumns:
        """The columns of a system, in the order of `kernels.dynamics.peaks`."""
        setup, loops, driven = compiled.setup, compiled.system.loops, driven_joints(compiled)
        n_bodies, n_speeds = setup.tree.n_bodies, setup.tree.n_speeds
        first = PAIR_LOADS * len(setup.contacts)
        joints, drives, forces = {}, {}, {}
        for number, joint in enumerate(setup.joints, start=1):
            if joint.kind is not JointKind.FREE:
                joints[joint.name] = (first + JOINT_LOADS * number, first + JOINT_LOADS * number + 1)
        first += JOINT_LOADS * n_bodies
        for i, name in enumerate(loops):
            joints.setdefault(name, (first + JOINT_LOADS * i, first + JOINT_LOADS * i + 1))
        first += JOINT_LOADS * len(loops)
        for joint in setup.joints:
            if joint.name in driven:
                at = first + setup.variables_of(joint.name)[1].start
                drives[joint.name] = {speed: at + k for k, speed in enumerate(joint.variables.speeds)}
        first += n_speeds
        first_number: list[int] = []
        n_numbers: list[int] = []
        before = 0
        for record in force_records(compiled):
            forces[record.name] = {load.name: first + i for i, load in enumerate(record.loads, start=len(first_number))}
            first_number += [before + load.columns.start for load in record.loads]
            n_numbers += [load.columns.stop - load.columns.start for load in record.loads]
            before += len(record.numbers)
        return cls(joints, drives, forces, first_number, n_numbers, n_bodies, len(loops), n_speeds)


def _make_view(n_pairs: int, columns: _ReactionColumns | None) -> Peaks:
    """Memory for the loads of pairs, and of the ``columns`` of reactions where they are followed."""
    view = Peaks()
    if columns is None:
        view.reserve(n_pairs=n_pairs, n_columns=PAIR_LOADS * n_pairs)
    else:
        n_forces = len(columns.n_numbers)
        n_of_joints = JOINT_LOADS * (columns.n_bodies + columns.n_loops)
        view.reserve(
            n_pairs=n_pairs,
            n_bodies=columns.n_bodies,
            n_loops=columns.n_loops,
            n_speeds=columns.n_speeds,
            n_forces=n_forces,
            n_columns=PAIR_LOADS * n_pairs + n_of_joints + columns.n_speeds + n_forces,
        )
        view.first_number[:] = columns.first_number
        view.n_numbers[:] = columns.n_numbers
    view.latest[:] = view.before[:] = NOTHING
    return view


def _between(a: _Point, b: _Point, t: float) -> Array:
    """Cubic polynomial with the values and rates of two points (Hermite)."""
    h = b.t - a.t
    s = (t - a.t) / h
    return (
        (1.0 + 2.0 * s) * (1.0 - s) ** 2 * a.y
        + s * (1.0 - s) ** 2 * h * a.rates
        + s * s * (3.0 - 2.0 * s) * b.y
        + s * s * (s - 1.0) * h * b.rates
    )


Loads = Callable[[tuple[_Point, ...], float], Array]
"""Loads of a contact at a time (s) between the ends of steps."""


def _top(candidate: _Candidate, loads: Loads, which: int) -> Peak:
    """Top of a peak by successive parabolas through the highest point and its neighbours (Brent 1973, chapter 5).

    They begin with what the integrator saw; what is returned was looked at.
    """
    points = candidate.points

    def look(t: float) -> Peak:
        return Peak(float(loads(points, t)[which]), t)

    looked = [look(candidate.time)]
    if len(points) < 3:
        return looked[0]
    told = {point.t: load for point, load in zip(points, candidate.loads, strict=True)}
    for _ in range(MAX_PEAK_EVALUATIONS - 1):
        known = sorted((told | {each.time: each.value for each in looked}).items())
        at = max(range(len(known)), key=lambda i: known[i][1])
        t, best = known[at][0], max(looked)
        if t == best.time:
            if not 0 < at < len(known) - 1:
                break
            top = _vertex(*(Peak(value, time) for time, value in known[at - 1 : at + 2]))
            if top.value < (1.0 + PEAK_TOLERANCE) * best.value:
                break
            t = top.time
        looked.append(look(t))
    return max(looked)


def _greatest_during_onset(candidate: _Candidate, loads: Loads, which: int) -> Peak:
    """Greatest load at the end of the step in which it began, and at `ONSET_PROBES` in it."""
    points, end = candidate.points, candidate.time
    start = points[0].t
    times = [end, *(start + part * (end - start) for part in ONSET_PROBES)]
    return max(Peak(float(loads(points, t)[which]), t) for t in times)


def _vertex(a: Peak, b: Peak, c: Peak) -> Peak:
    """Top of the parabola through three points of which the middle one is the highest."""
    rise, fall = (b.value - a.value) / (b.time - a.time), (b.value - c.value) / (c.time - b.time)
    bend = (rise + fall) / (c.time - a.time)
    if not bend > 0.0:
        return b
    slope = rise - bend * (b.time - a.time)
    return Peak(b.value + 0.25 * slope * slope / bend, b.time + 0.5 * slope / bend)


def _by_height(candidate: _Candidate) -> float:
    return -candidate.height
