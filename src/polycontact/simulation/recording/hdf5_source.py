"""Reading a run file, also one that is still being written or whose writer died."""

from __future__ import annotations

import datetime
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError, SimulationWarning, level_of_the_caller
from polycontact.simulation.recording.contact_table import ContactTable
from polycontact.simulation.recording.description_file import read_description
from polycontact.simulation.recording.element_tables import records_from_rows, remembered_from_rows
from polycontact.simulation.recording.file_seal import has_seal
from polycontact.simulation.recording.records import ContactEvent, ElementRecord, Outcome, RememberedRecord
from polycontact.simulation.recording.row_sums import PAUSE, TEARS, blocks_from_text, checked_rows, unpack_record
from polycontact.simulation.recording.run_file import (
    UNMAPPED_FORMAT,
    UNSEALED_FORMAT,
    Counts,
    damaged,
    kind_of,
    open_run_file,
    read_shapes,
)
from polycontact.simulation.recording.sample_quantities import ALL_QUANTITIES, PAIRING_QUANTITIES

DENSE_FORMAT = 2
"""The last format with a row for every pairing at each sample."""

NEAR = 64
"""Samples with at most so many others between them are read together."""

DTYPES = {quantity.name: quantity.dtype for quantity in ALL_QUANTITIES}


