"""Fill holes: a lid of the least area on each rim that is small enough.

The lid has no new vertices. Of all ways to divide the polygon of the rim into triangles the one with the least sum of
areas is taken, found from short chains of the rim to long ones (Barequet and Sharir, Filling gaps in the boundary of a
polyhedron, section 3); among nearly equal ones that with compact triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.half_edges import build_half_edges
from polycontact.surfaces.inspection.faces import FLAT_HEIGHT, smallest_heights
from polycontact.surfaces.inspection.rims import LONGEST_RIM, find_rims, rim_width
from polycontact.surfaces.mending.draft import Draft

COMPACTNESS = 1e-3
"""Weight of the squared sides of a triangle beside its area: decides between lids of nearly the same area."""


def fill_holes(draft: Draft, widest: float) -> Draft:
    """With lids on the rims whose bounding box has a diagonal of at most ``widest`` (m).

    Neighbours have to agree on the orientation, and a vertex has one rim at most. A rim that cannot be divided into
    triangles with area, without an edge that is there already, stays.
    """
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    edges = {(int(a), int(b)) for a, b in np.sort(half_edges.edges, axis=1)}
    lids = []
    for rim in find_rims(draft.triangles, half_edges):
        if len(rim) <= LONGEST_RIM and rim_width(draft.vertices[rim]) <= widest:
            lid = _lid(draft, rim, edges)
            lids += [] if lid is None else [lid]
    triangles = np.concatenate((draft.triangles, *lids))
    return draft.with_triangles(triangles, "filled {holes}", len(lids))


def _lid(draft: Draft, rim: NDArray[np.int64], edges: set[tuple[int, int]]) -> NDArray[np.int64] | None:
    """Triangles (n - 2, 3) on a rim of n vertices; None where there is no sound division."""
    n = len(rim)
    free = np.ones((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 2, n):
            free[i, j] = (i == 0 and j == n - 1) or (min(rim[i], rim[j]), max(rim[i], rim[j])) not in edges
    cost = np.full((n, n), np.inf)
    middle = np.zeros((n, n), dtype=np.int64)
    cost[np.arange(n - 1), np.arange(1, n)] = 0.0
    for length in range(2, n):
        for i in range(n - length):
            j = i + length
            if not free[i, j]:
                continue
            between = np.arange(i + 1, j)
            total = cost[i, between] + cost[between, j] + _costs(draft.points, rim, i, between, j)
            best = int(np.argmin(total))
            cost[i, j], middle[i, j] = total[best], between[best]
    if not np.isfinite(cost[0, n - 1]):
        return None
    lid, open_chains = [], [(0, n - 1)]
    while open_chains:
        i, j = open_chains.pop()
        if j > i + 1:
            k = int(middle[i, j])
            lid.append((rim[i], rim[k], rim[j]))
            open_chains += [(i, k), (k, j)]
    return np.array(lid, dtype=np.int64)


def _costs(
    points: NDArray[np.float64], rim: NDArray[np.int64], i: int, between: NDArray[np.int64], j: int
) -> NDArray[np.float64]:
    """Cost of the triangles on two corners of the rim and each of those between; infinite without area."""
    corners = np.column_stack((np.full_like(between, rim[i]), rim[between], np.full_like(between, rim[j])))
    a, b, c = (points[corners[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    sides = sum(np.einsum("ij,ij->i", side, side) for side in (b - a, c - b, a - c))
    sound = smallest_heights(points, corners) > FLAT_HEIGHT
    return np.where(sound, area + COMPACTNESS * sides, np.inf)
