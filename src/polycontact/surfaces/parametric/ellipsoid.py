"""The ellipsoid as a parametric surface, in two charts without singular places."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from polycontact.surfaces.mass import MassProperties, checked_density
from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.round_shapes import sphere
from polycontact.surfaces.smooth_surface import Array, Chart, Places
from polycontact.surfaces.surface import Surface

_CHART = Chart(((-3.0, 3.0), (-3.0, 3.0)), divisions=(96, 96))
"""Either chart: a hemisphere is the unit disc; the rest lets a search go on past the equator."""
_HEMISPHERE = 1.05
"""Radius of the disc that has samples: both charts together cover the surface."""


@dataclass(frozen=True)
class Ellipsoid(ParametricGeometry):
    """An ellipsoid about the origin, for `ParametricMethod`; a ball where its semi-axes are equal.

    - ``semi_axes`` (m): one for all, or three along x, y and z.
    - ``name``: how messages and pages call it.
    """

    semi_axes: float | tuple[float, float, float]
    name: str = "ellipsoid"

    def __post_init__(self) -> None:
        axes = check.lengths("Ellipsoid", "semi_axes", self.semi_axes, 3)
        object.__setattr__(self, "semi_axes", axes)

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        from polycontact.kernels.smooth.surface_codes import ELLIPSOID

        return ELLIPSOID

    @property
    def numbers(self) -> tuple[float, ...]:
        """Semi-axes along x, y and z, m."""
        return check.lengths("Ellipsoid", "semi_axes", self.semi_axes, 3)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Stereographic projections from both poles."""
        return (_CHART, _CHART)

    @property
    def is_closed(self) -> bool:
        """True: the surface bounds a solid."""
        return True

    @property
    def bounds(self) -> Array:
        """Lower and upper corner (2, 3) of the box around the ellipsoid, m."""
        axes = np.array(self.numbers)
        return np.array([-axes, axes])

    def dense_places(self) -> Places:
        """Those of each chart that lie in its hemisphere."""
        both = super().dense_places()
        near = np.hypot(both.places[:, 0], both.places[:, 1]) < _HEMISPHERE
        return Places(both.charts[near], both.places[near], both.points[near], both.normals[near])

    @property
    def thickness(self) -> float:
        """Twice the least semi-axis, m."""
        return 2.0 * min(self.numbers)

    @property
    def picture(self) -> Surface:
        """A stretched ball of triangles."""
        ball = sphere(1.0, 4)
        return Surface(ball.vertices * np.array(self.numbers), ball.triangles, name=self.name)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Exact mass properties of the solid ellipsoid; ``density`` in kg/m³."""
        a, b, c = self.numbers
        volume = 4.0 / 3.0 * math.pi * a * b * c
        mass = checked_density(self.name, density) * volume
        inertia = 0.2 * mass * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
        return MassProperties(mass, volume, np.zeros(3), inertia)
