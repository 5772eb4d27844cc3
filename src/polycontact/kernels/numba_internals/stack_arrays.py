"""Arrays on the stack of a compiled function; `kernels/local_arrays.py` is what kernels import."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


def stack_array(rows: int, columns: int) -> Any:
    """An intrinsic without arguments that makes an array (rows, columns) of numbers."""
    kind = types.Array(types.float64, 2, "C")

    @intrinsic
    def make(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(kind)(context, builder)
            data = cgutils.alloca_once(builder, ir.DoubleType(), size=rows * columns)
            word = context.get_value_type(types.intp)
            shape, strides = [word(rows), word(columns)], [word(8 * columns), word(8)]
            populate_array(array, data=data, shape=shape, strides=strides, itemsize=word(8), meminfo=None)
            return array._getvalue()

        return kind(), generate

    return make
