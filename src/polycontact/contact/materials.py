"""A small library of materials, for first estimates; what matters should be measured.

Sources: steel EN 1993-1-1 (3.2.6), its density EN 1993-1-2 (3.2.2); aluminium EN 1999-1-1 (3.2.5); wood, spruce of
class C24, EN 338, its Poisson's ratios from the Wood Handbook of the Forest Products Laboratory (Sitka spruce); rubber
from its Shore A hardness after Gent (1958, Rubber Chemistry and Technology 31), taken as incompressible; skin from
Agache et al. (1980, Archives of Dermatological Research 269), young adults, in torsion. Densities of rubber and skin,
and the Poisson's ratio of skin, are usual values.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polycontact.contact.layers import ElasticLayer
from polycontact.errors import ContactError


@dataclass(frozen=True)
class Material:
    """An isotropic elastic material: ``youngs_modulus`` Pa, ``poissons_ratio``, ``density`` kg/m³."""

    name: str
    youngs_modulus: float
    poissons_ratio: float
    density: float

    def layer(self, thickness: float) -> ElasticLayer:
        """An elastic layer of it, ``thickness`` in m; refused where it is incompressible (see `ElasticLayer`)."""
        return ElasticLayer(self.youngs_modulus, self.poissons_ratio, thickness)


def rubber(shore: float) -> Material:
    """Rubber of a Shore A hardness from 20 to 80, after Gent (1958): E from the force on the cone of the instrument."""
    if not isinstance(shore, int | float) or not 20 <= shore <= 80:
        raise ContactError(f"rubber: the Shore A hardness is {shore!r}; Gent's formula holds from 20 to 80")
    modulus = 0.0981e6 * (56.0 + 7.62336 * shore) / (0.137505 * (254.0 - 2.54 * shore))
    return Material(f"rubber_{shore:g}", modulus, 0.5, 1100.0)


materials: Final = MappingProxyType(
    {
        material.name: material
        for material in (
            Material("steel", 210e9, 0.3, 7850.0),
            Material("aluminium", 70e9, 0.3, 2700.0),
            Material("wood_along", 11e9, 0.37, 420.0),
            Material("wood_across", 0.37e9, 0.435, 420.0),
            *(rubber(shore) for shore in (40, 50, 60, 70)),
            Material("skin", 0.42e6, 0.48, 1100.0),
        )
    }
)
"""The materials by name; wood along and across its grain."""


def material_named(material: str | Material) -> Material:
    """A material, or that of a name in `materials`; an unknown name lists those that exist."""
    if isinstance(material, Material):
        return material
    if isinstance(material, str) and material in materials:
        return materials[material]
    raise ContactError(f"there is no material {material!r}; give a Material, or one of {', '.join(materials)}")
