"""Friction in a joint, and a brake: the same with a torque or force that changes with time."""

from __future__ import annotations

from dataclasses import dataclass

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.motion_functions import FunctionOfTime, Motion, as_motion, function_of_time


@dataclass(frozen=True, eq=False)
class JointFriction:
    """Dry and viscous friction along a coordinate of a joint; with ``dry`` as a function of time, a brake.

    ``dry``: Coulomb's torque (N m) or force (N), a number, a formula of the time ``t``, the coordinate ``q`` and the
    speed ``v`` as a text, or a motion, whose values are then N m or N; where it is negative there is none.
    ``viscous``: N m s/rad or N s/m. Below ``velocity`` (rad/s or m/s) dry friction fades out, quadratic in the speed,
    so that a joint at rest creeps: under a load L, with ``velocity`` · (1 - √(1 - L/dry)). On a spherical joint it acts
    against the angular velocity, whatever its direction; formulas then know ``t`` only.
    """

    name: str
    joint: str
    dry: FunctionOfTime = 0.0
    viscous: float = 0.0
    velocity: float = 1e-3
    coordinate: int = 0

    def __post_init__(self) -> None:
        owner = f"joint friction {self.name!r}"
        if not isinstance(self.dry, str | Motion):
            checks.number(owner, "dry", self.dry, "N m or N, a formula or a motion")
        self.function()
        checks.number(owner, "viscous", self.viscous, "N m s/rad or N s/m")
        checks.number(owner, "velocity", self.velocity, "rad/s or m/s", positive=True)

    def function(self) -> Motion:
        """The dry friction as a function."""
        return as_motion(f"joint friction {self.name!r}", "dry", self.dry, "N m or N", of_joint=True)

    def check_ball_joint(self) -> None:
        """Refuse what a spherical joint, which has no coordinate, cannot have."""
        owner = f"joint friction {self.name!r}"
        function_of_time(f"{owner} of a spherical joint", "dry", self.function())
        if self.coordinate:
            raise MultibodyError(f"{owner}: coordinate is {self.coordinate!r}; a spherical joint has none")
