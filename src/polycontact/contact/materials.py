"""A small library of materials, for first estimates; what matters should be measured.

- Steel: E and ν of EN 1993-1-1 (3.2.6); the density is the usual design value, upper end of EN 1991-1-1 (table A.4).
- Aluminium: EN 1999-1-1 (3.2.5), structural alloys.
- Wood: mean values of softwood of class C24, EN 338, to which much spruce belongs; ν of Sitka spruce in the Wood
  Handbook of the Forest Products Laboratory (ν_LR, ν_RT). Wood is orthotropic: these are two isotropic stand-ins.
- Rubber: E from the Shore A hardness by the relation after Gent (1958, Rubber Chemistry and Technology 31, 896).
  Rubbers of one hardness differ by some 30 %, and other relations give up to twice as much for hard ones. Taken as
  incompressible; the density is that of a filled compound, pure ones have 950 kg/m³, heavy ones 1250.
- Skin: E as it is quoted of Agache et al. (1980, Archives of Dermatological Research 269), in torsion, young people; it
  doubles with age, and by other tests values from 5 kPa to 140 MPa are published. Density and ν are usual in models.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from polycontact.contact.layers import ElasticLayer
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError
from polycontact.wording import short_repr


@dataclass(frozen=True, repr=False)
class Material:
    """An isotropic elastic material: ``youngs_modulus`` Pa, ``poissons_ratio`` up to 0.5, ``density`` kg/m³."""

    name: str
    youngs_modulus: float = field(metadata=option("Young's modulus E", "Pa", title="Young's modulus", above=0.0))
    poissons_ratio: float = field(
        metadata=option("Poisson's ratio ν", title="Poisson's ratio", above=-1.0, at_most=0.5)
    )
    density: float = field(metadata=option("density", "kg/m³", above=0.0))

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ContactError(f"material: the name is {self.name!r}; give a text that is not empty")
        check_options(self, f"material {self.name!r}")

    __repr__ = short_repr

    def layer(self, thickness: float) -> ElasticLayer:
        """An elastic layer of it, ``thickness`` in m; refused where it is incompressible (see `ElasticLayer`)."""
        return ElasticLayer(self.youngs_modulus, self.poissons_ratio, thickness)


def rubber(shore: float) -> Material:
    """Rubber of a Shore A hardness from 20 to 80, after Gent (1958): E from the force on the cone of the instrument.

    A first estimate: rubbers of one hardness differ by some 30 %.
    """
    if not isinstance(shore, int | float) or not 20 <= shore <= 80:
        raise ContactError(f"rubber: the Shore A hardness is {shore!r}; give a number from 20 to 80")
    modulus = 0.0981e6 * (56.0 + 7.62336 * shore) / (0.137505 * (254.0 - 2.54 * shore))
    return Material(f"rubber_{shore:g}", modulus, 0.5, 1100.0)


class _Library(dict[str, Material]):
    """Materials by name; a name that is missing is told with those that are there."""

    def __missing__(self, name: object) -> Material:
        raise _no_such(name)


materials: Final = MappingProxyType(
    _Library(
        (material.name, material)
        for material in (
            Material("steel", 210e9, 0.3, 7850.0),
            Material("aluminium", 70e9, 0.3, 2700.0),
            Material("wood_along", 11e9, 0.37, 420.0),
            Material("wood_across", 0.37e9, 0.435, 420.0),
            *(rubber(shore) for shore in (40, 50, 60, 70)),
            Material("skin", 0.42e6, 0.48, 1100.0),
        )
    )
)
"""The materials by name; wood along and across its grain."""


def material_named(material: str | Material) -> Material:
    """A material, or that of a name in `materials`; an unknown name lists those that exist."""
    if isinstance(material, Material):
        return material
    if isinstance(material, str) and material in materials:
        return materials[material]
    raise _no_such(material)


def _no_such(material: object) -> ContactError:
    """The error of a name that the library does not have."""
    close = get_close_matches(str(material).lower(), materials, n=1)
    meant = f"did you mean {close[0]!r}? There are" if close else "there are"
    return ContactError(f"there is no material {material!r}; {meant} {', '.join(materials)}")
