"""Methods that are handed to others without keeping their object alive.

An object that owns a solver which calls one of its methods back would be part of a cycle, and with it all memory of a
run. Python takes cycles away seldom, and the less often the more objects a program has: hundreds of runs would stay in
memory meanwhile.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def weakly(method: Callable[P, R]) -> Callable[P, R]:
    """A function that calls the method of an object while that lives, as it does while it owns who calls."""
    reference, name = weakref.WeakMethod(method), method.__name__

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = reference()
        if bound is None:
            raise ReferenceError(f"{name} is called after the end of its object")
        return bound(*args, **kwargs)

    call.__name__ = name
    call.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]  # solvers count arguments by it
    return call


def take_apart(solver: Any) -> None:
    """Let go of all that a solver of SciPy holds: its functions hold it in turn."""
    if solver is not None:
        vars(solver).clear()
