"""Functions that do the same to four things at once: written once with lanes, made of the code that is chosen here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types

from polycontact.kernels.lanes import PlainCode
from polycontact.kernels.numba_internals.lane_code import Instructions, VectorCode, lane_function
from polycontact.kernels.views import JIT_IS_OFF

CHOSEN: type[Instructions] = VectorCode
"""What compiled kernels are made of: the one place where it is chosen."""


class FourAtOnce:
    """A function written with lanes, and its twins; ``chosen`` is what kernels call."""

    def __init__(self, body: Callable[..., Any], joined: bool, result: Any) -> None:
        self._body, self._joined, self._result = body, joined, result
        self.chosen = self.plain if JIT_IS_OFF else self.compiled(CHOSEN)

    @property
    def n_arguments(self) -> int:
        """How many arguments it takes."""
        return len(inspect.signature(self._body).parameters) - 1

    def plain(self, *arguments: Any) -> Any:
        """Run the body in Python on plain numbers, for tests and without the JIT."""
        return self._body(PlainCode(), *arguments)

    def compiled(self, kind: type[Instructions]) -> Any:
        """For compiled callers, made of ``kind``."""
        return lane_function(self._body, kind, self._joined, self._result)


def four_at_once(*, joined: bool = False, result: Any = types.int64) -> Callable[[Callable[..., Any]], FourAtOnce]:
    """Make a function of a body (code, arguments …) that is written with `Lanes`.

    The body returns the bits of a test, or writes and returns None (``result`` types.void).
    """

    def decorate(body: Callable[..., Any]) -> FourAtOnce:
        return FourAtOnce(body, joined, result)

    return decorate
