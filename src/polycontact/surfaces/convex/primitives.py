"""Convex shapes by their dimensions: sphere, ellipsoid, box, cylinder, cone, capsule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces import shapes
from polycontact.surfaces.convex import solid_masses
from polycontact.surfaces.convex.core import core_view, rounding, symmetric_bounds
from polycontact.surfaces.mass import MassProperties
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.kernels.geometry.convex_shape import ConvexShape

_ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Sphere:
    """A ball of ``radius`` (m) about the origin."""

    radius: float
    name: str = "sphere"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check.length("Sphere", "radius", self.radius))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it, rows (lower, upper), m."""
        return symmetric_bounds(self.radius, self.radius, self.radius)

    @property
    def thickness(self) -> float:
        """Diameter of the sphere, m."""
        return 2.0 * self.radius

    @cached_property
    def picture(self) -> Surface:
        """A mesh of 1,280 triangles, to be drawn."""
        return shapes.sphere(self.radius)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the ball of uniform ``density`` (kg/m³), in closed form."""
        return solid_masses.ellipsoid_mass(self.name, density, (self.radius,) * 3)

    @cached_property
    def convex_core(self) -> ConvexShape:
        """A point with a sphere around it."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        return core_view(ShapeKind.BOX, _ORIGIN, self.radius, self.bounds, _ORIGIN)


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid of three ``semi_axes`` along x, y, z (m) about the origin."""

    semi_axes: Sequence[float]
    name: str = "ellipsoid"

    def __post_init__(self) -> None:
        object.__setattr__(self, "semi_axes", check.lengths("Ellipsoid", "semi_axes", self.semi_axes, 3))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it, rows (lower, upper), m."""
        return symmetric_bounds(*self.semi_axes)

    @property
    def thickness(self) -> float:
        """Twice the shortest semi-axis, m."""
        return 2.0 * min(self.semi_axes)

    @cached_property
    def picture(self) -> Surface:
        """A mesh of 1,280 triangles, to be drawn."""
        return shapes.ellipsoid(self.semi_axes)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the solid of uniform ``density`` (kg/m³), in closed form."""
        return solid_masses.ellipsoid_mass(self.name, density, tuple(self.semi_axes))

    @cached_property
    def convex_core(self) -> ConvexShape:
        """The compiled shape: the ellipsoid itself, rounded by no radius."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        return core_view(ShapeKind.ELLIPSOID, self.semi_axes, 0.0, self.bounds, _ORIGIN)


