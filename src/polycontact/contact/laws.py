"""Parameters of the force laws (section 3.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from polycontact.errors import ContactError


def is_number(value: object) -> bool:
    """Whether a value is a real number, and not a string, an array or nan."""
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def _require(what: str, value: float, unit: str, *, positive: bool = False) -> None:
    if not is_number(value) or not math.isfinite(value) or value < 0 or (positive and value == 0):
        kind = "positive" if positive else "zero or positive"
        raise ContactError(f"{what} is {value} {unit}; it must be {kind} and finite")


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
