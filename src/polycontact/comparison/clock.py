"""The clock of the benchmark: CPU time of this thread, less what reading the clock costs."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

COARSEST_STEP = 20_000
"""Largest step of a usable CPU clock, ns; where it is coarser (15 ms on Windows), wall time is better."""


class Clock:
    """Times calls in µs, by thread CPU time where its steps are fine enough and by wall time elsewhere."""

    def __init__(self) -> None:
        self.name = "thread CPU time"
        self._now: Callable[[], int] = time.thread_time_ns
        if _smallest_step(time.thread_time_ns) > COARSEST_STEP:
            self.name = "wall time"
            self._now = time.perf_counter_ns
        self.step = 1e-3 * _smallest_step(self._now)
        self._cost = 0.0
        self._cost = statistics.median(self.time([_nothing])[0] for _ in range(2001))

    def time(self, calls: Sequence[Callable[[], T]]) -> tuple[float, list[T]]:
        """Mean time of one of ``calls``, each made once, µs, and what they returned."""
        now = self._now
        start = now()
        results = [call() for call in calls]
        stop = now()
        return (1e-3 * (stop - start) - self._cost) / len(calls), results


def _nothing() -> None:
    pass


def _smallest_step(now: Callable[[], int]) -> int:
    """Smallest step that a clock is seen to make, ns."""
    smallest = COARSEST_STEP * 1000
    for _ in range(50):
        start = now()
        limit = time.perf_counter_ns() + 2 * COARSEST_STEP
        stop = now()
        while stop == start and time.perf_counter_ns() < limit:
            stop = now()
        if stop > start:
            smallest = min(smallest, stop - start)
    return smallest


@contextmanager
def no_collection() -> Iterator[None]:
    """Without garbage collection, which would hit whoever happens to run."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
