"""Code and numbers by address: what a row of slots can hold besides counts.

What is called by address is compiled apart: the caller compiles in no time and need not be compiled again with it.
With the JIT off the same functions work on Python's own objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from polycontact.kernels.views import JIT_IS_OFF, intrinsic_of

_functions: list[Callable[..., int]] = []
"""Functions whose addresses were given away: they live as long as the process. With the JIT off, by "address"."""


def address_of(function: Any) -> int:
    """Address of the compiled code of an entry that takes and returns int64 only, for `call_method`,
    `call_law` and `call_search`."""
    _functions.append(function)
    if JIT_IS_OFF:
        return len(_functions)
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))


def _call_compiled(n: int) -> Any:
    """Maker of a function (address, n integers) that calls code."""

    @intrinsic_of(["address", *(f"argument_{k}" for k in range(n))])
    def call(typing_context: Any, address: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            integer = ir.IntType(64)
            kind = ir.FunctionType(integer, [integer] * n)
            return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])

        return types.int64(types.int64, *[types.int64] * n), generate

    return call


def _call_python(address: int, *arguments: int) -> int:
    return _functions[address - 1](*arguments)


def _array_compiled(dtype: Any) -> Any:
    """Maker of a function (address, n) that opens the array of n numbers at an address."""
    result = types.Array(dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(result)(context, builder)
        item = context.get_constant(types.intp, dtype.bitwidth // 8)
        pointer = builder.inttoptr(arguments[0], array.data.type)
        populate_array(array, data=pointer, shape=[arguments[1]], strides=[item], itemsize=item, meminfo=None)
        return array._getvalue()

    @intrinsic
    def open_array(typing_context: Any, address: Any, n: Any) -> Any:
        return result(types.int64, types.int64), generate

    return open_array


def _array_in_python(kind: Any) -> Any:
    def open_array(address: int, n: int) -> Any:
        return np.ctypeslib.as_array((kind * int(n)).from_address(int(address)))

    return open_array


@intrinsic
def _address_compiled(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), generate


call_method: Any = _call_python if JIT_IS_OFF else _call_compiled(3)
"""``call_method(f, row, kinematics, wrench)``: call code (three int64 in, one out) whose address is f."""

call_law: Any = _call_python if JIT_IS_OFF else _call_compiled(2)
"""``call_law(f, row, law)``: call the stage of a law at address f with those of the evaluation and its LawPart."""

call_search: Any = _call_python if JIT_IS_OFF else _call_compiled(1)
"""``call_search(f, search)``: call the broad phase at address f with that of its `NearSearch`; how many it found."""

doubles_at: Any = _array_in_python(ctypes.c_double) if JIT_IS_OFF else _array_compiled(types.float64)
"""``doubles_at(address, n)``: (n,) float64 array at an address."""

ints_at: Any = _array_in_python(ctypes.c_int32) if JIT_IS_OFF else _array_compiled(types.int32)
"""``ints_at(address, n)``: (n,) int32 array at an address."""

data_address: Any = (lambda array: array.ctypes.data) if JIT_IS_OFF else _address_compiled
"""``data_address(array)``: where the numbers of a contiguous array begin."""
