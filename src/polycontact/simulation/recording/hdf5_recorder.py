"""A run written to a file as it goes: readable meanwhile, and to the last flush whatever becomes of the process."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.replacing import replacing
from polycontact.simulation.recording.contact_table import split_contacts
from polycontact.simulation.recording.continuation import continue_file, refuse_other
from polycontact.simulation.recording.description_file import to_json
from polycontact.simulation.recording.element_tables import rows_from_records, rows_from_remembered
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.interrupts import uninterrupted
from polycontact.simulation.recording.records import (
    ContactEvent,
    ElementRecord,
    RunDescription,
    Sample,
    SampleBlock,
)
from polycontact.simulation.recording.run_file import import_h5py, is_run_file
from polycontact.simulation.recording.run_layout import EVENT_ROW, first_room, lay_out
from polycontact.simulation.recording.run_lock import RunLock
from polycontact.simulation.recording.run_writer import RunFileWriter
from polycontact.simulation.recording.sample_quantities import Shapes, block_of, check_block, expected_shapes

FAILED = "writing has failed before"
"""Why nothing can be added any more."""


class Hdf5Recorder:
    """Writes a run to the file ``path``.

    An existing file is replaced only if it is a run file or empty. `resume` continues a run. The file can be read from
    the first sample on. From `begin` to `finish` no other recorder may write it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_symlink():  # the file is replaced, not the link to it
            self.path = self.path.resolve()
        import_h5py()
        _check_target(self.path)
        self._lock = RunLock(self.path)
        self._description: RunDescription | None = None
        self._pairing_numbers: dict[str, int] = {}
        self._shapes: Shapes = {}
        self._old: Hdf5Source | None = None
        self._writer: RunFileWriter | None = None
        self._n_samples = 0
        self._energies: list[int] | None = None  # those that the file has, where it is one of an older version
        self._last_time = self._start_time = -math.inf
        self._end = ""

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> Hdf5Recorder:
        """A recorder that continues the run in ``path``.

        `begin` takes the description of the continuation: settings may differ, names may not. The old file is replaced
        when what it holds has been copied, so it is safe until then.
        """
        old = Hdf5Source(Path(path))
        recorder = cls(path)
        recorder._old, recorder._last_time = old, old.last_time
        return recorder

    @property
    def continues(self) -> bool:
        """Whether it goes on with a recorded run."""
        return self._old is not None

    def begin(self, description: RunDescription, *, n_samples: int = 0) -> None:
        """Take what does not change, and how many samples to expect (0: not known)."""
        if self._description is not None:
            raise SimulationError(f"{self.path}: begun twice; make a new Hdf5Recorder for each run")
        self._take_lock()
        if self._old is not None:
            description = self._with_old_energies(self._old, description)
            self._refuse_changes(self._old, description)
        self._description = description
        self._pairing_numbers = {pairing.name: i for i, pairing in enumerate(description.pairings)}
        self._n_samples = n_samples
        if self._old is not None:
            with self._writing():
                self._shapes, self._start_time = self._old.shapes, self._last_time
                self._writer = continue_file(self._old, self.path, description, n_samples)

    def add(self, sample: Sample) -> None:
        """Take the next sample. A continued run skips one at the time where it starts."""
        if sample.time == self._last_time == self._start_time:
            return
        shapes = self._shapes or expected_shapes(self._begun(), len(sample.discrete))
        if self._energies is not None:
            sample = replace(sample, energies=sample.energies[self._energies])
        self._add(block_of(sample, shapes, self._last_time, str(self.path)))

    def add_block(self, block: SampleBlock) -> None:
        """Take the next samples. A continued run skips one at the time where it starts."""
        arrays = block.arrays
        if arrays["time"][0] == self._last_time == self._start_time:
            elements = None if block.elements is None else block.elements[1:]
            arrays = {name: array[1:] for name, array in arrays.items()}
            block = SampleBlock(arrays, elements, block.remembered[1:])
        if self._energies is not None:
            block = replace(block, arrays=arrays | {"energies": arrays["energies"][:, self._energies]})
        if len(block):
            self._add(block)

    @uninterrupted
    def _add(self, block: SampleBlock) -> None:
        description = self._begun()
        if self._writer is None:
            shapes = expected_shapes(description, block.arrays["discrete"].shape[1])
            self._start(description, shapes, with_elements=block.elements is not None)
        assert self._writer is not None
        check_block(block, self._shapes, self._last_time, str(self.path))
        arrays, contacts, counts = split_contacts(block.arrays)
        tables = {"contacts": (contacts, counts)}
        if (rows := self._element_rows(block, self._writer)) is not None:
            tables["elements"] = _together(rows)
        if width := description.remembered_width:
            tables["remembered"] = _together([rows_from_remembered(each, width) for each in block.remembered])
        with self._writing():
            self._last_time = float(block.arrays["time"][-1])  # taken, even if the write is broken off
            self._writer.add_samples(arrays, tables)

    def add_event(self, event: ContactEvent) -> None:
        """Write the event; one of an unknown pairing, or before the first sample, raises an error."""
        self._begun()
        number, kind = self._pairing_numbers.get(event.pairing), event.kind.encode("utf-8")
        if number is None or not 0 < len(kind) <= EVENT_ROW["kind"].itemsize:
            raise SimulationError(
                f"{self.path}: event {event} names no pairing of the run, or a kind that is empty or longer than "
                f"{EVENT_ROW['kind'].itemsize} bytes"
            )
        if self._writer is None:
            raise SimulationError(f"{self.path}: event {event} comes before the first sample; add that first")
        with self._writing():
            self._writer.add_events(np.array([(event.time, number, kind)], EVENT_ROW))

    def flush(self) -> None:
        """Write everything taken so far, so that it can be read and survives the death of the process."""
        if self._writer is not None:
            with self._writing():
                self._writer.flush()

    @uninterrupted
    def finish(self, status: str, message: str, statistics: dict[str, Any], maps: NDArray[Any] | None = None) -> None:
        """Take how the run ended, and rows of maps of the surfaces, and close the file.

        Does nothing where writing has failed before.
        """
        if self._end == FAILED:
            return
        description = self._begun()
        if self._writer is None:
            self._start(description, expected_shapes(description, 0), with_elements=False)
        assert self._writer is not None
        self.flush()
        with self._writing():
            if maps is not None:
                self._writer.set_maps(maps)
            self._writer.set_outcome(to_json({"status": status, "message": message, "statistics": statistics}))
            self._writer.close()
        self._lock.release()
        self._end = "the run is already finished"

    def _begun(self) -> RunDescription:
        if self._end:
            raise SimulationError(f"{self.path}: nothing can be added, {self._end}; make a new Hdf5Recorder")
        if self._description is None:
            raise SimulationError(f"{self.path}: begin must be called before anything is added")
        return self._description

    def _take_lock(self) -> None:
        with self._writing():
            self._lock.take()

    def _with_old_energies(self, old: Hdf5Source, description: RunDescription) -> RunDescription:
        """The description with the energies that the file has: one of an older version may lack some."""
        had, has = old.description.energies, description.energies
        if had == has or not set(had) < set(has):
            return description
        self._energies = [has.index(name) for name in had]
        return replace(description, energies=had)

    def _refuse_changes(self, old: Hdf5Source, description: RunDescription) -> None:
        """Raise where ``description`` is not of the run in the file, or that has grown since it was opened."""
        try:
            refuse_other(old, description)
            if Hdf5Source(old.path).last_time != old.last_time:
                raise SimulationError(f"{self.path}: another run has been written to it meanwhile; continue once more")
        except SimulationError:
            self._lock.release()
            raise

    def _start(self, description: RunDescription, shapes: Shapes, *, with_elements: bool) -> None:
        """Create the file. Readers of a file that was there keep what they have open."""
        with self._writing():
            with replacing(self.path) as part:
                width = description.remembered_width
                room = first_room(shapes, self._n_samples, with_elements=with_elements, remembered_width=width)
                room = room._replace(maps=sum(each.n_triangles for each in description.maps))
                layout = lay_out(part, description, shapes, room, with_elements=with_elements)
            self._shapes = shapes
            self._writer = RunFileWriter(self.path, layout)

    def _element_rows(self, block: SampleBlock, writer: RunFileWriter) -> list[NDArray[Any]] | None:
        if writer.has_elements:
            of_each: list[tuple[ElementRecord, ...]] = block.elements or [()] * len(block)
            return [rows_from_records(each, len(self._pairing_numbers), str(self.path)) for each in of_each]
        if block.elements is None:
            return None
        raise SimulationError(
            f"{self.path}: the sample at t = {float(block.arrays['time'][0])!r} s has contact elements, the first of "
            "the run had none; record them for the whole run or not at all, or write the continuation to another file"
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn what goes wrong with the file into an error with a remedy; nothing is written after it."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            self._end = FAILED
            text = f"{self.path}: cannot be written: {getattr(error, 'strerror', None) or error}"
            if self._writer is not None:
                with suppress(OSError, RuntimeError, ValueError):  # the outcome has its space, unless the file is gone
                    self._writer.set_outcome(to_json({"status": "failed", "message": text, "statistics": {}}))
                self._writer.close(trim=False)
            self._lock.release()
            raise SimulationError(
                f"{text}; check the folder, its access rights, the space left and that no other program has the file "
                "open"
            ) from error


def _together(rows: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Rows of a table of several samples, and how many each has."""
    return np.concatenate(rows), np.array([len(each) for each in rows], np.int64)


def _check_target(path: Path) -> None:
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
    if path.stat().st_size and not is_run_file(path):
        raise SimulationError(
            f"{path}: this file exists and is not a complete run file, so it is not overwritten; give another name "
            "or delete it"
        )
