"""Checks that tables of several kinds need: doubled names, axes without a direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from polycontact.scenario.file_problems import Location, Problem, shown
from polycontact.scenario.readable_tables import entries, tables
from polycontact.scenario.schema.base import Table


def names(array: Sequence[Any] | None) -> list[str]:
    """Names of the entries of an array."""
    return [each.name for each in tables(array) if each.name is not None]


def doubled_names(key: str, array: Sequence[Any] | None) -> Iterator[Problem]:
    """Entries of the array at ``key`` with the name of an earlier one."""
    first: dict[str, int] = {}
    for i, each in entries(array):
        if each.name is not None and first.setdefault(each.name, i) != i:
            told = f"{shown(each.name)} is taken by {key}[{first[each.name]}]; choose another"
            yield Problem((key, i, "name"), told)


def is_zero(vector: Sequence[float]) -> bool:
    """Whether a vector has no length."""
    return not any(vector)


def vector_told(vector: Sequence[float]) -> str:
    """Text of a vector for messages, such as "[0, 0, 1]"."""
    return f"[{', '.join(f'{each:g}' for each in vector)}]"


def zero_axes(where: Location, table: Table, keys: tuple[str, ...]) -> Iterator[Problem]:
    """Axes of a table that have no direction."""
    for key in keys:
        axis: Sequence[float] | None = getattr(table, key, None)
        if axis is not None and is_zero(axis):
            told = f"{vector_told(axis)} has no direction; give a vector that is not zero"
            yield Problem((*where, key), told)
