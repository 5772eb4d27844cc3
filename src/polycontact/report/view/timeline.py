"""Which samples of a run become frames of the picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError

DEFAULT_FPS = 60.0
"""Frames for each second of simulated time; between them the page interpolates motion, but not contact."""


def choose_samples(times: NDArray[np.float64], fps: float) -> NDArray[np.int64]:
    """Samples nearest to equal steps of 1/fps (s), the first and the last among them.

    Frames are samples as recorded, never interpolated: contact between two samples would be made up.
    """
    if not (isinstance(fps, int | float) and math.isfinite(fps) and fps > 0):
        raise SimulationError(f"--fps is {fps}; give a positive number of frames for each second of the run")
    if len(times) < 2:
        return np.arange(len(times))
    span = float(times[-1] - times[0])
    n = min(len(times), math.ceil(span * fps) + 1)
    wanted = np.linspace(times[0], times[-1], max(n, 2))
    after = np.clip(np.searchsorted(times, wanted), 1, len(times) - 1)
    nearest = after - (wanted - times[after - 1] < times[after] - wanted)
    return np.unique(nearest)
