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
from polycontact.simulation.recording.run_file import Counts, import_h5py
from polycontact.simulation.recording.run_layout import FEWEST_ROWS, Layout, lay_out_again

BLOCK = 1 << 18
"""Bytes of samples gathered at most before they are written."""

FLUSH_SECONDS = 1.0
"""Real time after which samples are written: about as much of a run is lost if its process is killed."""

NO_ROWS = Counts()

SLAB = 1 << 22
"""Bytes copied at a time."""


END_TABLES = {"contacts": "contact_ends", "elements": "element_ends", "remembered": "remembered_ends"}
"""Tables with any number of rows for each sample, and where the last row + 1 of each sample stands."""

Reader = Callable[[str, int, int], NDArray[Any]]
"""Gives the rows from the second number to the third of the array with a name."""


class RunFileWriter:
    """Adds rows to the run file ``path`` with ``layout``, after those that ``counts`` says are there."""

    def __init__(self, path: Path, layout: Layout, counts: Counts = NO_ROWS) -> None:
        self.counts = counts
        self._path = path
        self._places, self._room = layout
        self._stream = path.open("r+b", buffering=0)
        self._gathered: list[dict[str, NDArray[Any]]] = []
        self._tables: dict[str, list[NDArray[Any]]] = {name: [] for name in END_TABLES if name in self._places}
        self._n_bytes = 0
        self._flushed = -math.inf

    @property
    def has_elements(self) -> bool:
        """Whether the file has a table of elements."""
        return "elements" in self._places

    def add_sample(self, arrays: dict[str, NDArray[Any]], tables: dict[str, NDArray[Any]]) -> None:
        """Add a sample: an array of each quantity, and its rows of each table that the file has, see `END_TABLES`."""
        self._gathered.append(arrays)
        for name, rows in self._tables.items():
            rows.append(tables[name])
        self._n_bytes += sum(array.nbytes for array in (*arrays.values(), *tables.values()))
        if self._n_bytes > BLOCK or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    @uninterrupted
    def flush(self) -> None:
        """Write the samples that were gathered."""
        self._flushed = time.monotonic()
        samples, tables = self._gathered, self._tables
        if not samples:
            return
        n, before = self.counts.samples, self.counts._asdict()
        ends = {
            name: before[name] + np.cumsum([len(each) for each in rows], dtype="<i8") for name, rows in tables.items()
        }
        grown = {name: int(last[-1]) for name, last in ends.items()}
        counts = self.counts._replace(samples=n + len(samples), **grown)
        self._make_room(counts)
        for name in samples[0]:
            self._put(f"samples/{name}", n, np.array([arrays[name] for arrays in samples]))
        for name, rows in tables.items():
            self._put(name, before[name], np.concatenate(rows))
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
    def set_outcome(self, text: str) -> None:
        """Store the JSON text of how the run ended."""
        data = np.frombuffer(text.encode("utf-8"), "u1")
        counts = self.counts._replace(outcome=len(data))
        self._make_room(counts)
        self._put("outcome", 0, data)
        self._commit(counts)

    def copy_rows(self, read: Reader, counts: Counts) -> None:
        """Take the first rows of another run file, as many of each kind as ``counts`` says."""
        for name, (_, row_bytes) in self._places.items():
            if name == "committed":
                continue
            n, step = getattr(counts, _kind_of(name)), max(SLAB // row_bytes, 1)
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
                with import_h5py().File(self._path, "r") as old:
                    layout = lay_out_again(part, old, room)
                copy = RunFileWriter(part, layout)
                try:
                    copy.copy_rows(self._get, self.counts)
                finally:
                    copy.close(trim=False)
                self._stream.close()  # Windows does not replace a file that is open
            self._places, self._room = layout
        finally:
            self._stream.close()
            self._stream = self._path.open("r+b", buffering=0)

    def _get(self, name: str, start: int, end: int) -> NDArray[Any]:
        """The rows from ``start`` to ``end`` of the array ``name``, as bytes."""
        place, row_bytes = self._places[name]
        self._stream.seek(place + start * row_bytes)
        return np.frombuffer(self._stream.read((end - start) * row_bytes), "u1")

    def _put(self, name: str, start: int, rows: NDArray[Any]) -> None:
        """Write ``rows`` of the array ``name``, the first of them number ``start``."""
        if not rows.size:  # what is empty has no place
            return
        place, row_bytes = self._places[name]
        self._stream.seek(place + start * row_bytes)
        written = self._stream.write(rows.data)
        while written < rows.nbytes:  # the next attempt says why
            written += self._stream.write(rows.tobytes()[written:])

    def _commit(self, counts: Counts) -> None:
        """Make the rows valid that are written."""
        self._put("committed", 0, np.array([*counts, int(time.time())], "<i8"))
        self.counts = counts


def _kind_of(name: str) -> str:
    """The field of `Counts` that counts the rows of the array ``name``."""
    return "samples" if name.startswith("samples/") or name in END_TABLES.values() else name
