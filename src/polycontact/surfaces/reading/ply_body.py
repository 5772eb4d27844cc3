"""The tables of a PLY file after its header, as columns.

Text and tables without lists are read as arrays. Binary tables with lists are read as arrays when all rows
have lists of the same lengths (a mesh of triangles only), otherwise row by row.
"""

from __future__ import annotations

import struct
from array import array
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.ply_header import PlyElement, PlyEncoding, PlyHeader, PlyProperty
from polycontact.surfaces.reading.source import MeshSource
from polycontact.surfaces.reading.text import TextLines, split_lines, take_runs


class Column(NamedTuple):
    """Values of one property in all rows, flat, and how many each row has."""

    values: NDArray[Any]
    counts: NDArray[np.int64]


Table = dict[str, Column]
"""Columns by the name of their property."""


class _Rows(NamedTuple):
    """Binary rows: the columns, and the byte after the last row."""

    table: Table
    end: int


def read_ply_tables(source: MeshSource, header: PlyHeader, wanted: frozenset[str]) -> dict[str, Table]:
    """Tables of the elements named in ``wanted``; the others are skipped."""
    for element in header.elements:
        if element.count and not element.properties:
            source.fail(f"element {element.name!r} has no properties; export the mesh again", line=element.line)
    if header.encoding is PlyEncoding.TEXT:
        return _read_text(source, header, wanted)
    return _read_binary(source, header, wanted)


def _read_text(source: MeshSource, header: PlyHeader, wanted: frozenset[str]) -> dict[str, Table]:
    lines = split_lines(source, begin=header.body)
    filled = lines.filled()
    announced = sum(element.count for element in header.elements)
    if len(filled) != announced:
        source.fail(
            f"the header announces {announced} lines of data, but {len(filled)} follow; the file is "
            "truncated or "
            f"damaged: export it again"
        )
    tables, begin = {}, 0
    for element in header.elements:
        if element.name in wanted:
            tables[element.name] = _read_text_rows(lines, element, filled[begin : begin + element.count])
        begin += element.count
    return tables


def _read_text_rows(lines: TextLines, element: PlyElement, row_lines: NDArray[np.int64]) -> Table:
    rows = lines.numbers(row_lines)
    at, ends = rows.offsets[:-1].copy(), rows.offsets[1:]
    ones = np.ones(len(at), dtype=np.int64)
    table: Table = {}
    for entry in element.properties:
        _refuse_short_rows(lines, row_lines, entry, ends - at, ones)
        if entry.count_type is None:
            table[entry.name] = Column(rows.values[at], ones)
            at += 1
        else:
            lengths = rows.values[at]
            _refuse_short_rows(lines, row_lines, entry, ends - at - 1, lengths)
            sizes = lengths.astype(np.int64)
            table[entry.name] = Column(take_runs(rows.values, at + 1, sizes), sizes)
            at += sizes + 1
    extra = np.flatnonzero(at != ends)
    if len(extra):
        count = int((ends - at)[extra[0]])
        lines.source.fail(
            f"{count} numbers more than the properties of a {element.name}; the file is damaged: export it again",
            line=lines.number_of(int(row_lines[extra[0]])),
        )
    return table


def _refuse_short_rows(
    lines: TextLines,
    row_lines: NDArray[np.int64],
    entry: PlyProperty,
    available: NDArray[np.int64],
    needed: NDArray[Any],
) -> None:
    bad = np.flatnonzero(~((needed >= 0) & (needed <= available) & (needed == np.floor(needed))))
    if len(bad):
        lines.source.fail(
            f"property {entry.name!r} needs {needed[bad[0]]:g} numbers, but {int(available[bad[0]])} are "
            "left on the "
            f"line; the file is damaged: export it again",
            line=lines.number_of(int(row_lines[bad[0]])),
        )


