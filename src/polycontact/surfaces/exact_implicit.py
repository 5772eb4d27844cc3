"""Shapes as implicit surfaces: how each is made from the arguments of its mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from polycontact.errors import SurfaceError
from polycontact.surfaces import implicit
from polycontact.surfaces.alternatives import BOX_EXPONENT, Make
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.shapes import arguments as check


def _implicit_ellipsoid(semi_axes: Sequence[float]) -> Geometry:
    axes = check.lengths("ellipsoid", "semi_axes", semi_axes, 3)
    return implicit.SuperEllipsoid(axes, exponent=2.0, name="ellipsoid")  # type: ignore[arg-type]


def _implicit_box(size: Sequence[float], exponent: float = BOX_EXPONENT) -> Geometry:
    half = tuple(0.5 * each for each in check.lengths("box", "size", size, 3))
    return implicit.SuperEllipsoid(half, exponent=exponent, name="box")  # type: ignore[arg-type]


def _implicit_cylinder(radius: float, length: float, exponent: float = BOX_EXPONENT) -> Geometry:
    radius, length = check.length("cylinder", "radius", radius), check.length("cylinder", "length", length)
    half = (radius, radius, 0.5 * length)
    return implicit.SuperEllipsoid(half, exponent=exponent, cross_exponent=2.0, axis="z", name="cylinder")


def _half_space(size: float | Sequence[float]) -> Geometry:
    x, y = check.lengths("plane", "size", size, 2)
    if x != y:
        raise SurfaceError(
            f'plane: size = {size!r} m; as "implicit" it is a half-space, whose contact is looked for over a '
            f"square: give one length"
        )
    return implicit.HalfSpace(x, 0.5 * x, "plane")


MAKERS: Final[Mapping[str, Make]] = {
    "sphere": implicit.Sphere,
    "ellipsoid": _implicit_ellipsoid,
    "box": _implicit_box,
    "cylinder": _implicit_cylinder,
    "plane": _half_space,
}
"""What makes the exact implicit surface, for each kind of shape that has one."""
