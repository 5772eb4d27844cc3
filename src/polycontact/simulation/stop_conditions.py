"""Conditions that end a run before its end time: a body that has tilted, sunk or gone too far.

Each is a number of a body's pose and its limit. They depend on the pose alone, so that a run that is continued ends
where the whole one would have.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError, SimulationError
from polycontact.kernels.dynamics.stop_kinds import StopKind
from polycontact.multibody import checks

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem
    from polycontact.multibody.placement import Placement

Array = NDArray[np.float64]


class CompiledStop(NamedTuple):
    """A condition for compiled code, see `kernels/dynamics/stop_limits.py`; ``vector`` in the frame of the ``body``."""

    kind: StopKind
    body: str
    vector: Array
    place: Array
    limit: float


class StopCondition:
    """Ends a run when a quantity of a body's pose passes a limit. Use one of the subclasses."""

    kind: ClassVar[str]
    unit: ClassVar[str]
    body: str
    meaning: str

    @property
    def limit(self) -> float:
        """The value at which the run ends, in the condition's ``unit``."""
        raise NotImplementedError

    def value(self, placed: Placement) -> float:
        """The watched number at a pose of the system, in the condition's ``unit``."""
        raise NotImplementedError

    def told(self, value: float) -> str:
        """Message of what has happened, with the value."""
        raise NotImplementedError

    def excess(self, placed: Placement) -> float:
        """How far the value is beyond its limit; the run ends where this rises through zero."""
        return self.value(placed) - self.limit

    def compiled(self, system: MultibodySystem) -> CompiledStop | None:
        """The same for compiled code, of bodies of a system; None where only Python can look."""
        return None

    def to_plain(self) -> dict[str, Any]:
        """Plain values for a file."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **{k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in values.items()}}

    def _vector(self, name: str, unit: str) -> None:
        object.__setattr__(self, name, checks.array(self._owner, name, getattr(self, name), (3,), unit))

    @property
    def _owner(self) -> str:
        return f"stop condition {self.kind!r} of {self.body!r}"


@dataclass(frozen=True, eq=False)
class TiltedBeyond(StopCondition):
    """Ends a run when an ``axis`` of a body or marker leans from the vertical, z, by ``angle`` (rad) or more.

    ``axis``: in the body's frame, the one that points up when it stands; ``meaning`` is told with it: "fell over".
    """

    kind: ClassVar[str] = "tilted_beyond"
    unit: ClassVar[str] = "rad"
    body: str
    angle: float
    axis: ArrayLike = (0.0, 0.0, 1.0)
    meaning: str = ""

    def __post_init__(self) -> None:
        checks.set_numbers(self, self._owner, {"angle": "rad"}, positive=True)
        if self.angle > math.pi:
            raise MultibodyError(f"{self._owner}: angle is {self.angle} rad; give at most π (degrees?)")
        self._vector("axis", "a direction")
        object.__setattr__(self, "axis", checks.unit_vector(self._owner, "axis", self.axis))

    @property
    def limit(self) -> float:
        """The greatest angle from the vertical, rad."""
        return self.angle

    def value(self, placed: Placement) -> float:
        """Angle of the axis from the vertical, rad."""
        x, y, z = placed.pose(self.body)[0] @ np.asarray(self.axis)
        return math.atan2(math.hypot(x, y), z)

    def compiled(self, system: MultibodySystem) -> CompiledStop:
        """The angle of the axis, which a marker may have turned."""
        marker = system.marker(self.body)
        axis = marker.rotation @ np.asarray(self.axis)
        return CompiledStop(StopKind.TILT, marker.body, axis, np.zeros(3), self.limit)

    def told(self, value: float) -> str:
        """Message that the body is tilted by ``value`` (rad)."""
        return f"{self.body!r} is tilted by {value:.4g} rad ({math.degrees(value):.1f}°)"


@dataclass(frozen=True, eq=False)
class BelowHeight(StopCondition):
    """Ends a run when a ``point`` (m, in its frame) of a body or marker is at a ``height`` z (m) or below."""

    kind: ClassVar[str] = "below_height"
    unit: ClassVar[str] = "m"
    body: str
    height: float
    point: ArrayLike = (0.0, 0.0, 0.0)
    meaning: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "height", checks.number(self._owner, "height", self.height, "m", signed=True))
        self._vector("point", "m")

    @property
    def limit(self) -> float:
        """The height z at which the run ends, m."""
        return self.height

    def value(self, placed: Placement) -> float:
        """Height z of the point in the world, m."""
        R, r = placed.pose(self.body)
        return float((r + R @ np.asarray(self.point))[2])

    def excess(self, placed: Placement) -> float:
        """How far the point is below the height, m; negative above it."""
        return self.height - self.value(placed)

    def compiled(self, system: MultibodySystem) -> CompiledStop:
        """The height of the point, which may be one of a marker."""
        marker = system.marker(self.body)
        point = marker.position + marker.rotation @ np.asarray(self.point)
        return CompiledStop(StopKind.HEIGHT, marker.body, point, np.zeros(3), self.limit)

    def told(self, value: float) -> str:
        """Message that the point is ``value`` (m) high."""
        return f"{self.body!r} is {value:.4g} m high"


@dataclass(frozen=True, eq=False)
class FartherThan(StopCondition):
    """Ends a run when the origin of a body or marker is ``distance`` (m) or more away from a place of the world.

    ``origin``: that place, m.
    """

    kind: ClassVar[str] = "farther_than"
    unit: ClassVar[str] = "m"
    body: str
    distance: float
    origin: ArrayLike = (0.0, 0.0, 0.0)
    meaning: str = ""

    def __post_init__(self) -> None:
        checks.set_numbers(self, self._owner, {"distance": "m"}, positive=True)
        self._vector("origin", "m")

    @property
    def limit(self) -> float:
        """The distance at which the run ends, m."""
        return self.distance

    def value(self, placed: Placement) -> float:
        """Distance of the origin of the body or marker from the place, m."""
        return float(np.linalg.norm(placed.pose(self.body)[1] - np.asarray(self.origin)))

    def compiled(self, system: MultibodySystem) -> CompiledStop:
        """The distance of the origin of the body or marker."""
        marker = system.marker(self.body)
        place = np.asarray(self.origin)
        return CompiledStop(StopKind.DISTANCE, marker.body, marker.position, place, self.limit)

    def told(self, value: float) -> str:
        """Message that the body is ``value`` (m) away."""
        return f"{self.body!r} is {value:.4g} m away"


KINDS: dict[str, type[StopCondition]] = {each.kind: each for each in (TiltedBeyond, BelowHeight, FartherThan)}
"""Conditions by the name that files have for them."""


@dataclass(frozen=True)
class StopFound:
    """The condition that ended a run: at which ``time`` (s), with which ``value`` in its ``unit``."""

    condition: StopCondition
    time: float
    value: float

    @property
    def message(self) -> str:
        """Which condition held, when and with which value."""
        own = self.condition
        meaning = f"{own.meaning}: " if own.meaning else ""
        return f"{meaning}{own.told(self.value)} at t = {self.time:.6g} s (limit {own.limit:.4g} {own.unit})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        plain = {"condition": self.condition.to_plain(), "time": self.time, "value": self.value}
        return {**plain, "limit": self.condition.limit, "unit": self.condition.unit}


def checked_conditions(system: MultibodySystem, given: Sequence[StopCondition]) -> tuple[StopCondition, ...]:
    """The conditions, each of a body or marker that the system has."""
    if not isinstance(given, Collection) or not all(isinstance(each, StopCondition) for each in given):
        names = ", ".join(each.__name__ for each in KINDS.values())
        raise SimulationError(f"stop_when is {given!r}; give a list of {names}")
    for condition in given:
        system.marker(condition.body, f"stop condition {condition.kind!r}")
    return tuple(given)
