"""Conditions that end a run before its end time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from polycontact.scenario.schema.base import (
    ORIGIN,
    Z_AXIS,
    Name,
    Number,
    Positive,
    Table,
    Text,
    Vector,
    optional,
    required,
)
from polycontact.simulation import stop_conditions


class _StopTable(Table):
    makes: ClassVar[Callable[..., stop_conditions.StopCondition]]
    body: Name = required("name of the body or marker that is looked at")
    meaning: Text = optional('what it means, for the message: "fell over"', "", "")

    def build(self) -> stop_conditions.StopCondition:
        """The condition that the table describes; values that it refuses raise an error."""
        return type(self).makes(**self.model_dump(exclude={"kind"}))


class TiltedBeyondTable(_StopTable):
    """An axis of the body leans from the vertical, z, by an angle or more."""

    makes = stop_conditions.TiltedBeyond
    kind: Literal["tilted_beyond"] = required("which kind it is")
    angle: Annotated[Positive, Field(le=math.pi)] = required("largest angle", "rad")
    axis: Vector = optional("axis in the body's frame that points up when it stands", "", Z_AXIS)


class BelowHeightTable(_StopTable):
    """A point of the body is at a height z or below."""

    makes = stop_conditions.BelowHeight
    kind: Literal["below_height"] = required("which kind it is")
    height: Number = required("least height", "m")
    point: Vector = optional("the point in the body's frame", "m", ORIGIN)


class FartherThanTable(_StopTable):
    """The body's origin is some distance or more away from a place of the world."""

    makes = stop_conditions.FartherThan
    kind: Literal["farther_than"] = required("which kind it is")
    distance: Positive = required("largest distance", "m")
    origin: Vector = optional("the place", "m", ORIGIN)


StopTable = Annotated[TiltedBeyondTable | BelowHeightTable | FartherThanTable, Field(discriminator="kind")]
