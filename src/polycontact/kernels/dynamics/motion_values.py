"""Prescribed functions of time: value and its first two derivatives."""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.dynamics_codes import MotionCode
from polycontact.kernels.dynamics.expression_values import expression_at
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.setup_views import Motions
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import kernel


@kernel
def motion_at(motions: Motions, motion: int, t: float) -> Vector:
    """Value, rate and second derivative of a motion at time t."""
    return function_at(motions, motion, t, 0.0, 0.0)


@kernel
def function_at(motions: Motions, motion: int, t: float, x: float, rate: float) -> Vector:
    """Value of a motion at time t, and its first two derivatives with time at constant x and rate.

    ``x``, ``rate``: coordinate and speed of a joint, at which expressions may look. Numbers of a polynomial: value at
    zero, rate; of a harmonic motion: amplitude, angular frequency, phase, offset; of an expression: its operations.
    """
    data, first, kind = motions.data, motions.first_number[motion], motions.kind[motion]
    if kind == MotionCode.POLYNOMIAL:
        return (data[first] + t * data[first + 1], data[first + 1], 0.0)
    if kind == MotionCode.HARMONIC:
        amplitude, omega = data[first], data[first + 1]
        angle = omega * t + data[first + 2]
        swing = amplitude * math.sin(angle)
        return (data[first + 3] + swing, amplitude * omega * math.cos(angle), -omega * omega * swing)
    if kind == MotionCode.EXPRESSION:
        return expression_at(data, first, motions.n_breaks[motion], t, x, rate)
    return _piecewise_cubic(data, first, motions.n_breaks[motion], t)


@kernel
def _piecewise_cubic(data: Array, first: int, n: int, t: float) -> Vector:
    """Cubic pieces between n breaks: breaks, then four coefficients a piece; held at both ends."""
    low, high = 0, n - 2
    if t < data[first]:
        return (data[first + n + 3], 0.0, 0.0)
    while low < high:
        middle = (low + high + 1) // 2
        if data[first + middle] <= t:
            low = middle
        else:
            high = middle - 1
    ends = t > data[first + n - 1]
    x = (data[first + n - 1] if ends else t) - data[first + low]
    k = first + n + 4 * low
    c3, c2, c1, c0 = data[k], data[k + 1], data[k + 2], data[k + 3]
    value = c0 + x * (c1 + x * (c2 + x * c3))
    if ends:
        return (value, 0.0, 0.0)
    return (value, c1 + x * (2.0 * c2 + x * 3.0 * c3), 2.0 * c2 + 6.0 * c3 * x)
