"""Turns: rotation vectors (rad), and quaternions (w, x, y, z), outside compiled code."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import to_quaternion

Array = NDArray[np.float64]


def turn_between(start: Array, end: Array) -> Array:
    """Rotation vector (3,) in the world's axes, rad, that takes one rotation matrix to another; at most π long."""
    w, *axis = to_quaternion(end @ start.T)
    vector = np.array(axis)
    sine = float(np.linalg.norm(vector))
    if sine < 1e-12:  # the angle is twice the sine, to rounding
        return 2.0 * vector
    return (2.0 * math.atan2(sine, float(w)) / sine) * vector


def quaternion_of_turn(turn: Array) -> Array:
    """Unit quaternion of a rotation vector (3,), rad."""
    angle = float(np.linalg.norm(turn))
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) / angle * turn)])


def quaternion_product(a: Array, b: Array) -> Array:
    """The turn b, then the turn a, as a unit quaternion."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    product = np.array([w, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])
    return np.asarray(product / np.linalg.norm(product))