@dataclass(frozen=True)
class Box:
    """A box of ``size`` (one edge length or three, m) about the origin, which it keeps with an ``edge_radius`` (m)."""

    size: Sequence[float]
    edge_radius: float = 0.0
    name: str = "box"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check.lengths("Box", "size", self.size, 3))
        object.__setattr__(self, "edge_radius", rounding("Box", self.edge_radius, min(self.size) / 2))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it, rows (lower, upper), m."""
        x, y, z = self.size
        return symmetric_bounds(x / 2, y / 2, z / 2)

    @property
    def thickness(self) -> float:
        """Length of the shortest edge, m."""
        return min(self.size)

    @cached_property
    def picture(self) -> Surface:
        """Its twelve triangles; edges are drawn sharp."""
        return shapes.box(self.size)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the sharp box of uniform ``density`` (kg/m³), in closed form."""
        return solid_masses.box_mass(self.name, density, tuple(self.size))

    @cached_property
    def convex_core(self) -> ConvexShape:
        """A box that is smaller by the edge radius all around, which is put on it again."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        half = [max(each / 2 - self.edge_radius, 0.0) for each in self.size]
        return core_view(ShapeKind.BOX, half, self.edge_radius, self.bounds, _ORIGIN)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder of ``radius`` and ``length`` (m) along z about the origin; an ``edge_radius`` (m) changes neither."""

    radius: float
    length: float
    edge_radius: float = 0.0
    name: str = "cylinder"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check.length("Cylinder", "radius", self.radius))
        object.__setattr__(self, "length", check.length("Cylinder", "length", self.length))
        most = min(self.radius, self.length / 2)
        object.__setattr__(self, "edge_radius", rounding("Cylinder", self.edge_radius, most))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it, rows (lower, upper), m."""
        return symmetric_bounds(self.radius, self.radius, self.length / 2)

    @property
    def thickness(self) -> float:
        """Diameter or length, whichever is less, m."""
        return min(2.0 * self.radius, self.length)

    @cached_property
    def picture(self) -> Surface:
        """A mesh with 48 edges around, to be drawn; its rims are drawn sharp."""
        return shapes.cylinder(self.radius, self.length, rings=1, cap_rings=1)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the sharp, full cylinder of uniform ``density`` (kg/m³), in closed form."""
        return solid_masses.cylinder_mass(self.name, density, self.radius, self.length)

    @cached_property
    def convex_core(self) -> ConvexShape:
        """A cylinder that is smaller by the edge radius all around, which is put on it again."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        size = (max(self.radius - self.edge_radius, 0.0), max(self.length / 2 - self.edge_radius, 0.0), 0.0)
        return core_view(ShapeKind.CYLINDER, size, self.edge_radius, self.bounds, _ORIGIN)


@dataclass(frozen=True)
class Cone:
    """A cone with its apex at the origin and its base of ``radius`` (m) at z = ``length`` (m).

    With an ``edge_radius`` (m) it keeps its base and its slope, and loses its tip.
    """

    radius: float
    length: float
    edge_radius: float = 0.0
    name: str = "cone"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check.length("Cone", "radius", self.radius))
        object.__setattr__(self, "length", check.length("Cone", "length", self.length))
        object.__setattr__(self, "edge_radius", rounding("Cone", self.edge_radius, self._inner_radius))

    @property
    def _inner_radius(self) -> float:
        """Radius of the ball that touches base and slope from inside, m."""
        return self.radius * self.length / (self.radius + math.hypot(self.radius, self.length))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it, rows (lower, upper), m."""
        r = self.radius
        return np.array([[-r, -r, 0.0], [r, r, self.length]])

    @property
    def thickness(self) -> float:
        """Diameter of the ball that fits inside, m."""
        return 2.0 * self._inner_radius

    @cached_property
    def picture(self) -> Surface:
        """A mesh with 48 edges around, to be drawn; tip and rim are drawn sharp."""
        return shapes.cone(self.radius, self.length, rings=1, cap_rings=1)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the sharp cone of uniform ``density`` (kg/m³), in closed form."""
        return solid_masses.cone_mass(self.name, density, self.radius, self.length)

    @cached_property
    def convex_core(self) -> ConvexShape:
        """A cone that is smaller by the edge radius all around, which is put on it again."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        middle = self.length - self._inner_radius
        share = max(1.0 - self.edge_radius / self._inner_radius, 0.0)
        size = (share * self.radius, middle - share * middle, middle + share * (self.length - middle))
        return core_view(ShapeKind.CONE, size, self.edge_radius, self.bounds, (0.0, 0.0, middle))


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z with half balls at its ends, about the origin.

    ``length`` (m) is the distance between the centres of the two half balls of ``radius`` (m).
    """

    radius: float
    length: float
    name: str = "capsule"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check.length("Capsule", "radius", self.radius))
        object.__setattr__(self, "length", check.length("Capsule", "length", self.length))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Box around it, rows (lower, upper), m."""
        return symmetric_bounds(self.radius, self.radius, self.length / 2 + self.radius)

    @property
    def thickness(self) -> float:
        """Diameter of the capsule, m."""
        return 2.0 * self.radius

    @cached_property
    def picture(self) -> Surface:
        """A mesh with 48 edges around, to be drawn."""
        return shapes.capsule(self.radius, self.length, rings=1)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the solid of uniform ``density`` (kg/m³), in closed form."""
        return solid_masses.capsule_mass(self.name, density, self.radius, self.length)

    @cached_property
    def convex_core(self) -> ConvexShape:
        """A segment with a sphere swept over it."""
        from polycontact.kernels.geometry.convex_shape import ShapeKind

        return core_view(ShapeKind.BOX, (0.0, 0.0, self.length / 2), self.radius, self.bounds, _ORIGIN)
