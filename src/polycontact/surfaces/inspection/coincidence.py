"""Which points coincide within a tolerance: the basis of welding.

Points are not rounded to a grid, which would separate close points across a cell border. A representative
takes in the points within the tolerance of it, and never those that are only near one of them: chains do
not drift.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels

MAX_PAIRS_PER_POINT = 64
"""More close pairs than this means that the tolerance swallows whole regions; they are then thinned first,
so that memory stays bounded."""


def representatives(points: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
    """Index of the point that stands for each of ``points`` (n, 3), itself where nothing lower is near.

    Equal points always go together; others where they lie within ``tolerance`` (same unit) of a
    representative. The lowest index of a group represents it.
    """
    result = _first_of_equal_rows(points)
    distinct = np.flatnonzero(result == np.arange(len(points)))
    if tolerance > 0.0 and len(distinct) > 1:
        distinct = distinct[_with_company(points[distinct], tolerance)]
    if tolerance > 0.0 and len(distinct) > 1:
        result[distinct] = distinct[_merge_near(points[distinct], tolerance)]
        result = result[result]
    return result


def _first_of_equal_rows(rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """The lowest index of an equal row, for each row."""
    order = np.lexsort(rows.T)
    ordered = rows[order]
    starts = np.ones(len(rows), dtype=bool)
    starts[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    first = np.minimum.reduceat(order, np.flatnonzero(starts)) if len(rows) else order
    result = np.empty(len(rows), dtype=np.int64)
    result[order] = first[np.cumsum(starts) - 1]
    return result


def _with_company(points: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
    """Indices, ascending, of points that gaps wider than the tolerance, along one axis after the other, do not part
    from all others.

    The points of a sound mesh are parted: they need no tree, whose module takes longer to import than a mesh to check.
    """
    group = np.zeros(len(points), dtype=np.int64)
    for axis in range(points.shape[1]):
        order = np.lexsort((points[:, axis], group))
        along, of = points[order, axis], group[order]
        begins = np.ones(len(points), dtype=bool)
        begins[1:] = (np.diff(along) > tolerance) | (np.diff(of) > 0)
        group[order] = np.cumsum(begins)
    sizes = np.bincount(group)
    return np.flatnonzero(sizes[group] > 1)


def _merge_near(points: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
    """Representatives of distinct points."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    if tree.count_neighbors(tree, tolerance) > MAX_PAIRS_PER_POINT * len(points):
        return _merge_crowded(points, tolerance)
    return _merge_pairs(points, tree.query_pairs(tolerance, output_type="ndarray"), tolerance)


def _merge_crowded(points: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
    """As `_merge_near` for points that crowd: one a cell first, then cells; both steps move half the
    tolerance."""
    from scipy.spatial import cKDTree

    cells = np.floor((points - points.min(axis=0)) / (0.5 * tolerance / np.sqrt(3.0)))
    result = _first_of_equal_rows(cells)
    distinct = np.flatnonzero(result == np.arange(len(points)))
    pairs = cKDTree(points[distinct]).query_pairs(0.5 * tolerance, output_type="ndarray")
    result[distinct] = distinct[_merge_pairs(points[distinct], pairs, 0.5 * tolerance)]
    return result[result]


def _merge_pairs(points: NDArray[np.float64], pairs: NDArray[np.int64], tolerance: float) -> NDArray[np.int64]:
    """Representatives, given all pairs (k, 2) that lie within the tolerance."""
    n = len(points)
    labels = connected_labels(n, pairs[:, 0], pairs[:, 1])
    first = np.full(labels.max(initial=-1) + 1, n, dtype=np.int64)
    np.minimum.at(first, labels, np.arange(n))
    result = first[labels]
    far = np.linalg.norm(points - points[result], axis=1) > tolerance
    chained = np.zeros(len(first), dtype=bool)
    chained[labels[far]] = True
    if np.any(chained):
        _merge_chains(result, pairs[chained[labels[pairs[:, 0]]]], np.flatnonzero(chained[labels]))
    return result


def _merge_chains(result: NDArray[np.int64], pairs: NDArray[np.int64], members: NDArray[np.int64]) -> None:
    """Representatives of groups wider than the tolerance: the lowest free index takes its neighbours."""
    result[members] = -1
    both = np.concatenate((pairs, pairs[:, ::-1]))
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    begin = np.searchsorted(both[:, 0], members, side="left").tolist()
    end = np.searchsorted(both[:, 0], members, side="right").tolist()
    for k, i in enumerate(members.tolist()):
        if result[i] >= 0:
            continue
        result[i] = i
        near = both[begin[k] : end[k], 1]
        result[near[result[near] < 0]] = i
