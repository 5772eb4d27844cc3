"""Polygons in the plane, m."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
L_SHAPE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])
ARROW = np.array([[0.0, 0.0], [2.0, -1.0], [1.2, 0.0], [2.0, 1.0]])


def circle(n: int, radius: float = 1.0) -> NDArray[np.float64]:
    angle = 2.0 * math.pi * np.arange(n) / n
    return radius * np.stack((np.cos(angle), np.sin(angle)), axis=1)
