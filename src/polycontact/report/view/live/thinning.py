"""Which samples of a run that goes on are frames of its page: a bounded number, spread over all that is done."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_FRAMES = 600
"""Frames of a page at most, as a page of a finished run has."""


def chosen_samples(load: NDArray[np.float64], most: int = MOST_FRAMES) -> NDArray[np.int64]:
    """Of samples with the given ``load`` (n,), say the contact force, at most ``most`` + 1, with the last.

    Samples are grouped by a power of two, and of each whole group the one with the greatest load is taken, else the
    first: as the run goes on groups become pairs of groups, so that a page only ever lets frames go, and takes new ones
    at the end.
    """
    n = len(load)
    if n == 0:
        return np.empty(0, dtype=np.int64)
    stride = 1
    while n // stride > most:
        stride *= 2
    whole = n - n % stride
    groups = load[:whole].reshape(-1, stride)
    taken = groups.argmax(axis=1) + stride * np.arange(len(groups))
    return np.union1d(taken, (n - 1,)).astype(np.int64)
