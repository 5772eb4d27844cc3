"""The geometry of a body: what all of the package but the contact methods needs to know of it.

A `Surface`, a triangle mesh, is one kind. Others (a sphere by its radius, a parametric face) are classes with these few
attributes; which methods can work with them, the methods say.
"""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from polycontact.surfaces.mass import MassProperties
    from polycontact.surfaces.surface import Surface


@runtime_checkable
class Geometry(Protocol):
    """The shape of a body in a frame of its own.

    A class that is no `Surface` is announced with `described`, so that run files can name it and pages make it again.
    """

    @property
    def name(self) -> str:
        """How messages and pages call it."""

    @property
    def bounds(self) -> NDArray[np.float64]:
        """A box around it, rows (lower, upper), m; finite."""

    @property
    def thickness(self) -> float:
        """How far another body may move through it unnoticed, m; infinite for one without an inside."""

    @property
    def picture(self) -> Surface:
        """How it is drawn and recorded."""

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Mass, centre and inertia of the solid of uniform ``density`` (kg/m³); `SurfaceError` where it is none."""


GEOMETRY_ATTRIBUTES = ("name", "bounds", "thickness", "picture", "mass_properties")
"""Attributes of a geometry."""


def size_of(geometry: Geometry) -> float:
    """Diagonal of the box around a geometry, m."""
    return float(np.linalg.norm(geometry.bounds[1] - geometry.bounds[0]))


def problem_of(thing: Any) -> str:
    """What keeps a thing from being a geometry; empty where nothing does. Its picture is not made for that."""
    missing = [name for name in GEOMETRY_ATTRIBUTES if getattr_static(thing, name, None) is None]
    if missing:
        return f"expected a Surface, see load_surface, or another geometry: it has no {', '.join(missing)}"
    bounds = np.asarray(thing.bounds, dtype=np.float64)
    if bounds.shape != (2, 3) or not np.isfinite(bounds).all() or not (bounds[0] <= bounds[1]).all():
        return f"its bounds are {bounds.tolist()} m; give two finite corners, lower and upper"
    return ""
