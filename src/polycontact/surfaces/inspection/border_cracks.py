"""Does the border of an open surface look like cracks? A quick look for the warning; `check_surface` tells all.

Only the border is looked at, so that a large mesh costs no more than its border is long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges
from polycontact.surfaces.inspection.coincidence import representatives
from polycontact.surfaces.inspection.cracks import Cracks, find_cracks
from polycontact.surfaces.inspection.surface_problems import Point
from polycontact.tolerances import CRACK_TOLERANCE, WELD_TOLERANCE
from polycontact.wording import format_vector

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
    """What a user should know of cracks, and do about them."""
    junctions = f"; T-junctions: {cracks.n_junctions}" if cracks.n_junctions else ""
    tolerance = 1.01 * cracks.gap  # not less where it is rounded
    given = "" if cracks.weldable else f", with a tolerance of {tolerance:.3g} m"
    return (
        f"the mesh has cracks ({cracks.n_cracks}, along {cracks.n_edges} of {cracks.n_looked_at} border edges, the "
        f"first at {format_vector(cracks.position)} m{junctions}): border edges lie on others within {cracks.gap:.2g} "
        f"m, so that it looks closed there, counts as open, and forces of contacts across them may be wrong; weld them "
        f"with repair_surface or 'polycontact repair'{given}"
    )
