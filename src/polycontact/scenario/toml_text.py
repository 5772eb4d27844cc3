"""Content of a scenario as TOML text: what `tomllib` reads is written so that it reads the same again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, time
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes."""


def toml_text(content: Mapping[str, Any]) -> str:
    """``content`` as TOML: tables and arrays of tables with headings at the first two levels, deeper ones inline."""
    return "\n".join(_lines(content, ())).strip("\n") + "\n"


def toml_value(value: Any) -> str:
    """One value as it stands behind ``key =``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(key)} = {toml_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(map(toml_value, value))}]"


def toml_key(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if _BARE.fullmatch(key) else toml_value(key)


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Lines of a table: its values first, then the tables in it that have headings."""
    for key, value in table.items():
        if not _has_heading(value, path):
            yield f"{toml_key(key)} = {toml_value(value)}"
    for key, value in table.items():
        if not _has_heading(value, path):
            continue
        heading = ".".join(map(toml_key, (*path, key)))
        if isinstance(value, Mapping):
            yield from ("", f"[{heading}]")
            yield from _lines(value, (*path, key))
        else:
            for entry in value:
                yield from ("", f"[[{heading}]]")
                yield from (f"{toml_key(inner)} = {toml_value(each)}" for inner, each in entry.items())


def _has_heading(value: Any, path: tuple[str, ...]) -> bool:
    """Whether a value is written below a heading of its own."""
    if isinstance(value, Mapping):
        return len(path) < 2
    tables = isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(each, Mapping) for each in value)
    return tables and len(path) < 2


def _float(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    return text if any(mark in text for mark in ".e") else f"{text}.0"
