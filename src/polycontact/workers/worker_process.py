"""The handle of a worker process: a task goes in, an answer comes out, or the worker is dead and the reason known."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, Final

from polycontact.errors import PolycontactError
from polycontact.version import __version__
from polycontact.workers.worker import Script, Work, is_worker, receive, send

START_SECONDS: Final = 300.0
"""Longest time in which a worker must have started; it takes seconds, on a laden machine longer."""

COMPILING_SECONDS: Final = 900.0
"""Time that the first task of a process may take besides for its first step: kernels are compiled or loaded."""

LOADING_SECONDS: Final = 60.0
"""Time that it may take besides after its first step: some kernels are needed later only."""

STARTS: Final = 3
"""Attempts to start a process."""

MOST_NOISE: Final = 1 << 20
"""Bytes that a worker may have printed before they are dropped."""

ONE_THREAD: Final = {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
"""A task has one thread: as many tasks as there are cores go side by side."""


class TimeUpError(Exception):
    """The task took longer than allowed; its worker was killed."""


class WorkerLostError(Exception):
    """The worker died during a task."""


class WorkerProcess:
    """Starts a process when it is first needed, and again after it died. Not for several threads at once.

    ``failure``: the error where no process can be started; ``script``: the one whose functions the work refers to.
    """

    def __init__(self, work: Work, failure: type[PolycontactError], script: Script | None = None) -> None:
        if is_worker():
            words = "in a script, make the call below 'if __name__ == \"__main__\":'"
            raise failure(f"a worker process starts no workers of its own; {words}")
        self.work = work
        self._failure = failure
        self._script = script
        self._process: subprocess.Popen[bytes] | None = None
        self._noise: BinaryIO | None = None
        self._is_fresh = True
        self._closed = False

    def answer(self, task: Any, time_limit: float | None, stepping: Callable[[], None] | None = None) -> Any:
        """The answer to a task; raises `TimeUpError`, `WorkerLostError`, or the failure where no worker can start."""
        process = self._started()
        watch = _Watch(process)
        try:
            watch.begin(time_limit, COMPILING_SECONDS if self._is_fresh else 0.0)
            _send(process, task)
            while (reply := _receive(process)) == ("stepping",):
                watch.begin(time_limit, LOADING_SECONDS)  # it has made its first step
                if stepping is not None:
                    stepping()
        except (EOFError, OSError) as error:
            reason = self._end()
            if watch.struck:
                raise TimeUpError from None
            raise WorkerLostError(reason) from error
        finally:
            watch.stop()
        self._is_fresh = False
        self._drop_noise()
        _, answer = reply
        return answer

    def close(self) -> None:
        """Kill the process; it holds nothing that is worth an end of its own."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        for _ in range(STARTS):
            if self._closed:
                raise WorkerLostError("its pool ends")
            reason = self._start()
            if self._process is not None:
                return self._process
        raise self._failure(f"a worker process could not be started: {reason}")

    def _start(self) -> str:
        """Try to start a process; returns why it could not be."""
        self._noise = tempfile.TemporaryFile("ab+")  # noqa: SIM115 - it lives as long as the worker
        start = f"import sys; sys.path[:] = {sys.path!r}; from polycontact.workers.worker import main; main()"
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._noise,
                env={**os.environ, **ONE_THREAD},
            )
        except OSError as error:
            return str(error)
        self._process, self._is_fresh = process, True
        watch = _Watch(process)
        try:
            watch.begin(START_SECONDS)
            _, version = _receive(process)
            if version != __version__:
                self.close()
                raise self._failure(
                    f"a worker has polycontact {version}, this process {__version__}; install the same version"
                )
            _send(process, (self._script, pickle.dumps(self.work, pickle.HIGHEST_PROTOCOL)))
            _receive(process)  # the work is ready there
        except (EOFError, OSError):
            return self._end()
        finally:
            watch.stop()
        return ""

    def _end(self) -> str:
        """Let go of a process that has died, and say how it did."""
        process, self._process = self._process, None
        assert process is not None
        process.kill()
        code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
        said = self._last_words()
        return f"its worker process {how}{f': {said}' if said else ''}"

    def _last_words(self) -> str:
        """The last line that the worker printed."""
        if self._noise is None:
            return ""
        size = self._noise.seek(0, os.SEEK_END)
        self._noise.seek(max(0, size - 2000))
        lines = self._noise.read().decode("utf-8", "replace").strip().splitlines()
        self._noise.close()
        self._noise = None
        return lines[-1].strip()[:200] if lines else ""

    def _drop_noise(self) -> None:
        if self._noise is not None and os.fstat(self._noise.fileno()).st_size > MOST_NOISE:
            self._noise.truncate(0)


class _Watch:
    """Kills a process after a time, unless stopped before."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.struck = False
        self._process = process
        self._timer: threading.Timer | None = None

    def begin(self, seconds: float | None, besides: float = 0.0) -> None:
        """Count anew; None: for ever."""
        self.stop()
        if seconds is not None:
            self._timer = threading.Timer(seconds + besides, self._strike)
            self._timer.daemon = True
            self._timer.start()

    def _strike(self) -> None:
        self.struck = True
        self._process.kill()

    def stop(self) -> None:
        """Cancel the timer, so that nothing happens when the time is over."""
        if self._timer is not None:
            self._timer.cancel()


def _send(process: subprocess.Popen[bytes], message: Any) -> None:
    assert process.stdin is not None
    send(process.stdin, message)  # type: ignore[arg-type]


def _receive(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    return receive(process.stdout)  # type: ignore[arg-type]
