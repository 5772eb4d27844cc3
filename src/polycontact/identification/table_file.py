"""Measured tables from text files as instruments and spreadsheets write them.

Separators, decimal commas, header lines and units in headers are recognised; what can be read in two ways is refused,
and every complaint names file, line and remedy. Cells are turned into numbers column by column, when asked for.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError, SurfaceError, UnitError
from polycontact.scenario.file_problems import shown, unknown
from polycontact.surfaces.reading.source import read_regular_file
from polycontact.units import UNITS, parse_unit

MAX_BYTES: Final = 256 * 1024**2
"""Largest table that is read."""

MAX_ROWS: Final = 2_000_000
"""Most rows of a table."""

SEPARATORS: Final = {";": "semicolon", "\t": "tab", ",": "comma", "|": "bar", " ": "space"}

_COMMENTS: Final = ("#", "%", "//")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_COMMA_NUMBER: Final = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d{1,3})?")
_GAPS: Final = frozenset(("", "nan", "na", "n/a", "null", "none", "-", "--", "#n/a"))
_BRACKETS: Final = re.compile(r"(.*?)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]\s*")
_SLASH: Final = re.compile(r"(.+?)\s*/\s*(.+)")
_UNIT_SYMBOLS: Final = frozenset(UNITS) - {"t"}
"""What stands before the slash of a unit such as m/s; "t/ms" is the time, no mass of tons."""

_LONGEST_TITLE: Final = 200

_SNIFFED: Final = 200
"""Rows by which separator and decimal sign are recognised."""


@dataclass(frozen=True)
class TableColumn:
    """A column: its ``name`` and ``unit`` (empty where none is written), and numbers (n,), NaN in gaps."""

    name: str
    unit: str
    values: NDArray[np.float64]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class TableFile:
    """A table as texts: ``label`` names the file, ``rows`` and their ``lines`` in it, ``decimal`` its decimal sign."""

    label: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    decimal: str

    def column(self, name: str | int) -> TableColumn:
        """A column by its title, with or without the unit, or by its number, which counts from 1."""
        index = self._index(name)
        values = np.array(
            [self._number(row[index], line, index) for row, line in zip(self.rows, self.lines, strict=True)]
        )
        return TableColumn(self.names[index], self.units[index], values, self.lines)

    def _index(self, name: str | int) -> int:
        if isinstance(name, int) and not isinstance(name, bool):
            if 1 <= name <= len(self.names):
                return name - 1
            raise IdentificationError(f"{self.label}: there is no column {name}; there are {len(self.names)}, from 1")
        wanted = _split_unit(str(name))[0].casefold()
        found = [i for i, each in enumerate(self.names) if each.casefold() == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise IdentificationError(f"{self.label}: {len(found)} columns are called {shown(name)}; give its number")
        raise IdentificationError(f"{self.label}: {unknown('column', str(name), self.names)}")

    def _number(self, cell: str, line: int, index: int) -> float:
        text = cell.strip()
        if text.casefold() in _GAPS:
            return float("nan")
        plain = text.replace("−", "-")
        if self.decimal == ",":
            plain = plain.replace(",", ".") if _COMMA_NUMBER.fullmatch(plain) else plain
        if _NUMBER.fullmatch(plain) and (self.decimal == "." or "." not in text):
            value = float(plain)
            if np.isfinite(value):
                return value
        where = f"{self.label}: line {line}, column {shown(self.names[index])}"
        raise IdentificationError(f"{where}: {shown(text)} is no finite number; correct it, or leave the cell empty")


def read_table(
    path: str | os.PathLike[str], *, separator: str | None = None, decimal: str | None = None, skip_lines: int = 0
) -> TableFile:
    """The table in a text file; what is None is recognised. ``skip_lines``: lines before the table that are no part."""
    where = Path(os.fsdecode(path))
    label = where.name or str(where)
    if separator is not None and separator not in SEPARATORS:
        raise IdentificationError(f"{label}: separator {shown(separator)}; allowed is one of {shown_separators()}")
    if decimal not in (None, ".", ","):
        raise IdentificationError(f'{label}: decimal {shown(decimal)}; allowed is "." or ","')
    if isinstance(skip_lines, bool) or not isinstance(skip_lines, int) or skip_lines < 0:
        raise IdentificationError(f"{label}: skip_lines {shown(skip_lines)}; allowed is an integer of at least 0")
    lines = _lines_of(_text_of(where, label), label, skip_lines)
    used = separator or _find_separator([text for _, text in lines[:_SNIFFED]])
    try:
        cells = [(number, _split(text, used)) for number, text in lines]
    except csv.Error as error:
        raise IdentificationError(f"{label}: this is no table: {error}; export it again") from error
    return _with_header(label, cells, used, decimal)


def shown_separators() -> str:
    """The separators that may be asked for."""
    return ", ".join(f"{shown(sign)} ({name})" for sign, name in SEPARATORS.items())


def _text_of(path: Path, label: str) -> str:
    try:
        data = read_regular_file(
            path, label, limit=MAX_BYTES, kind="table", too_large="thin it out, or divide it into several"
        )
    except SurfaceError as error:
        raise IdentificationError(str(error)) from error
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise IdentificationError(f"{label}: this is a workbook of a spreadsheet, no text; save the sheet as CSV")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:4096]:
        raise IdentificationError(f"{label}: this is no text file; save the table as CSV")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _lines_of(text: str, label: str, skip: int) -> list[tuple[int, str]]:
    """Lines with their numbers, without empty ones and comments."""
    found = [
        (number, line)
        for number, line in enumerate(islice(text.splitlines(), MAX_ROWS + skip + 1_000), 1)
        if number > skip and line.strip() and not line.lstrip().startswith(_COMMENTS)
    ]
    if not found:
        raise IdentificationError(f"{label}: there are no lines with numbers in it; export the table again")
    if len(found) > MAX_ROWS:
        raise IdentificationError(f"{label}: has more than {MAX_ROWS} rows; thin it out")
    return found


def _find_separator(lines: Sequence[str]) -> str:
    """The sign that divides the last lines, which are surely numbers and no titles."""
    last = lines[-1]
    for sign in (";", "\t", "|"):
        if sign in last:
            return sign
    words = last.split()
    if len(words) > 1 and all(_COMMA_NUMBER.fullmatch(word) or _NUMBER.fullmatch(word) for word in words):
        return " "
    return "," if "," in last or len(words) < 2 else " "


def _split(line: str, separator: str) -> tuple[str, ...]:
    if separator == " ":
        return tuple(line.split())
    if '"' in line:
        return tuple(each.strip() for each in next(csv.reader([line], delimiter=separator)))
    return tuple(each.strip() for each in line.split(separator))


def _with_header(
    label: str, cells: list[tuple[int, tuple[str, ...]]], separator: str, decimal: str | None
) -> TableFile:
    """Titles, units and rows told apart, and rows checked for their length."""
    first = next((i for i, (_, row) in enumerate(cells) if any(_is_number(cell) for cell in row)), None)
    if first is None:
        raise IdentificationError(f"{label}: no line has a number in it; is {SEPARATORS[separator]} its separator?")
    if first > 2:
        line = cells[0][0]
        raise IdentificationError(
            f"{label}: {first} lines from line {line} on have no numbers; a table has a line of titles and maybe one "
            f"of units: leave out what stands before with skip_lines"
        )
    rows = cells[first:]
    n = len(rows[0][1])
    _require_equal_lengths(label, rows, n, separator)
    header = [row for _, row in cells[:first]]
    if header and len(header[0]) != n:
        raise IdentificationError(
            f"{label}: line {cells[0][0]} has {len(header[0])} titles, line {rows[0][0]} has {n} cells; is "
            f"{SEPARATORS[separator]} the separator? Give it with separator"
        )
    names, units = _titles(header, n)
    plain = tuple(row for _, row in rows)
    return TableFile(
        label, names, units, plain, tuple(line for line, _ in rows), decimal or _find_decimal(label, plain)
    )


def _titles(header: list[tuple[str, ...]], n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not header:
        return tuple(str(i) for i in range(1, n + 1)), ("",) * n
    named = [_split_unit(title) for title in header[0]]
    if len(header) > 1 and len(header[1]) == n:
        named = [(name, unit or cell.strip(" []()")) for (name, unit), cell in zip(named, header[1], strict=True)]
    return tuple(name for name, _ in named), tuple(unit for _, unit in named)


def _require_equal_lengths(label: str, rows: list[tuple[int, tuple[str, ...]]], n: int, separator: str) -> None:
    for line, row in rows:
        if len(row) != n:
            hint = (
                "; where commas are decimal signs, separate the columns by semicolons or tabs"
                if separator == ","
                else ""
            )
            raise IdentificationError(
                f"{label}: line {line} has {len(row)} cells, the first row of numbers has {n}; correct the file{hint}"
            )


def _find_decimal(label: str, rows: Sequence[tuple[str, ...]]) -> str:
    """The decimal sign of cells that have one; both signs in the same file cannot be told from thousands."""
    cells = [cell for row in rows[:_SNIFFED] for cell in row]
    commas = any(_COMMA_NUMBER.fullmatch(cell) for cell in cells)
    points = any("." in cell and _NUMBER.fullmatch(cell) for cell in cells)
    if commas and points:
        raise IdentificationError(
            f'{label}: has decimal commas and decimal points; say which with decimal = "," or "."'
        )
    return "," if commas else "."


def _is_number(cell: str) -> bool:
    text = cell.strip().replace("−", "-")
    return bool(_NUMBER.fullmatch(text) or _COMMA_NUMBER.fullmatch(text))


def _split_unit(title: str) -> tuple[str, str]:
    """Name and unit of a title such as "z [mm]", "z (mm)" or "z / mm"; of a very long one, its beginning."""
    title = title[:_LONGEST_TITLE]
    if found := _BRACKETS.fullmatch(title.strip()):
        return found[1] or title.strip(), found[2]
    if (found := _SLASH.fullmatch(title.strip())) and found[1] not in _UNIT_SYMBOLS and _is_unit(found[2]):
        return found[1], found[2]
    return title.strip(), ""


def _is_unit(text: str) -> bool:
    try:
        parse_unit(text)
    except UnitError:
        return False
    return True
