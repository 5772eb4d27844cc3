"""Shapes as parametric surfaces: how each is made from the arguments of its mesh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from polycontact.surfaces import parametric
from polycontact.surfaces.alternatives import Make
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.shapes import arguments as check


def _parametric_sphere(radius: float) -> Geometry:
    return parametric.Ellipsoid(check.lengths("sphere", "radius", radius, 3), "sphere")  # type: ignore[arg-type]


MAKERS: Final[Mapping[str, Make]] = {
    "sphere": _parametric_sphere,
    "ellipsoid": parametric.Ellipsoid,
    "plane": parametric.Plane,
    "paraboloid": parametric.Paraboloid,
    "cosine_surface": parametric.CosineSurface,
}
"""What makes the exact parametric surface, for each kind of shape that has one."""
