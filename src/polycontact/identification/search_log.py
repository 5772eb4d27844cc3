"""What a search has tried: runs and failures counted, the best point kept, progress told with the time left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from polycontact.identification.trial_pool import Outcome

Array = NDArray[np.float64]

MOST_REASONS = 5
"""Different reasons of failed runs that are kept."""


class SearchEndedError(Exception):
    """No more runs: as many as allowed were made."""


@dataclass(frozen=True)
class IdentifyProgress:
    """Where an identification stands.

    ``phase``: "start", "search" or "intervals"; ``runs`` so far of about ``expected``; ``cost``: the least sum of
    squared residuals so far, halved; ``seconds_left``: estimated from what runs took, None before there were any.
    """

    phase: str
    runs: int
    expected: int
    failed: int
    cost: float
    seconds_left: float | None


@dataclass(frozen=True)
class HistoryEntry:
    """The least cost, half the sum of squared residuals, after a number of runs.

    ``weighing`` counts how often standard deviations were estimated anew: costs before and after cannot be compared.
    """

    runs: int
    cost: float
    phase: str
    weighing: int


class SearchLog:
    """Counts runs, keeps the best point, and tells ``progress``."""

    def __init__(self, max_runs: int, progress: Callable[[IdentifyProgress], None] | None) -> None:
        self.max_runs = max_runs
        self.runs = 0
        self.recorded = 0
        """Runs that were not made, but taken from a record."""
        self.failed = 0
        self.first_curves: tuple[Array, ...] = ()
        """Curves of the first run that went well: that at the start values, as a rule."""
        self.reasons: list[str] = []
        self.history: list[HistoryEntry] = []
        self.phase = "start"
        self.expected = 0
        self.best_cost = float("inf")
        self.best_point: Array | None = None
        self.best_curves: tuple[Array, ...] = ()
        self._weighing = 0
        self._progress = progress
        self._begin = perf_counter()

    def allow(self, n: int) -> None:
        """Refuse ``n`` more runs where that would be too many."""
        if self.runs + n > self.max_runs:
            raise SearchEndedError(f"the {self.max_runs} runs that are allowed were not enough; raise max_runs")

    def note(self, outcome: Outcome) -> None:
        """Count a run that has ended, keep the reason if it failed, and report the progress."""
        self.runs += 1
        self.recorded += outcome.known
        if not self.first_curves and outcome.curves is not None:
            self.first_curves = outcome.curves
        if outcome.curves is None:
            self.failed += 1
            if outcome.failed not in self.reasons and len(self.reasons) < MOST_REASONS:
                self.reasons.append(outcome.failed)
        self.tell()

    def tell(self) -> None:
        """Report the runs so far, the least cost and the time left (s) to the progress function."""
        if self._progress is None:
            return
        expected = max(self.expected, self.runs)
        taken = perf_counter() - self._begin
        made = self.runs - self.recorded
        left = taken * (expected - self.runs) / made if made else None
        self._progress(IdentifyProgress(self.phase, self.runs, expected, self.failed, self.best_cost, left))

    def compare(self, point: Array, cost: float, curves: tuple[Array, ...], run: int) -> None:
        """Keep the best point so far, up to the intervals; ``run``: number of its run, from 1."""
        if cost < self.best_cost and self.phase != "intervals":
            self.best_cost, self.best_point, self.best_curves = cost, point.copy(), curves
            self.history.append(HistoryEntry(run, cost, self.phase, self._weighing))

    def forget_costs(self) -> None:
        """Residuals count otherwise from now on: costs so far cannot be compared with later ones."""
        self.best_cost = float("inf")
        self._weighing += 1
