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
from polycontact.simulation.recording.run_peaks import ContactPeaks, JointPeaks, Peak, RunPeaks
from polycontact.simulation.run_evaluators import RunEvaluators
from polycontact.simulation.stepper import LastStep
from polycontact.tolerances import RIVAL_PEAK

Array = NDArray[np.float64]

MOST_RIVALS = 3
"""Peaks of one load that are looked at more closely at the end of a run."""

MOST_LOOKS = 4
"""Evaluations between the states around a peak, to find its top."""

NEAR_ENOUGH = 1e-2
"""The top is found where the next guess lies nearer to the last than this part of the time between the states around:
what a parabola gains there is less than a thousandth of what the load falls by to both sides."""

MOST_PEAKS = 500
"""Contacts whose peaks are kept, the most loaded."""


class _Point(NamedTuple):
    """The end of an accepted step: time (s), state and its rates."""

    t: float
    y: Array
    rates: Array


class _Candidate(NamedTuple):
    """A peak that may be the greatest: estimated ``height`` and ``time`` (s), and the ends of steps around it."""

    height: float
    time: float
    points: tuple[_Point, ...]


class PeakSearch:
    """Follows the loads of a run. ``joints``: those of joints too."""

    def __init__(self, compiled: CompiledSystem, evaluators: RunEvaluators, *, joints: bool) -> None:
        self._compiled, self._setup = compiled, compiled.setup
        self._integrator, self._observer = evaluators
        n_pairs, n_bodies = len(self._setup.contacts), self._setup.tree.n_bodies if joints else 1
        self._view = view = Peaks()
        view.reserve(n_pairs=n_pairs, n_bodies=n_bodies, n_columns=PAIR_LOADS * n_pairs + JOINT_LOADS * n_bodies)
        view.latest[:] = view.before[:] = NOTHING
        self._points: tuple[_Point, ...] = ()
        self._candidates: dict[int, list[_Candidate]] = {}
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
            self._integrator.note_loads(self._view)
            self._noted, self._rates = step.t, np.array(rates.last_rates)

    def follow(self, t: float, y: Array) -> None:
        """A step was accepted up to time t (s) and state y; costs an evaluation where `note` has not seen it."""
        if self._noted != t:
            self._look(t, y)
        self._go_on(t, y)

    def _look(self, t: float, y: Array) -> None:
        """Loads at a state by an evaluation."""
        self._rates = np.zeros(len(y))
        self._observer.rates(t, y, self._rates)
        self._observer.note_loads(self._view)

    def _go_on(self, t: float, y: Array) -> None:
        self._points = (*self._points[-2:], _Point(t, y, self._rates))
        self._keep(follow_peaks(self._view.row, t), self._points)

    def _end(self) -> None:
        """What was greatest last counts, though nothing follows."""
        self._keep(end_peaks(self._view.row), self._points[-2:])
        self._points = ()

    def _keep(self, n: int, points: tuple[_Point, ...]) -> None:
        """Keep the peaks found last, of each load those that come near the greatest."""
        for i in range(n):
            column, height = int(self._view.found[i]), float(self._view.height[i])
            known = self._candidates.get(column, [])
            known.append(_Candidate(height, float(self._view.place[i]), points))
            least = RIVAL_PEAK * max(each.height for each in known)
            rivals = sorted((each for each in known if each.height >= least), key=lambda each: -each.height)
            self._candidates[column] = rivals[:MOST_RIVALS]

    # At the end -------------------------------------------------------------------------------------------

    def finish(self) -> RunPeaks:
        """The greatest loads."""
        self._end()
        n_pairs = len(self._setup.contacts)
        in_pairs = {column // PAIR_LOADS for column in self._candidates if column < PAIR_LOADS * n_pairs}
        order = sorted(in_pairs, key=lambda pair: -self._estimate(PAIR_LOADS * pair))[:MOST_PEAKS]
        contacts = {self._setup.contacts[pair].name: self._of_pair(pair) for pair in sorted(order)}
        joints = {}
        for number, joint in enumerate(self._setup.joints, start=1):
            first = PAIR_LOADS * n_pairs + JOINT_LOADS * number
            if joint.kind is not JointKind.FREE and (first in self._candidates or first + 1 in self._candidates):
                joints[joint.name] = JointPeaks(*(self._of_joint(number, k, first + k) for k in range(JOINT_LOADS)))
        return RunPeaks(contacts, joints)

    def _estimate(self, column: int) -> float:
        return max((each.height for each in self._candidates.get(column, ())), default=0.0)

    def _of_pair(self, pair: int) -> ContactPeaks:
        """Peaks of a contact: the tops of the best candidates, or their estimates where laws remember elements."""
        known: dict[float, Array] = {}

        def loads(points: tuple[_Point, ...], t: float) -> Array:
            if t not in known:
                known[t] = self._observer.pair_loads(pair, t, self._state(points, t))
            return known[t]

        found = []
        for k in range(PAIR_LOADS):
            candidates = self._candidates.get(PAIR_LOADS * pair + k, [])
            if self._observer.has_memory:
                tops = [Peak(each.height, each.time) for each in candidates]
            else:
                tops = [_top(each, loads, k) for each in candidates]
            found.append(max(tops, default=Peak(0.0, math.nan)))
        return ContactPeaks(*found)

    def _of_joint(self, number: int, which: int, column: int) -> Peak:
        """Peak of a joint: the load at the best candidate, or its estimate where Python functions exert forces."""
        best = max(self._candidates.get(column, []), key=lambda each: each.height, default=None)
        if best is None:
            return Peak(0.0, math.nan)
        if self._setup.users:
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


def _top(candidate: _Candidate, loads: Callable[[tuple[_Point, ...], float], Array], which: int) -> Peak:
    """Top of a peak by successive parabolas through the highest point and its neighbours (Brent 1973, chapter 5)."""
    points = candidate.points

    def load(t: float) -> Peak:
        return Peak(float(loads(points, t)[which]), t)

    if len(points) < 3:
        return load(candidate.time)
    low, best, high = (load(point.t) for point in points)
    if not low.value <= best.value >= high.value:  # the integrator's last calls told a little else
        return max(low, best, high)
    for _ in range(MOST_LOOKS):
        t = _vertex(low, best, high)
        if abs(t - best.time) < NEAR_ENOUGH * (high.time - low.time):
            break
        ordered = sorted((low, best, high, load(t)), key=lambda each: each.time)
        at = max(range(1, 3), key=lambda i: ordered[i].value)
        low, best, high = ordered[at - 1 : at + 2]
    return best


def _vertex(a: Peak, b: Peak, c: Peak) -> float:
    """Time (s) of the top of the parabola through three points of which the middle one is the highest."""
    rise, fall = (b.value - a.value) / (b.time - a.time), (b.value - c.value) / (c.time - b.time)
    bend = (rise + fall) / (c.time - a.time)
    return b.time + 0.5 * (rise / bend - (b.time - a.time)) if bend > 0.0 else b.time
