"""Mass properties of round and flat solids in closed form."""

from __future__ import annotations

import math

import numpy as np

from polycontact.surfaces.mass import MassProperties, checked_density


def solid(
    name: str, density: float, volume: float, squares: tuple[float, float, float], z: float = 0.0
) -> MassProperties:
    """A solid that is symmetric about its axes: ``squares`` (m²), means of x², y², z² about its centre at (0, 0, z)."""
    mass = checked_density(name, density) * volume
    x2, y2, z2 = squares
    inertia = mass * np.diag([y2 + z2, z2 + x2, x2 + y2])
    centre = np.array([0.0, 0.0, z])
    for array in (inertia, centre):
        array.flags.writeable = False
    return MassProperties(mass=mass, volume=volume, centre=centre, inertia=inertia)


def ellipsoid_mass(name: str, density: float, semi_axes: tuple[float, ...]) -> MassProperties:
    """Mass properties of a solid ellipsoid, in which x² has the mean a²/5; density in kg/m³, lengths in m."""
    a, b, c = semi_axes
    return solid(name, density, 4.0 / 3.0 * math.pi * a * b * c, (a * a / 5, b * b / 5, c * c / 5))


def box_mass(name: str, density: float, size: tuple[float, ...]) -> MassProperties:
    """Mass properties of a solid box, in which x² has the mean l²/12; density in kg/m³, lengths in m."""
    a, b, c = size
    return solid(name, density, a * b * c, (a * a / 12, b * b / 12, c * c / 12))


def cylinder_mass(name: str, density: float, radius: float, length: float) -> MassProperties:
    """x² has the mean r²/4, z² the mean l²/12."""
    across = radius**2 / 4
    return solid(name, density, math.pi * radius**2 * length, (across, across, length**2 / 12))


def cone_mass(name: str, density: float, radius: float, length: float) -> MassProperties:
    """Apex at the origin, base at z = length: the centre at ¾ of it; x² has the mean 3 r²/20, z² there 3 l²/80."""
    across = 3 * radius**2 / 20
    volume = math.pi * radius**2 * length / 3
    return solid(name, density, volume, (across, across, 3 * length**2 / 80), 0.75 * length)


def capsule_mass(name: str, density: float, radius: float, length: float) -> MassProperties:
    """A cylinder and two half balls, whose centres lie ⅜ r beyond its ends."""
    r, half = radius, length / 2
    wall, ball = math.pi * r**2 * length, 4.0 / 3.0 * math.pi * r**3
    across = (wall * r**2 / 4 + ball * r**2 / 5) / (wall + ball)
    # Mean of (half + t)² over a half ball: t has the mean 3r/8, t² the mean r²/5.
    ends = half**2 + 2 * half * 3 * r / 8 + r**2 / 5
    along = (wall * length**2 / 12 + ball * ends) / (wall + ball)
    return solid(name, density, wall + ball, (across, across, along))
