"""The content of a file as typed tables as far as it can be read, for checks between tables of a file with mistakes.

Each table is made of its keys that fit the schema. A key whose value does not fit, or that misses, is None, whatever
its type says; `given` tells whether the file has it. An array or table that is none is None too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from polycontact.scenario.schema.base import MAX_ENTRIES, Table
from polycontact.scenario.schema.described_keys import PartTable, part_table

T = TypeVar("T", bound=Table)
V = TypeVar("V")


def readable(table: type[T], content: Any) -> T:
    """``content`` as a table; if it has mistakes, only the keys that can be read, and None for missing ones."""
    try:
        return table.model_validate(content)
    except ValidationError:
        raw = content if isinstance(content, dict) else {}
    fields = table.model_fields
    values = {name: _value(table, name, raw[name]) for name in fields if name in raw}
    missing = {name: None for name, field in fields.items() if name not in raw and field.is_required()}
    return table.model_construct(set(values), **values, **missing)


def given(table: Table, key: str) -> bool:
    """Whether the file has a key of a table, with whatever value."""
    return key in table.model_fields_set


def entries(array: Iterable[V] | None) -> Iterator[tuple[int, V]]:
    """Index and table of each entry of an array that can be read."""
    return ((i, each) for i, each in enumerate(array or ()) if each is not None)


def tables(array: Iterable[V] | None) -> Iterator[V]:
    """The tables of an array that can be read."""
    return (each for _, each in entries(array))


def _value(table: type[Table], name: str, value: Any) -> Any:
    """The value of the key ``name``; of tables with mistakes, what can be read."""
    field = table.model_fields[name]
    leaves = [*_leaves(field.annotation), *field.metadata]
    kinds = [each for each in leaves if isinstance(each, type) and issubclass(each, Table)]
    part = next((each for each in leaves if isinstance(each, PartTable)), None)
    if part is not None and isinstance(value, dict):
        known = part_table(part, value)
        return None if known is None else readable(known, value)
    if kinds and float not in leaves:
        if tuple in leaves:
            array = value[:MAX_ENTRIES] if isinstance(value, list) else None
            return None if array is None else tuple(_table(kinds, each) for each in array)
        if dict in leaves:
            return {key: _table(kinds, each) for key, each in value.items()} if isinstance(value, dict) else None
        return _table(kinds, value)
    try:
        return _adapter(table, name).validate_python(value)
    except ValidationError:
        return None


def _leaves(annotation: Any) -> Iterator[Any]:
    """The types, and what annotates them, that a type is made of."""
    if get_origin(annotation) in (tuple, dict):
        yield get_origin(annotation)
    inner = get_args(annotation)
    if not inner:
        yield annotation
    for each in inner:
        yield from _leaves(each)


def _table(kinds: Sequence[type[Table]], value: Any) -> Table | None:
    """The table of the kind that ``value`` tells; where it tells none that is known, what all kinds have alike."""
    if not isinstance(value, dict):
        return None
    kind = value.get("kind")
    for each in kinds:
        if len(kinds) == 1 or kind in get_args(each.model_fields["kind"].annotation):
            return readable(each, value)
    return readable(next(base for base in kinds[0].__mro__ if all(issubclass(each, base) for each in kinds)), value)


@cache
def _adapter(table: type[Table], name: str) -> TypeAdapter[Any]:
    """Checker of the values of one key of a table."""
    field = table.model_fields[name]
    kind: Any = field.annotation
    for about in field.metadata:
        kind = Annotated[kind, about]
    return TypeAdapter(kind)
