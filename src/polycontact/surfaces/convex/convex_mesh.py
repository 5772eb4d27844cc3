"""A convex solid by its mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.convex.convexity import Hull, hull_of
from polycontact.surfaces.convex.core import core_view, rounding
from polycontact.surfaces.mass import MassProperties
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.kernels.geometry.convex_shape import ConvexShape

_CLIMB_FROM = 64
"""Vertices from which on a climb along edges is quicker than looking at all."""


@dataclass(frozen=True, init=False, eq=False)
class ConvexMesh:
    """The solid that a closed, convex surface encloses; a surface that is not its own hull is refused.

    ``edge_radius`` (m): a layer of that thickness is put on it in contact, as S4 has it for meshes, so that its edges
    are round; unlike the shapes with dimensions it grows by that. Files write and read it by ``vertices`` (m) and
    ``triangles``.
    """

    vertices: Sequence[Sequence[float]]
    triangles: Sequence[Sequence[int]]
    edge_radius: float
    name: str

    def __init__(
        self,
        surface: Surface | None = None,
        edge_radius: float = 0.0,
        name: str | None = None,
        *,
        vertices: Sequence[Sequence[float]] | None = None,
        triangles: Sequence[Sequence[int]] | None = None,
    ) -> None:
        if surface is None and vertices is not None and triangles is not None:
            surface = Surface(vertices, triangles, name=name or "convex mesh")
        if not isinstance(surface, Surface):
            raise SurfaceError(f"ConvexMesh: surface is {surface!r}; expected a Surface, see load_surface")
        vars(self).update(
            _surface=surface,
            _hull=hull_of(surface),
            edge_radius=rounding(surface.name, edge_radius),
            name=name or surface.name,
            vertices=tuple(map(tuple, surface.vertices.tolist())),
            triangles=tuple(map(tuple, surface.triangles.tolist())),
        )

    @property
    def picture(self) -> Surface:
        """The triangle mesh that was given, without the layer of ``edge_radius``."""
        surface: Surface = vars(self)["_surface"]
        return surface

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it with its layer, rows (lower, upper), m."""
        return self.picture.bounds + self.edge_radius * np.array([[-1.0], [1.0]])

    @property
    def thickness(self) -> float:
        """Least thickness of the surface, m."""
        return self.picture.thickness

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the enclosed solid of uniform ``density`` (kg/m³), without the layer."""
        return self.picture.mass_properties(density)

    @cached_property
    def convex_core(self) -> ConvexShape:
        """The corners of the hull and, where there are many, its edges."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        hull: Hull = vars(self)["_hull"]
        corners = np.ascontiguousarray(hull.corners)
        view = core_view(ShapeKind.POLYTOPE, (0.0, 0.0, 0.0), self.edge_radius, self.bounds, corners.mean(axis=0))
        view.n_vertices = len(corners)
        view.vertices = corners
        if len(corners) >= _CLIMB_FROM:
            _add_edges(view, hull)
        return view


def _add_edges(view: ConvexShape, hull: Hull) -> None:
    """Neighbours of each corner, and where climbs begin."""
    from polycontact.kernels.geometry.convex_shape import CELLS

    both = np.concatenate((hull.edges, hull.edges[:, ::-1]))
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    first = np.searchsorted(both[:, 0], np.arange(len(hull.corners) + 1))
    view.n_first, view.n_neighbours, view.n_starts = len(first), len(both), 6 * CELLS**2
    view.first = first.astype(np.int32)
    view.neighbours = both[:, 1].astype(np.int32)
    view.starts = np.argmax(_cell_directions(CELLS) @ hull.corners.T, axis=1).astype(np.int32)


def _cell_directions(n: int) -> NDArray[np.float64]:
    """Middle directions (6 n², 3) of the cells of the cube of directions, in the order of `start_cell`."""
    middle = (np.arange(n) + 0.5) * 2.0 / n - 1.0
    u, v = (each.ravel() for each in np.meshgrid(middle, middle, indexing="ij"))
    one = np.ones_like(u)
    sides = [(one, u, v), (-one, u, v), (v, one, u), (v, -one, u), (u, v, one), (u, v, -one)]
    return np.concatenate([np.stack(side, axis=1) for side in sides])
