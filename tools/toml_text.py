"""Writing TOML: tables of numbers, texts and arrays, with the shortest digits that give back the same float64."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import numpy as np


def document(header: str, tables: Iterable[str]) -> str:
    """The text of a file: ``header`` as comments, then ``tables``, with empty lines between."""
    comments = "\n".join(f"# {line}".rstrip() for line in header.splitlines())
    return "\n\n".join([comments, *tables]) + "\n"


def table(title: str, *, comment: str = "", **values: object) -> str:
    """A table with its ``title`` in brackets, after it a ``comment``, then a line for each value.

    A list of tables has a line for each of them.
    """
    head = f"{title}  # {comment}" if comment else title
    return "\n".join([head, *(f"{key} = {_text(value)}" for key, value in values.items())])


def _text(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_text(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
        return "[\n" + "".join(f"    {_text(each)},\n" for each in value) + "]"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_text(each) for each in value) + "]"
    raise TypeError(f"{value!r} of {type(value)} cannot be written as TOML")
