"""How a study tells where it stands: runs done and failed, workers, and the time that is left."""

from __future__ import annotations

import time
from dataclasses import dataclass

from polycontact.simulation.progress_line import duration_words


@dataclass(frozen=True)
class StudyProgress:
    """Where a study stands: ``done`` of ``total`` runs, ``failed`` among them; ``seconds_left`` None where unknown."""

    done: int
    total: int
    failed: int
    workers: int
    seconds_left: float | None

    def words(self) -> str:
        """The progress as text: runs done, runs failed and the time left."""
        parts = [f"{self.done} of {self.total} runs"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.workers == 0 and self.done < self.total:
            parts.append("no worker yet")
        elif self.seconds_left is not None and self.done < self.total:
            parts.append(f"{duration_words(self.seconds_left)} left")
        return ", ".join(parts)


class ProgressClock:
    """Counts runs and estimates the rest from those of this session."""

    def __init__(self, total: int, done: int, failed: int) -> None:
        self.total, self.done, self.failed = total, done, failed
        self._before = done
        self._first: float | None = None

    def count(self, *, well: bool) -> None:
        """Count a run that has ended; ``well`` if it has results."""
        self.done += 1
        self.failed += not well
        if self._first is None:  # the first one may have compiled kernels: it tells nothing of the rest
            self._first, self._before = time.monotonic(), self.done

    def now(self, workers: int) -> StudyProgress:
        """Progress of the study; the time left is None until two runs have ended."""
        counted = self.done - self._before
        left = None
        if self._first is not None and counted > 0:
            left = (time.monotonic() - self._first) * (self.total - self.done) / counted
        return StudyProgress(self.done, self.total, self.failed, workers, left)