def _read_binary(source: MeshSource, header: PlyHeader, wanted: frozenset[str]) -> dict[str, Table]:
    tables, at = {}, header.body
    for element in header.elements:
        left = len(source.data) - at
        if element.count * element.least_bytes > left:
            source.fail(
                f"element {element.name!r} announces {element.count} rows of at least "
                f"{element.least_bytes} bytes, "
                f"but {left} bytes are left; the file is truncated or damaged: export it again",
                line=element.line,
            )
        rows = _read_equal_rows(source.data, at, element) or _read_rows(source, at, element, element.name in wanted)
        if element.name in wanted:
            tables[element.name] = rows.table
        at = rows.end
    rest = source.data[at:]
    if rest.strip():
        source.fail(
            f"{len(rest)} bytes follow the last element; the counts in the header are wrong: export the mesh again"
        )
    return tables


def _read_equal_rows(data: bytes, at: int, element: PlyElement) -> _Rows | None:
    """Rows that all have lists as long as those of the first row; None where they differ."""
    layout = _row_layout(data, at, element)
    if layout is None or element.count * layout.itemsize > len(data) - at:
        return None
    rows = np.frombuffer(data, dtype=layout, count=element.count, offset=at)
    table: Table = {}
    for i, entry in enumerate(element.properties):
        values = rows[f"value{i}"]
        size = values.shape[1] if values.ndim == 2 else 1
        if entry.count_type is not None and np.any(rows[f"count{i}"] != size):
            return None
        table[entry.name] = Column(values.reshape(-1), np.full(element.count, size, dtype=np.int64))
    return _Rows(table, at + rows.nbytes)


def _row_layout(data: bytes, at: int, element: PlyElement) -> np.dtype[Any] | None:
    """Layout of the first row, if there is one and none of its lists is empty."""
    if element.count == 0:
        return None
    fields: list[Any] = []
    for i, entry in enumerate(element.properties):
        if entry.count_type is None:
            fields.append((f"value{i}", entry.value_type))
            at += entry.value_type.itemsize
            continue
        if at + entry.count_type.itemsize > len(data):
            return None
        size = int(np.frombuffer(data, dtype=entry.count_type, count=1, offset=at)[0])
        at += entry.count_type.itemsize + size * entry.value_type.itemsize
        if size <= 0 or at > len(data):
            return None
        fields += [(f"count{i}", entry.count_type), (f"value{i}", entry.value_type, (size,))]
    return np.dtype(fields)


def _read_rows(source: MeshSource, at: int, element: PlyElement, wanted: bool) -> _Rows:
    """Rows of any length, one by one."""
    data = source.data
    plan = [_Reader(entry) for entry in element.properties]
    for row in range(element.count):
        for reader in plan:
            after = reader.read(data, at, wanted)
            if after is None:
                source.fail(
                    f"element {element.name!r}, row {row}: property {reader.name!r} does not fit into the "
                    "file (at "
                    f"byte {at} of {len(data)}); the file is truncated or damaged: export it again"
                )
            at = after
    return _Rows({reader.name: reader.column() for reader in plan}, at)


class _Reader:
    """Collects one property row by row."""

    def __init__(self, entry: PlyProperty) -> None:
        self.name = entry.name
        self.order = _byte_order(entry.value_type)
        self.code = entry.value_type.char
        self.size = entry.value_type.itemsize
        self.count: struct.Struct | None = None
        if entry.count_type is not None:
            self.count = struct.Struct(_byte_order(entry.count_type) + entry.count_type.char)
        self.values = array("d")
        self.counts = array("q")

    def read(self, data: bytes, at: int, wanted: bool) -> int | None:
        """Read the property at byte ``at``; returns the byte after it, None where it does not fit."""
        n = 1
        if self.count is not None:
            if at + self.count.size > len(data):
                return None
            (n,) = self.count.unpack_from(data, at)
            at += self.count.size
        after = at + n * self.size
        if n < 0 or after > len(data):
            return None
        if wanted:
            self.values.extend(struct.unpack_from(f"{self.order}{n}{self.code}", data, at))
            self.counts.append(n)
        return after

    def column(self) -> Column:
        """All values of the property read so far, and how many belong to each element."""
        return Column(np.array(self.values, dtype=np.float64), np.array(self.counts, dtype=np.int64))


def _byte_order(value_type: np.dtype[Any]) -> str:
    return value_type.str[0].replace("|", "<")  # single bytes have none
