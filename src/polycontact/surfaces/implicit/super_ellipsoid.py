"""Balls, ellipsoids, and with high exponents boxes and cylinders with rounded edges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from polycontact.errors import SurfaceError
from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
from polycontact.surfaces.mass import MassProperties, checked_density
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.round_shapes import sphere
from polycontact.surfaces.smooth_surface import Array
from polycontact.surfaces.surface import Surface

_EXPONENTS = (2.0, 100.0)
"""Below 2 the surface has creases; beyond 100 its edges are sharper than samples can tell."""


class RoundSolid(ImplicitGeometry):
    """What balls, ellipsoids, rounded boxes and cylinders have in common."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """Semi-axes along x, y, z (m), exponents p, q, and the number of the axis of p."""
        raise NotImplementedError

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        from polycontact.kernels.smooth.surface_codes import SUPER_ELLIPSOID

        return SUPER_ELLIPSOID

    @property
    def is_closed(self) -> bool:
        """True: the surface bounds a solid."""
        return True

    @property
    def bounds(self) -> Array:
        """Lower and upper corner (2, 3) of the box around the solid, m."""
        axes = np.array(self.numbers[:3])
        return np.array([-axes, axes])

    @property
    def thickness(self) -> float:
        """Twice the least semi-axis, m."""
        return 2.0 * min(self.numbers[:3])

    @property
    def picture(self) -> Surface:
        """A ball of triangles whose vertices are moved along their radii."""
        ball = sphere(1.0, 4)
        p, q, axis = self.numbers[3:]
        x, y, z = np.roll(np.abs(ball.vertices.T), -int(axis), axis=0)
        gauge = (x**p + (y**q + z**q) ** (p / q)) ** (1.0 / p)
        return Surface(ball.vertices / gauge[:, None] * np.array(self.numbers[:3]), ball.triangles, name=self.name)

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Closed form, by Dirichlet's integrals."""
        axes, first = np.array(self.numbers[:3]), int(self.numbers[5])
        whole = self._moment(1, 1, 1)
        volume = float(axes.prod()) * whole
        mass = checked_density(self.name, density) * volume
        along = np.array([self._moment(3, 1, 1), self._moment(1, 3, 1), self._moment(1, 1, 3)])
        xx, yy, zz = mass / whole * axes**2 * np.roll(along, first)
        return MassProperties(mass, volume, np.zeros(3), np.diag([yy + zz, xx + zz, xx + yy]))

    def _moment(self, i: int, j: int, k: int) -> float:
        """Integral of |x|^(i-1) |y|^(j-1) |z|^(k-1) over the body with semi-axes 1."""
        p, q = self.numbers[3:5]
        across = math.gamma(j / q) * math.gamma(k / q) / (q * q * math.gamma(1.0 + (j + k) / q))
        along = math.gamma(i / p) * math.gamma((j + k) / p) / (p * p * math.gamma(1.0 + (i + j + k) / p))
        return 8.0 * (j + k) * across * along


@dataclass(frozen=True)
class SuperEllipsoid(RoundSolid):
    """|x/a|^p + (|y/b|^q + |z/c|^q)^(p/q) = 1, for `ImplicitMethod`; x may be another axis.

    - ``semi_axes`` a, b, c (m): one for all, or three along x, y and z.
    - ``exponent`` p, from 2 (an ellipsoid) to 100: 20 is a box with rounded edges.
    - ``cross_exponent`` q of the section across the axis, as p where left out: with 2 a cylinder along the axis.
    - ``axis``: "x", or "y" or "z" in its place, the others follow in turn.
    - ``name``: how messages and pages call it.
    """

    semi_axes: float | tuple[float, float, float]
    exponent: float = 20.0
    cross_exponent: float | None = None
    name: str = "super-ellipsoid"
    axis: Literal["x", "y", "z"] = "x"

    def __post_init__(self) -> None:
        object.__setattr__(self, "semi_axes", check.lengths("SuperEllipsoid", "semi_axes", self.semi_axes, 3))
        check.real_number("SuperEllipsoid", "exponent", self.exponent, "", *_EXPONENTS)
        if self.cross_exponent is not None:
            check.real_number("SuperEllipsoid", "cross_exponent", self.cross_exponent, "", *_EXPONENTS)
        if self.axis not in ("x", "y", "z"):
            raise SurfaceError(f'SuperEllipsoid: axis is {self.axis!r}; give "x", "y" or "z"')

    @property
    def numbers(self) -> tuple[float, ...]:
        """Semi-axes, m, both exponents, and the number of the axis."""
        across = self.exponent if self.cross_exponent is None else self.cross_exponent
        axes = check.lengths("SuperEllipsoid", "semi_axes", self.semi_axes, 3)
        return (*axes, float(self.exponent), float(across), float("xyz".index(self.axis)))


@dataclass(frozen=True)
class Sphere(RoundSolid):
    """A ball about the origin, for `ImplicitMethod`.

    - ``radius`` (m).
    - ``name``: how messages and pages call it.
    """

    radius: float
    name: str = "sphere"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check.length("Sphere", "radius", self.radius))

    @property
    def numbers(self) -> tuple[float, ...]:
        """Three equal semi-axes, m, both exponents, and any axis."""
        return (float(self.radius),) * 3 + (2.0, 2.0, 0.0)
