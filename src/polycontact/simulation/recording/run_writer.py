"""Writing a run file: its layout is made at once, then rows are added and committed (see `run_file`)."""

from __future__ import annotations

import ctypes
import datetime
import json
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.recording.description_file import write_description
from polycontact.simulation.recording.element_table import ELEMENT_ROW
from polycontact.simulation.recording.file_space import FileSpace
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.run_file import FORMAT, FORMAT_VERSION, LIBVER, import_h5py, stored_end
from polycontact.simulation.recording.sample_quantities import QUANTITIES, Shapes

CHUNK_BYTES, CHUNK_ROWS = 32768, 1024
"""Chunks of about this size: quick to read, and little space wasted in the file of a short run."""

OVERHEAD = 1 << 21
"""Bytes that a write may need besides its data: chunks begun, names, indices."""

EVENT_ROW = np.dtype([("time", "<f8"), ("pairing", "<i4"), ("kind", "S16")])
"""A contact event; ``pairing`` is its number in the description."""


def create_run_file(path: Path, description: RunDescription, shapes: Shapes, *, with_elements: bool) -> Any:
    """A new run file without samples, not yet in SWMR mode; ``path`` must not exist."""
    file = import_h5py().File(path, "x", libver=LIBVER)
    space = FileSpace(path)
    try:
        space.reserve(OVERHEAD + _mesh_bytes(description))
    except OSError:
        file.close()
        path.unlink()
        raise
    finally:
        space.release()
    _write_layout(file, description, shapes, with_elements)
    return file


def _write_layout(file: Any, description: RunDescription, shapes: Shapes, with_elements: bool) -> None:
    file.attrs["format"] = FORMAT
    file.attrs["format_version"] = FORMAT_VERSION
    file.attrs["polycontact_version"] = sys.modules["polycontact"].__version__  # a layer does not import the root
    file.attrs["created"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    file.attrs["run_id"] = uuid.uuid4().hex
    write_description(file, description)
    samples = file.create_group("samples")
    samples.attrs["shapes"] = json.dumps(shapes)
    for quantity in QUANTITIES:
        shape = shapes[quantity.name]
        if 0 in shape:  # HDF5 has no chunks for rows without entries
            continue
        dataset = _create_rows(samples, quantity.name, shape, np.dtype(quantity.dtype))
        dataset.attrs["unit"] = quantity.unit
        dataset.attrs["meaning"] = quantity.meaning
    if with_elements:
        _create_rows(file, "elements", (), ELEMENT_ROW)
        _create_rows(file, "element_ends", (), np.dtype("<i8"))
    _create_rows(file, "events", (), EVENT_ROW)
    _create_rows(file, "outcome", (), np.dtype("u1"))
    file.create_dataset("committed", data=np.zeros(5, "<i8"))


def _mesh_bytes(description: RunDescription) -> int:
    arrays = [
        array for body in description.bodies for shape in body.shapes for array in (shape.vertices, shape.triangles)
    ]
    return sum({id(array): array.nbytes for array in arrays}.values())


def _create_rows(group: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A dataset of rows that can be added to."""
    row_bytes = dtype.itemsize * int(np.prod(shape))
    rows = min(max(CHUNK_BYTES // row_bytes, 1), CHUNK_ROWS)
    return group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=(rows, *shape))


class RunFileWriter:
    """Adds rows to an open run file, after those that are committed."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._path = Path(file.filename)
        self._space = FileSpace(self._path)
        self._unflushed = 0
        self._samples = dict(file["samples"].items())
        self._tables = {name: file[name] for name in ("elements", "element_ends", "events", "outcome") if name in file}
        self._committed = file["committed"]
        self.n_samples, self.n_elements, self.n_events, self._n_outcome, _ = map(int, self._committed[()])

    @property
    def has_elements(self) -> bool:
        """Whether the file has a table of elements."""
        return "elements" in self._tables

    def start_sharing(self) -> None:
        """From now on the file can be read by others."""
        self.commit()
        self._file.swmr_mode = True

    def reserve(self, n_bytes: int) -> None:
        """Make sure of the space for rows of ``n_bytes`` altogether, before they are added.

        `set_outcome`, `commit` and `close` need no more than the overhead.
        """
        self._space.reserve(self._file.id.get_filesize() + self._unflushed + n_bytes + OVERHEAD)
        self._unflushed += n_bytes

    def append_samples(self, arrays: dict[str, NDArray[Any]], n: int) -> None:
        """Add the first ``n`` rows of ``arrays``."""
        for name, dataset in self._samples.items():
            _append(dataset, self.n_samples, arrays[name][:n])
        self.n_samples += n

    def append_elements(self, rows: list[NDArray[Any]]) -> None:
        """Add the elements of samples added before, an array for each."""
        ends = self.n_elements + np.cumsum([len(part) for part in rows], dtype=np.int64)
        _append(self._tables["element_ends"], self.n_samples - len(rows), ends)
        _append(self._tables["elements"], self.n_elements, np.concatenate(rows))
        self.n_elements = int(ends[-1])

    def append_events(self, rows: NDArray[Any]) -> None:
        """Add rows of the type `EVENT_ROW`."""
        _append(self._tables["events"], self.n_events, rows)
        self.n_events += len(rows)

    def set_outcome(self, text: str) -> None:
        """Store the JSON text of how the run ended."""
        data = np.frombuffer(text.encode("utf-8"), "u1")
        _append(self._tables["outcome"], 0, data)
        self._n_outcome = len(data)

    def commit(self) -> None:
        """Flush all rows, then the counts that make them valid."""
        self._file.flush()
        counts = (self.n_samples, self.n_elements, self.n_events, self._n_outcome, int(time.time()))
        self._committed[...] = np.array(counts, "<i8")
        self._committed.flush()
        self._unflushed = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._space.cut(stored_end(self._path))
        self._space.release()

    def abandon(self) -> None:
        """Leave the file as it is after a failed write, without closing it.

        HDF5 would try to write the rest once more, and crash the process when Python collects what is left of the
        handles; so they are never collected.
        """
        for item in (self._file, self._committed, *self._samples.values(), *self._tables.values()):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(item.id))


def _append(dataset: Any, start: int, rows: NDArray[Any]) -> None:
    if len(rows):
        dataset.resize(start + len(rows), axis=0)
        dataset[start:] = rows
