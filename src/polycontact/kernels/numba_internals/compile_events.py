"""Numba tells when it begins and ends to compile a function; `kernels/first_use/compile_notice.py` tells the user."""

from __future__ import annotations

from typing import Any, Protocol

from numba.core import event


class CompileListener(Protocol):
    """What wants to know. ``module``: of the function; ``kept``: whether its code goes to the cache."""

    def started(self, module: str, kept: bool) -> None:
        """A function is about to be compiled (nothing happens for one that comes from the cache)."""

    def ended(self, module: str, kept: bool) -> None:
        """The compilation that `started` announced has ended."""


class _Listener(event.Listener):
    def __init__(self, listener: CompileListener) -> None:
        self._listener = listener

    def on_start(self, event: Any) -> None:
        self._listener.started(*_facts(event))

    def on_end(self, event: Any) -> None:
        self._listener.ended(*_facts(event))


def _facts(event: Any) -> tuple[str, bool]:
    dispatcher = event.data["dispatcher"]
    return str(dispatcher.py_func.__module__), bool(dispatcher._cache.cache_path)


def listen(listener: CompileListener) -> None:
    """Tell a listener of every function that this process compiles from now on."""
    event.register("numba:compile", _Listener(listener))
