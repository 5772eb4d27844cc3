"""What convex geometries give to the kernels: their core as a view, made when it is first asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.shapes import arguments as check

if TYPE_CHECKING:
    from polycontact.kernels.geometry.convex_shape import ConvexShape, ShapeKind


@runtime_checkable
class ConvexGeometry(Geometry, Protocol):
    """A geometry that a support mapping describes."""

    @property
    def convex_core(self) -> ConvexShape:
        """The shape as kernels see it; shared, never changed."""


def core_view(
    kind: ShapeKind, size: Sequence[float], radius: float, bounds: NDArray[np.float64], centre: Sequence[float]
) -> ConvexShape:
    """A view of a core without vertices; ``bounds`` of the whole shape, ``centre``: a point inside."""
    from polycontact.kernels.geometry.convex_shape import ConvexShape

    view = ConvexShape()
    view.kind = int(kind)
    view.size[:] = size
    view.radius = radius
    view.centre[:] = centre
    view.reach = float(np.linalg.norm(np.abs(bounds).max(axis=0)))
    return view


def rounding(owner: str, value: object, most: float = math.inf) -> float:
    """An ``edge_radius`` (m) of zero or more, at most what fits into the shape."""
    if value == 0:
        return 0.0
    radius = check.length(owner, "edge_radius", value)
    if not radius <= most:
        raise SurfaceError(
            f"{owner}: edge_radius = {radius:g} m is more than the sphere that fits inside, {most:.6g} m; make it less"
        )
    return radius


def symmetric_bounds(x: float, y: float, z: float) -> NDArray[np.float64]:
    """Rows (lower, upper) of a box about the origin with half edges x, y, z."""
    half = np.array([x, y, z])
    return np.stack((-half, half))
