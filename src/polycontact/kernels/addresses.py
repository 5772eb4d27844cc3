"""Memory and functions by their address: what crosses from Python as one 64-bit integer, opened or called again.

With the JIT off the same names are plain Python: memory is opened by its address all the same, and the address of a
function is its identity.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray

from polycontact.kernels.views import JIT_IS_OFF

# Compiled ---------------------------------------------------------------------------------------------------


def _array_at_address(dtype: Any) -> Any:
    """Maker of a function (address, n) that opens the array of n numbers at an address."""
    result = types.Array(dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(result)(context, builder)
        item = context.get_constant(types.intp, 8)
        pointer = builder.inttoptr(arguments[0], array.data.type)
        populate_array(array, data=pointer, shape=[arguments[1]], strides=[item], itemsize=item, meminfo=None)
        return array._getvalue()

    @intrinsic
    def open_array(typing_context: Any, address: Any, n: Any) -> Any:
        return result(types.int64, types.int64), generate

    return open_array


def _call_compiled(typing_context: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
    """Call three int64 in, one out.

    What is called is compiled apart: the caller is compiled in no time and need not be compiled again with it.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        integer = ir.IntType(64)
        kind = ir.FunctionType(integer, [integer] * 3)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


def _address_of_compiled(entry: Any) -> int:
    (compiled,) = entry.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))


# With the JIT off -------------------------------------------------------------------------------------------

_functions: dict[int, Callable[[int, int, int], int]] = {}
"""Functions by their identity."""


def _python_array_at(ctype: Any) -> Callable[[int, int], Any]:
    def open_array(address: int, n: int) -> Any:
        return np.ctypeslib.as_array((ctype * n).from_address(int(address)))

    return open_array


def _call_python(address: int, a: int, b: int, c: int) -> int:
    return _functions[int(address)](int(a), int(b), int(c))


def _address_of_python(entry: Any) -> int:
    _functions[id(entry)] = entry
    return id(entry)


# The names to use -------------------------------------------------------------------------------------------

row_at = cast(
    "Callable[[int, int], NDArray[np.int64]]",
    _python_array_at(ctypes.c_int64) if JIT_IS_OFF else _array_at_address(types.int64),
)
"""``row_at(address, n)``: (n,) int64 array at an address."""
doubles_at = cast(
    "Callable[[int, int], NDArray[np.float64]]",
    _python_array_at(ctypes.c_double) if JIT_IS_OFF else _array_at_address(types.float64),
)
"""``doubles_at(address, n)``: (n,) float64 array at an address."""
call_address = cast(
    "Callable[[int, int, int, int], int]",
    _call_python if JIT_IS_OFF else intrinsic(_call_compiled),
)
"""``call_address(f, a, b, c)``: call the function whose address is f: three int64 in, one out."""
address_of = cast("Callable[[Any], int]", _address_of_python if JIT_IS_OFF else _address_of_compiled)
"""Address of an entry that takes three int64 and returns one, for `call_address`."""
