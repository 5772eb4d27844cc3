"""Friction that sticks: springs between points of both bodies that met, and slip at Coulomb's limit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from polycontact.contact.kinds import described
from polycontact.contact.laws.contact_law import ContactLaw, PreparedLaw
from polycontact.contact.laws.layer_law_options import LayerLaw
from polycontact.contact.laws.rheology_law_options import RheologyLaw
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError


@described("stick_friction", part="friction")
@dataclass(frozen=True, kw_only=True)
class StickFriction:
    """Coulomb friction that sticks: each element has a spring to its anchor, which slips at μ F_n.

    F_t = S l while S l < μ F_n, with the elongation l of the spring; beyond this limit the anchor follows so that
    S l = μ F_n. A damper parallel to the spring damps oscillations while the element sticks; spring and damper together
    never exceed μ F_n. Anchors are remembered from accepted step to accepted step, so that a body at rest does not
    creep. Every element has its own anchor: a patch under combined slip and spin therefore starts to slip element by
    element, and patches may merge and split. When an element leaves the contact, its anchor is dropped.

    With a spin radius ρ an element also resists rotation about its normal, by a spring S ρ² whose torque is at most
    μ F_n ρ; slip and spin then share an elliptic limit, (F_t/μF_n)² + (M/μF_nρ)² ≤ 1. Use it for methods with one
    contact point, which has no other resistance to spin.
    """

    coefficient: float = field(metadata=option("coefficient of friction μ", title="friction coefficient", at_least=0.0))
    stiffness: float | None = field(
        default=None,
        metadata=option(
            "stiffness S of the springs, of a point in N/m; left out: that of the normal law or of the layers",
            "N/m³",
            above=0.0,
        ),
    )
    damping: float | None = field(
        default=None,
        metadata=option(
            "damping of what sticks, of a point in N s/m; left out: that of a layer law, else none",
            "N s/m³",
            at_least=0.0,
        ),
    )
    spin_radius: float = field(
        default=0.0,
        metadata=option(
            "radius ρ with which an element resists spin; 0: it does not", "m", title="spin radius", at_least=0.0
        ),
    )

    def __post_init__(self) -> None:
        check_options(self, "stick friction")

    @property
    def memory_width(self) -> int:
        """Numbers remembered of each element: points and normals on both bodies; with spin, directions too."""
        return 18 if self.spin_radius > 0.0 else 12

    def beside(self, law: ContactLaw) -> StickFriction:
        """This friction beside a normal law, from which it takes the damping where it has none of its own.

        Without any, bodies that stick would ring for ever, and never come to rest.
        """
        if self.damping is not None:
            return self
        return replace(self, damping=getattr(law, "damping", 0.0) if isinstance(law, LayerLaw | RheologyLaw) else 0.0)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law with its own stiffness, or else that of the normal law; an error without either."""
        from polycontact.kernels.contact.stick_friction import STICK_AT, StickParameters

        parameters = StickParameters()
        given = stiffness if self.stiffness is None else self.stiffness
        if given is None:
            raise ContactError("stick friction: the normal law has no stiffness to share; give one, in N/m³ per area")
        parameters.coefficient = self.coefficient
        parameters.stiffness = given
        parameters.damping = self.damping or 0.0
        parameters.spin_radius = self.spin_radius
        return PreparedLaw(STICK_AT, parameters, memory_width=self.memory_width)
