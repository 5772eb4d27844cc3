"""Smooth solids as distance fields: what the segments of the man are modelled with.

A `Solid` is a loft, given by a table of cross-sections, to which rounded parts (muscles, nose, heel) are joined
and from which others are cut, all with smooth transitions. In: points (n, 3) in m. Out: about the signed
distance (n,) of each to the skin in m, negative inside; it vanishes exactly on the skin, which is all that
`skinning` needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Values = NDArray[np.float64]
Vector = tuple[float, float, float]

_SMALLEST_SQUARE: Final = 1e-18
"""m², added below square roots: the middle of a primitive has no direction."""


class Primitive(Protocol):
    """A body with a distance field."""

    def distance(self, points: Points) -> Values:
        """About the signed distance of ``points`` (n, 3) to the skin, m, negative inside."""
        ...


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid with ``centre`` (m) and ``radii`` (m), turned by ``pitch`` (degrees) about y."""

    centre: Vector
    radii: Vector
    pitch: float = 0.0

    def distance(self, points: Points) -> Values:
        """About the signed distance of ``points`` (n, 3), m."""
        cosine, sine = np.cos(np.radians(self.pitch)), np.sin(np.radians(self.pitch))
        x, y, z = (points - np.array(self.centre)).T
        return _from_ellipsoid((cosine * x - sine * z, y, sine * x + cosine * z), self.radii)


@dataclass(frozen=True)
class Cone:
    """A cone with round ends: spheres of ``radii`` (m) about ``start`` and ``end`` (m) and all between them."""

    start: Vector
    end: Vector
    radii: tuple[float, float]

    def distance(self, points: Points) -> Values:
        """About the signed distance of ``points`` (n, 3), m."""
        start = np.array(self.start)
        axis = np.array(self.end) - start
        along = np.clip((points - start) @ axis / float(axis @ axis), 0.0, 1.0)
        apart = points - start - along[:, None] * axis
        radius = self.radii[0] + along * (self.radii[1] - self.radii[0])
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", apart, apart) + _SMALLEST_SQUARE) - radius)


@dataclass(frozen=True)
class Below:
    """All below the height ``z`` (m): cut away, it leaves a flat sole."""

    z: float

    def distance(self, points: Points) -> Values:
        """Signed distance of ``points`` (n, 3) to the plane, m."""
        return np.asarray(points[:, 2] - self.z)


@dataclass(frozen=True)
class Loft:
    """A tube through elliptic cross-sections, with half ellipsoids at its ends.

    ``sections``: rows (s, centre u, centre v, half axis u, half axis v), m, with s ascending, joined by cubics.
    ``caps``: heights (m) of the ends at the first and the last section. ``axis`` 2: s is z, (u, v) is (x, y);
    ``axis`` 0: s is x, (u, v) is (y, z). ``squareness``: exponent of the sections; 2 is an ellipse.
    """

    sections: tuple[tuple[float, float, float, float, float], ...]
    caps: tuple[float, float]
    axis: int = 2
    squareness: float = 2.0

    @property
    def order(self) -> tuple[int, int, int]:
        """Columns of s, u and v among (x, y, z)."""
        return (self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3)

    @property
    def span(self) -> tuple[float, float]:
        """First and last s of the sections, without the caps, m."""
        return self.sections[0][0], self.sections[-1][0]

    @cached_property
    def _table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The rows, and their slopes along s, which vanish at the ends, where the caps begin."""
        rows = np.array(self.sections)
        slopes = np.gradient(rows[:, 1:], rows[:, 0], axis=0)
        slopes[[0, -1]] = 0.0
        return rows, slopes

    def section(self, s: Values) -> NDArray[np.float64]:
        """Centre u, v and half axes u, v (4, n) at ``s`` (n,) within the span, in m (cubic Hermite)."""
        rows, slopes = self._table
        knots, values = rows[:, 0], rows[:, 1:]
        i = np.clip(np.searchsorted(knots, s, side="right") - 1, 0, len(knots) - 2)
        width = knots[i + 1] - knots[i]
        t = ((s - knots[i]) / width)[:, None]
        rest = 1.0 - t
        return np.asarray(
            rest * rest * ((1.0 + 2.0 * t) * values[i] + (width[:, None] * t) * slopes[i])
            + t * t * ((3.0 - 2.0 * t) * values[i + 1] - (width[:, None] * rest) * slopes[i + 1])
        ).T

    def distance(self, points: Points) -> Values:
        """About the signed distance of ``points`` (n, 3), m."""
        s, u, v = (points[:, column] for column in self.order)
        inside = np.clip(s, *self.span)
        beyond = s - inside
        centre_u, centre_v, half_u, half_v = self.section(inside)
        cap = np.where(beyond < 0.0, self.caps[0], self.caps[1])
        u, v = self._rounded((u - centre_u) / half_u, (v - centre_v) / half_v)
        return _from_ellipsoid((u * half_u, v * half_v, beyond), (half_u, half_v, cap))

    def _rounded(self, u: Values, v: Values) -> tuple[Values, Values]:
        """The point of the unit circle's plane to which a point of the squarish section corresponds."""
        if self.squareness == 2.0:
            return u, v
        power = self.squareness
        circle = np.sqrt(u * u + v * v + _SMALLEST_SQUARE)
        squarish = (np.abs(u) ** power + np.abs(v) ** power) ** (1.0 / power)
        return u * squarish / circle, v * squarish / circle


