"""Small arrays of a fixed shape on the machine's stack, for work that a kernel forgets: nothing is allocated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray

from polycontact.kernels.views import JIT_IS_OFF


def local_doubles(rows: int, columns: int) -> Callable[[], NDArray[np.float64]]:
    """Maker of a function whose result (rows, columns) lives until the kernel which calls it returns; not cleared."""
    if JIT_IS_OFF:
        return lambda: np.empty((rows, columns))
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

    return make  # type: ignore[return-value]
