"""JSON of a file that cannot be trusted: fields are fetched with their type and range, errors name them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

from polycontact.surfaces.reading.limits import MAX_JSON_VALUES
from polycontact.surfaces.reading.source import MeshSource, shown

_REMEDY = "the file is damaged: export it again"


@dataclass(frozen=True)
class JsonObject:
    """A JSON object and where it stands in the file (``nodes[3]``)."""

    source: MeshSource
    where: str
    fields: dict[str, Any]

    def __contains__(self, key: str) -> bool:
        return key in self.fields

    def path(self, key: str) -> str:
        """Where the field ``key`` stands in the file."""
        return f"{self.where}.{key}" if self.where else key

    def refuse(self, key: str, expected: str) -> NoReturn:
        """Raise an error about the value of the field ``key``."""
        value = shown(self.fields[key]) if key in self.fields else "missing"
        self.source.fail(f"{self.path(key)} is {value}; expected {expected}: {_REMEDY}")

    def integer(self, key: str, default: int | None = None, *, least: int = 0, most: int = 2**53) -> int:
        """An integer within bounds."""
        value = self.fields.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(key, f"an integer from {least} to {most}")
        return value

    def string(self, key: str, default: str | None = None) -> str:
        """A text."""
        value = self.fields.get(key, default)
        if not isinstance(value, str):
            self.refuse(key, "a text")
        return value

    def object(self, key: str) -> JsonObject:
        """An object; an empty one where the field is missing."""
        value = self.fields.get(key, {})
        if not isinstance(value, dict):
            self.refuse(key, "an object")
        return JsonObject(self.source, self.path(key), value)

    def array(self, key: str) -> list[Any]:
        """An array; an empty one where the field is missing."""
        value = self.fields.get(key, [])
        if not isinstance(value, list):
            self.refuse(key, "an array")
        return value

    def item(self, key: str, index: int) -> JsonObject:
        """The object at ``index`` of the array ``key``."""
        items = self.array(key)
        if not 0 <= index < len(items):
            self.source.fail(f"{self.path(key)}[{index}] is referred to, but there are {len(items)}: {_REMEDY}")
        if not isinstance(items[index], dict):
            self.source.fail(f"{self.path(key)}[{index}] is {shown(items[index])}; expected an object: {_REMEDY}")
        return JsonObject(self.source, f"{self.path(key)}[{index}]", items[index])

    def items(self, key: str) -> list[JsonObject]:
        """All objects of the array ``key``."""
        return [self.item(key, i) for i in range(len(self.array(key)))]

    def indices(self, key: str, count: int) -> list[int]:
        """An array of integers from 0 to ``count`` - 1."""
        values = self.array(key)
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
                self.source.fail(
                    f"{self.path(key)} contains {shown(value)}; expected integers from 0 to {count - 1}: {_REMEDY}"
                )
        return values

    def numbers(self, key: str, count: int) -> list[float]:
        """An array of ``count`` finite numbers."""
        values = self.array(key)
        if len(values) != count or not all(_is_finite_number(value) for value in values):
            self.refuse(key, f"{count} finite numbers")
        return [float(value) for value in values]


def _is_finite_number(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def parse_json(source: MeshSource, text: bytes) -> JsonObject:
    """Parse JSON whose top level is an object; its size and depth are bounded."""
    values = sum(text.count(mark) for mark in (b",", b"[", b"{"))
    if values > MAX_JSON_VALUES:
        source.fail(f"its JSON has {values} values, the limit is {MAX_JSON_VALUES}; split the scene")
    try:
        found = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        source.fail(f"its JSON is not UTF-8 at byte {error.start} (0x{text[error.start]:02x}); export it again")
    except RecursionError:
        source.fail("its JSON is nested too deeply; the file is damaged or hostile, export it again")
    except json.JSONDecodeError as error:
        source.fail(f"its JSON is damaged: {error.msg}, at column {error.colno}; export it again", line=error.lineno)
    except ValueError as error:
        source.fail(f"its JSON is damaged: {shown(str(error))}; export it again")
    if not isinstance(found, dict):
        source.fail(f"its JSON is {shown(found)}; expected an object, {{...}}: export it again")
    return JsonObject(source, "", found)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not allowed in JSON")
