"""Code and numbers by address: what a row of slots can hold besides counts.

What is called by address is compiled apart: the caller compiles in no time and need not be compiled again with it.
With the JIT off the same functions work on Python's own objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from polycontact.kernels.numba_internals.address_code import address_of_data, array_opener, caller_of, code_address
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

data_address: Any = (lambda array: array.ctypes.data) if JIT_IS_OFF else address_of_data
"""``data_address(array)``: where the numbers of a contiguous array begin."""
