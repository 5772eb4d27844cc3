"""Where the time of a run goes: contacts, dynamics, recording, integrator."""

from __future__ import annotations

from time import process_time

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.compiled import CompiledSystem


class ProfiledRates:
    """The right-hand side in three calls with a clock between them; the same bits as in one call."""

    def __init__(self, compiled: CompiledSystem) -> None:
        self._compiled = compiled
        self.contacts = 0.0
        """Seconds in the evaluation of contacts so far."""
        self.dynamics = 0.0
        """Seconds in kinematics, broad phase, force elements and accelerations so far."""

    def __call__(self, t: float, y: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """dy/dt into ``out``."""
        begin = process_time()
        self._compiled.locate(t, y)
        self._compiled.apply_users(t, y, out)
        located = process_time()
        self._compiled.touch()
        touched = process_time()
        self._compiled.accelerate(t, out)
        end = process_time()
        self.contacts += touched - located
        self.dynamics += located - begin + end - touched
