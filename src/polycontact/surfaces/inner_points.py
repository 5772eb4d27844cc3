"""Points in the middle of a body's walls: where one lies inside another body, the two take up the same place."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.surface import Surface

MOST_POINTS = 48
"""Points of a body: enough to tell whether a tenth of it lies inside another."""

_known: WeakKeyDictionary[Surface, NDArray[np.float64]] = WeakKeyDictionary()


def inner_points(surface: Surface) -> NDArray[np.float64]:
    """Points (n, 3) halfway through a closed body, m, in its own frame: below triangles spread over its area.

    None for an open surface, which has no inside, and for one whose rays find no other side.
    """
    if surface not in _known:
        _known[surface] = _halfway(surface) if surface.is_closed else np.empty((0, 3))
    return _known[surface]


def _halfway(surface: Surface) -> NDArray[np.float64]:
    """Below triangles at equal steps of area, so that no part is left out, and the same ones in every run."""
    sums = np.cumsum(surface.areas)
    wanted = (np.arange(MOST_POINTS) + 0.5) / MOST_POINTS * sums[-1]
    chosen = np.unique(np.searchsorted(sums, wanted))
    inward = -surface.normals[chosen] * np.sign(surface.volume)
    # From just below the triangle, so that the ray does not meet the triangle itself.
    below = surface.barycentres[chosen] + 1e-6 * surface.thickness * inward
    hits = surface.rays(below, inward)
    return np.asarray(0.5 * (below + hits.points)[hits.hit])


def share_inside(
    surface: Surface, other: Surface, rotation: NDArray[np.float64], position: NDArray[np.float64]
) -> float:
    """Part of a closed body's inner points that lies inside a closed ``other``; the body's pose in the other's frame.

    0 where either is open.
    """
    points = inner_points(surface)
    if not len(points) or not other.is_closed:
        return 0.0
    placed = points @ rotation.T + position
    lower, upper = other.bounds
    within = ((placed > lower) & (placed < upper)).all(axis=1)
    if not within.any():
        return 0.0
    return float(np.count_nonzero(other.closest_points(placed[within]).distances < 0.0)) / len(points)
