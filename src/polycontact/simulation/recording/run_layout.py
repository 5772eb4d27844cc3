"""The layout of a run file, made by HDF5 with room for rows: the arrays have their final place, the rows come later.

A file is written aside (`replacing`), so there is no moment at which it cannot be read.
"""

from __future__ import annotations

import datetime
import io
import json
import math
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polycontact.simulation.recording.contact_table import contact_row
from polycontact.simulation.recording.description_file import write_description
from polycontact.simulation.recording.element_tables import ELEMENT_ROW, remembered_row
from polycontact.simulation.recording.file_seal import seal
from polycontact.simulation.recording.map_rows import MAP_QUANTITIES, MAP_ROW
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.row_sums import Blocks, blocks_of, blocks_to_text, pack_record
from polycontact.simulation.recording.run_file import (
    FORMAT,
    FORMAT_VERSION,
    Counts,
    import_h5py,
    kind_of,
    read_shapes,
)
from polycontact.simulation.recording.run_peaks import MOST_PEAKS
from polycontact.simulation.recording.sample_quantities import PAIRING_QUANTITIES, Quantity, Shapes, quantities_in
from polycontact.version import __version__

LIBVER = ("v110", "latest")
"""Readable by every HDF5 since 1.10; its structure carries checksums."""

EVENT_ROW = np.dtype([("time", "<f8"), ("pairing", "<i4"), ("kind", "S16")])
"""A contact event; ``pairing`` is its number in the description."""

FIRST_BYTES, FEWEST_ROWS = 1 << 22, 256
"""Room for samples and elements at first, unless it is known how many samples will come; and for any rows at least. It
takes no space on the disk before it is used."""

CONTACT_SHARE = 8
"""Contacts have this part of that room at first: most runs have few at a time."""

OUTCOME_BYTES = 1 << 13
"""Room for the outcome, written at once: it must find its place also on a full disk."""

PEAK_BYTES = 480
"""Room in the outcome for peaks and contact times of a pairing, or for peaks of another part."""


class Layout(NamedTuple):
    """Where the arrays of a file lie: first byte and bytes of a row, by name; how many rows there is room for; and the
    blocks of rows that have a checksum."""

    places: dict[str, tuple[int, int]]
    room: Counts
    blocks: dict[str, Blocks]


def first_room(shapes: Shapes, n_samples: int, *, with_elements: bool, remembered_width: int = 0) -> Counts:
    """Room for the rows of a new run; ``n_samples``: how many it will have, or 0 where that is not known."""
    row_bytes = sum(
        np.dtype(quantity.dtype).itemsize * int(np.prod(shapes[quantity.name])) for quantity in _of_samples(shapes)
    )
    most_contacts = n_samples * shapes["wrenches"][0] if n_samples else math.inf
    return Counts(
        samples=n_samples or _rows_at_first(row_bytes),
        elements=_rows_at_first(ELEMENT_ROW.itemsize) if with_elements else 0,
        events=0,
        outcome=OUTCOME_BYTES + PEAK_BYTES * (min(shapes["wrenches"][0], MOST_PEAKS) + _reacting_in(shapes)),
        remembered=_rows_at_first(remembered_row(remembered_width).itemsize) if remembered_width else 0,
        contacts=int(min(_rows_at_first(CONTACT_SHARE * _contact_row(shapes).itemsize), most_contacts)),
    )


def _of_samples(shapes: Shapes) -> tuple[Quantity, ...]:
    """The quantities with an array of their own, one row for each sample."""
    return tuple(quantity for quantity in quantities_in(shapes) if quantity.name not in PAIRING_QUANTITIES)


def _contact_row(shapes: Shapes) -> np.dtype[Any]:
    return contact_row(with_centres="centres_of_pressure" in shapes)


def _reacting_in(shapes: Shapes) -> int:
    """Joints, loops, driven speeds and numbers of force elements with recorded reactions, at most."""
    parts = ("reactions", "loop_reactions", "drives", "element_forces")
    return sum(shapes[name][0] for name in parts if name in shapes)


