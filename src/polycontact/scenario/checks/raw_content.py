"""Careful access to the content of a scenario file, whatever it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from polycontact.scenario.file_problems import Location, Problem, shown
from polycontact.scenario.schema.base import LARGEST

Raw = Mapping[str, Any]


def table(raw: Raw, key: str) -> dict[str, Any]:
    """The table at ``key``, empty if there is none."""
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def entries(raw: Raw, key: str) -> list[tuple[int, dict[str, Any]]]:
    """Index and table of each entry of the array at ``key`` that is a table."""
    value = raw.get(key)
    if not isinstance(value, list):
        return []
    return [(i, each) for i, each in enumerate(value) if isinstance(each, dict)]


def text(raw: Raw, key: str) -> str | None:
    """The text at ``key``, None if there is none."""
    value = raw.get(key)
    return value if isinstance(value, str) else None


def names(raw: Raw, key: str) -> list[str]:
    """Names of the entries of the array at ``key``."""
    return [name for _, each in entries(raw, key) if (name := text(each, "name")) is not None]


def name_pair(value: object) -> tuple[str, str] | None:
    """Two names, None if ``value`` is something else."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value):
        return value[0], value[1]
    return None


def is_zero(value: object) -> bool:
    """Whether ``value`` is a vector without length."""
    return isinstance(value, list) and len(value) > 0 and all(each == 0 for each in value)


def is_number(value: object) -> TypeGuard[float]:
    """Whether ``value`` is a number that the schema accepts."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def zero_axes(where: Location, entry: Raw, keys: tuple[str, ...]) -> list[Problem]:
    """Axes of ``entry`` that have no direction."""
    return [
        Problem((*where, key), f"{shown(entry[key])} has no direction; give a vector that is not zero")
        for key in keys
        if is_zero(entry.get(key))
    ]


def doubled_names(raw: Raw, key: str) -> list[Problem]:
    """Entries of the array at ``key`` with the name of an earlier one."""
    problems, first = [], dict[str, int]()
    for i, entry in entries(raw, key):
        name = text(entry, "name")
        if name is not None and first.setdefault(name, i) != i:
            problems.append(
                Problem((key, i, "name"), f"{shown(name)} is taken by {key}[{first[name]}]; choose another")
            )
    return problems
