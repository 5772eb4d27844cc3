"""Convex shapes of users: a support mapping, a function of few lines, is all that a shape needs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.convex.core import core_view, rounding
from polycontact.surfaces.mass import MassProperties
from polycontact.surfaces.shapes.round_shapes import sphere
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import SUPPORT_TOLERANCE

if TYPE_CHECKING:
    from polycontact.kernels.geometry.convex_shape import ConvexShape
    from polycontact.kernels.geometry.support_compilation import MappingParameters

_announced: dict[str, Callable[..., Any]] = {}
_stages: dict[str, int] = {}
_CHECK_SUBDIVISIONS = 3
"""Subdivisions of the icosahedron in whose 642 directions a mapping is checked."""
_PICTURE_SUBDIVISIONS = 4
"""Those of its picture, 2,562 directions."""


@dataclass(frozen=True)
class SupportShape:
    """A convex shape by a support mapping that was announced with `support_mapping`, and its parameters.

    ``edge_radius`` (m): a layer of that thickness is put on it in contact. Picture and mass are those of the hull of
    2,562 of its points.
    """

    mapping: str
    parameters: Sequence[float] = ()
    edge_radius: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        owner = f"support mapping {self.mapping!r}"
        if self.mapping not in _announced:
            known = ", ".join(map(repr, sorted(_announced))) or "none"
            raise SurfaceError(f"{owner} is not known here (known: {known}); import the module that announces it")
        numbers = tuple(self.parameters)
        for i, value in enumerate(numbers):
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise SurfaceError(f"{owner}: parameter {i} is {value!r}; it must be a finite number")
        object.__setattr__(self, "parameters", numbers)
        object.__setattr__(self, "edge_radius", rounding(owner, self.edge_radius))
        object.__setattr__(self, "name", self.name or self.mapping)
        _check_mapping(owner, *self._sample(_CHECK_SUBDIVISIONS))

    def _sample(self, subdivisions: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Unit vectors spread over all directions, and the points that the mapping gives for them."""
        directions = sphere(1.0, subdivisions).vertices
        return directions, self.points(directions)

    def points(self, directions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (n, 3) m, without the layer, that lie farthest in the given unit vectors (n, 3)."""
        from polycontact.kernels.geometry.support_compilation import map_directions

        found = np.empty((len(directions), 3))
        map_directions(self._stage, self._parameters.address, np.array(directions, order="C"), found)
        return found

    @cached_property
    def _stage(self) -> int:
        from polycontact.kernels.geometry.support_compilation import compile_mapping

        if self.mapping not in _stages:
            try:
                _stages[self.mapping] = compile_mapping(_announced[self.mapping])
            except Exception as error:  # whatever the compiler says of a user's function
                raise SurfaceError(
                    f"support mapping {self.mapping!r} cannot be compiled; it takes a tuple of three numbers and an "
                    f"array and returns three numbers: {error}"
                ) from error
        return _stages[self.mapping]

    @cached_property
    def _parameters(self) -> MappingParameters:
        from polycontact.kernels.geometry.support_compilation import MappingParameters

        values = MappingParameters()
        values.reserve(n=len(self.parameters))
        values.values[:] = self.parameters
        return values

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it with its layer, rows (lower, upper), m."""
        axes = np.concatenate((-np.eye(3), np.eye(3)))
        heights = np.einsum("ni,ni->n", axes, self.points(axes)) + self.edge_radius
        return np.stack((-heights[:3], heights[3:]))

    @cached_property
    def thickness(self) -> float:
        """Least width in the directions in which it was checked, m."""
        directions, points = self._sample(_CHECK_SUBDIVISIONS)
        return float((directions @ points.T).max(axis=1).min() + (-directions @ points.T).max(axis=1).min())

    @cached_property
    def picture(self) -> Surface:
        """The hull of 2,562 of its points."""
        from scipy.spatial import ConvexHull

        points = self._sample(_PICTURE_SUBDIVISIONS)[1]
        points = np.unique(np.round(points / np.abs(points).max(), 9), axis=0) * np.abs(points).max()
        hull = ConvexHull(points)
        triangles = hull.simplices.copy()
        corners = points[triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inward = np.einsum("ni,ni->n", normals, hull.equations[:, :3]) < 0.0
        triangles[inward] = triangles[inward, ::-1]
        used, number = np.unique(triangles, return_inverse=True)
        return Surface(points[used], number.reshape(-1, 3), name=self.name)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the solid of uniform ``density`` (kg/m³) that its picture encloses."""
        return self.picture.mass_properties(density)

    @cached_property
    def convex_core(self) -> ConvexShape:
        """The compiled shape, which calls the user's compiled mapping."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        centre = self._sample(_CHECK_SUBDIVISIONS)[1].mean(axis=0)
        view = core_view(ShapeKind.USER, (0.0, 0.0, 0.0), self.edge_radius, self.bounds, centre)
        view.mapping, view.parameters = self._stage, self._parameters.address
        return view


def _check_mapping(owner: str, directions: NDArray[np.float64], points: NDArray[np.float64]) -> None:
    """Refuse points that are not finite, that span no volume, or that do not lie farthest in their directions."""
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise SurfaceError(
            f"{owner}: for n = {directions[bad[0]].tolist()} it returns {points[bad[0]].tolist()} m; it must return "
            f"finite coordinates for every unit vector"
        )
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    heights = directions @ points.T
    own = np.diagonal(heights)
    lacking = heights.max(axis=1) - own
    worst = int(np.argmax(lacking))
    if lacking[worst] > SUPPORT_TOLERANCE * size:
        other = int(np.argmax(heights[worst]))
        raise SurfaceError(
            f"{owner}: for n = {directions[worst].tolist()} it returns {points[worst].tolist()} m, but the point "
            f"{points[other].tolist()} m, which it returns elsewhere, lies {lacking[worst]:.4g} m farther along n; it "
            f"must return the point of a convex shape that lies farthest"
        )
    widths = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if not widths[2] > SUPPORT_TOLERANCE * widths[0]:
        raise SurfaceError(f"{owner}: its points lie in a plane, on a line or in one place; give it a volume")


def support_mapping(name: str) -> Callable[[Callable[..., Any]], Callable[..., SupportShape]]:
    """Announce a function as a support mapping; what it becomes makes shapes of parameters.

        @pc.convex.support_mapping("double cone")
        def double_cone(n, parameters):
            radius, half = parameters
            across = math.hypot(n[0], n[1])
            if half * abs(n[2]) >= radius * across:
                return 0.0, 0.0, math.copysign(half, n[2])
            return radius * n[0] / across, radius * n[1] / across, 0.0

        shape = double_cone(0.1, 0.2)

    ``n`` is a tuple of three numbers, a unit vector in the frame of the shape; ``parameters`` an array. It returns the
    point (m) of the shape for which n·r is greatest, one of them where there are several, and is compiled. It is asked
    in 642 directions when a shape is made, and errors tell what is wrong with its answers.
    """

    def announce(function: Callable[..., Any]) -> Callable[..., SupportShape]:
        n_arguments = len(inspect.signature(function).parameters)
        if n_arguments != 2:
            raise SurfaceError(
                f"support mapping {name!r}: its function has {n_arguments} arguments; expected (n, parameters)"
            )
        _announced[name] = function
        _stages.pop(name, None)

        def make(*parameters: float, edge_radius: float = 0.0) -> SupportShape:
            return SupportShape(name, parameters, edge_radius)

        make.__name__, make.__doc__ = function.__name__, function.__doc__
        return make

    return announce
