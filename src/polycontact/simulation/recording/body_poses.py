"""Poses of all bodies at any time: between two samples positions go straight, rotations at constant speed (slerp)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import from_quaternion
from polycontact.wording import short_repr

ALMOST_PARALLEL = 1e-8
"""Angle (rad) below which slerp is linear, as its formula divides by the sine; the error is the angle cubed."""


@dataclass(frozen=True, eq=False, repr=False)
class Poses:
    """Poses of all bodies at ``time`` (s), in the order of ``bodies``.

    ``position`` (…, nb, 3) m and ``quaternion`` (…, nb, 4), in the world; … is the shape of ``time``.
    """

    bodies: tuple[str, ...]
    time: NDArray[np.float64]
    position: NDArray[np.float64]
    quaternion: NDArray[np.float64]

    __repr__ = short_repr

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Rotation matrices, (…, nb, 3, 3)."""
        return from_quaternion(self.quaternion)


def slerp(a: NDArray[np.float64], b: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit quaternion on the shorter way from ``a`` to ``b`` (…, 4); ``share`` (…, 1) from 0 to 1."""
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)  # q and -q are the same rotation
    half = np.linalg.norm(b - a, axis=-1, keepdims=True) / 2
    angle = 2 * np.arcsin(np.minimum(half, 1.0))
    is_small = angle < ALMOST_PARALLEL
    sine = np.where(is_small, 1.0, np.sin(angle))
    first = np.where(is_small, 1 - share, np.sin((1 - share) * angle) / sine)
    second = np.where(is_small, share, np.sin(share * angle) / sine)
    result = first * a + second * b
    return np.asarray(result / np.linalg.norm(result, axis=-1, keepdims=True))
