"""Questions to a surface: which of its points is nearest, and what a ray meets first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.kernels.contact.evaluation_view import STACK_LENGTH
from polycontact.tolerances import CULLING_MARGIN, TOO_FAR

if TYPE_CHECKING:
    from polycontact.surfaces.surface import Surface


@dataclass(frozen=True)
class ClosestPoints:
    """The points of a surface nearest to n given points, in its own frame.

    ``points`` (n, 3) m; ``triangles`` (n,): on which they lie, the lowest in the tree of equals; ``distances`` (n,) m,
    negative inside a closed surface; an open one has no inside, so that they are never negative.
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int32]
    distances: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.distances)


@dataclass(frozen=True)
class RayHits:
    """Where n rays meet a surface first, in its own frame.

    ``distances`` (n,) m, infinite where a ray meets nothing; ``triangles`` (n,), -1 there; ``points`` (n, 3) m, nan
    there.
    """

    distances: NDArray[np.float64]
    triangles: NDArray[np.int32]
    points: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.distances)

    @property
    def hit(self) -> NDArray[np.bool_]:
        """Which rays meet the surface."""
        return np.asarray(self.triangles >= 0)


def closest_points(surface: Surface, points: ArrayLike) -> ClosestPoints:
    """The closest point of the surface to each point (m), see `Surface.closest_points`."""
    from polycontact.kernels.queries.nearest_points import nearest_points

    given = _as_points(points, "points", surface.name)
    data = surface.contact_data
    n = len(given)
    feet, leaves, distances = np.empty((n, 3)), np.empty(n, np.int32), np.empty(n)
    nearest_points(data.view, given, _stack(), feet, leaves, distances)
    return ClosestPoints(feet, data.order[leaves], distances)


def first_hits(surface: Surface, origins: ArrayLike, directions: ArrayLike) -> RayHits:
    """The first hit of each ray (origins in m), see `Surface.rays`; a direction of length 0 raises an error."""
    from polycontact.kernels.queries.rays import cast_rays

    starts = _as_points(origins, "origins", surface.name)
    ways = _as_points(directions, "directions", surface.name)
    if len(starts) != len(ways):
        raise SurfaceError(f"{surface.name}: {len(starts)} origins and {len(ways)} directions; give as many of both")
    length = np.linalg.norm(ways, axis=1)
    if (length == 0.0).any():
        first = int(np.flatnonzero(length == 0.0)[0])
        raise SurfaceError(f"{surface.name}: direction {first} is {ways[first].tolist()}; give vectors that are not 0")
    ways = ways / length[:, None]
    data = surface.contact_data
    n = len(starts)
    leaves, distances = np.empty(n, np.int32), np.empty(n)
    pad = CULLING_MARGIN * float(np.abs(surface.bounds).max() + np.abs(starts).max(initial=0.0))
    cast_rays(data.view, starts, ways, pad, _stack(), leaves, distances)
    hit = leaves >= 0
    points = np.where(hit, distances, np.nan)[:, None] * ways + starts
    return RayHits(distances, np.where(hit, data.order[leaves], np.int32(-1)).astype(np.int32), points)


def _stack() -> NDArray[np.int32]:
    return np.zeros((STACK_LENGTH, 6), np.int32)


def _as_points(values: ArrayLike, what: str, name: str) -> NDArray[np.float64]:
    """An array (n, 3) of finite numbers, or an error that tells what is wrong."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SurfaceError(f"{name}: {what} are not an array of numbers: {error}") from error
    if array.ndim != 2 or array.shape[1] != 3:
        raise SurfaceError(f"{name}: {what} have shape {array.shape}; expected (n, 3)")
    bad = np.flatnonzero(~(np.abs(array) < TOO_FAR).all(axis=1))
    if len(bad):
        row = int(bad[0])
        raise SurfaceError(f"{name}: row {row} of {what} is {array[row].tolist()}; give finite numbers")
    return array
