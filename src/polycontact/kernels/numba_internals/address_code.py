"""Machine code and arrays by their addresses, for compiled functions; `kernels/addresses.py` is what kernels import."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from polycontact.kernels.numba_internals.named_intrinsics import intrinsic_of


def code_address(function: Any) -> int:
    """Address of the machine code of an entry that was compiled for one signature, or comes from a library."""
    known = getattr(function, "address", None)
    if known is not None:
        return int(known)
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))


def caller_of(n: int) -> Any:
    """Maker of a function (address, n integers) that calls code."""

    @intrinsic_of(["address", *(f"argument_{k}" for k in range(n))])
    def call(typing_context: Any, address: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            integer = ir.IntType(64)
            kind = ir.FunctionType(integer, [integer] * n)
            return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])

        return types.int64(types.int64, *[types.int64] * n), generate

    return call


_FOREIGN: dict[str, tuple[Any, Any]] = {
    "long": (types.int64, ir.IntType(64)),
    "int": (types.int64, ir.IntType(32)),
    "double": (types.float64, ir.DoubleType()),
}
"""What an argument or a result of a C function is here and there; addresses are "long"."""


def foreign_caller(result: str, *kinds: str) -> Any:
    """Maker of a function (address, arguments) that calls a C function: kinds "long", "int" or "double"."""

    @intrinsic_of(["address", *(f"argument_{k}" for k in range(len(kinds)))])
    def call(typing_context: Any, address: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = ir.FunctionType(_FOREIGN[result][1], [_FOREIGN[each][1] for each in kinds])
            given = [
                builder.trunc(value, ir.IntType(32)) if each == "int" else value
                for each, value in zip(kinds, values[1:], strict=True)
            ]
            found = builder.call(builder.inttoptr(values[0], kind.as_pointer()), given)
            return builder.sext(found, ir.IntType(64)) if result == "int" else found

        return _FOREIGN[result][0](types.int64, *[_FOREIGN[each][0] for each in kinds]), generate

    return call


def array_opener(dtype: Any) -> Any:
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


@intrinsic
def address_of_data(typing_context: Any, array: Any) -> Any:
    """Where the numbers of a contiguous array begin."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), generate
