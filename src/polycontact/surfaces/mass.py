"""Mass, centre and inertia of the solid that a closed surface encloses.

The integrals over the polyhedron are exact (Mirtich 1996, Tonon 2004): the solid is the signed sum of the
tetrahedra between its triangles and one common point. That point is the centre of the bounding box, so that a
surface far from the origin loses no digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.tolerances import EPS
from polycontact.wording import format_vector

if TYPE_CHECKING:
    from polycontact.surfaces.surface import Surface


@dataclass(frozen=True, eq=False, repr=False)
class MassProperties:
    """Mass properties of a homogeneous solid, in the axes of its surface; arrays are read-only.

    ``mass`` in kg, ``volume`` in m³, ``centre`` (3,) of mass in m, ``inertia`` (3, 3) about that centre in
    kg m².
    """

    mass: float
    volume: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]

    def __repr__(self) -> str:
        centre = format_vector(self.centre, scale=abs(self.volume) ** (1.0 / 3.0))
        moments = format_vector(np.diag(self.inertia))
        return f"MassProperties({self.mass:.6g} kg, {self.volume:.6g} m³, centre {centre} m, moments {moments} kg m²)"

    def principal(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Principal moments (3,) in kg m², ascending, and the rotation (3, 3) whose columns are their axes.

        ``inertia == rotation @ diag(moments) @ rotation.T``; the rotation is right-handed and the largest
        component of its first two axes is positive.
        """
        moments, axes = np.linalg.eigh(self.inertia)
        largest = np.argmax(np.abs(axes), axis=0)
        axes = axes * np.sign(axes[largest, np.arange(3)])
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return moments, axes


def mass_properties(surface: Surface, density: float = 1.0) -> MassProperties:
    """Mass properties of the solid of uniform ``density`` (kg/m³) inside a closed, outward ``surface``."""
    density = checked_density(surface.name, density)
    _refuse_open(surface)
    reference = surface.bounds.mean(axis=0)
    corners = surface.vertices[surface.triangles] - reference
    # Six times the volume of each tetrahedron (reference, a, b, c), and the sum of its corners.
    weights = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    sums = corners.sum(axis=1)
    volume = float(weights.sum()) / 6.0
    _refuse_no_volume(surface, volume)

    # Over a tetrahedron of volume V with one corner at the reference and s = a + b + c:
    # integral of x = V s / 4, of x xᵀ = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20.
    centre = weights @ sums / (24.0 * volume)
    second = (sums * weights[:, None]).T @ sums
    for corner in np.moveaxis(corners, 1, 0):
        second += (corner * weights[:, None]).T @ corner
    second = 0.5 * (second + second.T) / 120.0 - volume * np.outer(centre, centre)
    return MassProperties(
        mass=density * volume,
        volume=volume,
        centre=_read_only(reference + centre),
        inertia=_read_only(density * (np.trace(second) * np.eye(3) - second)),
    )


def checked_density(name: str, density: float) -> float:
    """``density`` (kg/m³) as a positive float; ``name`` of the geometry is for the error."""
    try:
        value = float(density)
    except (TypeError, ValueError) as error:
        raise SurfaceError(f"{name}: density {density!r} is not a number in kg/m³") from error
    if not (math.isfinite(value) and value > 0.0):
        raise SurfaceError(f"{name}: density {density!r} kg/m³ must be positive and finite")
    return value


def _refuse_open(surface: Surface) -> None:
    if not surface.is_closed:
        from polycontact.surfaces.inspection.rims import told_closing

        n_border = len(surface.half_edges.border_edges)
        raise SurfaceError(
            f"{surface.name}: an open surface ({n_border} border edges) encloses no volume, so it has no "
            f"mass properties; {told_closing(surface)}; or give the body its mass and inertia"
        )


def _refuse_no_volume(surface: Surface, volume: float) -> None:
    rounding = EPS * surface.size * float(surface.areas.sum())
    if volume < -rounding:
        raise SurfaceError(
            f"{surface.name}: the enclosed volume is negative ({volume:.4g} m³): normals point inward; "
            f"turn them with surface.flipped() or load it with flip=True"
        )
    if volume <= rounding:
        raise SurfaceError(
            f"{surface.name}: the enclosed volume ({volume:.4g} m³) vanishes within rounding; "
            f"give the solid a thickness, or give the body its mass and inertia"
        )


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array
