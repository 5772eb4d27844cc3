"""Rigid bodies and their shapes: one entry gives mass, inertia, picture and contact shape (S4.6, S4.17)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.materials import Material
from polycontact.errors import MultibodyError, SurfaceError
from polycontact.multibody import checks
from polycontact.surfaces.geometry import Geometry, problem_of
from polycontact.wording import counted, short_repr

WORLD = "world"
"""Name of the inertial frame."""


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """A surface, or another `Geometry`, on a body: its picture and, with ``contact``, its contact shape.

    ``position`` (m) and ``rotation`` (3, 3): the surface's frame in the body's; ``colour``: "#rrggbb". What contacts of
    the shape follow from, where nothing is said of the pair: ``layer``, its elastic layer, for areas;
    ``contact_properties``, its spring, damper and friction, which are mixed with those of the other shape;
    ``material``, or the name of one, of which `MultibodySystem.pair_materials` may say how it touches another.
    """

    surface: Geometry
    position: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = field(default_factory=lambda: np.eye(3))
    contact: bool = True
    layer: ElasticLayer | None = None
    colour: str | None = None
    material: str | Material | None = None
    contact_properties: ContactProperties | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        problem = problem_of(self.surface)
        if problem:
            raise MultibodyError(f"shape: surface is {self.surface!r}; {problem}")
        owner = f"shape {self.surface.name!r}"
        object.__setattr__(self, "position", checks.array(owner, "position", self.position, (3,), "m"))
        object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        if self.layer is not None and not isinstance(self.layer, ElasticLayer):
            raise MultibodyError(f"{owner}: layer is {self.layer!r}; expected an ElasticLayer")
        if self.contact_properties is not None and not isinstance(self.contact_properties, ContactProperties):
            raise MultibodyError(
                f"{owner}: contact_properties is {self.contact_properties!r}; expected ContactProperties(…)"
            )
        if self.material is not None:
            checked_material(owner, self.material)

    @property
    def material_name(self) -> str | None:
        """Name of its material; None where it has none."""
        return self.material.name if isinstance(self.material, Material) else self.material

    def placement(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and position (3,) in the body."""
        return np.asarray(self.rotation, dtype=np.float64), np.asarray(self.position, dtype=np.float64)


def checked_material(owner: str, material: object) -> str:
    """The name of a material, which may be a name that the library does not have."""
    name = material.name if isinstance(material, Material) else material
    if not isinstance(name, str) or not name.strip():
        raise MultibodyError(f"{owner}: material is {material!r}; give a Material, or the name of one")
    return name


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: ``mass`` kg, ``centre`` of mass (3,) m, ``inertia`` (3, 3) about it in kg m², in body axes."""

    name: str
    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]
    shapes: tuple[Shape, ...]

    def __repr__(self) -> str:
        return f"Body({self.name!r}, {self.mass:.6g} kg, {counted(len(self.shapes), 'shape')})"


@dataclass(frozen=True, eq=False)
class Marker:
    """A named frame on a body: ``position`` (3,) m and ``rotation`` (3, 3) in the body's frame."""

    name: str
    body: str
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]


def make_body(
    name: str,
    shapes: tuple[Shape, ...],
    density: float | None,
    mass: float | None,
    centre: ArrayLike | None,
    inertia: ArrayLike | None,
    massless: bool,
) -> Body:
    """A body with mass properties as given, or those of its shapes with a density (kg/m³) or a total mass (kg).

    ``massless``: it may have none, because it does not move by forces.
    """
    owner = f"body {name!r}"
    if inertia is not None:
        return _body_as_given(owner, name, shapes, density, mass, centre, inertia)
    if density is not None and mass is not None:
        raise MultibodyError(
            f"{owner}: both a density ({density} kg/m³) and a mass ({mass} kg) are given; leave one out"
        )
    if density is None and mass is None:
        if massless:
            return Body(name, 0.0, np.zeros(3), np.zeros((3, 3)), shapes)
        raise MultibodyError(
            f"{owner} moves but has no mass; give density (kg/m³) and a closed surface, or mass and "
            f"inertia, or fixed=True"
        )
    if not shapes:
        raise MultibodyError(f"{owner}: a density or mass alone needs a surface; give one, or give the inertia too")
    value = checks.number(owner, "density", density, "kg/m³", positive=True) if density is not None else 1.0
    total, middle, moments = _of_shapes(owner, shapes, value)
    if mass is not None:
        factor = checks.number(owner, "mass", mass, "kg", positive=True) / total
        total, moments = total * factor, moments * factor
    if centre is not None:
        middle = checks.array(owner, "centre", centre, (3,), "m")
    return Body(name, total, middle, moments, shapes)


def _body_as_given(
    owner: str,
    name: str,
    shapes: tuple[Shape, ...],
    density: float | None,
    mass: float | None,
    centre: ArrayLike | None,
    inertia: ArrayLike,
) -> Body:
    if density is not None:
        raise MultibodyError(f"{owner}: inertia is given together with a density; give mass and inertia, or a density")
    if mass is None:
        raise MultibodyError(f"{owner}: inertia is given without a mass; give mass in kg")
    total = checks.number(owner, "mass", mass, "kg", positive=True)
    middle = checks.array(owner, "centre", (0.0, 0.0, 0.0) if centre is None else centre, (3,), "m")
    moments = checks.floats(owner, "inertia", inertia, "kg m²")
    if moments.shape == (3,):
        moments = np.diag(moments)
    moments = checks.array(owner, "inertia", moments, (3, 3), "kg m²")
    check_inertia(owner, moments)
    return Body(name, total, middle, moments, shapes)


def check_inertia(owner: str, inertia: NDArray[np.float64]) -> None:
    """Refuse what no body has: an unsymmetric matrix, negative moments, one above the sum of the others."""
    scale = float(np.abs(inertia).max())
    if not np.allclose(inertia, inertia.T, rtol=0.0, atol=1e-9 * scale):
        raise MultibodyError(f"{owner}: inertia is not symmetric: {inertia.tolist()} kg m²")
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= 0.0:
        raise MultibodyError(f"{owner}: principal moments of inertia {moments.tolist()} kg m² must be positive")
    if moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-6):
        raise MultibodyError(
            f"{owner}: principal moments of inertia {moments.tolist()} kg m² are not possible: the largest exceeds "
            f"the sum of the others; check the units and the reference point (the centre of mass)"
        )


class RigidMass(NamedTuple):
    """Mass (kg), centre (3,) in the body's frame (m) and inertia (3, 3) about it in body axes (kg m²)."""

    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]


def combined_mass(parts: Iterable[RigidMass]) -> RigidMass:
    """Mass, centre and inertia of several solids together, by the parallel axis theorem."""
    parts = list(parts)
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        d = part.centre - centre
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return RigidMass(mass, centre, inertia)


def placed_mass(
    surface: Geometry, density: float, rotation: NDArray[np.float64], position: NDArray[np.float64]
) -> RigidMass:
    """Mass properties of the homogeneous solid inside a surface, in the frame in which it is placed."""
    own = surface.mass_properties(density)
    return RigidMass(own.mass, position + rotation @ own.centre, rotation @ own.inertia @ rotation.T)


def _of_shapes(owner: str, shapes: tuple[Shape, ...], density: float) -> RigidMass:
    """Mass, centre and inertia about it of homogeneous solids inside the shapes."""
    try:
        return combined_mass(placed_mass(shape.surface, density, *shape.placement()) for shape in shapes)
    except SurfaceError as error:
        raise MultibodyError(f"{owner}: {error}") from error
