"""Adding rows to a run file: HDF5 has laid it out, so a row is a plain write to where its array lies.

After rows come the counts that make them valid. No byte of HDF5's own structure ever changes: the file can be read at
any time, and nothing that happens to the writer (a kill, a full disk) can spoil what is recorded. Where there is no
room for more rows, they are copied to a file with twice the room, which takes the place of the first.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.replacing import replacing
from polycontact.simulation.recording.interrupts import uninterrupted
from polycontact.simulation.recording.row_sums import ArraySums, pack_record
from polycontact.simulation.recording.run_file import END_TABLES, Counts, kind_of, open_hdf5
from polycontact.simulation.recording.run_layout import FEWEST_ROWS, Layout, lay_out_again

BLOCK = 1 << 18
"""Bytes of samples gathered at most before they are written."""

FLUSH_SECONDS = 1.0
"""Real time after which samples are written: about as much of a run is lost if its process is killed."""

NO_ROWS = Counts()

SLAB = 1 << 22
"""Bytes copied at a time."""


Reader = Callable[[str, int, int], NDArray[Any]]
"""Gives the rows from the second number to the third of the array with a name."""


class RunFileWriter:
    """Adds rows to the run file ``path`` with ``layout``, after those of the writer ``before``, if there is one."""

    def __init__(self, path: Path, layout: Layout, before: RunFileWriter | None = None) -> None:
        self.counts: Counts = NO_ROWS if before is None else before.counts
        self._path = path
        self._places, self._room, self._blocks = layout
        self._sums = {name: ArraySums(self._places[name][1], blocks.rows) for name, blocks in self._blocks.items()}
        if before is not None:
            self._sums = before._sums
        self._stream = path.open("r+b", buffering=0)
        self._gathered: list[dict[str, NDArray[Any]]] = []
        self._tables: dict[str, list[tuple[NDArray[Any], NDArray[np.int64]]]] = {
            name: [] for name in END_TABLES if name in self._places
        }
        self._n_bytes = 0
        self._flushed = -math.inf

    @property
    def has_elements(self) -> bool:
        """Whether the file has a table of elements."""
        return "elements" in self._places

    def add_samples(
        self, arrays: dict[str, NDArray[Any]], tables: dict[str, tuple[NDArray[Any], NDArray[np.int64]]]
    ) -> None:
        """Add samples: an array of each quantity, a row for each; rows of each table that the file has, see
        `END_TABLES`, and how many each sample has.
        """
        self._gathered.append(arrays)
        for name, rows in self._tables.items():
            rows.append(tables[name])
        self._n_bytes += sum(array.nbytes for array in (*arrays.values(), *(rows for rows, _ in tables.values())))
        if self._n_bytes > BLOCK or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    @uninterrupted
    def flush(self) -> None:
        """Write the samples that were gathered."""
        self._flushed = time.monotonic()
        blocks, tables = self._gathered, self._tables
        if not blocks:
            return
        n, before = self.counts.samples, self.counts._asdict()
        counts_of = {name: np.concatenate([counts for _, counts in parts]) for name, parts in tables.items()}
        ends = {name: before[name] + np.cumsum(counts, dtype="<i8") for name, counts in counts_of.items()}
        grown = {name: int(last[-1]) for name, last in ends.items()}
        counts = self.counts._replace(samples=n + sum(len(block["time"]) for block in blocks), **grown)
        self._make_room(counts)
        for name in blocks[0]:
            self._put(f"samples/{name}", n, np.concatenate([block[name] for block in blocks]))
        for name, parts in tables.items():
            self._put(name, before[name], np.concatenate([rows for rows, _ in parts]))
            self._put(END_TABLES[name], n, ends[name])
        self._commit(counts)
        self._gathered, self._tables, self._n_bytes = [], {name: [] for name in tables}, 0

    @uninterrupted
    def add_events(self, rows: NDArray[Any]) -> None:
        """Add rows of the type `EVENT_ROW`."""
        counts = self.counts._replace(events=self.counts.events + len(rows))
        self._make_room(counts)
        self._put("events", self.counts.events, rows)
        self._commit(counts)

    @uninterrupted
    def set_maps(self, rows: NDArray[Any]) -> None:
        """Store the rows of the maps of surfaces, for which there is room."""
        self._put("maps", 0, rows)
        self._commit(self.counts._replace(maps=len(rows)))

    @uninterrupted
    def set_outcome(self, text: str) -> None:
        """Store the JSON text of how the run ended."""
        data = np.frombuffer(text.encode("utf-8"), "u1")
        counts = self.counts._replace(outcome=len(data))
        self._make_room(counts)
        self._put("outcome", 0, data)
        self._commit(counts)

    def copy_rows(self, read: Reader, counts: Counts) -> None:
        """Take the first rows of another run file, as many of each kind as ``counts`` says."""
        for name in self._sums:
            n, step = getattr(counts, kind_of(name)), max(SLAB // max(self._places[name][1], 1), 1)
            for start in range(0, n, step):
                self._put(name, start, read(name, start, min(start + step, n)))
        self._commit(counts)

    @uninterrupted
    def close(self, *, trim: bool = True) -> None:
        """Let go of the file; ``trim``: give back room for rows that is not used, if the disk has space for a copy."""
        # The rest of the outcome's room does not disturb.
        if trim and self.counts._replace(outcome=0) != self._room._replace(outcome=0):
            with suppress(OSError, RuntimeError):  # the file is whole as it is
                self._move(self.counts)
        self._stream.close()

    def _make_room(self, needed: Counts) -> None:
        """Make sure that there is room for ``needed`` rows; twice the room where there is not."""
        if all(map(operator.le, needed, self._room)):
            return
        pairs = zip(needed, self._room, strict=True)
        room = Counts(*(have if n <= have else max(2 * n, FEWEST_ROWS) for n, have in pairs))
        self._move(room)

    def _move(self, room: Counts) -> None:
        """Copy the recorded rows to a file with ``room``, and go on with that in the place of this one."""
        try:
            with replacing(self._path) as part:
                with open_hdf5(self._path) as old:
                    layout = lay_out_again(part, old, room)
                copy = RunFileWriter(part, layout)
                try:
                    copy.copy_rows(self._get, self.counts)
                finally:
                    copy.close(trim=False)
                if copy._sums != self._sums:
                    raise OSError("what was read back is not what was written, see the disk")
                self._stream.close()  # Windows does not replace a file that is open
            self._places, self._room, self._blocks = layout
        finally:
            self._stream.close()
            self._stream = self._path.open("r+b", buffering=0)

    def _get(self, name: str, start: int, end: int) -> NDArray[Any]:
        """The rows from ``start`` to ``end`` of the array ``name``, as bytes."""
        place, row_bytes = self._places[name]
        self._stream.seek(place + start * row_bytes)
        return np.frombuffer(self._stream.read((end - start) * row_bytes), "u1")

    def _put(self, name: str, start: int, rows: NDArray[Any]) -> None:
        """Write ``rows`` of the array ``name`` from number ``start`` on, and the checksums of whole blocks."""
        if not rows.size:  # what is empty has no place
            return
        place, row_bytes = self._places[name]
        data = np.ascontiguousarray(rows).view("u1").reshape(-1).data
        self._write(place + start * row_bytes, data)
        if name in self._sums:
            block, whole = self._sums[name].add(start, data)
            self._put("checksums", self._blocks[name].first + block, np.array(whole, "<u4"))

    def _write(self, place: int, data: memoryview) -> None:
        self._stream.seek(place)
        while data:  # after a write of a part of it the next attempt says why
            data = data[self._stream.write(data) :]

    def _commit(self, counts: Counts) -> None:
        """Make the rows valid that are written."""
        kept = [(sums, getattr(counts, kind_of(name))) for name, sums in self._sums.items()]
        record = pack_record([*counts, int(time.time())], (sums.tail_at(n) for sums, n in kept))
        self._put("committed", 0, record)
        for sums, n in kept:
            sums.commit(n)
        self.counts = counts
