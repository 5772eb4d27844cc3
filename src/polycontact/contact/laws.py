"""The force laws (section 3.3): what presses and what rubs, as objects.

A law is one class: its parameters, and `prepare`, which gives the compiled stage that works on the table of elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from polycontact.contact.kinds import described
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


def is_number(value: object) -> bool:
    """Whether a value is a real number, and not a string, an array or nan."""
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def _require(what: str, value: float, unit: str, *, positive: bool = False) -> None:
    if not is_number(value) or not math.isfinite(value) or value < 0 or (positive and value == 0):
        kind = "positive" if positive else "zero or positive"
        raise ContactError(f"{what} is {value} {unit}; it must be {kind} and finite")


@described("layer")
@dataclass(frozen=True, kw_only=True)
class LayerLaw:
    """Normal law of the elastic foundation with areal damping, eqs (14), (15) and (18).

    ``stiffness`` c_l (N/m³), left out where the pairing gets ``layers``; ``damping`` d_l (N s/m³);
    ``transition_depth`` u_d (m): damping fades in linearly down to this depth, so that a collision starts without
    a jump.
    """

    stiffness: float | None = None
    damping: float = 0.0
    transition_depth: float = 0.0

    def __post_init__(self) -> None:
        if self.stiffness is not None:
            _require("layer stiffness", self.stiffness, "N/m³", positive=True)
        _require("layer damping", self.damping, "N s/m³")
        _require("transition depth", self.transition_depth, "m")

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


@described("regularised_coulomb")
@dataclass(frozen=True, kw_only=True)
class RegularisedCoulomb:
    """Coulomb friction that fades out below a small slip velocity, eq. (20).

    ``coefficient`` μ; ``velocity`` v_ε (m/s): the friction force is quadratic in the slip below it.
    """

    coefficient: float
    velocity: float = 1e-3

    def __post_init__(self) -> None:
        _require("friction coefficient", self.coefficient, "(dimensionless)")
        _require("friction regularisation velocity", self.velocity, "m/s", positive=True)

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled stage."""
        from polycontact.kernels.contact.coulomb_friction import RUB_AT, CoulombParameters

        parameters = CoulombParameters()
        parameters.coefficient = self.coefficient
        parameters.velocity = self.velocity
        return PreparedLaw(RUB_AT, parameters)
