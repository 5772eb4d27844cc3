"""Times at which motions, targets of motors and applied forces begin, bend or turn: no long step may jump over them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.kernels.dynamics.dynamics_codes import MotionCode
from polycontact.multibody.motion_functions import ExpressionMotion, Harmonic
from polycontact.multibody.system_setup import SystemSetup

NO_JUMP = 1e-9
"""Accelerations that differ by less than this part of the motion's largest are the same, up to rounding."""

MOST_QUARTERS = 1e8
"""Most quarter periods of one sine in a run. Each needs a step, and a step takes 20 µs at least: half an hour."""


class MotionTimes:
    """Breaks of piecewise motions, and quarter periods of harmonic ones: no step goes past the next of them.

    Of formulas those whose arguments are straight lines in time, such as step(t - 2) or sin(3 * t), are known.
    """

    def __init__(self, setup: SystemSetup) -> None:
        motions = setup.motions
        data = motions.data
        breaks: list[float] = []
        bends: list[float] = []
        self._quarters: list[tuple[float, float]] = []
        for kind, first, n in zip(motions.kind, motions.first_number, motions.n_breaks, strict=True):
            if kind == MotionCode.PIECEWISE:
                own, pieces = data[first : first + n], data[first + n : first + 5 * n - 4].reshape(n - 1, 4)
                breaks.extend(own.tolist())
                bends.extend(own[_bends(own, pieces)].tolist())
            elif kind == MotionCode.HARMONIC and data[first] != 0.0 and data[first + 1] != 0.0:
                quarter = 0.5 * math.pi / abs(float(data[first + 1]))
                self._quarters.append((quarter, -float(data[first + 2]) / float(data[first + 1])))
        for function in setup.functions:
            if isinstance(function, ExpressionMotion):
                own_breaks = function.tree.breaks()
                breaks.extend(own_breaks)
                bends.extend(own_breaks)
                self._quarters.extend((0.5 * math.pi / abs(w), -phase / w) for w, phase in function.tree.waves())
        self._breaks, self._bends = np.unique(breaks), frozenset(bends)

    @staticmethod
    def refuse_too_fast(setup: SystemSetup, start_time: float, end_time: float) -> None:
        """Raise an error where a sine has more quarter periods in a run than could ever be followed."""
        for function in setup.functions:
            if isinstance(function, Harmonic):
                speeds, formula = [2.0 * math.pi * function.frequency], "a harmonic motion"
            elif isinstance(function, ExpressionMotion):
                speeds, formula = [w for w, _ in function.tree.waves()], f"the formula {function.formula!r}"
            else:
                continue
            fastest = max(map(abs, speeds), default=0.0)
            quarters = (end_time - start_time) * fastest / (0.5 * math.pi)
            if quarters > MOST_QUARTERS:
                owners = (each.name for each in setup.joints if any(function is own for own in each.motions))
                owner = next((f"joint {name!r}: " for name in owners), "")
                raise SimulationError(
                    f"{owner}{formula} swings with {fastest:.3g} rad/s, {quarters:.3g} quarter periods in the run of "
                    f"{end_time - start_time:.6g} s, each of which needs a step; at most {MOST_QUARTERS:.0e} are "
                    "followed: check the frequency (rad/s, not of a unit of time that is shorter), use its mean "
                    "effect instead, or end the run earlier"
                )

    def bends_at(self, t: float) -> bool:
        """Whether the acceleration of a motion jumps at t (s), so that history misleads."""
        return t in self._bends

    def next_break(self, t: float) -> float:
        """The next time (s) at which a motion changes its character; infinite where there is none."""
        later = self._breaks[np.searchsorted(self._breaks, t, side="right") :]
        times = [float(later[0])] if len(later) else []
        for quarter, zero in self._quarters:
            k = math.floor((t - zero) / quarter) + 1
            if zero + k * quarter <= t * (1.0 + 1e-12):  # rounding
                k += 1
            times.append(zero + k * quarter)
        return min(times, default=math.inf)


def _bends(breaks: NDArray[np.float64], pieces: NDArray[np.float64]) -> NDArray[np.bool_]:
    """At which breaks of cubic pieces, held before and after, the second derivative jumps: in a spline, at its ends."""
    left = 2.0 * pieces[:, 1]
    right = left + 6.0 * pieces[:, 0] * np.diff(breaks)
    before, after = np.append(0.0, right), np.append(left, 0.0)
    largest = max(float(np.abs(left).max()), float(np.abs(right).max()))
    return np.asarray(np.abs(after - before) > NO_JUMP * largest)
