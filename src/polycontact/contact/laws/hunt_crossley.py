"""The law of Hunt and Crossley (J. Appl. Mech. 42, 1975): a power of the depth, damped in proportion to itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.options import check_options, option


@described("hunt_crossley", part="law")
@dataclass(frozen=True, kw_only=True)
class HuntCrossley:
    """Normal law of Hunt and Crossley, F = max(k uⁿ (1 + 3/2 α v_n), 0).

    The force starts and ends at zero, without a jump, and the loss grows with the speed: a slow impact with the speed v
    has the restitution 1 − α v.
    """

    coefficient: float = field(
        metadata=option("coefficient k; of a point in N/mⁿ", "N/mⁿ⁺²", title="coefficient k", above=0.0)
    )
    exponent: float = field(
        default=1.5,
        metadata=option(
            "exponent n of the depth: 3/2 for round bodies at a point, 1 for elements with areas", at_least=1.0
        ),
    )
    dissipation: float = field(default=0.0, metadata=option("dissipation α", "s/m", at_least=0.0))

    def __post_init__(self) -> None:
        check_options(self, "Hunt–Crossley")

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law; it has a coefficient of its own, so ``stiffness`` of layers does not matter."""
        from polycontact.kernels.contact.power_law import PRESS_POWER_AT, PowerParameters

        parameters = PowerParameters()
        parameters.coefficient = self.coefficient
        parameters.exponent = self.exponent
        parameters.damping = 1.5 * self.dissipation
        return PreparedLaw(PRESS_POWER_AT, parameters)
