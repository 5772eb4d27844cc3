"""Text files as arrays: where lines begin, and the numbers on chosen lines, without a loop over lines.

In: the bytes of a text file. Out: `TextLines` (line and keyword positions) and `NumberRows` (all numbers of
the chosen lines, flat, with the range of each line). A loop over lines only runs when one of them holds
something that is not a number, in order to name it.
"""

from __future__ import annotations

import re
import warnings
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.limits import MAX_LINES
from polycontact.surfaces.reading.source import MeshSource, shown

_PADDING = b" " * 16  # so that a keyword can be compared at any position
_BLOCK_BYTES = 1 << 24
_LINE_FEED = 10
_MAX_STEPS = 64  # indentation that is skipped for all lines at once
_TOKEN = re.compile(rb"\S+")
_NOT_BLANK = re.compile(rb"[^ \t\r\v\f]")

IS_SPACE: NDArray[np.bool_] = np.isin(np.arange(256), list(b" \t\r\n\v\f"))
"""For each byte whether it separates tokens."""


class NumberRows(NamedTuple):
    """Numbers of several lines: row ``i`` has ``values[offsets[i]:offsets[i + 1]]``."""

    values: NDArray[Any]
    offsets: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of numbers in each row."""
        return np.diff(self.offsets)


class PickedText(NamedTuple):
    """Bytes of chosen lines, one after another, each with the blank that ends it."""

    characters: NDArray[np.uint8]
    row_starts: NDArray[np.int64]


@dataclass(frozen=True)
class TextLines:
    """Positions of the lines of a text file.

    ``characters`` holds the text and some padding. Line ``i`` is ``characters[starts[i]:ends[i]]`` without
    its line feed; its first character that is not blank is at ``keywords[i]`` (``ends[i]`` if all are).
    """

    source: MeshSource
    text: bytes
    characters: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    keywords: NDArray[np.int64]

    def filled(self) -> NDArray[np.int64]:
        """Indices of lines that are not blank."""
        return np.flatnonzero(self.keywords < self.ends)

    def number_of(self, line: int) -> int:
        """Number of line ``line`` in the file, from 1, as an editor shows it."""
        return self.source.line_at(int(self.starts[line]))

    def content(self, line: int, skip: int = 0) -> bytes:
        """Text of line ``line`` from ``skip`` characters after its indentation."""
        return self.text[self.keywords[line] + skip : self.ends[line]]

    def keyword_codes(self, length: int) -> NDArray[np.uint32]:
        """The first ``length`` (up to 4) characters of each line, lower case, packed into an integer."""
        codes = np.zeros(len(self.starts), dtype=np.uint32)
        for i in range(length):
            codes = (codes << np.uint32(8)) | (self.characters[self.keywords + i] | np.uint8(0x20))
        return codes

    def blocks(self, lines: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """``lines`` (increasing) in blocks of some MB of text: bounds the memory of what is made of them."""
        if len(lines):
            ends = self.ends[lines]
            limits = np.arange(int(ends[0]), int(ends[-1]), _BLOCK_BYTES)[1:]
            yield from (block for block in np.split(lines, np.searchsorted(ends, limits)) if len(block))

    def pick(self, lines: NDArray[np.int64], skip: int = 0) -> PickedText:
        """Copy the text of ``lines`` (increasing, not none) without the first ``skip`` characters of each."""
        begins, ends = self.keywords[lines] + skip, self.ends[lines] + 1
        first, last = int(begins[0]), int(ends[-1])
        marks = np.zeros(last - first + 1, dtype=np.int8)
        marks[begins - first] += 1
        marks[ends - first] -= 1
        inside = np.cumsum(marks, dtype=np.int8)[:-1].view(np.bool_)
        row_starts = np.concatenate(([0], np.cumsum(ends - begins)[:-1]))
        return PickedText(self.characters[first:last][inside], row_starts)

    def numbers(self, lines: NDArray[np.int64], skip: int = 0) -> NumberRows:
        """All numbers on ``lines``; anything else there is an error that names the line."""
        rows = [self._numbers_in_block(block, skip) for block in self.blocks(lines)]
        values = np.concatenate([np.zeros(0), *(row.values for row in rows)])
        counts = np.concatenate([np.zeros(0, dtype=np.int64), *(row.counts for row in rows)])
        return NumberRows(values, np.concatenate(([0], np.cumsum(counts))))

    def _numbers_in_block(self, lines: NDArray[np.int64], skip: int) -> NumberRows:
        picked = self.pick(lines, skip)
        counts = tokens_per_row(picked)
        values = parse_numbers(picked.characters, np.dtype(np.float64))
        if values is not None and len(values) == counts.sum():
            return NumberRows(values, np.concatenate(([0], np.cumsum(counts))))
        return self._numbers_one_by_one(lines, skip)

    def _numbers_one_by_one(self, lines: NDArray[np.int64], skip: int) -> NumberRows:
        values, offsets = array("d"), array("q", [0])
        for line in lines.tolist():
            # Not split(): a line may be as long as the file.
            for token in _TOKEN.finditer(self.text, int(self.keywords[line]) + skip, int(self.ends[line])):
                values.append(self._number(token[0], line))
            offsets.append(len(values))
        return NumberRows(np.array(values, dtype=np.float64), np.array(offsets, dtype=np.int64))

    def _number(self, token: bytes, line: int) -> float:
        try:
            if b"_" not in token:
                return float(token)
        except ValueError:
            pass
        raise self.source.error(
            f"{shown(token)} is not a number; mend the line or export the mesh again",
            line=self.number_of(line),
        )


def split_lines(
    source: MeshSource, *, begin: int = 0, comment: bytes | None = None, continued: bool = False
) -> TextLines:
    """Find the lines of a text file from byte ``begin`` on.

    The character ``comment`` starts a comment that runs to the end of its line; ``continued`` joins a line
    that ends with a backslash to the next one. Both are blanked, so that positions stay those of the file.
    """
    text = source.text_bytes()
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    n_lines = text.count(b"\n", begin) + 1
    if n_lines > MAX_LINES:
        source.fail(f"has {n_lines} lines, the limit is {MAX_LINES}; export the mesh in a binary format or split it")
    if comment is not None and comment in text:
        text = _blank_comments(text, comment)
    if continued:
        text = text.replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ")
    characters = np.frombuffer(text + _PADDING, dtype=np.uint8)
    feeds = np.flatnonzero(characters[begin : len(text)] == _LINE_FEED) + begin
    starts = np.concatenate(([begin], feeds + 1))
    ends = np.append(feeds, len(text))
    keywords = _skip_indentation(text, characters, starts, ends)
    return TextLines(source, text, characters, starts, ends, keywords)


def _blank_comments(text: bytes, comment: bytes) -> bytes:
    """Replace comments by blanks; many short ones cost no more than a few long ones."""
    characters = np.frombuffer(text, dtype=np.uint8).copy()
    marks = np.flatnonzero(characters == comment[0])
    feeds = np.append(np.flatnonzero(characters == _LINE_FEED), len(text))
    lines, first = np.unique(np.searchsorted(feeds, marks), return_index=True)
    begins, ends = marks[first], feeds[lines]
    switches = np.zeros(len(text) + 1, dtype=np.int8)
    switches[begins] += 1
    switches[ends] -= 1
    characters[np.cumsum(switches, dtype=np.int8)[:-1].view(np.bool_)] = ord(" ")
    return characters.tobytes()


def _skip_indentation(
    text: bytes, characters: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    positions = starts.copy()
    indented = np.flatnonzero(IS_SPACE[characters[positions]] & (positions < ends))
    for _ in range(_MAX_STEPS):
        if not len(indented):
            return positions
        positions[indented] += 1
        here = positions[indented]
        indented = indented[IS_SPACE[characters[here]] & (here < ends[indented])]
    for line in indented.tolist():
        found = _NOT_BLANK.search(text, int(positions[line]), int(ends[line]))
        positions[line] = found.start() if found else ends[line]
    return positions


def token_starts(characters: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """True where a token begins: a character that is not blank after one that is."""
    blank = IS_SPACE[characters]
    begins = ~blank
    begins[1:] &= blank[:-1]
    return begins


def tokens_per_row(picked: PickedText) -> NDArray[np.int64]:
    """Number of tokens in each picked line."""
    begins = token_starts(picked.characters)
    return np.add.reduceat(begins, picked.row_starts, dtype=np.int64)


def take_runs(values: NDArray[Any], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[Any]:
    """``values[starts[i]:starts[i] + sizes[i]]`` for all i, one after another."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(values[np.arange(total) + np.repeat(starts - (ends - sizes), sizes)])


def parse_numbers(characters: NDArray[np.uint8], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Numbers separated by blanks, correctly rounded; None where something else is among them."""
    with warnings.catch_warnings():
        # Old NumPy warns of text that is not a number, new NumPy raises.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(characters.tobytes(), dtype=dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
