"""Rims of holes: closed chains of border edges, and what can be done about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.half_edges import HalfEdges

if TYPE_CHECKING:
    from polycontact.surfaces.surface import Surface

LONGEST_RIM = 400
"""Edges of a rim that can be filled: the time grows with their third power, here to some seconds."""

WIDEST_HOLE = 0.5
"""Part of the size of a surface above which its rim is no hole: the surface is a sheet or a half shell."""


def find_rims(triangles: NDArray[np.integer], half_edges: HalfEdges) -> list[NDArray[np.int64]]:
    """Vertices of each rim, against the direction of the triangles on it: that of a lid.

    A chain that meets itself in a vertex is left out; where parts that only touch are separated there is none.
    """
    triangle, side = np.nonzero(half_edges.counts[half_edges.triangle_edges] == 1)
    begins, ends = triangles[triangle, side].tolist(), triangles[triangle, (side + 1) % 3].tolist()
    following = dict(zip(ends, begins, strict=True))
    rims = []
    while following:
        first, vertex = following.popitem()
        rim = [first]
        while vertex in following:
            rim.append(vertex)
            vertex = following.pop(vertex)
        if vertex == first and len(rim) > 2:
            rims.append(np.array(rim))
    return rims[::-1]


def rim_width(points: NDArray[np.float64]) -> float:
    """Diagonal of the bounding box of a rim, m."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def told_closing(surface: Surface) -> str:
    """How an open surface becomes a closed one: in words that name nothing which does not work."""
    if surface.cracks is not None:
        return "weld its cracks with repair_surface or 'polycontact repair'"
    rims = find_rims(surface.triangles, surface.half_edges)
    widest = max((rim_width(surface.vertices[rim]) for rim in rims), default=np.inf)
    if widest <= WIDEST_HOLE * surface.size and max(map(len, rims)) <= LONGEST_RIM:
        holes = f"its {len(rims)} holes" if len(rims) > 1 else "its hole"
        return f"fill {holes} with repair_surface(…, fill_holes={1.01 * widest:.2g}), lengths in m"
    return "close it in the CAD program, or model the sheet with a thickness"
