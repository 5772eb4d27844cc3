"""What all parametric surfaces have in common: places over their charts, picture, mass."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.smooth.surface_views import Located, SurfaceKind
from polycontact.surfaces.shapes.grids import rectangle_quads, split_quads
from polycontact.surfaces.smooth_surface import Array, Chart, FormulaGeometry, OpenedSurface, Places, refuse_not_finite
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import WELD_TOLERANCE


class ParametricGeometry(FormulaGeometry):
    """Base of parametric surfaces; outward is e_α × e_β. Without a closed form all is found by sampling."""

    @property
    def kind(self) -> SurfaceKind:
        """Given by points r(α, β)."""
        return SurfaceKind.PARAMETRIC

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Charts of the surface; the first one must cover all of it, because the picture is drawn from it."""
        raise NotImplementedError

    @property
    def bounds(self) -> Array:
        """A box around it, rows (lower, upper), m."""
        return _sampled(self, self.code)[1]

    @property
    def picture(self) -> Surface:
        """A triangle mesh with its vertices on the surface."""
        return _picture(self, self.code)

    def dense_places(self) -> Places:
        """Places on a grid over every chart, without singular ones."""
        return _sampled(self, self.code)[0]


def _lines(chart: Chart, k: int, n: int) -> Array:
    """Grid lines along α or β: both ends, where they are not one and the same place."""
    low, high = chart.domain[k]
    return np.linspace(low, high, n, endpoint=False) if chart.periodic[k] else np.linspace(low, high, n + 1)


@lru_cache(maxsize=64)
def _sampled(geometry: ParametricGeometry, code: int) -> tuple[Places, Array]:
    """Regular places of all charts, and the box around them, with second derivatives for what lies between."""
    opened = OpenedSurface(geometry, 1.0)
    charts, places, margin, box = [], [], 0.0, []
    for i, chart in enumerate(geometry.charts):
        grid = np.meshgrid(*(_lines(chart, k, chart.divisions[k]) for k in range(2)), indexing="ij")
        at = np.column_stack((grid[0].ravel(), grid[1].ravel(), np.zeros(grid[0].size)))
        of = np.full(len(at), i, dtype=np.int32)
        _, points, normals, bends, found = opened.locate(of, at)
        refuse_not_finite(geometry.name, of, at, found)
        da, db = ((chart.domain[k][1] - chart.domain[k][0]) / chart.divisions[k] for k in range(2))
        lengths = np.linalg.norm(bends.reshape(-1, 3, 3), axis=2) @ np.array([da * da, 2.0 * da * db, db * db])
        margin = max(margin, float(lengths.max()) / 8.0)  # of a chord from its arc
        good = found == Located.REGULAR
        box += [points.min(axis=0), points.max(axis=0)]
        charts.append(of[good])
        places.append(np.hstack((at, points, normals))[good])
    together = np.vstack(places)
    bounds = np.array([np.min(box, axis=0) - margin, np.max(box, axis=0) + margin])
    bounds.flags.writeable = False
    return Places(np.concatenate(charts), together[:, :3], together[:, 3:6], together[:, 6:]), bounds


@lru_cache(maxsize=64)
def _picture(geometry: ParametricGeometry, code: int) -> Surface:
    """The grid of the first chart as triangles; ends that are one place, and poles, are welded."""
    chart = geometry.charts[0]
    n = [max(8, math.ceil(each * 0.75)) for each in chart.divisions]
    lines = [np.linspace(*chart.domain[k], n[k] + 1) for k in range(2)]
    grid = np.meshgrid(*lines, indexing="ij")
    charts = np.zeros(grid[0].size, dtype=np.int32)
    places = np.column_stack((grid[0].ravel(), grid[1].ravel(), np.zeros(grid[0].size)))
    _, points, _, _, found = OpenedSurface(geometry, 1.0).locate(charts, places)
    refuse_not_finite(geometry.name, charts, places, found)
    quads, other = rectangle_quads(np.arange(n[0] + 1), np.arange(n[1] + 1), (n[1] + 1, 1), 0)
    return welded(points, split_quads(quads, other), geometry.name)


def welded(points: Array, triangles: NDArray[np.int64], name: str) -> Surface:
    """A surface of triangles, with points that are the same joined and triangles without area left out."""
    size = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
    cells = np.round((points - points.min(axis=0)) / (WELD_TOLERANCE * size) + 0.123).astype(np.int64)
    _, first, joined = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    corners = joined.ravel()[triangles]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    used, renumbered = np.unique(corners, return_inverse=True)
    return Surface(points[first[used]], renumbered.reshape(-1, 3), name=name)
