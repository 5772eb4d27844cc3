"""Elastic layers over rigid bodies, and two of them in series (section 2.2, eqs 1–3, 12, 13)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError, ContactWarning, level_of_the_caller
from polycontact.tolerances import POISSON_WARNING
from polycontact.wording import short_repr


@described("elastic_layer")
@dataclass(frozen=True, repr=False)
class ElasticLayer:
    """A thin elastic layer on a rigid body.

    The model is meant for ν below 0.45; from there it warns, and from 0.5 on it is an error.
    """

    youngs_modulus: float = field(
        metadata=option("Young's modulus E of the layer", "Pa", title="Young's modulus", above=0.0)
    )
    poissons_ratio: float = field(
        metadata=option(
            "Poisson's ratio ν of the layer",
            title="Poisson's ratio",
            above=-1.0,
            below=0.5,
            because="a thin incompressible layer has no finite modulus K (eq. 2); give a measured stiffness to "
            "LayerLaw",
        )
    )
    thickness: float = field(metadata=option("thickness b of the layer", "m", above=0.0))

    __repr__ = short_repr
    _owner = "elastic layer"

    def __post_init__(self) -> None:
        if (self.youngs_modulus, self.poissons_ratio, self.thickness) == (math.inf, 0.0, 1.0):
            return
        check_options(self, self._owner)
        if self.poissons_ratio >= POISSON_WARNING:
            warnings.warn(
                f"{self._owner}: Poisson's ratio {self.poissons_ratio} is not below {POISSON_WARNING}: eq. (2) "
                f"overestimates the stiffness of nearly incompressible layers; consider a measured stiffness",
                ContactWarning,
                stacklevel=level_of_the_caller(),
            )

    @classmethod
    def rigid(cls) -> ElasticLayer:
        """No layer at all: the other body's layer takes the whole depth."""
        return cls(youngs_modulus=math.inf, poissons_ratio=0.0, thickness=1.0)

    @property
    def is_rigid(self) -> bool:
        """Whether the layer does not yield at all, as that of `rigid` does: its Young's modulus is infinite."""
        return self.youngs_modulus == math.inf

    @property
    def modulus(self) -> float:
        """Modulus K = (1 - ν) E / ((1 + ν)(1 - 2ν)) of the thin bonded layer, eq. (2), Pa."""
        nu = self.poissons_ratio
        return (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)) * self.youngs_modulus

    @property
    def stiffness(self) -> float:
        """Layer stiffness c = K/b of eq. (3), N/m³."""
        return self.modulus / self.thickness

    @property
    def compliance(self) -> float:
        """b/K, m³/N; zero for a rigid layer."""
        return 0.0 if self.is_rigid else self.thickness / self.modulus

    def pressure(self, depth: float) -> float:
        """Pressure p_n = (K/b)·u_n of eq. (1), Pa, of this layer alone pressed in by ``depth`` (m)."""
        return self.stiffness * depth


def combined_stiffness(layer_e: ElasticLayer, layer_f: ElasticLayer) -> float:
    """Stiffness c_l of two layers in series, eq. (12), N/m³, by their compliances so that one may be rigid."""
    compliance = layer_e.compliance + layer_f.compliance
    if compliance == 0.0:
        raise ContactError("both layers are rigid: their contact has no finite stiffness; give one body a layer")
    return 1.0 / compliance


def depth_share(layer_e: ElasticLayer, layer_f: ElasticLayer) -> float:
    """Share c_F/(c_E + c_F) of the depth that layer E takes, eq. (13)."""
    combined_stiffness(layer_e, layer_f)
    return layer_e.compliance / (layer_e.compliance + layer_f.compliance)
