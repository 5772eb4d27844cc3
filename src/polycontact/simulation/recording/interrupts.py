"""Ctrl-C and requests to end (SIGTERM): both interrupt a run, and neither while a file is written.

Ctrl-C comes from somebody who looks on: the run ends, and its caller gets what there is. A request to end is for the
whole program, mostly with nobody there: the run ends, its file is closed, and then the program does, unless it listens
to the request itself.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def uninterrupted(function: Callable[P, T]) -> Callable[P, T]:
    """Let interrupts wait until a call has returned. Other threads than the main one are never interrupted anyway."""

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        if threading.current_thread() is not threading.main_thread():
            return function(*arguments, **options)
        heard: list[tuple[int, FrameType | None]] = []
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
        for number in handlers:
            signal.signal(number, lambda number, frame: heard.append((number, frame)))
        try:
            return function(*arguments, **options)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for which, frame in heard[:1]:
                handler = handlers[signal.Signals(which)]
                assert callable(handler)
                handler(which, frame)

    return call


class EndRequested(KeyboardInterrupt):
    """A request to end was heard."""


@contextmanager
def interrupted_by_request() -> Iterator[list[int]]:
    """Let SIGTERM interrupt as Ctrl-C does, where nobody else listens to it; gives the list of requests heard."""
    heard: list[int] = []
    listens = threading.current_thread() is threading.main_thread()
    if not listens or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield heard
        return

    def interrupt(number: int, _: FrameType | None) -> None:
        heard.append(number)
        raise EndRequested

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def leaving_on_request() -> Iterator[None]:
    """Let SIGTERM interrupt what is inside, and then raise ``SystemExit`` with the status that shells have for it."""
    with interrupted_by_request() as heard:
        try:
            yield
        finally:
            if heard:
                raise SystemExit(128 + heard[0])
