"""Hertz's law of two round bodies, at one point."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.laws.hunt_crossley import HuntCrossley
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError


@described("hertz_point", part="law")
@dataclass(frozen=True, kw_only=True)
class HertzPoint:
    """Hertz's contact of round bodies as a law of one point, F = 4/3 E* √R u^(3/2), with Hunt–Crossley damping.

    It is one force for a whole contact and has no meaning per area: methods whose elements are pieces of surface are
    refused.
    """

    modulus: float = field(metadata=option("effective modulus E*, 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂", "Pa", above=0.0))
    radius: float = field(metadata=option("effective radius R, 1/R = 1/R₁ + 1/R₂", "m", above=0.0))
    dissipation: float = field(
        default=0.0, metadata=option("dissipation α: slow impacts have the restitution 1 − α v", "s/m", at_least=0.0)
    )

    def __post_init__(self) -> None:
        check_options(self, "Hertz")

    @property
    def per_point(self) -> bool:
        """True: parameters are not per area."""
        return True

    @property
    def coefficient(self) -> float:
        """Coefficient 4/3 E* √R of Hertz's law, N/m^(3/2)."""
        return 4.0 / 3.0 * self.modulus * math.sqrt(self.radius)

    @classmethod
    def of_balls(
        cls,
        *,
        youngs_moduli: tuple[float, float],
        poissons_ratios: tuple[float, float],
        radii: tuple[float, float],
        dissipation: float = 0.0,
    ) -> HertzPoint:
        """Of two balls: Young's moduli (Pa), Poisson's ratios, and radii (m), infinite for a plane, negative for a cup.

        Also an infinite modulus may be given, for a rigid body.
        """
        for what, pair in (("Young's moduli", youngs_moduli), ("Poisson's ratios", poissons_ratios), ("radii", radii)):
            if len(pair) != 2 or not all(isinstance(each, int | float) and each == each for each in pair):
                raise ContactError(f"Hertz: {what} are {pair!r}; give two numbers")
        if not all(modulus > 0.0 for modulus in youngs_moduli):
            raise ContactError(f"Hertz: Young's moduli are {youngs_moduli} Pa; they must be positive")
        if not all(-1.0 < ratio <= 0.5 for ratio in poissons_ratios):
            raise ContactError(f"Hertz: Poisson's ratios are {poissons_ratios}; they must be above -1 and at most 0.5")
        compliance = sum((1.0 - nu * nu) / E for E, nu in zip(youngs_moduli, poissons_ratios, strict=True))
        curvature = sum(1.0 / radius if radius else math.inf for radius in radii)
        if not compliance > 0.0:
            raise ContactError("Hertz: both bodies are rigid; give one of them a finite Young's modulus")
        if not 0.0 < curvature < math.inf:
            raise ContactError(f"Hertz: radii {radii} m do not touch at a point; a cup must be wider than its ball")
        return cls(modulus=1.0 / compliance, radius=1.0 / curvature, dissipation=dissipation)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled stage: that of Hunt and Crossley's law with the exponent 3/2."""
        return HuntCrossley(coefficient=self.coefficient, exponent=1.5, dissipation=self.dissipation).prepare(None)
