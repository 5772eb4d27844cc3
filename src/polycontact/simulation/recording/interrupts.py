"""Ctrl-C while a file is written: the write is finished first, then the interrupt is heard."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def uninterrupted(function: Callable[P, T]) -> Callable[P, T]:
    """Let Ctrl-C wait until a call has returned. Other threads than the main one are never interrupted anyway."""

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(handler):
            return function(*arguments, **options)
        heard: list[tuple[int, FrameType | None]] = []
        signal.signal(signal.SIGINT, lambda number, frame: heard.append((number, frame)))
        try:
            return function(*arguments, **options)
        finally:
            signal.signal(signal.SIGINT, handler)
            if heard:
                handler(*heard[0])

    return call