@dataclass(frozen=True)
class Part:
    """A primitive that is joined to a solid, or cut out of it, over a transition of ``blend`` (m)."""

    body: Primitive
    blend: float
    is_cut: bool = False


@dataclass(frozen=True)
class Focus:
    """Where triangles are to be smaller: at ``centre`` (m) by ``1 + gain``, fading out over ``radius`` (m)."""

    centre: Vector
    radius: float
    gain: float


@dataclass(frozen=True)
class Solid:
    """A loft with parts, joined or cut in their order; ``focus``: where its skin is to be finer."""

    loft: Loft
    parts: tuple[Part, ...] = ()
    focus: Focus | None = None

    def density(self, points: Points) -> Values:
        """How many times smaller than elsewhere edges at ``points`` (n, 3) are to be."""
        if self.focus is None:
            return np.ones(len(points))
        apart = (points - np.array(self.focus.centre)) / self.focus.radius
        return np.asarray(1.0 + self.focus.gain * np.exp(-np.einsum("ij,ij->i", apart, apart)))

    def distance(self, points: Points) -> Values:
        """About the signed distance of ``points`` (n, 3) to the skin, m."""
        total = self.loft.distance(points)
        for part in self.parts:
            other = part.body.distance(points)
            if part.is_cut:
                total = -_joined(-total, other, part.blend)
            else:
                total = _joined(total, other, part.blend)
        return total


def _joined(first: Values, second: Values, blend: float) -> Values:
    """The smaller of two fields, rounded by a parabola where they differ by less than ``blend`` (m)."""
    near = np.maximum(blend - np.abs(first - second), 0.0)
    return np.minimum(first, second) - near * near / (4.0 * blend)


def _from_ellipsoid(
    offsets: tuple[Values, Values, Values], radii: tuple[float | Values, float | Values, float | Values]
) -> Values:
    """Distance to first order of points at ``offsets`` (m) from the middle of an ellipsoid with ``radii`` (m)."""
    unit = [offset / radius for offset, radius in zip(offsets, radii, strict=True)]
    level = np.sqrt(unit[0] ** 2 + unit[1] ** 2 + unit[2] ** 2 + _SMALLEST_SQUARE)
    steepness = np.sqrt(sum((each / radius) ** 2 for each, radius in zip(unit, radii, strict=True)) + _SMALLEST_SQUARE)
    return np.asarray(level * (level - 1.0) / steepness)
