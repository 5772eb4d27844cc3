"""Small arrays of a fixed shape on the machine's stack, for work that a kernel forgets: nothing is allocated."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.numba_internals.stack_arrays import stack_array
from polycontact.kernels.views import JIT_IS_OFF


def local_doubles(rows: int, columns: int) -> Callable[[], NDArray[np.float64]]:
    """Maker of a function whose result (rows, columns) lives until the kernel which calls it returns; not cleared."""
    if JIT_IS_OFF:
        return lambda: np.empty((rows, columns))
    return cast(Callable[[], NDArray[np.float64]], stack_array(rows, columns))
