"""Times at which prescribed motions and targets of motors begin, bend or turn: a long step must not jump over them."""

from __future__ import annotations

import math

import numpy as np

from polycontact.kernels.dynamics.setup_views import MotionCode
from polycontact.multibody.system_setup import SystemSetup


class MotionTimes:
    """Breaks of piecewise motions, and quarter periods of harmonic ones: no step goes past the next of them."""

    def __init__(self, setup: SystemSetup) -> None:
        motions = setup.motions
        data = motions.data
        breaks: list[float] = []
        self._quarters: list[tuple[float, float]] = []
        for kind, first, n in zip(motions.kind, motions.first_number, motions.n_breaks, strict=True):
            if kind == MotionCode.PIECEWISE:
                breaks.extend(data[first : first + n].tolist())
            elif kind == MotionCode.HARMONIC and data[first] != 0.0 and data[first + 1] != 0.0:
                quarter = 0.5 * math.pi / abs(float(data[first + 1]))
                self._quarters.append((quarter, -float(data[first + 2]) / float(data[first + 1])))
        self._breaks = np.unique(breaks)

    def bends_at(self, t: float) -> bool:
        """Whether a piecewise motion has a break at t (s): its acceleration jumps, so that history misleads."""
        return bool(np.isin(t, self._breaks))

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