class Hdf5Source:
    """The samples a run file has when it is opened; arrays are read when they are asked for.

    Between two reads the file is closed, so that nothing keeps a simulation from writing it or a user from moving
    it; `open` keeps it open, which is quicker for many reads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.label = str(path)
        self._stack: ExitStack | None = None
        self._kept: Any = None
        self._contacts: ContactTable | None = None
        self._events: tuple[ContactEvent, ...] = ()
        self._tails: dict[str, int] = {}
        with open_run_file(path) as file:
            self.format_version = int(file.attrs["format_version"])
            if self.format_version > UNSEALED_FORMAT:
                _look_for_seal(path)
            self._run_id = str(file.attrs["run_id"])
            self.description = read_description(file)
            self.shapes = read_shapes(file)
            self.has_elements = "elements" in file
            self._count(file)

    def _count(self, file: Any) -> None:
        """Take how many rows of each kind are recorded, and how the run ended."""
        *counts, written = self._read_record(file)
        self.counts = Counts(*counts)
        self._check(file)
        self.outcome = _read_outcome(bytes(self._rows(file, "outcome", 0, self.counts.outcome)), written)

    def _read_record(self, file: Any) -> list[int]:
        """The counts and when they were written; the checksums beside them are kept."""
        if self.format_version <= UNSEALED_FORMAT:
            return _with_maps([int(each) for each in file["committed"][()]])
        names = blocks_from_text(file["checksums"].attrs["blocks"])
        for _ in range(TEARS):
            n_counts = len(Counts._fields) + int(self.format_version > UNMAPPED_FORMAT)
            found = unpack_record(file["committed"][()], n_counts)
            if found is not None:
                counts, tails = found
                self._tails = dict(zip(names, tails, strict=True))
                return _with_maps(counts)
            time.sleep(PAUSE)
        raise damaged(self.path, "the checksum of the numbers of rows differs")

    def _rows(self, file: Any, name: str, start: int, end: int) -> NDArray[Any]:
        """The rows from ``start`` to ``end`` of an array, once their checksums have been compared."""
        array = file[name]
        if self.format_version <= UNSEALED_FORMAT or start >= end:
            return np.asarray(array[start:end])
        n, (first, block) = (
            getattr(self.counts, kind_of(name)),
            blocks_from_text(file["checksums"].attrs["blocks"])[name],
        )
        sums = file["checksums"][first + start // block : first + min(-(-end // block), n // block)]
        rows, wrong = checked_rows(lambda a, b: array[a:b], (start, end), n, block, sums, self._tails[name])
        if wrong is not None:
            raise damaged(self.path, f"the checksum of rows {wrong} to {min(wrong + block, n) - 1} of {name} differs")
        return rows

    @contextmanager
    def reading(self) -> Iterator[Callable[[str, int, int], NDArray[Any]]]:
        """A function that gives the rows from one number to another of an array by its name in the file."""
        with self._file() as file:
            yield lambda name, start, end: self._rows(file, name, start, end)

    def refresh(self) -> None:
        """Take what was written since; what does not change is not read again."""
        with self._file() as file:
            self._count(file)

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of the quantities that were recorded."""
        return tuple(name for name in DTYPES if name in self.shapes)

    @property
    def n_samples(self) -> int:
        """Number of samples that the file holds as far as it has been read."""
        return self.counts.samples

    @property
    def last_time(self) -> float:
        """Time of the last sample, s; minus infinity where there is none."""
        return float(self.array("time")[-1]) if self.n_samples else -math.inf

    def array(self, name: str) -> NDArray[Any]:
        """All samples of a quantity that is none of pairings."""
        shape = (self.n_samples, *self.shapes[name])
        if 0 in shape:
            return np.zeros(shape, DTYPES[name])
        with self._file() as file:
            return self._rows(file, f"samples/{name}", 0, self.n_samples)

    @property
    def contacts(self) -> ContactTable:
        """The contacts of all samples; they are read again once there are more of these."""
        if self._contacts is None or self._contacts.n_samples != self.n_samples:
            self._contacts = self._read_contacts()
        return self._contacts

    def _read_contacts(self) -> ContactTable:
        n_pairings = self.shapes["wrenches"][0]
        names = [name for name in PAIRING_QUANTITIES if name in self.shapes]
        if not n_pairings or not self.n_samples:
            return ContactTable.empty(self.n_samples, n_pairings, with_centres="centres_of_pressure" in names)
        with self._file() as file:
            if self.format_version <= DENSE_FORMAT:
                return ContactTable.of_arrays(
                    {name: file["samples"][name] for name in names}, self.n_samples, n_pairings
                )
            rows, ends = self._rows(file, "contacts", 0, self.counts.contacts), self._contact_ends(file)
        return self._checked_contacts(rows, ends)

    def contacts_at(self, samples: list[int]) -> ContactTable:
        """The contacts of some samples, in increasing order."""
        if self.format_version <= DENSE_FORMAT or not self.shapes["wrenches"][0] or not samples:
            return self.contacts.of_few(samples)
        with self._file() as file:
            ends = self._contact_ends(file)
            begins = np.concatenate([[0], ends[:-1]])
            few = [self._rows(file, "contacts", int(begins[i]), int(ends[i])) for i in samples]
        return self._checked_contacts(np.concatenate(few), np.cumsum([len(each) for each in few], dtype="<i8"))

    def _contact_ends(self, file: Any) -> NDArray[np.int64]:
        """Last row + 1 of the contacts of each sample."""
        ends = self._rows(file, "contact_ends", 0, self.n_samples)
        if np.any(np.diff(ends, prepend=0) < 0) or ends[-1] != self.counts.contacts:
            raise damaged(
                self.path, f"ends of the contacts of samples that do not fit to {self.counts.contacts} contacts"
            )
        return ends

    def _checked_contacts(self, rows: NDArray[Any], ends: NDArray[np.int64]) -> ContactTable:
        n_pairings = self.shapes["wrenches"][0]
        if len(rows) and not 0 <= rows["pairing"].min() <= rows["pairing"].max() < n_pairings:
            raise damaged(self.path, f"a contact of a pairing that is none of the {n_pairings} of the run")
        return ContactTable(rows, ends, n_pairings)

    def rows(self, name: str, samples: list[int]) -> NDArray[Any]:
        """Some samples, in increasing order, of the quantity ``name``."""
        shape = (len(samples), *self.shapes[name])
        if 0 in shape:
            return np.zeros(shape, DTYPES[name])
        with self._file() as file:
            if self.format_version <= UNSEALED_FORMAT:
                return np.asarray(file["samples"][name][samples])
            return np.concatenate([self._rows(file, f"samples/{name}", a, b)[of - a] for a, b, of in _runs(samples)])

    def elements(self, index: int) -> tuple[ElementRecord, ...]:
        """The contact elements of a sample."""
        with self._file() as file:
            return records_from_rows(self._rows(file, "elements", *self._ends_at(file, "element_ends", index)))

    def remembered(self, index: int) -> tuple[RememberedRecord, ...]:
        """What contact laws remember at a sample."""
        if not self.description.remembered_width:
            return ()
        with self._file() as file:
            return remembered_from_rows(self._rows(file, "remembered", *self._ends_at(file, "remembered_ends", index)))

    def map_rows(self) -> NDArray[Any] | None:
        """Rows of the maps of surfaces; None where none are recorded."""
        if not self.description.maps or not self.counts.maps:
            return None
        with self._file() as file:
            return self._rows(file, "maps", 0, self.counts.maps)

    def _ends_at(self, file: Any, name: str, index: int) -> tuple[int, int]:
        """First row and last row + 1 of a sample in a table whose ends have the name ``name``."""
        start, end = [0, *self._rows(file, name, max(index - 1, 0), index + 1).tolist()][-2:]
        return int(start), int(end)

    @property
    def events(self) -> tuple[ContactEvent, ...]:
        """The contact events; they are read again once there are more."""
        if len(self._events) != self.counts.events:
            self._events = self._read_events()
        return self._events

    def _read_events(self) -> tuple[ContactEvent, ...]:
        with self._file() as file:
            rows = self._rows(file, "events", 0, self.counts.events)
        names = [pairing.name for pairing in self.description.pairings]
        return tuple(
            ContactEvent(float(row["time"]), names[row["pairing"]], row["kind"].decode("utf-8")) for row in rows
        )

    def open(self) -> None:
        """Keep the file open until `close`."""
        self.close()
        stack = ExitStack()
        self._kept = stack.enter_context(self._file())
        self._stack = stack

    def close(self) -> None:
        """Close the file, if it is kept open."""
        if self._stack is not None:
            self._kept = None
            self._stack.close()
            self._stack = None

    @contextmanager
    def _file(self) -> Iterator[Any]:
        """The open file; one that another run has replaced meanwhile raises an error."""
        if self._kept is not None:
            yield self._kept
            return
        with open_run_file(self.path) as file:
            if str(file.attrs["run_id"]) != self._run_id:
                raise SimulationError(
                    f"{self.path}: the file was written anew since it was opened; open it again with Trajectory.open"
                )
            yield file

    def _check(self, file: Any) -> None:
        """Raise an error where an array is shorter than the file's counts say."""
        counts = self.counts
        in_table = () if self.format_version <= DENSE_FORMAT else PAIRING_QUANTITIES
        arrays = [name for name, shape in self.shapes.items() if 0 not in shape and name not in in_table]
        lengths = [(f"samples/{name}", counts.samples) for name in arrays]
        if in_table and self.shapes["wrenches"][0]:
            lengths += [("contact_ends", counts.samples), ("contacts", counts.contacts)]
        lengths += [("events", counts.events), ("outcome", counts.outcome)]
        if self.has_elements:
            lengths += [("element_ends", counts.samples), ("elements", counts.elements)]
        if self.description.remembered_width:
            lengths += [("remembered_ends", counts.samples), ("remembered", counts.remembered)]
        if self.description.maps:
            lengths.append(("maps", counts.maps))
        for name, count in lengths:
            if not 0 <= count <= len(file[name]):
                raise damaged(self.path, f"{count} rows of {name} promised, {len(file[name])} there")


