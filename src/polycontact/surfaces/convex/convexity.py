"""Whether a surface is the hull of its vertices: it is never made so silently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import CONVEX_TOLERANCE

_VERTICES_AT_ONCE = 4096
"""Vertices that are compared with all facets at a time."""


@dataclass(frozen=True)
class Hull:
    """The corners (n, 3) m of a convex surface, and the pairs (m, 2) of them that an edge of its hull joins."""

    corners: NDArray[np.float64]
    edges: NDArray[np.int64]


def hull_of(surface: Surface) -> Hull:
    """The hull of a closed, convex surface; others are refused with what is wrong and what to do."""
    from scipy.spatial import ConvexHull, QhullError

    _refuse_no_solid(surface)
    used = np.unique(surface.triangles)
    points = surface.vertices[used]
    try:
        hull = ConvexHull(points - points.mean(axis=0))
    except QhullError as error:
        raise SurfaceError(
            f"{surface.name}: its vertices lie in a plane or on a line, so that it is no convex solid; "
            f"give it a thickness"
        ) from error
    _refuse_dents(surface, _depths(points - points.mean(axis=0), hull.equations), used)
    kept = hull.vertices
    number = np.full(len(points), -1)
    number[kept] = np.arange(len(kept))
    sides = number[hull.simplices[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)]
    return Hull(points[kept], np.unique(np.sort(sides, axis=1), axis=0))


def _refuse_no_solid(surface: Surface) -> None:
    if not surface.is_closed:
        from polycontact.surfaces.inspection.rims import told_closing

        raise SurfaceError(
            f"{surface.name}: an open surface ({len(surface.half_edges.border_edges)} border edges) is no convex "
            f"solid; {told_closing(surface)}; or use PolygonalMethod, which takes open sheets"
        )
    if not surface.volume > 0.0:
        raise SurfaceError(
            f"{surface.name}: the enclosed volume is {surface.volume:.4g} m³; a convex solid has normals that point "
            f"outward, turn them with surface.flipped()"
        )
    n_parts = len(np.unique(connected_labels(surface.n_triangles, *_neighbours(surface))))
    if n_parts > 1:
        raise SurfaceError(
            f"{surface.name}: it has {n_parts} separate parts and so is not convex; give each part a shape of its own "
            f"on the body"
        )


def _neighbours(surface: Surface) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Triangles, and for each of them the neighbours across its sides."""
    return np.repeat(np.arange(surface.n_triangles), 3), surface.half_edges.neighbours.ravel()


def _depths(points: NDArray[np.float64], planes: NDArray[np.float64]) -> NDArray[np.float64]:
    """How deep each point lies below the hull with these planes (normal, offset), m."""
    depths = np.empty(len(points))
    for first in range(0, len(points), _VERTICES_AT_ONCE):
        part = points[first : first + _VERTICES_AT_ONCE]
        depths[first : first + _VERTICES_AT_ONCE] = -(part @ planes[:, :3].T + planes[:, 3]).max(axis=1)
    return depths


def _hollow_edges(surface: Surface) -> NDArray[np.float64]:
    """How far the two triangles at each side rise above each other's plane, the less of both, m."""
    triangles, neighbours = _neighbours(surface)
    corners = surface.vertices[surface.triangles]
    rises = []
    for own, other in ((triangles, neighbours), (neighbours, triangles)):
        above = corners[other] - corners[own][:, :1]
        rises.append(np.einsum("nki,ni->nk", above, surface.normals[own]).max(axis=1))
    return np.asarray(np.minimum(*rises))


def _refuse_dents(surface: Surface, depths: NDArray[np.float64], used: NDArray[np.int32]) -> None:
    allowed = CONVEX_TOLERANCE * surface.size
    deepest = int(np.argmax(depths))
    hollow = _hollow_edges(surface)
    dent = max(float(depths[deepest]), float(hollow.max()))
    if dent <= allowed:
        return
    if depths[deepest] >= hollow.max():
        where = f"vertex {int(used[deepest])} lies {1e3 * dent:.4g} mm below the hull of all vertices"
    else:
        n_hollow = int((hollow > allowed).sum()) // 2
        where = f"triangles at {n_hollow} edges rise above their neighbours, by up to {1e3 * dent:.4g} mm"
    raise SurfaceError(
        f"{surface.name}: the surface is not convex: {where}, {dent / surface.size:.2g} of its size where "
        f"{CONVEX_TOLERANCE:g} is allowed; divide it into convex parts, each a shape of its own on the body, or use "
        f"PolygonalMethod"
    )