def _rows_at_first(row_bytes: int) -> int:
    return max(FIRST_BYTES // row_bytes, FEWEST_ROWS)


def lay_out(path: Path, description: RunDescription, shapes: Shapes, room: Counts, *, with_elements: bool) -> Layout:
    """Make the file of a new run at ``path``, which must not exist."""

    blocks: dict[str, Blocks] = {}

    def write(file: Any) -> dict[str, Any]:
        file.attrs["format"] = FORMAT
        file.attrs["format_version"] = FORMAT_VERSION
        file.attrs["polycontact_version"] = __version__
        file.attrs["created"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        file.attrs["run_id"] = uuid.uuid4().hex
        write_description(file, description)
        arrays = _create_tables(file, shapes, room, with_elements, description.remembered_width)
        if description.maps:
            arrays["maps"] = _create_maps(file, room)
        blocks.update(_add_sums(file, arrays, room))
        return arrays

    return Layout(make_file(path, write), room, blocks)


def lay_out_again(path: Path, old: Any, room: Counts) -> Layout:
    """Make a file at ``path``, which must not exist, for the run in the open h5py file ``old``."""

    blocks: dict[str, Blocks] = {}

    def write(file: Any) -> dict[str, Any]:
        for name, value in old.attrs.items():
            file.attrs[name] = value
        for name in ("description", "scenario", "meshes", "names"):
            if name in old:
                old.copy(name, file)
        width = old["remembered"].dtype["values"].shape[0] if "remembered" in old else 0
        arrays = _create_tables(file, read_shapes(old), room, "elements" in old, width)
        if "maps" in old:
            arrays["maps"] = _create_maps(file, room)
        blocks.update(_add_sums(file, arrays, room))
        return arrays

    return Layout(make_file(path, write), room, blocks)


class _PatientFile(io.FileIO):
    """A file that tells nobody but us when it cannot be written.

    A write that fails inside HDF5 leaves handles that crash the process when they are closed. So HDF5 learns nothing
    of it, and ``error`` is raised when HDF5 is done.
    """

    error: OSError | None = None

    def write(self, data: Any) -> int:
        """Write all of ``data``, or keep the error."""
        left = memoryview(data).cast("B")
        n = len(left)
        try:
            while left:
                left = left[super().write(left) :]
        except OSError as error:
            self.error = self.error or error
        return n

    def truncate(self, size: int | None = None) -> int:
        """Set the length, or keep the error."""
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return self.tell()


def make_file(path: Path, write: Callable[[Any], dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """A new sealed HDF5 file with what ``write`` puts into it; first byte and bytes of a row of the arrays that it
    returns: their rows may be written later."""
    with _PatientFile(str(path), "x+") as stream:
        with import_h5py().File(stream, "w", libver=LIBVER) as file:
            arrays = write(file)
            places = {name: _place(array) for name, array in arrays.items()}
            rows = {name: len(array) for name, array in arrays.items()}
        if stream.error is None:
            seal(stream, ((place, n * rows[name]) for name, (place, n) in places.items() if place is not None))
        if stream.error is not None:
            raise stream.error
    return places


def _place(array: Any) -> tuple[int, int]:
    return array.id.get_offset(), _row_bytes(array)


def _row_bytes(array: Any) -> int:
    return int(array.dtype.itemsize * np.prod(array.shape[1:]))


def _create_tables(
    file: Any, shapes: Shapes, room: Counts, with_elements: bool, remembered_width: int
) -> dict[str, Any]:
    """Arrays for all rows, and the counts; by name."""
    samples = file.create_group("samples")
    samples.attrs["shapes"] = json.dumps(shapes)
    arrays = {}
    for quantity in _of_samples(shapes):
        shape = (room.samples, *shapes[quantity.name])
        if 0 in shape[1:]:  # rows without entries have no place
            continue
        array = create_rows(samples, quantity.name, shape, np.dtype(quantity.dtype))
        array.attrs["unit"] = quantity.unit
        array.attrs["meaning"] = quantity.meaning
        arrays[f"samples/{quantity.name}"] = array
    if shapes["wrenches"][0]:
        arrays["contacts"] = create_rows(file, "contacts", (room.contacts,), _contact_row(shapes))
        arrays["contact_ends"] = create_rows(file, "contact_ends", (room.samples,), np.dtype("<i8"))
        for quantity in quantities_in(shapes):
            if quantity.name in PAIRING_QUANTITIES:
                arrays["contacts"].attrs[f"unit of {quantity.name}"] = quantity.unit
                arrays["contacts"].attrs[f"meaning of {quantity.name}"] = quantity.meaning
    if with_elements:
        arrays["elements"] = create_rows(file, "elements", (room.elements,), ELEMENT_ROW)
        arrays["element_ends"] = create_rows(file, "element_ends", (room.samples,), np.dtype("<i8"))
    if remembered_width:
        kind = remembered_row(remembered_width)
        arrays["remembered"] = create_rows(file, "remembered", (room.remembered,), kind)
        arrays["remembered_ends"] = create_rows(file, "remembered_ends", (room.samples,), np.dtype("<i8"))
    arrays["events"] = create_rows(file, "events", (room.events,), EVENT_ROW)
    arrays["outcome"] = file.create_dataset("outcome", data=np.zeros(room.outcome, "u1"))
    return arrays


def _create_maps(file: Any, room: Counts) -> Any:
    """The table of the maps of surfaces."""
    maps = create_rows(file, "maps", (room.maps,), MAP_ROW)
    for quantity in MAP_QUANTITIES:
        maps.attrs[f"unit of {quantity.name}"] = quantity.unit
        maps.attrs[f"meaning of {quantity.name}"] = quantity.meaning
    return maps


def _add_sums(file: Any, arrays: dict[str, Any], room: Counts) -> dict[str, Blocks]:
    """Add the checksums of ``arrays`` and the record of what is recorded to them; the blocks of rows."""
    sizes = {name: (_row_bytes(array), getattr(room, kind_of(name))) for name, array in arrays.items()}
    blocks, n = blocks_of(sizes)
    sums = arrays["checksums"] = create_rows(file, "checksums", (n,), np.dtype("<u4"))
    sums.attrs["blocks"] = blocks_to_text(blocks)
    sums.attrs["meaning"] = "CRC-32 of whole blocks of rows; blocks: number of the first one and rows of a block"
    record = pack_record([0] * (len(Counts._fields) + 1), [0] * len(blocks))
    arrays["committed"] = file.create_dataset("committed", data=record)
    return blocks


def create_rows(group: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """An array that has its place in the file at once, in one piece; nothing is written there."""
    h5py = import_h5py()
    options = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    options.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    options.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    kind, space = h5py.h5t.py_create(dtype, logical=True), h5py.h5s.create_simple(shape)
    return h5py.Dataset(h5py.h5d.create(group.id, name.encode(), kind, space, options))
