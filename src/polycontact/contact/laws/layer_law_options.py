"""The elastic layer with areal damping (section 3.3, eqs 14, 15 and 18)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError


@described("layer", part="law")
@dataclass(frozen=True, kw_only=True)
class LayerLaw:
    """Normal law of the elastic foundation with areal damping, eqs (14), (15) and (18)."""

    stiffness: float | None = field(
        default=None,
        metadata=option(
            "layer stiffness c_l; left out where it follows from the elastic layers of the bodies",
            "N/m³",
            title="layer stiffness",
            above=0.0,
        ),
    )
    damping: float = field(
        default=0.0, metadata=option("layer damping d_l", "N s/m³", title="layer damping", at_least=0.0)
    )
    transition_depth: float = field(
        default=0.0,
        metadata=option(
            "depth u_d from which damping is full; below it damping grows linearly with the depth, without a jump",
            "m",
            title="transition depth",
            at_least=0.0,
        ),
    )
    damping_in: Literal["both", "compression"] = field(
        default="both",
        metadata=option("in which direction of motion damping acts: in both, as in the paper, or in compression only"),
    )

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law with its own stiffness, or else ``stiffness`` (N/m³); without either an error is raised."""
        from polycontact.kernels.contact.layer_law import PRESS_AT, LayerParameters

        parameters = LayerParameters()
        given = stiffness if self.stiffness is None else self.stiffness
        if given is None:
            raise ContactError("no stiffness: give LayerLaw(stiffness=…) in N/m³, or layers=(…, …)")
        parameters.stiffness = given
        parameters.damping = self.damping
        parameters.damping_out = self.damping if self.damping_in == "both" else 0.0
        parameters.transition_depth = self.transition_depth
        return PreparedLaw(PRESS_AT, parameters)
