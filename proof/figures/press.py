"""What a run shows of a tool that presses on a plate: forces, height, way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HELD = (1.2, 1.6)
"""Time (s) during which the arm has come to rest at the depth to which it was sent, or slides there."""

VORTEX_LIMIT = 35
"""Iterations at most of the source's solver with multipliers, set by its developers."""


class Press(NamedTuple):
    """What a run shows of the tool: forces (n,) N, height over the plate and way along it (n,) m, over ``time`` (s)."""

    time: Array
    normal: Array
    tangential: Array
    height: Array
    along: Array

    @property
    def held(self) -> float:
        """Mean normal force while the arm presses, N; NaN where the run ended before."""
        return _mean(self.normal[self._pressed])

    @property
    def held_height(self) -> float:
        """Mean height of the tip over the plate meanwhile, m."""
        return _mean(self.height[self._pressed])

    @property
    def rubbed(self) -> float:
        """Mean ratio of tangential to normal force meanwhile."""
        return _mean(self.tangential[self._pressed] / np.maximum(self.normal[self._pressed], 1e-9))

    @property
    def slid(self) -> float:
        """Way along the plate meanwhile, m."""
        along = self.along[self._pressed]
        return float(np.ptp(along)) if len(along) else 0.0

    @property
    def touches(self) -> int:
        """How often the tool has come down."""
        return int(np.count_nonzero(np.diff((self.normal > 0.0).astype(int), prepend=0) > 0))

    @property
    def _pressed(self) -> NDArray[np.bool_]:
        return (self.time >= HELD[0]) & (self.time <= HELD[1])


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else float("nan")
