"""What all implicit surfaces have in common: places on them, from a mesh whose edges are divided where normals turn."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.smooth.surface_views import Located, SurfaceKind
from polycontact.surfaces.geometry import size_of
from polycontact.surfaces.smooth_surface import Array, Chart, FormulaGeometry, OpenedSurface, Places

_SAME_DIRECTION = math.cos(math.radians(12.0))
"""Edges whose ends have normals farther apart are divided: rounded edges get samples of their own."""
_MOST_DIVISIONS, _MOST_PLACES = 7, 30_000


class ImplicitGeometry(FormulaGeometry):
    """Base of implicit surfaces; h is negative inside, outward is its gradient."""

    @property
    def kind(self) -> SurfaceKind:
        """Given by an equation h(r) = 0."""
        return SurfaceKind.IMPLICIT

    @property
    def bounds(self) -> Array:
        """A box around it, rows (lower, upper), m."""
        raise NotImplementedError

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Empty: an implicit surface has no parameters α and β."""
        return ()

    def dense_places(self) -> Places:
        """Vertices of the picture, moved onto the surface, and places between those whose normals differ."""
        return _dense_places(self, self.code)


@lru_cache(maxsize=64)
def _dense_places(geometry: ImplicitGeometry, code: int) -> Places:
    size = size_of(geometry)
    opened = OpenedSurface(geometry, size)
    picture = geometry.picture
    points, normals, good = on_surface(opened, picture.vertices, 0.1 * size)
    ends = np.sort(picture.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges = np.unique(ends, axis=0)
    edges = edges[good[edges].all(axis=1)]
    for _ in range(_MOST_DIVISIONS):
        a, b = edges.T
        turned = np.einsum("ij,ij->i", normals[a], normals[b]) < _SAME_DIRECTION
        edges = edges[turned][: _MOST_PLACES - len(points)]
        if len(edges) == 0:
            break
        a, b = edges.T
        length = float(np.linalg.norm(points[a] - points[b], axis=1).max())
        middle, normal, found = on_surface(opened, 0.5 * (points[a] + points[b]), length)
        new = len(points) + np.arange(len(middle))
        points, normals, good = np.vstack((points, middle)), np.vstack((normals, normal)), np.append(good, found)
        edges = np.vstack((np.column_stack((a, new))[found], np.column_stack((new, b))[found]))
    charts = np.zeros(int(good.sum()), dtype=np.int32)
    return Places(charts, points[good], points[good], normals[good])


def on_surface(opened: OpenedSurface, points: Array, longest: float) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Points moved onto a surface by at most ``longest`` (m), their normals, and which of them got there."""
    places, _, normals, _, found = opened.locate(np.zeros(len(points), dtype=np.int32), points, longest)
    return places, normals, found == Located.REGULAR
