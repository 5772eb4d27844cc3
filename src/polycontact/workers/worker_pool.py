"""A pool of worker processes, each led by a thread that hands it one task after the other.

The first worker answers a task alone where asked for, so that kernels are compiled once, not by every worker.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Final, Generic, TypeVar

from polycontact.workers.worker_process import WorkerProcess

Task = TypeVar("Task")
Row = TypeVar("Row")

ALONE_SECONDS: Final = 10.0
"""How long the first worker goes on alone after the first step of its task: what it needs is compiled by then."""

ALONE_TASKS: Final = 3
"""Tasks after which the others start, also where none went well."""


class WorkerPool(Generic[Task, Row]):
    """Hands tasks to processes.

    ``answer`` has a process do a task; it is given what to call after the first step, and an event that is set where
    the pool ends: it then returns None. ``is_well``: of a row, whether the first worker needs to be alone no more; None
    where all start together.
    """

    def __init__(
        self,
        processes: Sequence[WorkerProcess],
        answer: Callable[[WorkerProcess, Task, Callable[[], None], threading.Event], Row | None],
        is_well: Callable[[Row], bool] | None = None,
    ) -> None:
        self._processes = processes
        self._answer = answer
        self._is_well = is_well
        self._warm = threading.Event()
        if is_well is None:
            self._warm.set()
        self._stop = threading.Event()
        self._hand_out = threading.Lock()

    def rows(self, tasks: Iterable[Task]) -> Generator[Row, None, None]:
        """A row for each task, in the order in which they are done. Whoever stops early closes the pool."""
        waiting = iter(tasks)
        done: queue.Queue[tuple[Row | None, Exception | None]] = queue.Queue(maxsize=4 * len(self._processes))
        threads = [
            threading.Thread(target=self._lead, args=(process, waiting, done, i == 0), daemon=True)
            for i, process in enumerate(self._processes)
        ]
        for thread in threads:
            thread.start()
        left = len(threads)
        try:
            while left:
                row, error = done.get()
                if error is not None:
                    raise error
                if row is None:
                    left -= 1
                else:
                    yield row
        finally:
            if left:
                self.close()
            for thread in threads:
                while thread.is_alive():
                    while not done.empty():  # who waits for room must see that it ends
                        done.get_nowait()
                    thread.join(0.05)

    def close(self) -> None:
        """End all processes, whatever they are at."""
        self._stop.set()
        self._warm.set()
        for process in self._processes:
            process.close()

    def _lead(
        self,
        process: WorkerProcess,
        waiting: Iterator[Task],
        done: queue.Queue[tuple[Row | None, Exception | None]],
        is_first: bool,
    ) -> None:
        """Hand tasks to one process until there are none."""
        try:
            if not is_first:
                self._warm.wait()
            n = 0
            while not self._stop.is_set():
                with self._hand_out:
                    task = next(waiting, None)
                if task is None:
                    break
                row = self._answer(process, task, self._about_warm, self._stop)
                if row is None:
                    break
                done.put((row, None))
                n += 1
                if n >= ALONE_TASKS or (self._is_well is not None and self._is_well(row)):
                    self._warm.set()
            done.put((None, None))
        except Exception as error:
            done.put((None, error))

    def _about_warm(self) -> None:
        """The first task has made a step: the others start a little later, however long it takes."""
        if not self._warm.is_set():
            timer = threading.Timer(ALONE_SECONDS, self._warm.set)
            timer.daemon = True
            timer.start()
