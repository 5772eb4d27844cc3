"""Checksums of the rows of a run file: which there are, how they grow with the rows, and how they are compared.

The rows of an array are divided into blocks of about 64 kB. The CRC-32 of each whole block stands in /checksums, once
for all; that of the block begun stands in /committed, beside the counts, since it changes with every row. So what was
counted can be checked at any moment, also where the run was killed, and reading a few rows costs a block or two.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES: Final = 1 << 16
"""About as many bytes have a checksum: a row of a sample costs no more to read than this, and the checksums take one
part in 16,000 of the file."""


TEARS, PAUSE = 5, 0.01
"""A record that is being written just now may be read in part: so many times it is read again, after a pause in s."""


class Blocks(NamedTuple):
    """Where the checksums of an array begin in /checksums, and how many rows a block has."""

    first: int
    rows: int


def blocks_of(arrays: Mapping[str, tuple[int, int]]) -> tuple[dict[str, Blocks], int]:
    """The blocks of arrays with some bytes a row and room for some rows; and how many checksums there will be."""
    blocks, n = {}, 0
    for name, (row_bytes, room) in arrays.items():
        rows = max(BLOCK_BYTES // max(row_bytes, 1), 1)
        blocks[name] = Blocks(n, rows)
        n += room // rows
    return blocks, n


class ArraySums:
    """The checksums of one array while rows are added. What was added counts after `commit`.

    ``whole``: of each whole block; ``n``: rows; ``tail``: of the rows behind the last whole block.
    """

    def __init__(self, row_bytes: int, block_rows: int) -> None:
        self.n, self.tail = 0, 0
        self.whole: list[int] = []
        self._next_n, self._next_tail, self._old = 0, 0, 0
        self._new: list[int] = []
        self._row_bytes, self._block_rows = max(row_bytes, 1), block_rows

    def add(self, start: int, data: memoryview) -> tuple[int, list[int]]:
        """Number of the first block that becomes whole, and sums, with rows as bytes from number ``start`` on.

        Rows go on where those that count end, or where the last ones taken end; others begin anew at 0.
        """
        if start == self.n:
            self._begin(self.n)
        elif start != self._next_n:
            self._begin(0)
        first, whole = self._old + len(self._new), []
        done, n_bytes = 0, len(data)
        while done < n_bytes:
            have = self._next_n % self._block_rows
            rows = min(self._block_rows - have, (n_bytes - done) // self._row_bytes)
            part = data[done : done + rows * self._row_bytes]
            self._next_tail = zlib.crc32(part, self._next_tail)
            self._next_n, done = self._next_n + rows, done + len(part)
            if have + rows == self._block_rows:
                whole.append(self._next_tail)
                self._next_tail = 0
        self._new += whole
        return first, whole

    def tail_at(self, n: int) -> int:
        """The checksum of the block begun when ``n`` rows count: those that do already, or what was added too."""
        return self.tail if n == self.n != self._next_n else self._next_tail

    def commit(self, n: int) -> None:
        """Let ``n`` rows count; what was added by a write that was broken off does not."""
        if n == self._next_n:
            self.whole[self._old :] = self._new
            self.n, self.tail = self._next_n, self._next_tail
        self._begin(self.n)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArraySums) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def _begin(self, n: int) -> None:
        """Forget what does not count; rows go on behind the first ``n``, which are all that count or none."""
        self._next_n, self._next_tail = (n, self.tail) if n else (0, 0)
        self._old = len(self.whole) if n else 0
        self._new = []


def pack_record(counts: Iterable[int], tails: Iterable[int]) -> NDArray[np.int64]:
    """The contents of /committed: counts and time, the checksums of the blocks begun, and its own."""
    record = np.array([*counts, *tails, 0], "<i8")
    record[-1] = zlib.crc32(record[:-1].tobytes())
    return record


def unpack_record(record: NDArray[np.int64], n_counts: int) -> tuple[list[int], list[int]] | None:
    """Counts and checksums; None where the record's own checksum differs."""
    if len(record) <= n_counts or record[-1] != zlib.crc32(record[:-1].tobytes()):
        return None
    return record[:n_counts].tolist(), record[n_counts:-1].tolist()


def blocks_to_text(blocks: Mapping[str, Blocks]) -> str:
    """The attribute of /checksums."""
    return json.dumps(blocks)


@lru_cache(maxsize=16)
def blocks_from_text(text: str) -> Mapping[str, Blocks]:
    """What `blocks_to_text` wrote."""
    return {name: Blocks(*map(int, values)) for name, values in json.loads(text).items()}


def checked_rows(
    read: Callable[[int, int], NDArray[Any]], wanted: tuple[int, int], n: int, block: int, sums: NDArray[Any], tail: int
) -> tuple[NDArray[Any], int | None]:
    """Some rows of the ``n`` of an array, and the first row of a block whose checksum differs, or None.

    ``sums``: of whole blocks, from that on in which the first row wanted lies; ``tail``: of the rows behind them.
    """
    start, end = wanted
    begin = start // block * block
    rows = read(begin, min(-(-end // block) * block, n))
    data = np.ascontiguousarray(rows).view("u1").reshape(len(rows), -1)
    wrong = None
    for i, row in enumerate(range(0, len(rows), block)):
        expected = int(sums[i]) if begin + row + block <= n else tail
        if zlib.crc32(data[row : row + block].data) != expected:
            wrong = begin + row
            break
    return rows[start - begin : end - begin], wrong
