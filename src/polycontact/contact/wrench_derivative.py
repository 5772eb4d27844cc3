"""How the wrench of a contact changes with the relative motion, by central differences of evaluations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Evaluation = Callable[[Array, Array, Array, Array], Array]
"""Wrench (6,) at rotation, position, velocity and angular velocity of F in E."""

_RELATIVE_STEP = float(np.finfo(np.float64).eps) ** (1.0 / 3.0)
"""Step relative to the size of what is varied: there the errors of central differences and of rounding are alike."""

_LEAST_SPEED_SCALE = 1.0
"""Velocities (m/s) are varied by a part of this at least: microns a second, far below where friction sets in."""


def difference_wrench(evaluate: Evaluation, R: Array, r: Array, v: Array, w: Array, size: float) -> Array:
    """Derivative (6, 12) of the wrench, as `ContactPairing.wrench_derivative` explains; ``size`` of the bodies, m."""
    at_speed = _RELATIVE_STEP * max(_LEAST_SPEED_SCALE, float(np.abs(v).max()), size * float(np.abs(w).max()))
    steps = np.repeat([_RELATIVE_STEP * size, _RELATIVE_STEP, at_speed, at_speed / size], 3)
    columns = []
    for k, step in enumerate(steps.tolist()):
        ends = []
        for sign in (1.0, -1.0):
            change = np.zeros((4, 3))
            change.flat[k] = sign * step
            turned = _rotation(change[1]) @ R
            ends.append(np.array(evaluate(turned, r + change[0], v + change[2], w + change[3])))
        columns.append((ends[0] - ends[1]) / (2.0 * step))
    return np.column_stack(columns)


def _rotation(vector: Array) -> Array:
    """Rotation (3, 3) about a vector by its length (rad), by Rodrigues' formula."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)
