"""Checks of plane polygons and polylines: coinciding points, crossings, inside and outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError

MAX_POINTS: Final = 20_000
"""Most points of a polygon or profile: each edge is checked against each other one."""

_ROWS_AT_ONCE: Final = 512
"""Edges whose boxes are compared with all others in one go: 10 MB of Booleans for the most points."""


def loop_edges(n: int, *, start: int = 0, closed: bool = True) -> NDArray[np.int64]:
    """Edges (m, 2) between ``n`` points from ``start`` on, and back to the first if ``closed``."""
    origin = np.arange(n if closed else n - 1)
    return start + np.stack((origin, (origin + 1) % n), axis=1)


def refuse_crossing(shape: str, name: str, points: NDArray[np.float64], edges: NDArray[np.int64]) -> None:
    """Refuse ``edges`` (m, 2) between ``points`` (n, 2) that have no length, touch, cross or fold back."""
    if len(points) > MAX_POINTS:
        raise SurfaceError(f"{shape}: {name} has {len(points)} points; allowed is up to {MAX_POINTS}")
    vectors = points[edges[:, 1]] - points[edges[:, 0]]
    short = np.flatnonzero((vectors == 0).all(axis=1))
    if len(short):
        a, b = edges[short[0]].tolist()
        raise SurfaceError(
            f"{shape}: points {a} and {b} of {name} coincide at {points[a].tolist()} m; give each point once"
        )
    for first in range(0, len(edges), _ROWS_AT_ONCE):
        rows = np.arange(first, min(first + _ROWS_AT_ONCE, len(edges)))
        i, j = _overlapping_boxes(points, edges, rows)
        bad = np.flatnonzero(_touch(points, edges[i], edges[j]))
        if len(bad):
            (a, b), (c, d) = edges[i[bad[0]]].tolist(), edges[j[bad[0]]].tolist()
            raise SurfaceError(
                f"{shape}: the edge between points {a} and {b} of {name}, from {points[a].tolist()} to "
                f"{points[b].tolist()} m, crosses or touches the one between points {c} and {d}; "
                f"allowed are outlines that do not cross themselves"
            )


def signed_area(loop: NDArray[np.float64]) -> float:
    """Area of a closed polygon (n, 2) in m², positive if it runs counter-clockwise."""
    x, y = (loop - loop.mean(axis=0)).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def inside(queries: NDArray[np.float64], loops: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Which of ``queries`` (n, 2) lie within an odd number of closed polygons."""
    result = np.zeros(len(queries), dtype=bool)
    x, y = queries.T
    for loop in loops:
        for (ax, ay), (bx, by) in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            straddled = (ay > y) != (by > y)
            if straddled.any():
                crossing = ax + (y[straddled] - ay) * ((bx - ax) / (by - ay))
                result[straddled] ^= x[straddled] < crossing
    return result


def _overlapping_boxes(
    points: NDArray[np.float64], edges: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs i < j of edges, with i in ``rows``, whose bounding boxes meet."""
    low, high = points[edges].min(axis=1), points[edges].max(axis=1)
    meet = np.arange(len(edges))[None, :] > rows[:, None]
    for axis in range(2):
        meet &= low[None, :, axis] <= high[rows, None, axis]
        meet &= high[None, :, axis] >= low[rows, None, axis]
    i, j = np.nonzero(meet)
    return rows[i], j


def _touch(points: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs of edges have a point in common, other than the end that they share by index."""
    a, b, c, d = (points[each] for each in (first[:, 0], first[:, 1], second[:, 0], second[:, 1]))
    apart = (np.sign(_cross(b - a, c - a)) * np.sign(_cross(b - a, d - a)) > 0) | (
        np.sign(_cross(d - c, a - c)) * np.sign(_cross(d - c, b - c)) > 0
    )
    touch = ~apart
    # Consecutive edges share an end: they touch elsewhere only where one folds back onto the other.
    shared = (first[:, :, None] == second[:, None, :]).reshape(-1, 4)
    for corner, (p, q) in enumerate(((b - a, d - c), (b - a, c - d), (a - b, d - c), (a - b, c - d))):
        at = shared[:, corner]
        folded = (_cross(p[at], q[at]) == 0) & (np.einsum("ij,ij->i", p[at], q[at]) > 0)
        touch[at] = folded
    return touch


def _cross(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
