"""Run files: where things are in the HDF5 file of a run, and how such a file is opened, also while it grows.

    /                attributes: format, format_version, polycontact_version, created, run_id
    /description     JSON: everything of `RunDescription` but the meshes
    /scenario        the TOML text, where there is one
    /meshes/0…       vertices (m), triangles: each distinct mesh once
    /names/…         what the rows of the arrays stand for, for other readers
    /samples/…       one array for each quantity, one row for each sample; its unit is an attribute
    /elements        where asked for: contact elements of all samples in one table; /element_ends: last row + 1
    /events          contact events
    /outcome         JSON: status, message, statistics; empty while the run goes on
    /committed       numbers of samples, elements, events and bytes of outcome that are safe to read, and when (s)

The file is written in HDF5's single-writer-multiple-reader mode (SWMR), so that it can be read at any time and
survives the death of its writer. Nothing can be created then, and only rows can be added; hence /committed and
/outcome. Rows beyond /committed may be half written.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polycontact.errors import SimulationError

FORMAT = "polycontact run"
FORMAT_VERSION = 1

LIBVER = ("v110", "latest")
"""Readable by every HDF5 since 1.10, the first that knows SWMR."""

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK = struct.Struct("<8sBBBBQQQQI")
"""Of versions 2 and 3: signature, version, sizes of offsets and lengths, flags, addresses (the third: end of file)."""

WRITING, SWMR = 1, 4
"""Flags of the superblock: open for writing; readable meanwhile."""

ATTEMPTS, PAUSE = 10, 0.02
"""A file caught in the middle of a flush is looked at again after a pause (s)."""

DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, IndexError, MemoryError, OverflowError)
"""What h5py raises on a damaged file, depending on what is hit first."""


def import_h5py() -> Any:
    """The package h5py, or an error that says how to get it."""
    try:
        import h5py
    except ImportError as error:
        raise SimulationError(
            "run files need the package h5py, which is not installed; get it with 'pip install h5py', or keep the run "
            "in memory"
        ) from error
    return h5py


@contextmanager
def open_run_file(path: Path) -> Iterator[Any]:
    """The h5py file of a run, open for reading; what goes wrong inside becomes a `SimulationError`."""
    file = _open(path)
    try:
        _check_format(file, path)
        yield file
    except SimulationError:
        raise
    except DAMAGE as error:
        raise damaged(path, f"{type(error).__name__}: {error}") from error
    finally:
        file.close()


def damaged(path: Path, reason: str) -> SimulationError:
    """The error for a run file whose contents make no sense."""
    return SimulationError(
        f"{path}: the run file is damaged ({reason}); copy it once more from where it was written, or run the "
        "simulation again"
    )


def is_run_file(path: Path) -> bool:
    """Whether ``path`` is a run file of any version, complete or not."""
    try:
        with _open(path) as file:
            return bool(file.attrs.get("format") == FORMAT)
    except (SimulationError, *DAMAGE):
        return False


def _open(path: Path) -> Any:
    """Open for reading, as the flags of the file demand; no check yet of whose it is."""
    h5py = import_h5py()
    trouble = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE)
        flags, trouble = _inspect(path)
        if trouble:
            continue
        try:
            return h5py.File(path, "r", swmr=bool(flags & SWMR))
        except DAMAGE as error:  # the writer may just have come or gone
            trouble = f"{path}: cannot be opened as HDF5 ({error}); it may be damaged: copy or make it once more"
    raise SimulationError(trouble)


def _inspect(path: Path) -> tuple[int, str]:
    """Flags of the superblock, and what keeps the file from being opened ('' if nothing).

    In SWMR mode HDF5 takes a cut file for one that grows: it waits for ever, or reads zeros. So the end of file that
    the superblock promises is checked here.
    """
    head, size = _head(path)
    if not size:
        return (
            0,
            f"{path}: the file is empty; its run was just begun or died at its start: try later, or run it again",
        )
    if not head.startswith(SIGNATURE):
        if len(head) < len(SIGNATURE) and SIGNATURE.startswith(head):
            return 0, _cut(path, size)
        if import_h5py().is_hdf5(path):  # with a block of the user's before the signature: not ours, but HDF5
            return 0, ""
        raise SimulationError(f"{path}: not an HDF5 file; give the .h5 file that a simulation recorded")
    if len(head) < SUPERBLOCK.size:
        return 0, _cut(path, size)
    _, version, offset_bytes, _, flags, base, _, end, _, _ = SUPERBLOCK.unpack(head)
    if version not in (2, 3) or offset_bytes != 8:
        return 0, ""
    if base + end > size:
        return flags, _cut(path, size, base + end)
    if flags & WRITING and not flags & SWMR:
        return flags, (
            f"{path}: the file is just being created by a simulation, or that was killed while creating it; try again "
            "in a moment, or run the simulation again"
        )
    return flags, ""


def stored_end(path: Path) -> int:
    """Length in bytes that the superblock of a run file, closed by its writer, says the file has."""
    return int(SUPERBLOCK.unpack(_head(path)[0])[7])


def _cut(path: Path, size: int, end: int | None = None) -> str:
    of = "" if end is None else f" of {end}"
    return (
        f"{path}: the file is cut off, it has {size}{of} bytes; copy it once more from where it was written, or run "
        "the simulation again"
    )


def _head(path: Path) -> tuple[bytes, int]:
    """The first bytes of the file and its size."""
    if path.is_dir():
        raise SimulationError(f"{path}: this is a folder; give the .h5 file of a run in it")
    try:
        with path.open("rb") as stream:
            head = stream.read(SUPERBLOCK.size)
            return head, os.fstat(stream.fileno()).st_size
    except FileNotFoundError as error:
        raise SimulationError(f"{path}: no such file; check the name, relative names start at {Path.cwd()}") from error
    except OSError as error:
        raise SimulationError(
            f"{path}: cannot be read: {error.strerror}; check its access rights and where it lies"
        ) from error


def _check_format(file: Any, path: Path) -> None:
    """Refuse what is not a run file of this version."""
    if file.attrs.get("format") != FORMAT:
        raise SimulationError(
            f"{path}: an HDF5 file, but not of a polycontact run; give a file that a simulation recorded"
        )
    version = int(file.attrs["format_version"])
    if version != FORMAT_VERSION:
        writer = file.attrs.get("polycontact_version", "unknown")
        remedy = "update polycontact" if version > FORMAT_VERSION else f"read it with polycontact {writer}"
        raise SimulationError(
            f"{path}: run file of format {version}, written by polycontact {writer}; this version reads format "
            f"{FORMAT_VERSION}: {remedy}, or run the simulation again"
        )
