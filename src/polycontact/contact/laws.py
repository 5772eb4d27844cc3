"""The force laws (section 3.3): what presses and what rubs, as objects.

A law is one class: its parameters, and `prepare`, which gives the compiled stage that works on the table of elements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from polycontact.contact.kinds import described
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError

if TYPE_CHECKING:
    from polycontact.kernels.views import View


@dataclass(frozen=True)
class PreparedLaw:
    """The compiled stage of a law and its parameters.

    ``stage``: address of code that takes the addresses of an evaluation and of the law's own part of it (`LawPart`);
    ``parameters``: kept as long as the stage may run. ``n_states`` and ``memory_width``: as the law itself says.
    """

    stage: int
    parameters: View
    n_states: int = 0
    memory_width: int = 0


@runtime_checkable
class ContactLaw(Protocol):
    """A normal or tangential law.

    A law with states that are integrated with the system says how many by an attribute ``n_states``, one that remembers
    elements between accepted steps by ``memory_width``, the numbers of each element.
    """

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """Compile the stage; ``stiffness`` (N/m³) of the layers where the pairing has layers."""


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
            "depth u_d down to which damping fades in linearly, so that a collision starts without a jump",
            "m",
            title="transition depth",
            at_least=0.0,
        ),
    )

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled stage."""
        from polycontact.kernels.contact.layer_law import PRESS_AT, LayerParameters

        parameters = LayerParameters()
        given = stiffness if self.stiffness is None else self.stiffness
        if given is None:
            raise ContactError("no stiffness: give LayerLaw(stiffness=…) in N/m³, or layers=(…, …)")
        parameters.stiffness = given
        parameters.damping = self.damping
        parameters.transition_depth = self.transition_depth
        return PreparedLaw(PRESS_AT, parameters)


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
        """The compiled stage."""
        from polycontact.kernels.contact.coulomb_friction import RUB_AT, CoulombParameters

        parameters = CoulombParameters()
        parameters.coefficient = self.coefficient
        parameters.velocity = self.velocity
        return PreparedLaw(RUB_AT, parameters)
