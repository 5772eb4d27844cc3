"""Tables of a scenario file that follow from described classes: kinds of methods and laws, with their options as keys.

Nothing is listed here: a class that is announced with `described`, wherever it comes from, is a kind that files may
name, and its options are keys with their units, ranges and allowed values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Strict, create_model
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from polycontact.contact.description import BUILT_IN
from polycontact.contact.kinds import Part, kinds_of, summary
from polycontact.contact.options import Option, options_of
from polycontact.scenario.schema.base import (
    LARGEST,
    Numbers,
    Positive,
    Switch,
    Table,
    Text,
    Vector,
    optional,
    required,
)

NONE: Final = "none"
"""Kind of a method or a friction that is switched off."""

DEFAULT_KINDS: Final[dict[Part, str]] = {
    "method": "polygonal",
    "law": "layer",
    "friction": "regularised_coulomb",
    "response": "compliant",
}
"""Kind of a table that does not tell its own."""

SWITCHED_OFF: Final[dict[Part, str]] = {"method": "No contact forces at all.", "friction": "No friction."}
"""Parts that a file may switch off, and what it means."""

_PLAIN: Final[dict[Any, Any]] = {
    bool: Switch,
    str: Text,
    tuple[float, ...]: Numbers,
    tuple[float, float, float]: Vector,
}


@dataclass(frozen=True)
class PartTable:
    """Annotates a key that holds a table of one part of a contact, whose kinds are looked up when a file is read.

    ``changes``: the table may hold a few keys only, which change those of another one; ``or_name``: the name of a kind
    may stand for the table. A name stays a name: keys beside it may be meant for the same part.
    """

    part: Part
    changes: bool = False
    or_name: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A table of the kind that it names."""
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """One branch for each kind that is known now."""
        tables = {kind: table.__pydantic_core_schema__ for kind, table in kind_tables(self.part, self.changes).items()}
        node = handler(core_schema.tagged_union_schema(tables, "kind"))
        branches = node.pop("oneOf")
        if self.or_name:
            branches = [{"type": "string", "enum": list(tables)}, *branches]
        node["anyOf" if self.changes else "oneOf"] = branches  # of changes without a kind, several branches may fit
        return node

    def _validate(self, value: Any) -> Table | str:
        if isinstance(value, Table):
            return value
        is_name = self.or_name and isinstance(value, str)
        if not is_name and not isinstance(value, dict):
            raise PydanticCustomError("model_type", "must be a table")
        table = part_table(self, {"kind": value} if is_name else value)
        if table is None:
            raise PydanticCustomError("union_tag_invalid", "has no such kind")
        return value if is_name else table.model_validate(value)


def part_table(part: PartTable, value: dict[str, Any]) -> type[Table] | None:
    """The table of the kind that ``value`` tells, or of the usual one; None where there is no such kind."""
    kind = value.get("kind", DEFAULT_KINDS[part.part])
    return kind_tables(part.part, part.changes).get(kind) if isinstance(kind, str) else None


def kind_tables(part: Part, changes: bool = False) -> dict[str, type[Table]]:
    """The table of each kind that a part of a contact may be."""
    tables = {kind: _kind_table(kind, cls, part, changes) for kind, cls in kinds_of(part).items()}
    if part in SWITCHED_OFF:
        tables[NONE] = _switched_off(part)
    return tables


@cache
def _kind_table(kind: str, cls: type, part: Part, changes: bool) -> type[Table]:
    keys: dict[str, Any] = {"kind": _kind_key(kind, changes or kind == DEFAULT_KINDS[part])}
    for each in options_of(cls):
        keys[each.name] = (value_type(each), _key(each, changes))
    name = f"{cls.__name__}Changes" if changes else cls.__name__
    return create_model(name, __base__=Table, __doc__=summary(cls), **keys)


@cache
def _switched_off(part: Part) -> type[Table]:
    return create_model(f"No{part.title()}", __base__=Table, __doc__=SWITCHED_OFF[part], kind=_kind_key(NONE, False))


def _kind_key(kind: str, may_be_absent: bool) -> tuple[Any, Any]:
    what = "which kind it is"
    return Literal[kind], optional(what, "", kind) if may_be_absent else required(what)


def _key(option: Option, may_be_absent: bool) -> Any:
    """The key of an option: its meaning, unit and default."""
    if option.is_required and not may_be_absent:
        return required(option.meaning or option.name, option.unit)
    default = None if may_be_absent else getattr(option.default, "value", option.default)
    return optional(option.meaning or option.name, option.unit, default)


def value_type(option: Option) -> Any:
    """What a file may give for an option; anything where its type says nothing to a file, for the class to judge."""
    if option.choices:
        return Literal[option.choices]
    if option.values in (float, int):
        return _number(option)
    return _PLAIN.get(option.values, Any)


def _number(option: Option) -> Any:
    if option.values is float and option.above == 0.0 and option.below is None and option.at_most is None:
        return Positive
    bounds = {"gt": option.above, "ge": option.at_least, "lt": option.below, "le": option.at_most}
    limits: dict[str, Any] = {name: bound for name, bound in bounds.items() if bound is not None}
    limits |= {} if option.below is not None or option.at_most is not None else {"le": LARGEST}
    limits |= {} if option.above is not None or option.at_least is not None else {"ge": -LARGEST}
    return Annotated[option.values, Strict(), Field(**limits)]


@dataclass(frozen=True)
class ShortKey:
    """Annotates a key that is short for the option ``name`` of a usual method or law."""

    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the option."""
        return handler.generate_schema(value_type(option_of_any(self.name)))


def option_of_any(name: str) -> Option:
    """The option ``name`` of the first class of this package that has it."""
    return next(each for cls in BUILT_IN for each in options_of(cls) if each.name == name)
