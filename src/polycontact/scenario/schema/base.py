"""The types that all tables of a scenario file are made of: strict, finite, described and with units.

Numbers may be written as integers; nothing else is converted. A field made by `required` or `optional` carries its
unit, so that error messages and the exported JSON schema can state it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    GetCoreSchemaHandler,
    Strict,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from polycontact.scenario.reading import MAX_ENTRIES as MAX_ENTRIES

LARGEST: Final = 1e30
"""Largest magnitude of a number in a scenario file: its square still is far from overflow."""

SMALLEST: Final = 1e-30
"""Smallest number where a positive one is asked for: its inverse still is far from overflow."""

ORIGIN: Final = (0.0, 0.0, 0.0)
Z_AXIS: Final = (0.0, 0.0, 1.0)

MAX_POINTS: Final = 1_000_000
"""Most points of a table of values or of a profile."""


class Table(BaseModel):
    """A table of a scenario file: unknown keys are refused, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def required(description: str, unit: str = "") -> Any:
    """A key that must be there; ``unit`` as it is written after a number."""
    return Field(description=_described(description, unit), json_schema_extra={"unit": unit} if unit else None)


def optional(description: str, unit: str = "", default: Any = None) -> Any:
    """A key that may be left out: then it is ``default``, or what the description says."""
    return Field(
        default=default,
        description=_described(description, unit),
        json_schema_extra={"unit": unit} if unit else None,
    )


def _described(description: str, unit: str) -> str:
    return f"{description}, {unit}" if unit else description


def _not_tiny(value: float) -> float:
    if value < SMALLEST:
        raise ValueError(f"must be at least {SMALLEST:g}")
    return value


def _printable(value: str) -> str:
    if re.search(r"[\x00-\x1f\x7f]", value):
        raise ValueError("must not contain line breaks or control characters")
    if value != value.strip():
        raise ValueError("must not begin or end with spaces")
    return value


def _repeated(n: int) -> Any:
    """One value stands for ``n`` equal ones."""

    def repeat(value: object) -> object:
        return value if isinstance(value, list | tuple) else (value,) * n

    return repeat


@dataclass(frozen=True)
class OneOf:
    """Allows some ``words`` only; they are listed where they have their meaning, and nowhere else."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of a literal."""
        return core_schema.literal_schema(list(self.words))


def at_most(n: int) -> BeforeValidator:
    """Refuse a longer array before its values are looked at: a hostile file must not make a million errors."""

    def check(value: object) -> object:
        if isinstance(value, list | tuple) and len(value) > n:
            raise PydanticCustomError(
                "too_many", "has {found} entries; allowed are at most {n}", {"found": len(value), "n": n}
            )
        return value

    return BeforeValidator(check)


Number = Annotated[float, Strict(), Field(ge=-LARGEST, le=LARGEST)]
Positive = Annotated[float, Strict(), Field(gt=0.0, le=LARGEST), AfterValidator(_not_tiny)]
NotNegative = Annotated[float, Strict(), Field(ge=0.0, le=LARGEST)]
Share = Annotated[float, Strict(), Field(ge=0.0, le=1.0)]
Integer = Annotated[int, Strict()]
Parts = Annotated[int, Strict(), Field(ge=1, le=4096)]
Switch = Annotated[bool, Strict()]
Text = Annotated[str, Strict(), Field(max_length=10_000)]
Name = Annotated[str, Strict(), Field(min_length=1, max_length=100), AfterValidator(_printable)]
Colour = Annotated[str, Strict(), Field(pattern=r"^#[0-9a-fA-F]{6}$")]

Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]
Quaternion = tuple[Number, Number, Number, Number]
Numbers = Annotated[tuple[Number, ...], FailFast(), at_most(MAX_POINTS)]
Points = Annotated[tuple[tuple[Number, Number], ...], FailFast(), at_most(MAX_POINTS)]

_Lengths2 = tuple[Positive, Positive]
_Lengths3 = tuple[Positive, Positive, Positive]
_Parts2 = tuple[Parts, Parts]
_Parts3 = tuple[Parts, Parts, Parts]
Lengths2 = Annotated[_Lengths2, BeforeValidator(_repeated(2), json_schema_input_type=Positive | _Lengths2)]
Lengths3 = Annotated[_Lengths3, BeforeValidator(_repeated(3), json_schema_input_type=Positive | _Lengths3)]
Parts2 = Annotated[_Parts2, BeforeValidator(_repeated(2), json_schema_input_type=Parts | _Parts2)]
Parts3 = Annotated[_Parts3, BeforeValidator(_repeated(3), json_schema_input_type=Parts | _Parts3)]
