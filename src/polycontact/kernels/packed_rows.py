"""The first rows of several arrays of a view, copied into one block: one call, where a copy of each costs many."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.addresses import ints_at
from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.views import View


@entry_kernel("void(int64[::1], int64, int64[::1], int64[::1], int64, int32[::1])")
def _copy_rows(
    row: NDArray[np.int64],
    first: int,
    slots: NDArray[np.int64],
    widths: NDArray[np.int64],
    n: int,
    block: NDArray[np.int32],
) -> None:
    """One array after the other; ``widths``: words of four bytes in a row of each."""
    place = 0
    for k in range(len(slots)):
        words = widths[k] * n
        block[place : place + words] = ints_at(row[first + slots[k]], words)
        place += words


class Columns:
    """Some arrays of a view, by name, whose first rows are copied together."""

    def __init__(self, view: type[View], names: Sequence[str]) -> None:
        fields = [view.fields[name] for name in names]
        # Wide numbers first: each column then begins where its kind may begin.
        self.fields = sorted(fields, key=lambda field: -np.dtype(field.dtype).itemsize)
        self._slots = np.array([field.slot for field in self.fields])
        self._widths = np.array([prod(field.shape[1:]) * np.dtype(field.dtype).itemsize // 4 for field in self.fields])
        self._width = int(self._widths.sum())

    def copy(self, view: View, n: int) -> PackedRows:
        """The first n rows of the columns, copied to one block of memory."""
        block = np.empty(n * self._width, dtype=np.int32)
        _copy_rows(view.row, view.first_slot, self._slots, self._widths, n, block)
        return PackedRows(self, n, block)

    def divide(self, block: NDArray[np.int32], n: int) -> dict[str, NDArray[Any]]:
        """The columns of n rows in a block, by name."""
        found: dict[str, NDArray[Any]] = {}
        place = 0
        for field, width in zip(self.fields, self._widths, strict=True):
            words = block[place : place + width * n]
            found[field.name] = words.view(field.dtype).reshape(n, *field.shape[1:])
            place += width * n
        return found


class PackedRows:
    """``n`` rows, in one block until somebody asks for a column."""

    def __init__(self, columns: Columns, n: int, block: NDArray[np.int32]) -> None:
        self.columns = columns
        self.n = n
        self.block = block

    @cached_property
    def by_name(self) -> dict[str, NDArray[Any]]:
        """The columns, (n, …) each, by the name of the view's field."""
        return self.columns.divide(self.block, self.n)
