"""How counts, numbers and vectors stand in messages, tables and the text of objects."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any, SupportsFloat

NOISE = 1e-10
"""What is smaller than this beside the largest number of a vector is rounding."""

MOST_NUMBERS = 8
"""Longest vector, and widest matrix, whose numbers are shown."""


def counted(n: int, one: str, several: str | None = None) -> str:
    """A number of things: ``1 mesh``, ``2 meshes``; the plural of ``one`` with an s unless ``several`` is given."""
    return f"{n} {one if n == 1 else several or one + 's'}"


def format_vector(numbers: Iterable[SupportsFloat], digits: int = 6, scale: float = 0.0) -> str:
    """Numbers in parentheses, rounded; what is rounding beside the largest, or beside ``scale``, is 0."""
    values = [float(number) for number in numbers]
    noise = NOISE * max((abs(x) for x in (*values, scale) if math.isfinite(x)), default=0.0)
    return "(" + ", ".join("0" if abs(x) <= noise else f"{x:.{digits}g}" for x in values) + ")"


def short_repr(thing: Any) -> str:
    """A dataclass on one line: what differs from the defaults, numbers without noise, large arrays by their shape.

    A class takes it as its ``__repr__``. The name of a thing stands without a key.
    """
    parts = []
    for each in fields(thing):
        value = getattr(thing, each.name)
        if not each.repr or _is_usual(each, value):
            continue
        text = _short(value)
        parts.append(text if each.name == "name" else f"{each.name}={text}")
    return f"{type(thing).__name__}({', '.join(parts)})"


def _is_usual(each: Field[Any], value: Any) -> bool:
    """Whether a field has its default; of a rotation, whether it turns nothing."""
    if _is_array(value):
        if each.name.startswith("rotation"):
            return _is_identity(value.tolist())
        given = each.default if each.default is not MISSING else None
        return given is not None and (value.tolist() == _as_list(given) or not (value.any() or any(_as_list(given))))
    if each.default is not MISSING:
        return value is each.default or (type(value) is type(each.default) and bool(value == each.default))
    return each.default_factory is not MISSING and type(value) is dict and not value


def _short(value: Any) -> str:
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if _is_array(value):
        return _array_words(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_short(each)}" for key, each in value.items()) + "}"
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        if len(value) > MOST_NUMBERS:
            return f"({len(value)} entries)"
        return "(" + ", ".join(map(_short, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def _array_words(array: Any) -> str:
    if array.ndim == 0:
        return f"{float(array):.6g}"
    if array.ndim == 1 and len(array) <= MOST_NUMBERS:
        return format_vector(array)
    if array.ndim == 2 and array.shape[0] == array.shape[1] <= MOST_NUMBERS:
        return _matrix_words(array.tolist())
    return f"({'×'.join(map(str, array.shape))} numbers)"


def _matrix_words(rows: Any) -> str:
    """A square matrix: its diagonal where there is nothing else, or rows in parentheses."""
    noise = NOISE * max((abs(x) for row in rows for x in row), default=0.0)
    clean = [[0.0 if abs(x) <= noise else x for x in row] for row in rows]
    if any(x for i, row in enumerate(clean) for j, x in enumerate(row) if i != j):
        return "(" + ", ".join(map(format_vector, clean)) + ")"
    return f"diagonal {format_vector(row[i] for i, row in enumerate(clean))}"


def _is_identity(rows: Any) -> bool:
    return all(abs(x - (i == j)) <= NOISE for i, row in enumerate(rows) for j, x in enumerate(row))


def _is_array(value: Any) -> bool:
    return hasattr(value, "ndim") and hasattr(value, "tolist")


def _as_list(value: Any) -> Any:
    return [_as_list(each) for each in value] if isinstance(value, tuple | list) else value
