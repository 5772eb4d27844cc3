"""Flat faces: parts of a mesh that are meant to be plane, told from the plane facets that stand for a curve.

The strips of a cylinder and the quadrilaterals of a sphere are plane too. But they are about as wide as their
neighbours, and have no vertices inside; a face between rounded edges is much wider than the strips that round them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.balancing.edge_bends import EdgeBends
from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.surface import Surface

FLAT_FACE_WIDTH_RATIO: Final = 3.0
"""A plane part that is so many times as wide as those it joins smoothly is a flat face: triangles of one curve seldom
differ that much from one to the next, fillets and the faces between them nearly always do."""

CURVED: Final = -1


def find_flat_faces(surface: Surface, bends: EdgeBends) -> NDArray[np.int64]:
    """Number of the flat face of each triangle (n,), `CURVED` for triangles of a curved part."""
    triangle, side = np.nonzero(bends.is_flat)
    neighbours = surface.half_edges.neighbours
    part = connected_labels(surface.n_triangles, triangle, neighbours[triangle, side])
    is_face = _wide(surface, bends, part)
    is_face[part[_touch_inner_vertex(surface, bends)]] = True
    return np.where(is_face[part], part, CURVED)


def _wide(surface: Surface, bends: EdgeBends, part: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Plane parts that are wide beside what they join smoothly, or join nothing smoothly."""
    corners = surface.vertices[surface.triangles]
    length = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    outline = np.bincount(part, weights=np.where(bends.is_flat, 0.0, length).sum(axis=1))
    # Of a round body whose bends are too small to tell there is no outline.
    width = 2.0 * np.bincount(part, weights=surface.areas) / np.maximum(outline, np.finfo(float).tiny)
    triangle, side = np.nonzero(bends.is_smooth & ~bends.is_flat)
    here, there = part[triangle], part[surface.half_edges.neighbours[triangle, side]]
    joined = np.bincount(here, weights=length[triangle, side], minlength=len(width))
    width_beyond = np.bincount(here, weights=length[triangle, side] * width[there], minlength=len(width))
    several = np.bincount(part) > 1
    return np.asarray((joined == 0.0) | (several & (width * joined >= FLAT_FACE_WIDTH_RATIO * width_beyond)))


def _touch_inner_vertex(surface: Surface, bends: EdgeBends) -> NDArray[np.bool_]:
    """Triangles at a vertex around which everything is flat."""
    is_inner = np.ones(len(surface.vertices), dtype=bool)
    for ends in (surface.triangles, np.roll(surface.triangles, -1, axis=1)):
        is_inner[ends[~bends.is_flat]] = False
    return np.asarray(is_inner[surface.triangles].any(axis=1))
