"""Code and numbers by address: what a row of slots can hold besides counts.

What is called by address is compiled apart: the caller compiles in no time and need not be compiled again with it.
With the JIT off the same functions work on Python's own objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from polycontact.kernels.numba_internals.address_code import (
    address_of_data,
    array_opener,
    caller_of,
    code_address,
    foreign_caller,
)
from polycontact.kernels.views import JIT_IS_OFF

_functions: list[Callable[..., int]] = []
"""Functions whose addresses were given away: they live as long as the process. With the JIT off, by "address"."""


def address_of(function: Any) -> int:
    """Address of the compiled code of an entry that takes and returns int64 only, for `call_method`,
    `call_law` and `call_search`."""
    _functions.append(function)
    if JIT_IS_OFF:
        return len(_functions)
    return code_address(function)


def _call_python(address: int, *arguments: int) -> int:
    return _functions[address - 1](*arguments)


class Interface(NamedTuple):
    """Arguments and result of a function that compiled code and C call each other by: "long", "int" or "double"."""

    result: str
    arguments: tuple[str, ...]

    @property
    def c_type(self) -> Any:
        """The type of such functions in ctypes."""
        return ctypes.CFUNCTYPE(_C_KINDS[self.result], *(_C_KINDS[each] for each in self.arguments))

    def caller(self) -> Any:
        """A function (address, arguments) that calls one, for kernels."""
        if not JIT_IS_OFF:
            return foreign_caller(self.result, *self.arguments)
        known: dict[int, Any] = {}

        def call(address: int, *arguments: Any) -> Any:
            if address not in known:
                known[address] = self.c_type(address)
            return known[address](*arguments)

        return call


_C_KINDS: dict[str, Any] = {"long": ctypes.c_int64, "int": ctypes.c_int, "double": ctypes.c_double}


@cache
def c_address_of(function: Any, interface: Interface) -> int:
    """Address of an entry with numbers as its arguments and its result, by which C or compiled code can call it."""
    if not JIT_IS_OFF:
        _functions.append(function)
        return code_address(function)
    called = interface.c_type(function)
    _functions.append(called)
    return ctypes.cast(called, ctypes.c_void_p).value or 0


def callback_of(function: Callable[..., int], interface: Interface) -> tuple[Any, int]:
    """What lets compiled code call a Python function, to be kept as long as it may, and its address."""
    made = interface.c_type(function)
    return made, ctypes.cast(made, ctypes.c_void_p).value or 0


def _array_in_python(kind: Any) -> Any:
    def open_array(address: int, n: int) -> Any:
        return np.ctypeslib.as_array((kind * int(n)).from_address(int(address)))

    return open_array


call_method: Any = _call_python if JIT_IS_OFF else caller_of(3)
"""``call_method(f, row, kinematics, wrench)``: call code (three int64 in, one out) whose address is f."""

call_law: Any = _call_python if JIT_IS_OFF else caller_of(2)
"""``call_law(f, row, law)``: call the stage of a law at address f with those of the evaluation and its LawPart."""

call_search: Any = _call_python if JIT_IS_OFF else caller_of(1)
"""``call_search(f, search)``: call the broad phase at address f with that of its `NearSearch`; how many it found."""

doubles_at: Any = _array_in_python(ctypes.c_double) if JIT_IS_OFF else array_opener(types.float64)
"""``doubles_at(address, n)``: (n,) float64 array at an address."""

ints_at: Any = _array_in_python(ctypes.c_int32) if JIT_IS_OFF else array_opener(types.int32)
"""``ints_at(address, n)``: (n,) int32 array at an address."""

bytes_at: Any = _array_in_python(ctypes.c_uint8) if JIT_IS_OFF else array_opener(types.uint8)
"""``bytes_at(address, n)``: (n,) uint8 array at an address."""

longs_at: Any = _array_in_python(ctypes.c_int64) if JIT_IS_OFF else array_opener(types.int64)
"""``longs_at(address, n)``: (n,) int64 array at an address."""

data_address: Any = (lambda array: array.ctypes.data) if JIT_IS_OFF else address_of_data
"""``data_address(array)``: where the numbers of a contiguous array begin."""
