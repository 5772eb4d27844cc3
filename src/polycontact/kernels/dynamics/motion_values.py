"""Prescribed functions of time: value and its first two derivatives."""

from __future__ import annotations

import math
from typing import Any

from polycontact.kernels.dynamics.system_slots import (
    HARMONIC,
    MOTION_DATA,
    MOTIONS,
    N_MOTION_DATA,
    N_MOTIONS,
    POLYNOMIAL,
)
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import doubles, index_table
from polycontact.kernels.vectors import Vector


@kernel
def motion_at(s: Any, motion: int, t: float) -> Vector:
    """Value, rate and second derivative of a motion at time t."""
    table = index_table(s, MOTIONS, s[N_MOTIONS], 3)
    data = doubles(s, MOTION_DATA, s[N_MOTION_DATA])
    first = table[motion, 1]
    if table[motion, 0] == POLYNOMIAL:
        return (data[first] + t * data[first + 1], data[first + 1], 0.0)
    if table[motion, 0] == HARMONIC:
        amplitude, omega = data[first], data[first + 1]
        angle = omega * t + data[first + 2]
        swing = amplitude * math.sin(angle)
        return (data[first + 3] + swing, amplitude * omega * math.cos(angle), -omega * omega * swing)
    return _piecewise_cubic(data, first, table[motion, 2], t)


@kernel
def _piecewise_cubic(data: Any, first: int, n: int, t: float) -> Vector:
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
