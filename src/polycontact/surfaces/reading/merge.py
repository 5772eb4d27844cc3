"""Merging vertices that are the same point to the last bit, for formats that share none (STL, DXF, glTF)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


class MergedPoints(NamedTuple):
    """Distinct points in the order in which they first appear, and the distinct point of each old one."""

    points: NDArray[np.float64]
    new_index: NDArray[np.int32]


def merge_identical(points: NDArray[Any]) -> MergedPoints:
    """Merge bit-identical rows of ``points`` (n, 3), float32 or float64; 0.0 and -0.0 are the same.

    Rows are sorted by a hash of their bits. A collision, which is next to impossible, is noticed and the rows
    are sorted by the bits themselves: the result never depends on luck.
    """
    if not len(points):
        return MergedPoints(np.zeros((0, 3)), np.zeros(0, dtype=np.int32))
    unsigned_zero = np.ascontiguousarray(points + points.dtype.type(0.0))
    bits = unsigned_zero.view(np.uint32 if points.dtype == np.float32 else np.uint64)
    _, first, inverse = np.unique(_hash_rows(bits), return_index=True, return_inverse=True)
    if not np.array_equal(bits[first[inverse]], bits):
        _, first, inverse = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return MergedPoints(unsigned_zero[first[order]].astype(np.float64), rank[inverse.ravel()])


def _hash_rows(bits: NDArray[Any]) -> NDArray[np.uint64]:
    mixed = np.zeros(len(bits), dtype=np.uint64)
    for column, multiplier in zip(bits.T, _MULTIPLIERS, strict=True):
        word = column.astype(np.uint64)
        word ^= word >> np.uint64(32)  # round numbers have all their information in the upper bits
        word *= np.uint64(multiplier)
        word ^= word >> np.uint64(29)
        mixed = mixed * np.uint64(_MULTIPLIERS[0]) + word
        mixed ^= mixed >> np.uint64(31)
    return mixed
