"""Whether several threads pay: waking them costs more than a light contact, and how much depends on the machine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

POOL = threading.Lock()
"""Numba's own pool of threads takes one caller at a time."""

_TRIAL_CALLS = 4
"""Calls of each way in a trial; the slowest of each is not counted: something else may have had the processor."""

_LARGEST_TIME_RATIO = 0.9
"""Several threads must take less than this part of the time of one: they take more of the processors in any case."""

_SHORTEST, _LONGEST = 256, 8192
"""Calls from one trial to the next. Where threads lose again and again, trials become rare, each twice as far away as
the last: so they cost next to nothing where they are of no use."""

_WATCHED_CALLS = 16
"""Calls in several threads after which they are compared with the trial, so that a machine that becomes busy shows."""


class ThreadChoice:
    """Tries one thread and several in turns, then takes the quicker way for a while; both give the same bits."""

    def __init__(self) -> None:
        self._until_trial = 0
        self._period = _SHORTEST
        self._times: tuple[list[float], list[float]] = ([], [])
        self._alone = 0.0
        self._threaded = False
        self._watched: list[float] = []

    def run(self, alone: Callable[[], T], threaded: Callable[[], T]) -> T:
        """Call one of two ways to do the same and return its result."""
        if self._until_trial > 0:
            self._until_trial -= 1
            return self._watch(threaded) if self._threaded else alone()
        way = len(self._times[0]) > len(self._times[1])
        begin = perf_counter()
        result = self._do(threaded) if way else alone()
        self._times[way].append(perf_counter() - begin)
        if len(self._times[1]) == _TRIAL_CALLS:
            self._decide()
        return result

    def _decide(self) -> None:
        """The way to go until the next trial, and when that is."""
        self._alone, several = (_usual(times) for times in self._times)
        self._threaded = several < _LARGEST_TIME_RATIO * self._alone
        self._period = _SHORTEST if self._threaded else min(2 * self._period, _LONGEST)
        self._until_trial = self._period
        self._times, self._watched = ([], []), []

    def _watch(self, threaded: Callable[[], T]) -> T:
        """Call the way in several threads; one thread takes over where it has become the slower one by far."""
        begin = perf_counter()
        result = self._do(threaded)
        self._watched.append(perf_counter() - begin)
        if len(self._watched) == _WATCHED_CALLS:
            if sum(self._watched) > 2.0 * _WATCHED_CALLS * self._alone:
                self._threaded = False
                self._until_trial = self._period = min(2 * self._period, _LONGEST)
            self._watched = []
        return result

    @staticmethod
    def _do(threaded: Callable[[], T]) -> T:
        with POOL:
            return threaded()


def _usual(times: list[float]) -> float:
    """Mean time of a call without the slowest one, s."""
    return (sum(times) - max(times)) / (len(times) - 1)
