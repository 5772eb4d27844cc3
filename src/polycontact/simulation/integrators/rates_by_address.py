"""dy/dt for compiled steps: the address of compiled rates, or of a function through which they call Python.

An error of a Python function cannot pass through compiled code. It is kept here, compiled code ends the step, and it is
raised when Python is in control again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.addresses import Interface, callback_of
from polycontact.kernels.stepping.difference_jacobian import Differences
from polycontact.kernels.stepping.equations import HELP, RAISED, RATES, Answer, Equations
from polycontact.simulation.weak_calls import weakly

Array = NDArray[np.float64]


class Raised:
    """A context in which compiled code may call Python functions that have been made by `callback`."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._hook: Any = None
        self._callbacks: list[Any] = []
        self._listener = weakly(self._hear)

    def callback(self, function: Callable[..., int], interface: Interface) -> int:
        """Address of code that calls a Python function; what that raises is kept, and `RAISED` returned."""
        kept, has_error = weakly(self._keep), weakly(self._has_error)

        def call(*arguments: Any) -> int:
            try:
                return RAISED if has_error() else int(function(*arguments))
            except BaseException as error:
                kept(error)
                return RAISED

        made, address = callback_of(call, interface)
        self._callbacks.append(made)
        return address

    def _has_error(self) -> bool:
        return self.error is not None

    def _keep(self, error: BaseException) -> None:
        self.error = self.error or error

    def __enter__(self) -> None:
        self.error = None
        self._hook, sys.unraisablehook = sys.unraisablehook, self._listener

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.unraisablehook, self._hook = self._hook, None

    def _hear(self, told: Any) -> None:
        """An interrupt that came just as a function was called, before it could be caught there."""
        if isinstance(told.exc_value, KeyboardInterrupt):
            self._keep(told.exc_value)
        else:
            self._hook(told)

    def raise_kept(self) -> None:
        """Raise what was kept, if anything."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error


class KnownJacobian(Protocol):
    """What knows df/dy in compiled code."""

    def prepare(
        self, equations: Equations, differences: Differences, raised: Raised, *, data_of_vector: int
    ) -> tuple[int, int, int]:
        """Addresses of a `JACOBIAN` of these equations, of what it needs and of `Blocks` that it writes.

        The last is 0 where it writes a dense matrix. ``differences``: its columns. ``raised``: where errors of Python
        functions are kept that it calls. ``data_of_vector``: address of the C
        function that finds the numbers of a vector, 0 where nothing can be solved by blocks.
        """


class RatesByAddress:
    """The `Equations` of an integrator.

    ``function``(t, y, out): Python's rates where ``entry`` is not the address of compiled ones; ``system``: address of
    what these evaluate; ``help``(what, t): what Python does in between; ``raised``: where errors are kept, which others
    may share; ``jacobian``: what knows df/dy, where that is known.
    """

    def __init__(
        self,
        n: int,
        n_influencing: int,
        function: Callable[[float, Array, Array], object],
        *,
        system: int = 0,
        entry: int = 0,
        help: Callable[[int, float], int] | None = None,
        n_watched: int = 0,
        raised: Raised | None = None,
        jacobian: KnownJacobian | None = None,
    ) -> None:
        self.jacobian = jacobian
        self.view = view = Equations()
        view.reserve(n=n, n_watched=n_watched)
        view.place, view.n_influencing, view.system = view.address, n_influencing, system
        self.raised = Raised() if raised is None else raised
        self._function, self._help = function, help
        self._states: dict[int, Array] = {}
        self._outs: dict[int, Array] = {}
        self.is_compiled = entry != 0
        view.entry = entry or self.raised.callback(weakly(self._find), RATES)
        view.help = self.raised.callback(weakly(self._do), HELP)

    def _find(self, system: int, t: float, y: int, out: int) -> int:
        """Rates dy/dt at t (s), asked of Python."""
        self._function(t, state_in(self._states, y, self.view.n), numbers_in(self._outs, out, self.view.n))
        return int(Answer.WELL)

    def _do(self, equations: int, what: int, t: float) -> int:
        return int(Answer.WELL) if self._help is None else self._help(what, t)


def numbers_in(known: dict[int, Array], address: int, n: int) -> Array:
    """The n numbers at an address: libraries use the same few over and over."""
    if address not in known:
        known[address] = np.ctypeslib.as_array((_DOUBLE * n).from_address(address))
    return known[address]


def state_in(known: dict[int, Array], address: int, n: int) -> Array:
    """The same, not to be written to."""
    numbers = numbers_in(known, address, n)
    numbers.flags.writeable = False
    return numbers


_DOUBLE: Any = np.ctypeslib.as_ctypes_type(np.float64)
