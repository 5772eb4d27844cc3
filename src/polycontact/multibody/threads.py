"""Whether several threads pay: waking them costs more than a light contact, and how much depends on the machine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

POOL = threading.Lock()
"""Numba's own pool of threads takes one caller at a time."""

_TRIALS = 4
_PERIOD = 256


class ThreadChoice:
    """Tries one thread and several in turns, then takes the quicker way for a while; both give the same bits."""

    def __init__(self) -> None:
        self._calls = 0
        self._spent = [0.0, 0.0]
        self._threaded = False

    def run(self, alone: Callable[[], T], threaded: Callable[[], T]) -> T:
        """Call one of two ways to do the same and return its result."""
        at = self._calls % _PERIOD
        self._calls += 1
        if at >= 2 * _TRIALS:
            return self._do(threaded) if self._threaded else alone()
        if at == 0:
            self._spent = [0.0, 0.0]
        way = at % 2
        begin = perf_counter()
        result = self._do(threaded) if way else alone()
        self._spent[way] += perf_counter() - begin
        self._threaded = self._spent[1] < self._spent[0]
        return result

    @staticmethod
    def _do(threaded: Callable[[], T]) -> T:
        with POOL:
            return threaded()
