"""Couplers: gears, racks, screws and differentials as ideal constraints between coordinates of joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.joint_types import Joint, JointKind, unit_of


class CoupledCoordinate(NamedTuple):
    """A term of a coupler: ``factor`` times a coordinate of a joint."""

    joint: str
    coordinate: int
    factor: float


@dataclass(frozen=True)
class Coupler:
    """A weighted sum of joint coordinates that stays constant: Σ factor · q = ``constant``. Example: a differential.

    ``terms``: (joint, factor), or (joint, coordinate, factor) for another coordinate than the first; joints of the
    tree but no spherical or free ones. Without a ``constant`` (the unit of the terms) it is that of the start values.
    Each joint feels the effort λ · factor; nothing is lost and nothing slips.
    """

    name: str
    terms: Sequence[tuple[str, float] | tuple[str, int, float] | CoupledCoordinate]
    constant: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.terms, str) or not isinstance(self.terms, Sequence) or not len(self.terms):
            raise MultibodyError(f"{self.owner}: terms is {self.terms!r}; give pairs (joint, factor), at least one")
        for each in self.terms:
            if isinstance(each, str) or not isinstance(each, Sequence) or len(each) not in (2, 3):
                raise MultibodyError(f"{self.owner}: {each!r} is no term; give (joint, factor)")
            _factor(self.owner, f"the factor of joint {each[0]!r}", each[-1], "(unit of the sum) per rad or m")
        if self.constant is not None:
            checks.number(self.owner, "constant", self.constant, "the unit of the terms", signed=True)

    @property
    def owner(self) -> str:
        """Kind and name of the element, as error messages begin."""
        return f"coupler {self.name!r}"

    def coupled(self, joints: Mapping[str, Joint]) -> tuple[CoupledCoordinate, ...]:
        """The terms, checked against the joints of a system."""
        terms = [CoupledCoordinate(each[0], each[1] if len(each) == 3 else 0, each[-1]) for each in self.terms]
        return _checked(self.owner, joints, terms)


@dataclass(frozen=True)
class Gear:
    """A pair of gears: ``joint_a`` turns ``ratio`` times as fast as ``joint_b``; negative where they counter-rotate.

    Both angles are those of the joints: wheels that roll on each other outside have the ratio -r_b/r_a about parallel
    axes. ``coordinate_a``, ``coordinate_b``: coordinates of joints with several. The position at the start is kept.
    """

    name: str
    joint_a: str
    joint_b: str
    ratio: float
    coordinate_a: int = 0
    coordinate_b: int = 0
    constant = None

    def __post_init__(self) -> None:
        _factor(self.owner, "ratio", self.ratio, "rad/rad")

    @property
    def owner(self) -> str:
        """Kind and name of the element, as error messages begin."""
        return f"gear {self.name!r}"

    def coupled(self, joints: Mapping[str, Joint]) -> tuple[CoupledCoordinate, ...]:
        """q_a - ratio · q_b, checked against the joints of a system."""
        terms = _checked(
            self.owner,
            joints,
            [
                CoupledCoordinate(self.joint_a, self.coordinate_a, 1.0),
                CoupledCoordinate(self.joint_b, self.coordinate_b, -float(self.ratio)),
            ],
        )
        for each in terms:
            variable = joints[each.joint].variables.coordinates[each.coordinate]
            if unit_of(variable) != "rad":
                raise MultibodyError(
                    f"{self.owner}: {variable} of joint {each.joint!r} is no angle; use RackAndPinion, Screw or Coupler"
                )
        return terms


@dataclass(frozen=True)
class RackAndPinion:
    """A rack that a pinion moves: displacement of joint ``rack`` = ``radius`` · angle of joint ``pinion``.

    ``radius`` (m) of the pinion's pitch circle; negative where the rack moves the other way.
    """

    name: str
    pinion: str
    rack: str
    radius: float
    constant = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _factor(self.owner, "radius", self.radius, "m"))

    @property
    def owner(self) -> str:
        """Kind and name of the element, as error messages begin."""
        return f"rack and pinion {self.name!r}"

    def coupled(self, joints: Mapping[str, Joint]) -> tuple[CoupledCoordinate, ...]:
        """x_rack - radius · angle, checked against the joints of a system."""
        return _turning_and_sliding(self.owner, joints, self.pinion, self.rack, self.radius)


@dataclass(frozen=True)
class Screw:
    """A screw: displacement of joint ``sliding`` = ``lead`` · turns of joint ``turning``, which may be the same.

    A cylindrical joint becomes a screw joint: leave ``sliding`` out. ``lead`` (m) of one turn; negative for a
    left-handed screw.
    """

    name: str
    turning: str
    lead: float
    sliding: str | None = None
    constant = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lead", _factor(self.owner, "lead", self.lead, "m"))

    @property
    def owner(self) -> str:
        """Kind and name of the element, as error messages begin."""
        return f"screw {self.name!r}"

    def coupled(self, joints: Mapping[str, Joint]) -> tuple[CoupledCoordinate, ...]:
        """x - lead/2π · angle, checked against the joints of a system."""
        sliding = self.turning if self.sliding is None else self.sliding
        return _turning_and_sliding(self.owner, joints, self.turning, sliding, self.lead / (2.0 * math.pi))


AnyCoupler = Coupler | Gear | RackAndPinion | Screw


def _factor(owner: str, what: str, value: object, unit: str) -> float:
    """``value`` as a finite number; 0 raises an error, because it would couple nothing."""
    number = checks.number(owner, what, value, unit, signed=True)
    if number == 0.0:
        raise MultibodyError(f"{owner}: {what} is 0 {unit}, which couples nothing; give another number")
    return number


def _turning_and_sliding(
    owner: str, joints: Mapping[str, Joint], turning: str, sliding: str, per_angle: float
) -> tuple[CoupledCoordinate, ...]:
    """Displacement less ``per_angle`` (m/rad) times the angle, of the first coordinates of that kind."""
    angle, way = _first(owner, joints, turning, "rad"), _first(owner, joints, sliding, "m")
    return _checked(
        owner, joints, [CoupledCoordinate(sliding, way, 1.0), CoupledCoordinate(turning, angle, -per_angle)]
    )


def _first(owner: str, joints: Mapping[str, Joint], name: str, unit: str) -> int:
    """The first coordinate of a joint in a unit."""
    joint = joints[checks.known("joint", name, joints, owner)]
    units = [unit_of(each) for each in joint.variables.coordinates]
    if joint.kind in (JointKind.FREE, JointKind.SPHERICAL) or unit not in units:
        what = "angle" if unit == "rad" else "displacement"
        raise MultibodyError(f"{owner}: joint {name!r} ({joint.kind.value}) has no {what} that can be coupled")
    return units.index(unit)


def _checked(
    owner: str, joints: Mapping[str, Joint], terms: Sequence[CoupledCoordinate]
) -> tuple[CoupledCoordinate, ...]:
    """Terms whose joints exist and have such coordinates, none twice."""
    seen: set[tuple[str, int]] = set()
    for each in terms:
        joint = joints[checks.known("joint", each.joint, joints, owner)]
        names = joint.variables.coordinates
        if joint.kind in (JointKind.FREE, JointKind.SPHERICAL):
            raise MultibodyError(
                f"{owner}: the rotation of joint {joint.name!r} ({joint.kind.value}) has no single coordinate to couple"
            )
        whole = isinstance(each.coordinate, Integral) and not isinstance(each.coordinate, bool)
        if not whole or not 0 <= each.coordinate < len(names):
            raise MultibodyError(
                f"{owner}: joint {joint.name!r} ({joint.kind.value}) has no coordinate {each.coordinate!r}; it has "
                f"{', '.join(f'{i}: {name}' for i, name in enumerate(names)) or 'none'}"
            )
        if (each.joint, each.coordinate) in seen:
            raise MultibodyError(
                f"{owner}: {names[each.coordinate]} of joint {each.joint!r} is there twice; name it once"
            )
        seen.add((each.joint, each.coordinate))
    if all(joints[each.joint].motions for each in terms):
        listed = ", ".join(repr(each.joint) for each in terms)
        raise MultibodyError(f"{owner}: the motions of all its joints ({listed}) are prescribed; leave one free")
    return tuple(CoupledCoordinate(each.joint, int(each.coordinate), float(each.factor)) for each in terms)
