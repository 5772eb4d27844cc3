"""Elastic half-spaces beside the elastic foundation: force, stiffness, contact size, and the layer that matches them.

Ball and cylinder after Hertz, rigid flat punch after Boussinesq: Johnson, Contact Mechanics (1985), sections 3.8, 4.2
and 5.6. ``modulus``: contact modulus E* in Pa, 1/E* = (1 - ν₁²)/E₁ + (1 - ν₂²)/E₂. SI units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


def contact_modulus(*materials: tuple[float, float]) -> float:
    """E*, Pa, of bodies with Young's modulus (Pa) and Poisson's ratio; a rigid one is left out."""
    return 1.0 / sum((1.0 - nu**2) / young for young, nu in materials)


@dataclass(frozen=True)
class WorkingPoint:
    """What the half-space says at a load: ``force`` N, ``depth`` m, ``stiffness`` N/m, half width of the contact m.

    ``pressure``: the greatest one, Pa; infinite at the rim of a flat punch.
    """

    force: float
    depth: float
    stiffness: float
    half_width: float
    pressure: float


@dataclass(frozen=True)
class BallOnFlat:
    """A ball of ``radius`` (m) on a flat: F = (4/3) E* √R δ^1.5."""

    modulus: float
    radius: float

    def at(self, force: float) -> WorkingPoint:
        """Working point at ``force``, N."""
        R, E = self.radius, self.modulus
        depth = math.pow(0.75 * force / (E * math.sqrt(R)), 2.0 / 3.0)
        width = math.sqrt(R * depth)
        return WorkingPoint(force, depth, 2.0 * E * width, width, 1.5 * force / (math.pi * width**2))

    def force(self, depth: float) -> float:
        """Force, N, at ``depth``, m."""
        return 4.0 / 3.0 * self.modulus * math.sqrt(self.radius) * math.pow(depth, 1.5)

    def for_force(self, point: WorkingPoint) -> float:
        """Layer stiffness c, N/m³, with which the foundation has the force of the point: πcRδ² = F."""
        return point.force / (math.pi * self.radius * point.depth**2)

    def for_stiffness(self, point: WorkingPoint) -> float:
        """Layer stiffness c, N/m³, with which the foundation has the stiffness of the point: 2πcRδ = k."""
        return point.stiffness / (2.0 * math.pi * self.radius * point.depth)

    def for_energy(self, point: WorkingPoint) -> float:
        """Layer stiffness c, N/m³, with which as much energy goes in down to the same depth: πcRδ³/3 = (2/5) F δ."""
        return 1.2 * point.force / (math.pi * self.radius * point.depth**2)


@dataclass(frozen=True)
class CylinderOnFlat:
    """An elastic cylinder on a rigid flat: δ = F'/(πE*) (2 ln(4R/b) - 1), b² = 4F'R/(πE*), F' = F/L."""

    modulus: float
    radius: float
    length: float

    def at(self, force: float) -> WorkingPoint:
        """Working point at ``force``, N."""
        line = force / self.length
        width = math.sqrt(4.0 * line * self.radius / (math.pi * self.modulus))
        logarithm = 2.0 * math.log(4.0 * self.radius / width)
        depth = line / (math.pi * self.modulus) * (logarithm - 1.0)
        stiffness = math.pi * self.modulus * self.length / (logarithm - 2.0)
        return WorkingPoint(force, depth, stiffness, width, 2.0 * line / (math.pi * width))

    def for_force(self, point: WorkingPoint) -> float:
        """Layer stiffness c, N/m³, with which the foundation has the force of the point: (4/3) c L √(2R) δ^1.5 = F."""
        return point.force / (4.0 / 3.0 * self.length * math.sqrt(2.0 * self.radius) * math.pow(point.depth, 1.5))

    def for_stiffness(self, point: WorkingPoint) -> float:
        """Layer stiffness c, N/m³, with which the foundation has the stiffness of the point: 2 c L √(2Rδ) = k."""
        return point.stiffness / (2.0 * self.length * math.sqrt(2.0 * self.radius * point.depth))


@dataclass(frozen=True)
class FlatPunch:
    """A rigid flat disc of ``radius`` (m) on a half-space: F = 2 E* a δ, and M = (4/3) E* a³ φ when it tilts."""

    modulus: float
    radius: float

    def at(self, force: float) -> WorkingPoint:
        """Working point at ``force``, N."""
        stiffness = 2.0 * self.modulus * self.radius
        return WorkingPoint(force, force / stiffness, stiffness, self.radius, math.inf)

    def for_force(self, point: WorkingPoint) -> float:
        """Layer stiffness c, N/m³: c π a² = 2 E* a, the same at every load."""
        return point.stiffness / (math.pi * self.radius**2)

    for_stiffness = for_force

    def tilt_stiffness(self) -> float:
        """Torque over tilt, N m/rad, of the half-space (Borowicka 1943)."""
        return 4.0 / 3.0 * self.modulus * self.radius**3