def _with_maps(counts: list[int]) -> list[int]:
    """Counts and time of a file, with no rows of maps where its format has none."""
    return counts if len(counts) > len(Counts._fields) else [*counts[:-1], 0, counts[-1]]


def _look_for_seal(path: Path) -> None:
    """Warn of a file that has lost its seal: HDF5 takes it away when a program opens the file to change it."""
    if has_seal(path):
        return
    warnings.warn(
        f"{path}: the run file has lost the checksums of its names, settings and meshes: another program has opened "
        "it to change it; recorded numbers have theirs still; if no change was meant, copy the file once more from "
        "where it was written",
        SimulationWarning,
        stacklevel=level_of_the_caller(),
    )


def _runs(samples: list[int]) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
    """Samples in increasing order, in groups that lie near each other: first, last + 1, and the samples themselves."""
    numbers = np.asarray(samples)
    for group in np.split(numbers, np.flatnonzero(np.diff(numbers) > NEAR) + 1):
        yield int(group[0]), int(group[-1]) + 1, group


def _read_outcome(text: bytes, written: int) -> Outcome:
    if not text:
        when = datetime.datetime.fromtimestamp(written, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return Outcome(message=f"no end is recorded: the run goes on, or it was killed; last written {when}")
    content = json.loads(text.decode("utf-8"))
    return Outcome(content["status"], content["message"], content["statistics"])
