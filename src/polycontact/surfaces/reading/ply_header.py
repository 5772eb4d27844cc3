"""The header of a PLY file: which elements follow, how many of each, and with which properties."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

import numpy as np

from polycontact.surfaces.reading.limits import MAX_HEADER_BYTES, MAX_VERTICES
from polycontact.surfaces.reading.source import MeshSource, shown

_CODES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"}
_SIZED = {"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4"}
_TYPES = _CODES | _SIZED | {"float": "f4", "double": "f8", "float32": "f4", "float64": "f8"}
_END = re.compile(rb"[\r\n]end_header[ \t]*(\r\n|\n|\r|$)")


class PlyEncoding(StrEnum):
    """How the body is written."""

    TEXT = "ascii"
    LITTLE_ENDIAN = "binary_little_endian"
    BIG_ENDIAN = "binary_big_endian"


@dataclass(frozen=True)
class PlyProperty:
    """A number, or a list of numbers with its length before it (``count_type`` is None for a number)."""

    name: str
    value_type: np.dtype[Any]
    count_type: np.dtype[Any] | None = None

    @property
    def least_bytes(self) -> int:
        """Size in a binary file, of a list when it is empty."""
        return self.value_type.itemsize if self.count_type is None else self.count_type.itemsize


@dataclass(frozen=True)
class PlyElement:
    """A table of ``count`` rows."""

    name: str
    count: int
    properties: tuple[PlyProperty, ...]
    line: int

    @property
    def least_bytes(self) -> int:
        """Size of a row in a binary file when all its lists are empty."""
        return sum(entry.least_bytes for entry in self.properties)


@dataclass(frozen=True)
class PlyHeader:
    """What the header announces; the body begins at byte ``body``."""

    encoding: PlyEncoding
    elements: tuple[PlyElement, ...]
    body: int


def read_ply_header(source: MeshSource) -> PlyHeader:
    """Parse and check the header."""
    if not source.data.startswith((b"ply\n", b"ply\r", b"ply ")):
        found = shown(source.data[:8])
        source.fail(f"expected 'ply', found {found}; the file is no PLY or damaged", line=1)
    end = _END.search(source.data, 0, MAX_HEADER_BYTES)
    if end is None:
        source.fail(f"no 'end_header' in the first {MAX_HEADER_BYTES} bytes; the file is truncated: export it again")
    # With CR alone as the end of lines, a line feed after the header is already data.
    ends_with_cr = end[1] == b"\r\n" and not source.data[3:].lstrip(b" ").startswith((b"\r\n", b"\n"))
    body = end.end() - ends_with_cr
    return _HeaderParser(source).parse(source.data[: end.start()], body)


class _HeaderParser:
    """Goes through the header line by line; comments may be in any encoding."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        self.line = 1
        self.encoding: PlyEncoding | None = None
        self.elements: list[tuple[str, int, int]] = []
        self.properties: list[dict[str, PlyProperty]] = []

    def parse(self, head: bytes, body: int) -> PlyHeader:
        """Parse the lines after the first."""
        for line in head.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:]:
            self.line += 1
            self._parse_line(line.split())
        if self.encoding is None:
            self.source.fail("the header has no line 'format ...'; the file is damaged: export it again")
        elements = [
            PlyElement(name, count, tuple(properties.values()), line)
            for (name, count, line), properties in zip(self.elements, self.properties, strict=True)
        ]
        return PlyHeader(self.encoding, tuple(elements), body)

    def _parse_line(self, words: list[str]) -> None:
        match words:
            case [] | ["comment", *_] | ["obj_info", *_]:
                pass
            case ["format", encoding, _]:
                self._parse_format(encoding)
            case ["element", name, count]:
                self.elements.append((name, self._count(count), self.line))
                self.properties.append({})
            case ["property", "list", count_type, value_type, name]:
                self._add_property(PlyProperty(name, self._type(value_type), self._integer_type(count_type)))
            case ["property", value_type, name]:
                self._add_property(PlyProperty(name, self._type(value_type)))
            case _:
                self._fail(f"{shown(' '.join(words))} is not a line of a PLY header")

    def _parse_format(self, encoding: str) -> None:
        if encoding not in list(PlyEncoding):
            self._fail(f"format {shown(encoding)} is unknown; expected one of {', '.join(PlyEncoding)}")
        self.encoding = PlyEncoding(encoding)

    def _count(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            self._fail(f"{shown(text)} is not a number of elements")
        if int(text) > MAX_VERTICES:
            self._fail(f"announces {text} elements, the limit is {MAX_VERTICES}")
        return int(text)

    def _add_property(self, entry: PlyProperty) -> None:
        if not self.elements:
            self._fail(f"property {shown(entry.name)} comes before any element")
        if entry.name in self.properties[-1]:
            self._fail(f"property {shown(entry.name)} appears twice")
        self.properties[-1][entry.name] = entry

    def _type(self, name: str) -> np.dtype[Any]:
        if name not in _TYPES:
            self._fail(f"type {shown(name)} is unknown; expected one of {', '.join(_TYPES)}")
        if self.encoding is None:
            self._fail("a property comes before the line 'format ...'")
        order = ">" if self.encoding is PlyEncoding.BIG_ENDIAN else "<"
        return np.dtype(order + _TYPES[name])

    def _integer_type(self, name: str) -> np.dtype[Any]:
        found = self._type(name)
        if found.kind not in "iu":
            self._fail(f"the length of a list has type {shown(name)}; expected an integer type")
        return found

    def _fail(self, message: str) -> NoReturn:
        self.source.fail(f"{message}; the file is damaged: export it again", line=self.line)
