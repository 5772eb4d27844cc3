"""Friction in a joint, and a brake: the same with a torque or force that changes with time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from polycontact.errors import MultibodyError, UnitError
from polycontact.multibody import checks
from polycontact.multibody.motion_functions import FunctionOfTime, Motion, as_motion, constant, function_of_time
from polycontact.units import quantity

UNITS: Final = {"dry": ("N m", "N"), "viscous": ("N m s/rad", "N s/m"), "velocity": ("rad/s", "m/s")}
"""Units of its numbers at a coordinate that turns, and at one that slides."""


@dataclass(frozen=True, eq=False)
class JointFriction:
    """Dry and viscous friction along a coordinate of a joint; with ``dry`` as a function of time, a brake.

    ``dry``: Coulomb's torque (N m) or force (N), a number, a formula of the time ``t``, the coordinate ``q`` and the
    speed ``v`` as a text, or a motion, whose values are then N m or N; where it is negative there is none.
    ``viscous``: N m s/rad or N s/m. Below ``velocity`` (rad/s or m/s) dry friction fades out, quadratic in the speed,
    so that a joint at rest creeps: under a load L, with ``velocity`` · (1 - √(1 - L/dry)). On a spherical joint it acts
    against the angular velocity, whatever its direction; formulas then know ``t`` only. Numbers may have units, such as
    "30 N" or "1 deg/s", which must fit the joint.
    """

    name: str
    joint: str
    dry: FunctionOfTime = 0.0
    viscous: float = 0.0
    velocity: float = 1e-3
    coordinate: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "_written", {})
        for what, units in UNITS.items():
            value = getattr(self, what)
            with suppress(UnitError):
                if isinstance(value, str):
                    object.__setattr__(self, what, quantity(value, " or ".join(units)))
                    self._texts()[what] = value
        if not isinstance(self.dry, str | Motion):
            constant(self.owner, "dry", self.dry, "N m or N")
        self.function()
        checks.number(self.owner, "viscous", self.viscous, "N m s/rad or N s/m")
        checks.number(self.owner, "velocity", self.velocity, "rad/s or m/s", positive=True)

    @property
    def owner(self) -> str:
        """Kind and name of the element, as error messages begin."""
        return f"joint friction {self.name!r}"

    def function(self) -> Motion:
        """The dry friction as a function."""
        return as_motion(self.owner, "dry", self.dry, "N m or N", of_joint=True)

    def _texts(self) -> dict[str, str]:
        """Numbers that were given with a unit, as they were written."""
        written: dict[str, str] = self._written  # type: ignore[attr-defined]  # set when it was made
        return written

    def check_units(self, turns: bool) -> None:
        """Refuse units that do not fit a coordinate that turns, or slides."""
        for what, text in self._texts().items():
            checks.in_unit(self.owner, what, text, UNITS[what][0 if turns else 1])

    def check_ball_joint(self) -> None:
        """Refuse what a spherical joint, which has no coordinate, cannot have."""
        function_of_time(f"{self.owner} of a spherical joint", "dry", self.function())
        if self.coordinate:
            raise MultibodyError(f"{self.owner}: coordinate is {self.coordinate!r}; a spherical joint has none")
        self.check_units(turns=True)
