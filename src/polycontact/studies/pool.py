"""Runs on one machine: a pool of worker processes, each led by a thread that hands it one run after the other.

The first worker makes a run alone, so that kernels are compiled and stored once, and not by every worker.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from polycontact.errors import StudyError
from polycontact.studies.one_run import WELL, RunRow, RunTask, StudyWork
from polycontact.studies.worker_process import TimeUpError, WorkerLostError, WorkerProcess

ALONE_SECONDS: Final = 10.0
"""How long the first worker goes on alone after the first step of its run: what a run needs is compiled by then."""

ALONE_RUNS: Final = 3
"""Runs after which the others start, also where none went well."""


class LocalPool:
    """Makes runs with ``workers`` processes on this machine."""

    def __init__(self, work: StudyWork, workers: int, time_limit: float | None, retries: int) -> None:
        self._work = work
        self._processes = [WorkerProcess(work) for _ in range(workers)]
        self._time_limit = time_limit
        self._retries = retries
        self._warm = threading.Event()
        self._stop = threading.Event()
        self._hand_out = threading.Lock()

    @property
    def n_workers(self) -> int:
        """How many runs go side by side."""
        return len(self._processes)

    def rows(self, tasks: Iterable[RunTask]) -> Iterator[RunRow]:
        """A row for each task, in the order in which they are done. Whoever stops early leaves no worker behind."""
        waiting = iter(tasks)
        done: queue.Queue[RunRow | Exception | None] = queue.Queue(maxsize=4 * self.n_workers)
        threads = [
            threading.Thread(target=self._lead, args=(process, waiting, done, i == 0), daemon=True)
            for i, process in enumerate(self._processes)
        ]
        for thread in threads:
            thread.start()
        left = len(threads)
        try:
            while left:
                item = done.get()
                if item is None:
                    left -= 1
                elif isinstance(item, Exception):
                    raise item
                else:
                    yield item
        finally:
            self._end(threads, done)

    def _end(self, threads: list[threading.Thread], done: queue.Queue[RunRow | Exception | None]) -> None:
        self._stop.set()
        self._warm.set()
        for process in self._processes:
            process.close()
        for thread in threads:
            while thread.is_alive():
                while not done.empty():  # who waits for room must see that it ends
                    done.get_nowait()
                thread.join(0.05)

    def _lead(
        self,
        process: WorkerProcess,
        waiting: Iterator[RunTask],
        done: queue.Queue[RunRow | Exception | None],
        is_first: bool,
    ) -> None:
        """Hand tasks to one process until there are none."""
        try:
            if not is_first:
                self._warm.wait()
            n = 0
            while not self._stop.is_set() and (task := self._next(waiting)) is not None:
                row = lasting_row(process, task, self._time_limit, self._retries, self._about_warm, self._stop)
                if row is None:
                    break
                done.put(row)
                n += 1
                if row.status in WELL or n >= ALONE_RUNS:
                    self._warm.set()
            done.put(None)
        except Exception as error:
            done.put(error)

    def _next(self, waiting: Iterator[RunTask]) -> RunTask | None:
        with self._hand_out:
            return next(waiting, None)

    def _about_warm(self) -> None:
        """The first run has made a step: the others start a little later, however long it takes."""
        if not self._warm.is_set():
            timer = threading.Timer(ALONE_SECONDS, self._warm.set)
            timer.daemon = True
            timer.start()


def lasting_row(
    process: WorkerProcess,
    task: RunTask,
    time_limit: float | None,
    retries: int,
    stepping: Callable[[], None] | None = None,
    stop: threading.Event | None = None,
) -> RunRow | None:
    """The row of a task: made again where its worker dies, ``retries`` times; None where the study ends meanwhile."""
    nothing = (math.nan,) * len(process.work.results)
    reason = ""
    for attempt in range(1, retries + 2):
        try:
            row = process.row(task, time_limit, stepping)
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
