"""What the options of a method, a law or a layer mean: told once, beside the field that holds them.

A field of a described class carries an `option`: its meaning, unit and range; its annotation tells what else is
allowed. From these, constructors check their values, and keys of scenario files, their reference and the tables of
reports are made.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import types
from dataclasses import dataclass
from functools import cache, reduce
from numbers import Integral, Real
from operator import or_
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from polycontact.errors import ContactError, UnitError
from polycontact.units import has_dimension, quantity

_KEY = "polycontact"

PER_POINT: Final = {"N/m³": "N/m", "N s/m³": "N s/m"}
"""Units of a law where contacts are points, by those per area."""


@dataclass(frozen=True)
class Option:
    """An option of a described class.

    ``values``: what its annotation allows, without None; ``default``: MISSING of `dataclasses` where it must be given;
    ``title``: its name in messages and tables; ``above``, ``at_least``, ``below``, ``at_most``: the range of
    a number.
    """

    name: str
    meaning: str
    unit: str
    title: str
    values: Any
    default: Any
    may_be_left_open: bool
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    because: str = ""

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is dataclasses.MISSING

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values, as files have them; empty where they are not countable."""
        if isinstance(self.values, type) and issubclass(self.values, enum.Enum):
            return tuple(each.value for each in self.values)
        if get_origin(self.values) is Literal:
            return get_args(self.values)
        words = [each for each in get_args(self.values) if get_origin(each) is Literal]
        if words and all(each is bool for each in get_args(self.values) if each not in words):
            return (True, False, *(word for each in words for word in get_args(each)))  # on, off or something more
        return ()

    @property
    def range(self) -> str:
        """The allowed range of a number in words, such as "positive"."""
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}"
        bounds = []
        if self.above is not None:
            bounds.append("positive" if self.above == 0 else f"greater than {self.above:g}")
        if self.at_least is not None:
            bounds.append("zero or positive" if self.at_least == 0 else f"at least {self.at_least:g}")
        if self.below is not None:
            bounds.append(f"less than {self.below:g}")
        if self.at_most is not None:
            bounds.append(f"at most {self.at_most:g}")
        if not bounds:
            return "a finite number"
        return " and ".join(bounds if len(bounds) > 1 else [*bounds, "finite"])

    def allows(self, value: float) -> bool:
        """Whether a number is finite and in the range."""
        return (
            math.isfinite(value)
            and (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
        )


def option(
    meaning: str,
    unit: str = "",
    *,
    title: str = "",
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    because: str = "",
) -> dict[str, Any]:
    """Metadata of a dataclass field: what it means, its unit, and the range of a number.

        thickness: float = field(metadata=option("thickness b of the layer", "m", above=0.0))

    ``title``: its name in messages, by default that of the field; ``because``: why the range is what it is.
    """
    bounds = {"above": above, "at_least": at_least, "below": below, "at_most": at_most}
    return {_KEY: {"meaning": meaning, "unit": unit, "title": title, **bounds, "because": because}}


def told_options(cls: type) -> str:
    """The options of a dataclass, one a line, as its documentation shows them."""
    lines = []
    for field in dataclasses.fields(cls):
        told = field.metadata.get(_KEY)
        if told:
            unit = f" ({told['unit']})" if told["unit"] else ""
            lines.append(f"- ``{field.name}``{unit}: {told['meaning']}.")
    return "\n".join(lines)


@cache
def options_of(cls: type) -> tuple[Option, ...]:
    """The options of a described class in the order of its fields."""
    hints = get_type_hints(cls)
    return tuple(option_of_field(each, hints[each.name]) for each in dataclasses.fields(cls) if each.init)


def option_of_field(field: dataclasses.Field[Any], hint: Any) -> Option:
    """The option that a field of a dataclass describes; ``hint``: its type."""
    told = {"meaning": "", "unit": "", **field.metadata.get(_KEY, {})}
    told["title"] = told.get("title") or field.name
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    several = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    left = tuple(each for each in several if each is not type(None))
    return Option(
        field.name, values=reduce(or_, left), default=default, may_be_left_open=len(left) < len(several), **told
    )


def is_number(value: object) -> bool:
    """Whether a value is a real number, and not a string, an array or nan."""
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def check_options(thing: object, owner: str = "") -> None:
    """Refuse values that the options of an object do not allow; errors begin with ``owner``.

    To be called where a frozen dataclass is made: a member of an enumeration may be given by its value, as files do,
    and a number that has a unit by a text such as "0.6 N/mm³".
    """
    cls: type = type(thing)
    for each in options_of(cls):
        value = getattr(thing, each.name)
        if value is None and each.may_be_left_open:
            continue
        if each.choices:
            object.__setattr__(thing, each.name, _chosen(each, value, owner))
        elif each.values in (float, int):
            if isinstance(value, str) and has_dimension(each.unit):
                value = _with_unit(each, value, owner)
                object.__setattr__(thing, each.name, value)
            _check_number(each, value, owner)


def _chosen(option: Option, value: Any, owner: str) -> Any:
    is_enum = isinstance(option.values, type)
    for choice in option.choices:
        member = option.values(choice) if is_enum else choice
        if value is member or (isinstance(value, str) and value == choice):
            return member
    allowed = ", ".join(map(repr, option.choices))
    raise ContactError(f"{_of(owner)}{option.title} is {value!r}; allowed: {allowed}")


def _with_unit(option: Option, text: str, owner: str) -> float:
    """The number that a text such as "0.6 N/mm³" means."""
    try:
        return quantity(text, option.unit)
    except UnitError as error:
        raise ContactError(f"{_of(owner)}{option.title} is {text!r}; {error}{_hint_for_points(option, text)}") from None


def _hint_for_points(option: Option, text: str) -> str:
    """What to write where contacts are points, if a text has the unit that a law has there: here it cannot be known."""
    unit = PER_POINT.get(option.unit)
    if unit is None:
        return ""
    try:
        return f"; where contacts are points give the number alone, {quantity(text, unit):.12g} in {unit}"
    except UnitError:
        return ""


def _check_number(option: Option, value: Any, owner: str) -> None:
    fits = is_number(value) and (option.values is float or isinstance(value, Integral))
    if not fits or not option.allows(value):
        shown = f"{value} {option.unit}".rstrip()
        whole = "a whole number, " if option.values is int else ""
        because = f", because {option.because}" if option.because else ""
        raise ContactError(f"{_of(owner)}{option.title} is {shown}; it must be {whole}{option.range}{because}")


def _of(owner: str) -> str:
    return f"{owner}: " if owner else ""
