"""Cracks: borders that lie on each other, so that the mesh looks closed and is not.

Either both sides have the same vertices twice (an unwelded mesh) or vertices of one side lie within the
edges of the other (T-junctions). `find_border_cracks` is a quick look for the warning of open surfaces; it looks at the
border alone, so that a large mesh costs no more than its border is long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges
from polycontact.surfaces.inspection.box_search import MAX_CANDIDATES, overlapping_boxes
from polycontact.surfaces.inspection.coincidence import representatives
from polycontact.surfaces.inspection.surface_problems import Point
from polycontact.tolerances import CRACK_TOLERANCE, WELD_TOLERANCE
from polycontact.wording import format_vector


@dataclass(frozen=True)
class Cracks:
    """Border edges along cracks (``edges``, ascending indices into the half-edges' edges).

    ``split_edges`` and ``split_vertices`` (k,): T-junctions, each an edge and a vertex that lies within it.
    ``complete`` is False where the search for them ended before it had seen all pairs.
    """

    edges: NDArray[np.int64]
    split_edges: NDArray[np.int64]
    split_vertices: NDArray[np.int64]
    complete: bool


def find_cracks(
    points: NDArray[np.float64],
    half_edges: HalfEdges,
    labels: NDArray[np.int64],
    tolerance: float,
    border: NDArray[np.int64] | None = None,
) -> Cracks:
    """Border edges that lie on other border edges within ``tolerance`` (unit of ``points``).

    ``labels`` (n,): the vertex that stands for each vertex among those that coincide; ``border``: the edges to look at,
    all of the border where None.
    """
    border = half_edges.border_edges if border is None else border
    ends = labels[half_edges.edges[border]]
    twice = _occurs_twice(np.sort(ends, axis=1)) & (ends[:, 0] != ends[:, 1])
    single = np.flatnonzero(~twice & (ends[:, 0] != ends[:, 1]))
    found = _partial_overlaps(points, ends[single], _triangle_at(half_edges)[border[single]], tolerance)
    junctions = found.junctions()
    return Cracks(
        edges=np.sort(np.concatenate((border[twice], border[single[found.along()]]))),
        split_edges=border[single[junctions[:, 0]]],
        split_vertices=junctions[:, 1],
        complete=found.complete,
    )


def _occurs_twice(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Rows (n, 2) that occur more than once."""
    order = np.lexsort(rows.T)
    equal = np.all(rows[order[1:]] == rows[order[:-1]], axis=1)
    result = np.zeros(len(rows), dtype=bool)
    result[order[1:][equal]] = True
    result[order[:-1][equal]] = True
    return result


def _triangle_at(half_edges: HalfEdges) -> NDArray[np.int64]:
    """A triangle at each edge; the only one at a border."""
    result = np.empty(len(half_edges.edges), dtype=np.int64)
    result[half_edges.triangle_edges] = np.arange(len(half_edges.triangle_edges))[:, None]
    return result


def _partial_overlaps(
    points: NDArray[np.float64], ends: NDArray[np.int64], triangle: NDArray[np.int64], tolerance: float
) -> _Overlaps:
    """Segments ``ends`` (k, 2) that run along another one.

    Two sides of the same triangle never count: a needle is no crack.
    """
    from polycontact.kernels.mesh.segment_overlap import overlap_flags

    a, b = points[ends[:, 0]], points[ends[:, 1]]
    found = _Overlaps()
    n_candidates = 0
    for pairs in overlapping_boxes(np.minimum(a, b) - tolerance, np.maximum(a, b) + tolerance):
        flags = np.empty(len(pairs), dtype=np.int8)
        overlap_flags(points, ends, pairs, tolerance, flags)
        hits = np.flatnonzero(flags)
        hits = hits[triangle[pairs[hits, 0]] != triangle[pairs[hits, 1]]]
        found.add(pairs[hits].astype(np.int64), flags[hits], ends)
        n_candidates += len(pairs)
        if n_candidates >= MAX_CANDIDATES:
            found.complete = False
            break
    return found


class _Overlaps:
    """Segments that run along others, and T-junctions, while they are collected."""

    def __init__(self) -> None:
        self.complete = True
        self._along = [np.empty(0, dtype=np.int64)]
        self._junctions = [np.empty((0, 2), dtype=np.int64)]

    def add(self, pairs: NDArray[np.int64], flags: NDArray[np.int8], ends: NDArray[np.int64]) -> None:
        """Note pairs (k, 2) of segments with their flags (see `polycontact.kernels.mesh.segment_overlap`)."""
        self._along.append(np.unique(pairs))
        for end in range(4):
            own, other = (0, 1) if end < 2 else (1, 0)
            inside = (flags & (1 << end)) != 0
            vertices = ends[pairs[inside, own], end % 2]
            self._junctions.append(np.stack((pairs[inside, other], vertices), axis=1))

    def along(self) -> NDArray[np.int64]:
        """Segments that run along others, ascending."""
        return np.unique(np.concatenate(self._along))

    def junctions(self) -> NDArray[np.int64]:
        """Rows (segment, vertex strictly within it), ascending."""
        return np.unique(np.concatenate(self._junctions), axis=0)


MOST_EDGES = 200_000
"""Border edges looked at, those of the lowest x: a sheet of a hundred million triangles has fewer, and a mesh whose
triangles all stand alone shows its cracks anywhere."""


@dataclass(frozen=True)
class BorderCracks:
    """Cracks of an open surface: ``n_cracks`` connected ones along ``n_edges`` border edges, of ``n_looked_at``.

    ``n_junctions`` vertices lie within edges of the other side. ``position`` (m): the middle of the first such edge.
    ``gap`` (m): within this the two sides lie on each other; it is what `repair_surface` closes by itself where
    ``weldable``, and has to be given to it otherwise.
    """

    n_cracks: int
    n_edges: int
    n_looked_at: int
    n_junctions: int
    position: Point
    gap: float
    weldable: bool


def find_border_cracks(
    vertices: NDArray[np.float64], half_edges: HalfEdges, bounds: NDArray[np.float64]
) -> BorderCracks | None:
    """Cracks of a mesh (m) in its bounding box; None where no border edge lies on another."""
    border = half_edges.border_edges
    size = float(np.linalg.norm(bounds[1] - bounds[0]))
    if len(border) == 0 or not 0.0 < size < np.inf:
        return None
    if len(border) > MOST_EDGES:
        along = vertices[half_edges.edges[border], 0].sum(axis=1)
        border = np.sort(border[np.argpartition(along, MOST_EDGES)[:MOST_EDGES]])
    points = (vertices - bounds[0]) / size
    found, labels = _cracks_within(points, half_edges, border, CRACK_TOLERANCE)
    if len(found.edges) == 0:
        return None
    near, _ = _cracks_within(points, half_edges, border, WELD_TOLERANCE)
    weldable = len(near.edges) >= len(found.edges)
    x, y, z = vertices[half_edges.edges[found.edges[0]]].mean(axis=0).tolist()
    return BorderCracks(
        n_cracks=_count_connected(half_edges, found, labels),
        n_edges=len(found.edges),
        n_looked_at=len(border),
        n_junctions=len(found.split_edges),
        position=(x, y, z),
        gap=(WELD_TOLERANCE if weldable else CRACK_TOLERANCE) * size,
        weldable=weldable,
    )


def _cracks_within(
    points: NDArray[np.float64], half_edges: HalfEdges, border: NDArray[np.int64], tolerance: float
) -> tuple[Cracks, NDArray[np.int64]]:
    """Cracks among some border edges, and the vertex that stands for each vertex among those that coincide."""
    labels = np.arange(len(points))
    chosen = np.unique(half_edges.edges[border]).astype(np.int64)
    labels[chosen] = chosen[representatives(points[chosen], tolerance)]
    return find_cracks(points, half_edges, labels, tolerance, border), labels


def _count_connected(half_edges: HalfEdges, cracks: Cracks, labels: NDArray[np.int64]) -> int:
    """Number of cracks that hang together, at their ends or where a vertex lies within an edge."""
    ends = labels[half_edges.edges[cracks.edges]]
    junctions = np.stack((labels[half_edges.edges[cracks.split_edges, 0]], labels[cracks.split_vertices]), axis=1)
    links = np.concatenate((ends, junctions.reshape(-1, 2)))
    nodes, numbers = np.unique(links, return_inverse=True)
    first, second = numbers.reshape(-1, 2).T
    return int(connected_labels(len(nodes), first, second).max()) + 1


def told_cracks(cracks: BorderCracks) -> str:
    """Message about cracks: how many there are, and how to close them."""
    junctions = f"; T-junctions: {cracks.n_junctions}" if cracks.n_junctions else ""
    tolerance = 1.01 * cracks.gap  # not less where it is rounded
    given = "" if cracks.weldable else f", with a tolerance of {tolerance:.3g} m"
    return (
        f"the mesh has cracks ({cracks.n_cracks}, along {cracks.n_edges} of {cracks.n_looked_at} border edges, the "
        f"first at {format_vector(cracks.position)} m{junctions}): border edges lie on others within {cracks.gap:.2g} "
        f"m, so that it looks closed there, counts as open, and forces of contacts across them may be wrong; weld them "
        f"with repair_surface or 'polycontact repair'{given}"
    )
