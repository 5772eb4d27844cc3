"""Motions: functions of time for prescribed joint coordinates, targets of motors, and applied forces."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Strict, Tag, model_validator

from polycontact.errors import MultibodyError
from polycontact.multibody import motion_functions
from polycontact.multibody.expressions import MAX_LENGTH
from polycontact.scenario.schema.base import Name, NotNegative, Number, Numbers, Table, optional, required

COORDINATE = "rad or m"


class _MotionTable(Table):
    makes: ClassVar[Callable[..., motion_functions.Motion]]

    def build(self) -> motion_functions.Motion:
        """The motion that the table describes; values that it refuses raise an error."""
        return type(self).makes(**self.model_dump(exclude={"kind"}))


class ConstantVelocityTable(_MotionTable):
    """A motion at constant velocity: start + speed · t."""

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


class ExpressionMotionTable(_MotionTable):
    """A formula of the time t (s), with its derivatives."""

    makes = motion_functions.ExpressionMotion
    kind: Literal["expression"] = required("which kind it is")
    formula: Annotated[str, Strict(), Field(max_length=MAX_LENGTH)] = required(
        "formula of t: + - * / ** ( ), sin cos tan exp log sqrt abs min max step smoothstep, pi, parameters", COORDINATE
    )
    parameters: dict[Name, Number] = optional("numbers that the formula names", "", {})

    @model_validator(mode="after")
    def _check(self) -> Self:
        _read(self.formula, self.parameters)
        return self


MotionTable = Annotated[
    ConstantVelocityTable | HarmonicTable | TableMotionTable | SplineMotionTable | ExpressionMotionTable,
    Field(discriminator="kind"),
]


def _read(formula: str, parameters: dict[str, float]) -> motion_functions.ExpressionMotion:
    try:
        return motion_functions.ExpressionMotion(formula, parameters)
    except MultibodyError as error:
        raise ValueError(str(error)) from None


def _is_formula(text: str) -> str:
    _read(text, {})
    return text


def _branch(value: Any) -> str:
    """Which branch of a function of time a value belongs to: a table has the name of its kind."""
    if isinstance(value, str):
        return "formula"
    if isinstance(value, dict):
        return str(value.get("kind"))
    return str(getattr(value, "kind", "number"))


Formula = Annotated[str, Strict(), Field(max_length=MAX_LENGTH), AfterValidator(_is_formula)]
FunctionTable = Annotated[
    Annotated[Number, Tag("number")]
    | Annotated[Formula, Tag("formula")]
    | Annotated[ConstantVelocityTable, Tag("constant_velocity")]
    | Annotated[HarmonicTable, Tag("harmonic")]
    | Annotated[TableMotionTable, Tag("table")]
    | Annotated[SplineMotionTable, Tag("spline")]
    | Annotated[ExpressionMotionTable, Tag("expression")],
    Discriminator(_branch),
]
"""A number, a formula of t, or a table of a motion."""


def function_of(value: Any) -> motion_functions.FunctionOfTime:
    """What a function of time in a file stands for."""
    return value.build() if isinstance(value, Table) else value  # type: ignore[attr-defined, no-any-return]
