"""The length of the first step of a method that starts with order one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.integrators.counting import CountedFunction

TRIAL_CHANGE = 0.01
"""The trial step that measures the second derivative changes the state by this part of its size."""

SAFETY = 0.5
"""The first step is this part of the one whose estimated error is just at the tolerance."""

GREATEST_PART = 0.1
"""The first step covers at most this part of the way it may go."""


def first_step(
    function: CountedFunction,
    t: float,
    y: NDArray[np.float64],
    derivative: NDArray[np.float64],
    weights: NDArray[np.float64],
    longest: float,
) -> float:
    """A step (s) whose error h² |y''| / 2 is below the tolerances; one evaluation of f.

    `derivative` is f(t, y), `weights` the tolerances in units of y, `longest` how far the step may go (s). The
    idea is that of CVODE's and of Hairer's choice: y'' from a short explicit step.
    """
    speed = _norm(derivative / weights)
    if speed == 0.0:
        trial = GREATEST_PART * longest
    else:
        trial = min(TRIAL_CHANGE * max(_norm(y / weights), 1.0) / speed, GREATEST_PART * longest)
    changed = np.empty_like(y)
    function(t + trial, y + trial * derivative, changed)
    curvature = _norm((changed - derivative) / weights) / trial
    if not math.isfinite(curvature):
        function.not_finite = False
        return TRIAL_CHANGE * trial
    if curvature * longest**2 <= 2.0:
        return GREATEST_PART * longest
    return min(SAFETY * math.sqrt(2.0 / curvature), GREATEST_PART * longest)


def _norm(values: NDArray[np.float64]) -> float:
    return math.sqrt(values.dot(values) / len(values))
