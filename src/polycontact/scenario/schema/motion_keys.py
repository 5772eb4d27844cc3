"""Motions: functions of time for prescribed joint coordinates and for the targets of motors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from polycontact.multibody import motion_functions
from polycontact.scenario.schema.base import NotNegative, Number, Numbers, Table, optional, required

COORDINATE = "rad or m"


class _MotionTable(Table):
    makes: ClassVar[Callable[..., motion_functions.Motion]]

    def build(self) -> motion_functions.Motion:
        """The motion."""
        return type(self).makes(**self.model_dump(exclude={"kind"}))


class ConstantVelocityTable(_MotionTable):
    """start + speed · t."""

    makes = motion_functions.ConstantVelocity
    kind: Literal["constant_velocity"] = required("which kind it is")
    speed: Number = required("speed", "rad/s or m/s")
    start: Number = optional("value at time 0", COORDINATE, 0.0)


class HarmonicTable(_MotionTable):
    """offset + amplitude · sin(2π · frequency · t + phase)."""

    makes = motion_functions.Harmonic
    kind: Literal["harmonic"] = required("which kind it is")
    amplitude: Number = required("amplitude", COORDINATE)
    frequency: NotNegative = required("frequency", "Hz")
    phase: Number = optional("phase at time 0", "rad", 0.0)
    offset: Number = optional("mean value", COORDINATE, 0.0)


class _Sampled(_MotionTable):
    times: Numbers = required("times, increasing, two or more", "s")
    values: Numbers = required("as many values as times", COORDINATE)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.times) != len(self.values) or len(self.times) < 2:
            raise ValueError(
                f"has {len(self.times)} times and {len(self.values)} values; allowed is two or more, equally many"
            )
        for i, (before, after) in enumerate(pairwise(self.times)):
            if not before < after:
                raise ValueError(f"times[{i + 1}] = {after:g} s must be greater than times[{i}] = {before:g} s")
        return self


class TableMotionTable(_Sampled):
    """A smooth curve through the values that does not overshoot; held before the first and after the last."""

    makes = motion_functions.TableMotion
    kind: Literal["table"] = required("which kind it is")


class SplineMotionTable(_Sampled):
    """A cubic spline through the values, at rest at both ends and held beyond them."""

    makes = motion_functions.SplineMotion
    kind: Literal["spline"] = required("which kind it is")


MotionTable = Annotated[
    ConstantVelocityTable | HarmonicTable | TableMotionTable | SplineMotionTable, Field(discriminator="kind")
]
