"""Time series as a page holds them: 32-bit numbers in base64, thinned out where there are very many samples."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 3000
"""Points of a curve: more than pixels across a screen."""


class Thinning:
    """Keeps of each of many equal pieces of time the least and the greatest value, so that no peak is lost."""

    def __init__(self, times: NDArray[np.float64], most: int = MOST_POINTS) -> None:
        self._n = len(times)
        self._pieces = None
        self.times = times
        if self._n > most:
            bounds = np.linspace(0, self._n, most // 2 + 1).astype(np.int64)
            self._pieces = bounds
            ends = np.stack((times[bounds[:-1]], times[bounds[1:] - 1]), axis=1)
            self.times = ends.ravel()

    @property
    def is_thinned(self) -> bool:
        """Whether curves have fewer points than the run has samples."""
        return self._pieces is not None

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """``values``, one for each sample, thinned to those at `times`."""
        if self._pieces is None:
            return values
        starts = self._pieces[:-1]
        least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        rises = values[starts] <= values[self._pieces[1:] - 1]
        first, second = np.where(rises, least, greatest), np.where(rises, greatest, least)
        return np.stack((first, second), axis=1).ravel()


def encode(values: NDArray[np.float64]) -> str:
    """Base64 of the values as little-endian 32-bit floats; what is not finite becomes a gap."""
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")
