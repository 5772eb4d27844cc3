"""A process that makes runs of a study: tasks come in through its standard input, rows go out through its output.

Its own process, so that a run that hangs can be killed and one that crashes costs nothing but itself. It ends when its
input ends, also in the middle of a run: no worker outlives who started it.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import struct
import sys
import threading
from typing import Any, BinaryIO, Final

LENGTH: Final = struct.Struct("<Q")


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; raises `EOFError` where the other side has ended."""
    head = _exactly(stream, LENGTH.size)
    return pickle.loads(_exactly(stream, LENGTH.unpack(head)[0]))


def _exactly(stream: BinaryIO, n: int) -> bytes:
    data = stream.read(n)
    if len(data) < n:
        raise EOFError
    return data


def main() -> None:
    """Take work and tasks, answer with rows, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the study, which ends its workers
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # otherwise the run would end as if it had been stopped
    tasks, rows = _own_streams()
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_take, args=(tasks, waiting), daemon=True).start()

    from polycontact.studies.one_run import Runner, StudyWork
    from polycontact.version import __version__

    send(rows, ("ready", __version__))
    runner: Runner | None = None
    told = False
    is_first = True

    def stepping() -> None:
        nonlocal told
        if not told:
            told = True
            send(rows, ("stepping",))

    while True:
        message = waiting.get()
        try:
            if isinstance(message, StudyWork):
                runner = Runner(message)
            else:
                assert runner is not None
                send(rows, runner.row(message, stepping))
                _free_memory(is_first)
                is_first = False
        except BrokenPipeError:
            os._exit(0)


def _free_memory(is_first: bool) -> None:
    """Collect what a run has left, whose parts refer to each other: runs of hundreds would be kept otherwise.

    What outlasts the first run, modules and kernels, is not looked at again: that would take 100 ms instead of 2.
    """
    gc.collect()
    if is_first:
        gc.freeze()


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for messages alone: whatever prints, prints to the standard error stream."""
    tasks, rows = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return tasks, rows


def _take(tasks: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    """Hand on what comes in; where nothing comes any more the process ends at once."""
    try:
        while True:
            waiting.put(receive(tasks))
    except EOFError:
        os._exit(0)
    except Exception as error:  # a function that cannot be loaded here
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(3)


if __name__ == "__main__":
    main()
