"""The spring–damper response of Otter, Elmqvist and Díaz López, Modelica 2005, section 4.5: normal force."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.laws.contact_properties import ContactProperties
from polycontact.contact.laws.layer_law_options import LayerLaw
from polycontact.contact.options import check_options, option


@described("spring_damper", part="law")
@dataclass(frozen=True, kw_only=True)
class SpringDamperLaw:
    """Linear spring and damper that never pull: f_n = max(c u + d v_n, 0).

    It is the layer law without a transition depth, with parameters of a point; where elements are pieces of surface
    they count per area. Its friction with spin torque is `SpinFriction`.
    """

    stiffness: float = field(metadata=option("spring constant c; of a point in N/m", "N/m³", above=0.0))
    damping: float = field(
        default=0.0, metadata=option("damping constant d; of a point in N s/m", "N s/m³", at_least=0.0)
    )

    def __post_init__(self) -> None:
        check_options(self, "spring–damper")

    @classmethod
    def between(cls, a: ContactProperties, b: ContactProperties) -> SpringDamperLaw:
        """The law of a pair of surfaces: their springs in series, and the mean of their dampings."""
        mixed = a.mixed(b)
        return cls(stiffness=mixed.stiffness, damping=mixed.damping)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled stage: that of the layer law."""
        return LayerLaw(stiffness=self.stiffness, damping=self.damping).prepare(None)
