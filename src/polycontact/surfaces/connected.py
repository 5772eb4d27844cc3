"""Connected groups of nodes that are linked in pairs: of triangles, corners, points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def connected_labels(n: int, a: NDArray[np.integer[Any]], b: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Number, 0 … k - 1, of the connected group of each of ``n`` nodes, where ``a[i]`` is linked with ``b[i]``.

    Groups are numbered in the order of their first nodes. Each node points to a lower one of its group. In each round
    links between groups let the higher first node point to the lower one, and pointers are followed to their ends.
    """
    first = np.arange(n)
    a, b = first[a], first[b]
    while len(a):
        np.minimum.at(first, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(first, further := first[first]):
            first = further
        a, b = first[a], first[b]
        between = a != b
        a, b = a[between], b[between]
    return np.unique(first, return_inverse=True)[1].astype(np.int64)
