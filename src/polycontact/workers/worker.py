"""A worker process: work and tasks come in through its standard input, answers go out through its output.

Its own process, so that a task that hangs can be killed and one that crashes costs nothing but itself. It ends when its
input ends, also in the middle of a task: no worker outlives who started it.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import runpy
import signal
import struct
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, BinaryIO, Final, NamedTuple, Protocol

LENGTH: Final = struct.Struct("<Q")


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message: its pickled length, then the pickled message itself."""
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


Answering = Callable[[Any, Callable[[], None]], Any]
"""From a task to its answer; what it is given besides is to be called after a first step, which shows that it runs."""

_is_worker = False


class Work(Protocol):
    """What all tasks of a worker share; it is pickled."""

    def begin(self) -> Answering:
        """Make ready, in the worker."""


class Script(NamedTuple):
    """The script whose functions the work refers to: a ``module`` that was run with -m, or a ``path``."""

    module: str
    path: str

    def load(self) -> None:
        """Run the script under another name, so that what is below ``if __name__ == "__main__":`` is left out."""
        if self.module:
            content = runpy.run_module(self.module, run_name="__mp_main__", alter_sys=True)
        else:
            content = runpy.run_path(self.path, run_name="__mp_main__")
        main = ModuleType("__mp_main__")
        main.__dict__.update(content)
        sys.modules["__main__"] = sys.modules["__mp_main__"] = main


def is_worker() -> bool:
    """Whether this process is a worker."""
    return _is_worker


def main() -> None:
    """Take work and tasks, answer them, until the input ends."""
    global _is_worker
    _is_worker = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one, and ends it
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # otherwise a run would end as if it had been stopped
    tasks, answers = _own_streams()
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_take, args=(tasks, waiting), daemon=True).start()

    from polycontact.version import __version__
    from polycontact.workers.rare_collections import rare_collections

    send(answers, ("ready", __version__))
    with rare_collections():
        _answer_tasks(answers, waiting)


def _answer_tasks(answers: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    """Make the work ready, then answer task after task."""
    answer = _begun(*waiting.get())
    send(answers, ("begun",))
    told = False
    is_first = True

    def stepping() -> None:
        nonlocal told
        if not told:
            told = True
            send(answers, ("stepping",))

    while True:
        task = waiting.get()
        try:
            send(answers, ("done", answer(task, stepping)))
        except BrokenPipeError:
            os._exit(0)
        _free_memory(is_first)
        is_first = False


def _begun(script: Script | None, work: bytes) -> Answering:
    """The work made ready; where it cannot be loaded here the process says why and ends."""
    try:
        if script is not None:
            script.load()
        begun: Answering = pickle.loads(work).begin()
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(3)
    return begun


def _free_memory(is_first: bool) -> None:
    """Collect what a task has left, whose parts refer to each other: those of hundreds would be kept otherwise.

    What outlasts the first task, modules and kernels, is not looked at again: that would take 100 ms instead of 2.
    """
    gc.collect()
    if is_first:
        gc.freeze()


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for messages alone: whatever prints, prints to the standard error stream."""
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return tasks, answers


def _take(tasks: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    """Hand on what comes in; where nothing comes any more the process ends at once."""
    try:
        while True:
            waiting.put(receive(tasks))
    except EOFError:
        os._exit(0)
    except Exception as error:  # a task that cannot be loaded here
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(3)


if __name__ == "__main__":
    main()
