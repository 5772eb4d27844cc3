"""A step of Moreau's rule that was made: the state at its end, and states in between."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class StepMade(NamedTuple):
    """State after a step and halfway; ``drift``: change of the speeds without contacts; whether contacts ``pushed``.

    ``lost`` (J): energy that the rule of the step took, and not the system: what springs, stops and friction in joints
    lose because their efforts are those of the end of the step, and the work of contacts that neither collide nor rub.
    ``halfway`` and ``drift`` are those of the last step, until the next one is made.
    """

    state: Array
    halfway: Array
    drift: Array
    pushed: bool
    lost: float
    n_coordinates: int


def between(t_old: float, y_old: Array, made: StepMade, t_new: float, t: float) -> Array:
    """State at a time t (s) in a step: on the line between its ends, or, where contacts pushed, on both its halves.

    Speeds then jump in the middle by what contacts do, as the rule has it, and with them the work of the contacts.
    """
    part = (t - t_old) / (t_new - t_old)
    if not made.pushed:
        return np.asarray((1.0 - part) * y_old + part * made.state)
    drifted = part if part < 0.5 else part - 1.0
    start, end, part = (y_old, made.halfway, 2.0 * part) if part < 0.5 else (made.halfway, made.state, 2.0 * part - 1.0)
    y = (1.0 - part) * start + part * end
    kept = y_old if end is made.halfway else made.state
    n = made.n_coordinates
    y[n:] = kept[n:] + drifted * made.drift[n:]
    return np.asarray(y)


def lost_until(t_old: float, lost: float, made: StepMade, t_new: float, t: float) -> float:
    """Energy (J) that the rule has taken until a time t (s) in a step that began with ``lost``; as `between` has it."""
    part = (t - t_old) / (t_new - t_old)
    if made.pushed:
        part = 0.0 if part < 0.5 else 1.0
    return lost + part * made.lost


def work_of_impulses(p: Array, mean: Array) -> Array:
    """Work (J) of normal impulses and of friction at mean velocities."""
    each = p * mean
    return np.array([each[::3].sum(), each.sum() - each[::3].sum()])
