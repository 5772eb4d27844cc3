"""A run written to a file as it goes: readable meanwhile, and to the last flush if the process dies."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.continuation import RecordedPart
from polycontact.simulation.recording.description_file import to_json
from polycontact.simulation.recording.element_table import ELEMENT_ROW, rows_from_records
from polycontact.simulation.recording.file_space import NoSpaceError
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import ContactEvent, RunDescription, Sample
from polycontact.simulation.recording.run_file import LIBVER, import_h5py, is_run_file
from polycontact.simulation.recording.run_writer import EVENT_ROW, RunFileWriter, create_run_file
from polycontact.simulation.recording.sample_block import SampleBlock
from polycontact.simulation.recording.sample_quantities import Shapes, expected_shapes

BLOCK = 64
"""Samples gathered in memory before they are handed to HDF5."""

ELEMENT_BLOCK = 65536
"""Contact elements gathered at most."""

FLUSH_SECONDS = 1.0
"""Real time after which samples are flushed: about as much of a run is lost if its process is killed."""


class Hdf5Recorder:
    """Writes a run to the file ``path``.

    An existing file is replaced only if it is a run file or empty, or with ``overwrite``. `resume` continues a run.
    The file can be read from the first sample on.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(path)
        if self.path.is_symlink():  # the file is replaced, not the link to it
            self.path = self.path.resolve()
        import_h5py()
        _check_target(self.path, overwrite)
        self._description: RunDescription | None = None
        self._pairing_numbers: dict[str, int] = {}
        self._old: RecordedPart | None = None
        self._writer: RunFileWriter | None = None
        self._block: SampleBlock | None = None
        self._elements: list[NDArray[Any]] = []
        self._n_elements = 0
        self._events: list[tuple[float, int, bytes]] = []
        self._flushed = -math.inf
        self._is_closed = False
        self._is_broken = False

    @classmethod
    def resume(cls, path: str | os.PathLike[str], *, until: float = math.inf) -> Hdf5Recorder:
        """A recorder that continues the run in ``path`` after ``until`` (s); later samples and events are dropped.

        `begin` takes the description of the continuation: settings may differ, names may not. Without it the old one
        stays. The old file is replaced when the first part has been copied, so it is safe until then.
        """
        source = Hdf5Source(Path(path))
        if math.isnan(until):
            raise SimulationError(f"{path}: the run cannot be continued from t = nan; give a time in s")
        recorder = cls(path)
        recorder._old = RecordedPart(source, until)
        return recorder

    @property
    def last_time(self) -> float | None:
        """Time of the last sample, s; of a continued run also before `begin`; None before the first."""
        last = self._block.last_time if self._block else self._old.last_time if self._old else -math.inf
        return last if last > -math.inf else None

    def begin(self, description: RunDescription) -> None:
        """Take what does not change."""
        if self._description is not None or self._is_closed:
            raise SimulationError(f"{self.path}: begun twice; make a new Hdf5Recorder for each run")
        if self._old is not None:
            self._old.refuse_other(description)
        self._description = description
        self._pairing_numbers = {pairing.name: i for i, pairing in enumerate(description.pairings)}
        if self._old is not None:
            self._continue(self._old, description)

    def add(self, sample: Sample) -> None:
        """Take the next sample; its arrays are copied. A continued run skips one at the time where it starts."""
        description = self._begun()
        if self._old is not None and sample.time == self.last_time == self._old.last_time:
            return
        if self._block is None:
            shapes = expected_shapes(description, len(sample.discrete))
            self._start(description, shapes, with_elements=sample.elements is not None)
        block, writer = self._block, self._writer
        assert block is not None
        assert writer is not None
        rows = self._element_rows(sample, writer)
        block.append(sample)
        if rows is not None:
            self._elements.append(rows)
            self._n_elements += len(rows)
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()
        elif block.n == BLOCK or self._n_elements > ELEMENT_BLOCK:
            with self._writing():
                self._write(writer, block)

    def add_event(self, event: ContactEvent) -> None:
        """Take an event."""
        self._begun()
        number, kind = self._pairing_numbers.get(event.pairing), event.kind.encode("utf-8")
        if number is None or not 0 < len(kind) <= EVENT_ROW["kind"].itemsize:
            raise SimulationError(
                f"{self.path}: event {event} names no pairing of the run, or a kind that is empty or longer than "
                f"{EVENT_ROW['kind'].itemsize} bytes"
            )
        self._events.append((event.time, number, kind))

    def flush(self) -> None:
        """Write everything taken so far, so that it can be read and survives a crash."""
        if self._writer is None or self._block is None:
            return
        with self._writing():
            self._write(self._writer, self._block)
            self._writer.commit()
        self._flushed = time.monotonic()

    def finish(self, status: str, message: str, statistics: dict[str, Any]) -> None:
        """Take how the run ended and close the file. Does nothing where writing has failed before."""
        if self._is_broken:
            return
        description = self._begun()
        if self._writer is None:
            self._start(description, expected_shapes(description, 0), with_elements=False)
        assert self._writer is not None
        with self._writing():
            outcome = {"status": status, "message": message, "statistics": statistics}
            self._writer.set_outcome(to_json(outcome))
        self.close()

    def close(self) -> None:
        """Write everything taken so far and close the file; without `finish` its status stays "running"."""
        if self._is_closed:
            return
        self.flush()
        with self._writing():
            if self._writer is not None:
                self._writer.close()
        self._is_closed = True

    def _begun(self) -> RunDescription:
        if self._is_closed:
            why = "writing has failed before" if self._is_broken else "the run is already finished"
            raise SimulationError(f"{self.path}: nothing can be added, {why}; make a new Hdf5Recorder")
        if self._description is None and self._old is not None:
            self.begin(self._old.source.description)
        if self._description is None:
            raise SimulationError(f"{self.path}: begin must be called before anything is added")
        return self._description

    def _start(self, description: RunDescription, shapes: Shapes, *, with_elements: bool) -> None:
        """Create the file. Readers of a file that was there keep what they have open."""
        with self._writing():
            self.path.unlink(missing_ok=True)
            file = create_run_file(self.path, description, shapes, with_elements=with_elements)
            self._share(RunFileWriter(file), SampleBlock(shapes, BLOCK, label=str(self.path)))

    def _continue(self, old: RecordedPart, description: RunDescription) -> None:
        """Copy the part that is kept to a new file, put that in place of the old one and open it for more."""
        part = self.path.with_name(self.path.name + ".part")
        source = old.source
        with self._writing():
            part.unlink(missing_ok=True)
            file = create_run_file(part, description, source.shapes, with_elements=source.has_elements)
            try:
                old.copy_to(RunFileWriter(file))
                part.replace(self.path)
            finally:
                part.unlink(missing_ok=True)
            writer = RunFileWriter(import_h5py().File(self.path, "r+", libver=LIBVER))
            block = SampleBlock(source.shapes, BLOCK, label=str(self.path), last_time=old.last_time)
            self._share(writer, block)

    def _share(self, writer: RunFileWriter, block: SampleBlock) -> None:
        self._writer, self._block = writer, block
        writer.start_sharing()

    def _element_rows(self, sample: Sample, writer: RunFileWriter) -> NDArray[Any] | None:
        if writer.has_elements:
            return rows_from_records(sample.elements or (), len(self._pairing_numbers), str(self.path))
        if sample.elements is None:
            return None
        raise SimulationError(
            f"{self.path}: the sample at t = {sample.time!r} s has contact elements, the first of the run had none; "
            "record them for the whole run or not at all, or write the continuation to another file"
        )

    def _write(self, writer: RunFileWriter, block: SampleBlock) -> None:
        """Hand what was gathered to HDF5, which may keep it in its own memory until the next flush."""
        writer.reserve(
            block.n * block.row_bytes + self._n_elements * ELEMENT_ROW.itemsize + len(self._events) * EVENT_ROW.itemsize
        )
        if block.n:
            writer.append_samples(block.arrays, block.n)
            block.clear()
        if self._elements:
            writer.append_elements(self._elements)
            self._elements, self._n_elements = [], 0
        if self._events:
            writer.append_events(np.array(self._events, EVENT_ROW))
            self._events = []

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn what goes wrong with the file into an error with a remedy; nothing is written after it."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            self._is_broken = self._is_closed = True
            text = f"{self.path}: cannot be written: {_reason(error)}"
            if self._writer is not None:
                self._end_early(self._writer, text, is_sound=isinstance(error, NoSpaceError))
            raise SimulationError(
                f"{text}; check the folder, its access rights, the space left and that no other program has the file "
                "open"
            ) from error

    def _end_early(self, writer: RunFileWriter, text: str, *, is_sound: bool) -> None:
        """Leave a file that can be read, as far as it goes."""
        try:
            if is_sound:
                writer.set_outcome(to_json({"status": "failed", "message": text, "statistics": {}}))
                writer.commit()
                writer.close()
        except (OSError, RuntimeError):
            is_sound = False
        if not is_sound:
            writer.abandon()


def _check_target(path: Path, overwrite: bool) -> None:
    """Refuse early what cannot or should not be written."""
    if path.is_dir():
        raise SimulationError(f"{path}: this is a folder; give the name of a file to write, such as run.h5 in it")
    if not path.parent.is_dir():
        raise SimulationError(f"{path}: the folder {path.parent} does not exist; make it, or write elsewhere")
    if not os.access(path.parent, os.W_OK):
        raise SimulationError(f"{path}: the folder {path.parent} may not be written to; write elsewhere")
    if not path.exists():
        return
    if not path.is_file():
        raise SimulationError(f"{path}: this is not an ordinary file; give the name of a file to write")
    if not overwrite and path.stat().st_size and not is_run_file(path):
        raise SimulationError(
            f"{path}: this file exists and is not a complete run file, so it is not overwritten; give another name, "
            "delete it, or set overwrite=True"
        )


def _reason(error: Exception) -> str:
    """What the operating system says, where HDF5 quotes it."""
    quoted = re.search(r"error message = '([^']*)'", str(error))
    if quoted:
        return quoted[1]
    return getattr(error, "strerror", None) or str(error)
