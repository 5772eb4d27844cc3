"""Careful access to the content of a scenario file before the schema has seen it, whatever it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
