"""Runs of a study on one machine, by a pool of worker processes."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator

from polycontact.errors import StudyError
from polycontact.studies.one_run import WELL, RunRow, RunTask, StudyWork
from polycontact.workers.worker_pool import WorkerPool
from polycontact.workers.worker_process import TimeUpError, WorkerLostError, WorkerProcess


class LocalPool:
    """Makes runs with ``workers`` processes on this machine; each is killed where it takes longer than the limit, s."""

    def __init__(self, work: StudyWork, workers: int, time_limit: float | None, retries: int) -> None:
        self.n_workers = workers
        self._processes = [WorkerProcess(work, StudyError) for _ in range(workers)]
        self._n_results = len(work.results)
        self._time_limit = time_limit
        self._retries = retries
        self._pool = WorkerPool(self._processes, self._row, lambda row: row.status in WELL)

    def rows(self, tasks: Iterable[RunTask], *, last: bool = True) -> Iterator[RunRow]:
        """A row for each task, in the order in which they are done. Whoever stops early leaves no worker behind.

        ``last``: no other tasks follow, so that workers are let go at the end.
        """
        more = False
        try:
            yield from self._pool.rows(tasks)
            more = not last
        finally:
            if not more:
                self.close()

    def close(self) -> None:
        """Let the workers go; where they are gone already nothing happens."""
        self._pool.close()

    def _row(
        self, process: WorkerProcess, task: RunTask, stepping: Callable[[], None], stop: threading.Event
    ) -> RunRow | None:
        return lasting_row(process, task, self._n_results, self._time_limit, self._retries, stepping, stop)


def lasting_row(
    process: WorkerProcess,
    task: RunTask,
    n_results: int,
    time_limit: float | None,
    retries: int,
    stepping: Callable[[], None] | None = None,
    stop: threading.Event | None = None,
) -> RunRow | None:
    """The row of a task: made again where its worker dies, ``retries`` times; None where the study ends meanwhile."""
    nothing = (math.nan,) * n_results
    reason = ""
    for attempt in range(1, retries + 2):
        try:
            row: RunRow = process.answer(task, time_limit, stepping)
        except TimeUpError:
            assert time_limit is not None
            told = f"took longer than {time_limit:g} s and was killed"
            return RunRow(task.number, "timeout", told, nothing, seconds=time_limit, attempts=attempt)
        except WorkerLostError as error:
            if stop is not None and stop.is_set():
                return None
            reason = str(error)
        else:
            if row.status == "no space":
                raise StudyError(f"run {task.number}: {row.message}; make room and start the study again: it goes on")
            return row._replace(attempts=attempt)
    told = f"{reason}, {retries + 1} time{'s' if retries else ''}"
    return RunRow(task.number, "lost", told, nothing, attempts=retries + 1)
