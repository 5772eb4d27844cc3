"""Connected groups of nodes that are linked in pairs: of triangles, corners, points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def connected_labels(n: int, a: NDArray[np.integer[Any]], b: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Number, 0 … k - 1, of the connected group of each of ``n`` nodes, where ``a[i]`` is linked with ``b[i]``."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels, dtype=np.int64)
