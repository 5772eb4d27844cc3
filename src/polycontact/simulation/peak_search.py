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

from polycontact.kernels.dynamics.peaks import (
    JOINT_LOADS,
    NOTHING,
    PAIR_LOADS,
    Peaks,
    end_peaks,
    follow_peaks,
)
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.joint_types import JointKind
from polycontact.simulation.integrated_rates import IntegratedRates
from polycontact.simulation.recording.run_peaks import MOST_PEAKS, ContactPeaks, JointPeaks, Peak, RunPeaks
from polycontact.simulation.run_evaluators import RunEvaluators
from polycontact.simulation.stepper import LastStep
from polycontact.tolerances import RIVAL_PEAK, STEEP_ONSET

Array = NDArray[np.float64]

MAX_CANDIDATES = 2
"""Peaks of one load that are looked at more closely at the end of a run, and beginnings of it."""

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
    """Follows the loads of a run. ``joints``: those of joints too.

    ``own_stepper``: a user's stepper may be asked for no evaluation more, and its contacts may push by other means than
    its rates tell: where it does not call them at the end of a step, nothing is followed.
    """

    def __init__(
        self, compiled: CompiledSystem, evaluators: RunEvaluators, *, joints: bool, own_stepper: bool = False
    ) -> None:
        self.is_following = True
        """Whether all steps could be followed."""
        self._own_stepper = own_stepper
        self._compiled, self._setup = compiled, compiled.setup
        self._integrator, self._observer = evaluators
        n_pairs, n_bodies = len(self._setup.contacts), self._setup.tree.n_bodies if joints else 1
        self._view = view = Peaks()
        view.reserve(n_pairs=n_pairs, n_bodies=n_bodies, n_columns=PAIR_LOADS * n_pairs + JOINT_LOADS * n_bodies)
        view.latest[:] = view.before[:] = NOTHING
        self._points: tuple[_Point, ...] = ()
        self._peaks: dict[int, list[_Candidate]] = {}
        self._onsets: dict[int, list[_Candidate]] = {}
        self._note_own = self._integrator.notes_loads(view)
        self._note_observed = self._observer.notes_loads(view)
        self._row = view.row
        self._noted = math.nan
        self._rates = np.zeros(0)

    # During the run ---------------------------------------------------------------------------------------

    def start(self, t: float, y: Array) -> None:
        """Begin at time t (s) and state y, also after a jump of the state; costs an evaluation."""
        self._end()
        self._look(t, y)
        self._go_on(t, y)

    def note(self, rates: IntegratedRates, step: LastStep) -> None:
        """Take the loads at the end of the step just made from the integrator's last call, if it was there."""
        if rates.last_time == step.t:
            self._note_own()
            self._noted, self._rates = step.t, np.array(rates.last_rates)

    def follow(self, t: float, y: Array) -> None:
        """A step was accepted up to time t (s) and state y; costs an evaluation where `note` has not seen it."""
        self.is_following = self.is_following and (self._noted == t or not self._own_stepper)
        if not self.is_following:
            return
        if self._noted != t:
            self._look(t, y)
        self._go_on(t, y)

    def _look(self, t: float, y: Array) -> None:
        """Loads at a state by an evaluation."""
        self._rates = np.zeros(len(y))
        self._observer.rates(t, y, self._rates)
        self._note_observed()

    def _go_on(self, t: float, y: Array) -> None:
        self._points = (*self._points[-2:], _Point(t, y, self._rates))
        if n := follow_peaks(self._row, t):
            self._keep(n, self._points)

    def _end(self) -> None:
        """Count the last maximum as a peak too, although no step follows it."""
        self._keep(end_peaks(self._row), self._points[-2:])
        self._points = ()

    def _keep(self, n: int, points: tuple[_Point, ...]) -> None:
        """Keep the peaks found last, of each load those that come near the greatest, and its steepest beginnings."""
        found = self._view
        for i in range(n):
            column, height, time = int(found.found[i]), float(found.height[i]), float(found.place[i])
            if found.is_onset[i]:
                known = [*self._onsets.get(column, ()), _Candidate(height, time, points[-2:])]
                self._onsets[column] = sorted(known, key=_by_height)[:MAX_CANDIDATES]
                continue
            known = [*self._peaks.get(column, ()), _Candidate(height, time, points, tuple(found.around[i].tolist()))]
            least = RIVAL_PEAK * max(each.height for each in known)
            self._peaks[column] = sorted((each for each in known if each.height >= least), key=_by_height)[
                :MAX_CANDIDATES
            ]

    # At the end -------------------------------------------------------------------------------------------

    def finish(self) -> RunPeaks:
        """The greatest loads of the run: of pairings that touched and joints that carried something."""
        self._end()
        n_pairs = len(self._setup.contacts)
        in_pairs = {column // PAIR_LOADS for column in self._peaks if column < PAIR_LOADS * n_pairs}
        order = sorted(in_pairs, key=lambda pair: -self._estimate(PAIR_LOADS * pair))[:MOST_PEAKS]
        contacts = {self._setup.contacts[pair].name: self._of_pair(pair) for pair in sorted(order)}
        joints = {}
        for number, joint in enumerate(self._setup.joints, start=1):
            first = PAIR_LOADS * n_pairs + JOINT_LOADS * number
            if joint.kind is not JointKind.FREE and (first in self._peaks or first + 1 in self._peaks):
                joints[joint.name] = JointPeaks(*(self._of_joint(number, k, first + k) for k in range(JOINT_LOADS)))
        return RunPeaks(contacts, joints)

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
        for k in range(PAIR_LOADS):
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

    def _of_joint(self, number: int, which: int, column: int) -> Peak:
        """Peak of a joint: the estimate of the best candidate, or where that is not sure another look at it.

        Where there are loops, it is looked at with them closed: at the ends of steps, what makes their drift decay is
        in it. Not with users' forces, which may depend on discrete states that have changed since.
        """
        best = next(iter(self._peaks.get(column, [])), None)
        if best is None:
            return Peak(0.0, math.nan)
        is_sure = best.height <= RELIABLE_ESTIMATE_RATIO * best.loads[1] and not self._compiled.has_loops
        if is_sure or self._setup.users:
            return Peak(best.height, best.time)
        found = self._observer.evaluate(best.time, self._state(best.points, best.time)).reactions.joints[number - 1]
        return Peak(float(np.linalg.norm(found[3 * which : 3 * which + 3])), best.time)

    def _state(self, points: tuple[_Point, ...], t: float) -> Array:
        """State at a time between the ends of steps, with its loops closed."""
        after = next((i for i, point in enumerate(points) if point.t >= t), len(points) - 1)
        a, b = points[max(after - 1, 0)], points[after]
        y = np.array(b.y) if b.t == t or a.t == b.t else _between(a, b, t)
        if self._compiled.has_loops:
            self._compiled.project(t, y)
        return y


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
