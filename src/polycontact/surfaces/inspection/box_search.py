"""Which boxes of a set overlap, by a bounding volume tree of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

PAIRS_AT_A_TIME = 1 << 20
"""Length of the buffer in which pairs are handed over: 8 MB, however many there are in all."""

MAX_CANDIDATES = 200_000_000
"""Searches give up after this many pairs of overlapping boxes, some ten seconds: a fan of a million
triangles about one vertex has 5·10¹¹."""


def overlapping_boxes(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> Iterator[NDArray[np.int32]]:
    """Pairs (k, 2) of boxes with a common point, each pair once, a buffer at a time; the buffer is reused.

    ``lower``, ``upper`` (n, 3): corners of the boxes.
    """
    from polycontact.kernels.geometry.tree import fit_boxes, sort_into_leaves
    from polycontact.kernels.mesh.box_pairs import STACK_LENGTH, next_self_pairs, start_self_pairs

    n = len(lower)
    if n < 2:
        return
    order = np.arange(n, dtype=np.int32)
    work = np.empty((64, 2), dtype=np.int64)
    sort_into_leaves(0.5 * (lower + upper), order, work)
    boxes = np.empty((2 * n - 1, 6))
    fit_boxes(lower[order], upper[order], boxes, work)
    stack = np.empty((STACK_LENGTH, 6), dtype=np.int64)
    pairs = np.empty((PAIRS_AT_A_TIME, 2), dtype=np.int32)
    depth = start_self_pairs(stack, n)
    while depth > 0:
        count, depth = next_self_pairs(boxes, order, stack, depth, pairs)
        yield pairs[:count]
