"""Coulomb friction that fades out at rest (section 3.3, eq. 20)."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.options import check_options, option


@described("regularised_coulomb", part="friction")
@dataclass(frozen=True, kw_only=True)
class RegularisedCoulomb:
    """Coulomb friction that fades out below a small slip velocity, eq. (20)."""

    coefficient: float = field(
        metadata=option("coefficient of friction μ; 0 for none", title="friction coefficient", at_least=0.0)
    )
    velocity: float = field(
        default=1e-3,
        metadata=option(
            "slip velocity v_ε below which friction fades out, quadratic in the slip",
            "m/s",
            title="friction velocity",
            above=0.0,
        ),
    )

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law; friction regularised by a velocity needs no ``stiffness``."""
        from polycontact.kernels.contact.coulomb_friction import RUB_AT, CoulombParameters

        parameters = CoulombParameters()
        parameters.coefficient = self.coefficient
        parameters.velocity = self.velocity
        return PreparedLaw(RUB_AT, parameters)
