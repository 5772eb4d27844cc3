"""Couplers of joint coordinates: gears, racks, screws and linear combinations such as differentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from polycontact.multibody import joint_couplers
from polycontact.scenario.schema.base import Name, Number, Table, at_most, optional, required
from polycontact.scenario.schema.force_keys import Coordinate

MAX_TERMS = 100
"""Most terms of a coupler."""


class _Coupler(Table):
    makes: ClassVar[Callable[..., joint_couplers.AnyCoupler]]
    name: Name = required("name of the coupler, unique among couplers, loops and forces")

    def build(self) -> joint_couplers.AnyCoupler:
        """The coupler that the table describes; values that it refuses raise an error."""
        return type(self).makes(**self._arguments())

    def _arguments(self) -> dict[str, Any]:
        return self.model_dump(exclude={"kind"}, exclude_none=True)


class GearTable(_Coupler):
    """A pair of gears: joint_a turns ratio times as fast as joint_b."""

    makes = joint_couplers.Gear
    kind: Literal["gear"] = required("which kind it is")
    joint_a: Name = required("name of one joint")
    joint_b: Name = required("name of the other joint")
    ratio: Number = required("speed of joint_a over that of joint_b; negative where they counter-rotate")
    coordinate_a: Coordinate = optional("index of the angle of joint_a, from 0", "", 0)
    coordinate_b: Coordinate = optional("index of the angle of joint_b, from 0", "", 0)


class RackAndPinionTable(_Coupler):
    """A rack that a pinion moves: displacement = radius · angle."""

    makes = joint_couplers.RackAndPinion
    kind: Literal["rack_and_pinion"] = required("which kind it is")
    pinion: Name = required("name of the joint that turns")
    rack: Name = required("name of the joint that slides")
    radius: Number = required("radius of the pinion's pitch circle; negative where the rack moves the other way", "m")


class ScrewTable(_Coupler):
    """A screw: displacement = lead · turns."""

    makes = joint_couplers.Screw
    kind: Literal["screw"] = required("which kind it is")
    turning: Name = required("name of the joint that turns, or of a cylindrical joint that does both")
    sliding: Name | None = optional("name of the joint that slides; the same if left out")
    lead: Number = required("displacement of one turn; negative for a left-handed screw", "m")


class TermTable(Table):
    """A coordinate of a joint and its factor in the sum that a coupler keeps."""

    joint: Name = required("name of the joint")
    factor: Number = required("factor of its coordinate in the sum")
    coordinate: Coordinate = optional("index of the coordinate, from 0", "", 0)


class CouplerTable(_Coupler):
    """A sum of joint coordinates that stays what it is."""

    makes = joint_couplers.Coupler
    kind: Literal["coupler"] = required("which kind it is")
    terms: Annotated[tuple[TermTable, ...], at_most(MAX_TERMS), Field(min_length=1)] = required("terms of the sum")
    constant: Number | None = optional("what they sum up to; as at the start if left out")

    def _arguments(self) -> dict[str, Any]:
        terms = [(each.joint, each.coordinate, each.factor) for each in self.terms]
        return {**super()._arguments(), "terms": terms}


AnyCouplerTable = Annotated[
    GearTable | RackAndPinionTable | ScrewTable | CouplerTable,
    Field(discriminator="kind"),
]
