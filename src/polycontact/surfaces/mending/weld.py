"""Close cracks: weld border vertices that coincide, split border edges at vertices that lie within them.

Only ends of border edges that lie on other border edges are touched. Other vertices that happen to coincide
(parts that touch) are left alone: welding them would mend nothing and make edges with four triangles.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.half_edges import HalfEdges, build_half_edges
from polycontact.surfaces.inspection.coincidence import representatives
from polycontact.surfaces.inspection.cracks import find_cracks
from polycontact.surfaces.mending.draft import Draft


def weld_borders(draft: Draft) -> Draft:
    """Weld vertices along cracks onto others within the tolerance of them."""
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    border = np.unique(half_edges.edges[half_edges.border_edges]).astype(np.int64)
    cracks = find_cracks(draft.points, half_edges, _labels(draft, border), draft.tolerance)
    labels = _labels(draft, np.unique(half_edges.edges[cracks.edges]).astype(np.int64))
    n_welded = int(np.count_nonzero(labels != np.arange(len(labels))))
    return draft.with_triangles(labels[draft.triangles], "welded {vertices} of borders onto others", n_welded)


def _labels(draft: Draft, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """The vertex that stands for each vertex, where only the ``chosen`` ones may stand for each other."""
    labels = np.arange(len(draft.points))
    labels[chosen] = chosen[representatives(draft.points[chosen], draft.tolerance)]
    return labels


def stitch_borders(draft: Draft) -> Draft:
    """Split triangles at vertices of another border that lie within an edge of theirs (T-junctions).

    One side of a triangle at a time; the caller repeats the step. The edge moves by no more than the
    tolerance.
    """
    half_edges = build_half_edges(draft.triangles.astype(np.int32))
    if len(half_edges.border_edges) == 0:
        return draft
    cracks = find_cracks(draft.points, half_edges, np.arange(len(draft.points)), draft.tolerance)
    if len(cracks.split_edges) == 0:
        return draft
    sides = _sides_to_split(half_edges, cracks.split_edges)
    replaced = np.zeros(len(draft.triangles), dtype=bool)
    parts: list[list[int]] = []
    for edge, (triangle, side) in sides.items():
        vertices = cracks.split_vertices[cracks.split_edges == edge]
        split = _split(draft, triangle, side, vertices)
        replaced[triangle] = len(split) > 1
        parts += split if len(split) > 1 else []
    triangles = np.concatenate((draft.triangles[~replaced], np.array(parts, dtype=np.int64).reshape(-1, 3)))
    n_split = int(np.count_nonzero(replaced))
    return draft.with_triangles(triangles, "split {triangles} at T-junctions", n_split)


def _sides_to_split(half_edges: HalfEdges, edges: NDArray[np.int64]) -> dict[int, tuple[int, int]]:
    """Triangle and side of each border edge, for one edge of each triangle."""
    wanted = np.zeros(len(half_edges.edges), dtype=bool)
    wanted[edges] = True
    triangles, sides = np.nonzero(wanted[half_edges.triangle_edges])
    _, first = np.unique(triangles, return_index=True)
    found = half_edges.triangle_edges[triangles[first], sides[first]].tolist()
    return dict(zip(found, zip(triangles[first].tolist(), sides[first].tolist(), strict=True), strict=True))


def _split(draft: Draft, triangle: int, side: int, vertices: NDArray[np.int64]) -> list[list[int]]:
    """Triangles that replace ``triangle`` once its ``side`` is split at ``vertices``."""
    corners = draft.triangles[triangle]
    begin, end, apex = (int(corners[(side + k) % 3]) for k in range(3))
    inner = vertices[~np.isin(vertices, corners)]
    along = (draft.points[inner] - draft.points[begin]) @ (draft.points[end] - draft.points[begin])
    chain = [begin, *inner[np.argsort(along, kind="stable")].tolist(), end]
    return [[a, b, apex] for a, b in pairwise(chain)]
