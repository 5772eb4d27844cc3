"""How fast a run is played, and which of its samples become frames of the picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError

SHORTEST_SHOW = 5.0
"""A run is played at the greatest of the `STEPS` of speed at which it lasts this long, s: at most twice as long."""

STEPS = (1, 2, 4, 5)
"""Speeds are one of these times a power of ten: no two neighbours are more than a factor of two apart."""

PLAYED_FPS = 60.0
"""Frames for each second of playback; between them the page interpolates motion, but not contact."""


def playing_speed(span: float) -> float:
    """Simulated seconds for each second of playback, so that ``span`` (s) of a run plays 5 to 10 s."""
    wanted = span / SHORTEST_SHOW
    if not 0.0 < wanted < math.inf:
        return 1.0
    decade = math.floor(math.log10(wanted))
    steps = [float(f"{step}e{power}") for power in (decade - 1, decade, decade + 1) for step in STEPS]
    return max(step for step in steps if step <= wanted * (1.0 + 1e-9))


def frame_rate(times: NDArray[np.float64], fps: float | None, played: float = PLAYED_FPS) -> float:
    """Frames for each second of simulated time: ``fps``, or where it is None ``played`` for each second of playback."""
    if fps is not None:
        return fps
    return played / playing_speed(float(times[-1] - times[0])) if len(times) else played


def choose_samples(
    times: NDArray[np.float64], fps: float, load: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Samples nearest to equal steps of 1/fps (s), the first and the last among them.

    ``load`` (n,), say the contact force: of the samples about a step the one with the greatest load is taken where any
    has one, so that an impact shorter than a step is a frame all the same. Frames are samples as recorded, never
    interpolated: contact between two samples would be made up.
    """
    if not (isinstance(fps, int | float) and math.isfinite(fps) and fps > 0):
        raise SimulationError(f"--fps is {fps}; give a positive number of frames for each second of the run")
    if len(times) < 2:
        return np.arange(len(times))
    span = float(times[-1] - times[0])
    n = min(len(times), math.ceil(span * fps) + 1)
    if n == len(times):
        return np.arange(n)
    wanted = np.linspace(times[0], times[-1], max(n, 2))
    after = np.clip(np.searchsorted(times, wanted), 1, len(times) - 1)
    nearest = after - (wanted - times[after - 1] < times[after] - wanted)
    if load is not None:
        nearest = np.concatenate((_most_loaded(times, wanted, nearest, load), (0, len(times) - 1)))
    return np.unique(nearest)


def _most_loaded(
    times: NDArray[np.float64],
    wanted: NDArray[np.float64],
    nearest: NDArray[np.int64],
    load: NDArray[np.float64],
) -> NDArray[np.int64]:
    """``nearest``, with the sample of the greatest load about each wanted time where there is a load."""
    step = np.searchsorted(0.5 * (wanted[1:] + wanted[:-1]), times)
    order = np.lexsort((load, step))
    last = np.flatnonzero(np.diff(step[order], append=len(wanted)))
    most, chosen = order[last], nearest.copy()
    loaded = most[load[most] > 0.0]
    chosen[step[loaded]] = loaded
    return chosen
