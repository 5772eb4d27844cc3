"""Built-in force elements. Each has a name; those at joints act along one coordinate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.motion_functions import FunctionOfTime, Motion, as_motion, function_of_time
from polycontact.wording import short_repr

LARGEST_SWING = math.radians(170.0)
"""Swing of a spherical joint beyond which a stop of its twist would be nearly singular, rad."""


@dataclass(frozen=True, eq=False)
class SpringDamper:
    """Spring and damper along the line between a point of ``body_a`` and one of ``body_b``.

    Both may be names of markers. Points in the frames of the bodies or markers (m); ``stiffness`` N/m, ``damping``
    N s/m, free ``length`` m.
    """

    name: str
    body_a: str
    point_a: ArrayLike
    body_b: str
    point_b: ArrayLike
    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        owner = f"spring {self.name!r}"
        for what in ("point_a", "point_b"):
            object.__setattr__(self, what, checks.array(owner, what, getattr(self, what), (3,), "m"))
        checks.set_numbers(self, owner, {"stiffness": "N/m", "damping": "N s/m", "length": "m"})


@dataclass(frozen=True)
class JointSpring:
    """Spring and damper along a coordinate of a joint.

    ``stiffness`` N m/rad or N/m, ``damping`` N m s/rad or N s/m, ``reference`` rad or m.
    """

    name: str
    joint: str
    coordinate: int = 0
    stiffness: float = 0.0
    damping: float = 0.0
    reference: float = 0.0

    def __post_init__(self) -> None:
        owner = f"joint spring {self.name!r}"
        checks.number(owner, "stiffness", self.stiffness, "N m/rad or N/m")
        checks.number(owner, "damping", self.damping, "N m s/rad or N s/m")
        checks.number(owner, "reference", self.reference, "rad or m", signed=True)


@dataclass(frozen=True)
class EndStop:
    """Linear-elastic end stops of a coordinate of a joint: nothing between ``lower`` and ``upper``.

    ``lower``, ``upper`` rad or m, None where there is no stop; ``stiffness`` N m/rad or N/m, ``damping``
    N m s/rad or N s/m. A stop pushes and never pulls.
    """

    name: str
    joint: str
    coordinate: int = 0
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        owner = f"end stop {self.name!r}"
        checks.number(owner, "stiffness", self.stiffness, "N m/rad or N/m", positive=True)
        checks.number(owner, "damping", self.damping, "N m s/rad or N s/m")
        low, high = self.limits()
        if low > high:
            raise MultibodyError(f"{owner}: lower ({low}) lies above upper ({high})")
        if math.isinf(low) and math.isinf(high):
            raise MultibodyError(f"{owner}: give lower or upper or both, in rad or m")

    def limits(self) -> tuple[float, float]:
        """Lower and upper limit, infinite where there is none."""
        owner = f"end stop {self.name!r}"
        low = -math.inf if self.lower is None else checks.number(owner, "lower", self.lower, "rad or m", signed=True)
        high = math.inf if self.upper is None else checks.number(owner, "upper", self.upper, "rad or m", signed=True)
        return low, high


@dataclass(frozen=True, eq=False)
class SwingTwistStop:
    """End stops of a spherical joint: the child's ``axis`` may swing by ``swing`` and twist by ± ``twist`` (rad).

    ``axis``: the child's long axis, in the joint's frame at zero rotation; ``cone``: the direction in the joint's
    frame on the parent from which the swing is measured, by default ``axis``. The twist is zero where the axis has
    come onto the cone's by the shortest turn and from there swings without turning about itself. ``stiffness``
    N m/rad, ``damping`` N m s/rad.
    """

    name: str
    joint: str
    swing: float
    twist: float
    stiffness: float
    damping: float = 0.0
    axis: ArrayLike = (0.0, 0.0, 1.0)
    cone: ArrayLike | None = None

    def __post_init__(self) -> None:
        owner = f"swing-twist stop {self.name!r}"
        checks.set_numbers(self, owner, {"swing": "rad", "twist": "rad"})
        for what, value in (("swing", self.swing), ("twist", self.twist)):
            if value > math.pi:
                raise MultibodyError(f"{owner}: {what} is {value} rad; give at most π (degrees?)")
        if self.swing > LARGEST_SWING and self.twist < math.pi:
            raise MultibodyError(
                f"{owner}: swing is {self.swing} rad; opposite to the cone the twist is not defined: give at most "
                f"{LARGEST_SWING:.4g} rad, or a twist of π, which is no stop"
            )
        checks.set_numbers(self, owner, {"stiffness": "N m/rad"}, positive=True)
        checks.set_numbers(self, owner, {"damping": "N m s/rad"})
        object.__setattr__(self, "axis", checks.unit_vector(owner, "axis", self.axis))
        cone = self.axis if self.cone is None else self.cone
        object.__setattr__(self, "cone", checks.unit_vector(owner, "cone", cone))


@dataclass(frozen=True, eq=False)
class Motor:
    """Motor at a coordinate of a joint that follows ``target`` by PD control, with an effort up to ``limit``.

    ``stiffness`` N m/rad or N/m, ``damping`` N m s/rad or N s/m, ``limit`` N m or N (None: no limit).
    """

    name: str
    joint: str
    target: Motion
    stiffness: float
    damping: float
    coordinate: int = 0
    limit: float | None = None

    def __post_init__(self) -> None:
        owner = f"motor {self.name!r}"
        if not isinstance(self.target, Motion):
            raise MultibodyError(f"{owner}: target is {self.target!r}; expected a motion such as Harmonic(…)")
        function_of_time(owner, "target", self.target)
        checks.number(owner, "stiffness", self.stiffness, "N m/rad or N/m")
        checks.number(owner, "damping", self.damping, "N m s/rad or N s/m")
        if self.limit is not None:
            checks.number(owner, "limit", self.limit, "N m or N", positive=True)


@dataclass(frozen=True, eq=False, repr=False)
class AppliedForce:
    """A force (N) at a point (m) of a body, and a torque (N m), each with three components.

    A component is a number, a formula of time (`ExpressionMotion`) as a text, or a motion, a `TableMotion` for
    example, whose values are then N or N m. ``body`` may be a marker: then ``point`` is given in its frame. ``axes``:
    "world", or "body" for axes that turn with the body or marker. Nothing feels the opposite.
    """

    name: str
    body: str
    force: Sequence[FunctionOfTime] = (0.0, 0.0, 0.0)
    torque: Sequence[FunctionOfTime] = (0.0, 0.0, 0.0)
    point: ArrayLike = (0.0, 0.0, 0.0)
    axes: str = "world"

    __repr__ = short_repr

    def __post_init__(self) -> None:
        owner = f"applied force {self.name!r}"
        object.__setattr__(self, "point", checks.array(owner, "point", self.point, (3,), "m"))
        if self.axes not in ("world", "body"):
            raise MultibodyError(f'{owner}: axes is {self.axes!r}; give "world" or "body"')
        for what in ("force", "torque"):
            given = getattr(self, what)
            if isinstance(given, str | Motion) or not hasattr(given, "__len__") or len(given) != 3:
                raise MultibodyError(f"{owner}: {what} is {given!r}; give three components")
        self.components()

    def components(self) -> list[Motion]:
        """Force along three axes and torque about them."""
        owner = f"applied force {self.name!r}"
        return [
            as_motion(owner, f"{what}[{i}]", each, unit)
            for what, unit in (("force", "N"), ("torque", "N m"))
            for i, each in enumerate(getattr(self, what))
        ]


@dataclass(frozen=True, eq=False)
class JointEffort:
    """A torque (N m) or force (N) along a coordinate of a joint.

    ``effort``: a number, a formula of the time ``t``, the coordinate ``q`` and the speed ``v`` as a text, or a motion,
    whose values are then N m or N.
    """

    name: str
    joint: str
    effort: FunctionOfTime
    coordinate: int = 0

    def __post_init__(self) -> None:
        self.function()

    def function(self) -> Motion:
        """The effort as a function."""
        return as_motion(f"joint effort {self.name!r}", "effort", self.effort, "N m or N", of_joint=True)


BuiltInForce = (
    SpringDamper | JointSpring | EndStop | SwingTwistStop | Motor | AppliedForce | JointEffort | JointFriction | Bushing
)
