"""Run files: where things are in the HDF5 file of a run, and how such a file is opened, also while it grows.

    /                attributes: format, format_version, polycontact_version, created, run_id
    /description     JSON: everything of `RunDescription` but the meshes
    /scenario        the TOML text, where there is one
    /meshes/0…       vertices (m), triangles: each distinct mesh once
    /names/…         what the rows of the arrays stand for, for other readers
    /samples/…       one array for each quantity, one row for each sample; its unit is an attribute
    /contacts        force, torque, area… of the pairings in contact, all samples in one table, by the number of the
                     pairing in /names/pairings; /contact_ends: last row + 1 of each sample
    /elements        where asked for: contact elements of all samples in one table; /element_ends: last row + 1
    /remembered      where contact laws remember elements: what they do, of all samples; /remembered_ends: last row + 1
    /maps            where asked for: maps of the surfaces, a row for each triangle of the shapes in /description, in
                     the order of their meshes; written at the end
    /events          contact events
    /outcome         JSON: status, message, statistics; empty while the run goes on
    /checksums       CRC-32 of blocks of rows, see `row_sums`
    /committed       numbers of samples, elements, events, bytes of outcome, elements remembered, contacts and rows of
                     maps that are recorded, and when (s); then the checksums of the blocks that are not whole, and
                     its own

At any moment this is a whole HDF5 file that no program has open for writing (`run_writer` says how). While the run goes
on, or where it was killed, the arrays have room for more rows than are recorded: only those that /committed counts are
to be read. The arrays of a run that has ended have as many rows as are recorded; /outcome may end with zeros.

Behind HDF5's part stands a seal (`file_seal`): what HDF5 has written is compared with its checksum before HDF5 reads
it, and rows with theirs whenever they are read. So a damaged file is refused, or gives the numbers that were recorded.
Formats 2 and 3 have no checksums; another process must have read their structure first (`trial_opening`).

In format 4 there were no maps, and no number of their rows in /committed. In format 2 there was no table of contacts:
/samples/wrenches, /contact and, with reactions, /centres_of_pressure had a row for each pairing at each sample, and the
JSON a whole description for each. Such files are read as well; those of format 1, which polycontact 0.1 wrote, are
refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from polycontact.errors import SimulationError
from polycontact.simulation.recording.file_seal import BrokenSealError, bytes_too_many, check_seal
from polycontact.simulation.recording.sample_quantities import Shapes
from polycontact.simulation.recording.trial_opening import waits_or_crashes

FORMAT = "polycontact run"
FORMAT_VERSION = 5
OLDEST_FORMAT = 2
"""Formats from here on are read; format 1 was that of polycontact 0.1."""

UNMAPPED_FORMAT = 4
"""The last format without maps of surfaces."""

UNSEALED_FORMAT = 3
"""The last format without checksums."""

DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, IndexError, MemoryError, OverflowError)
"""What h5py raises on a damaged file, depending on what is hit first."""


class Counts(NamedTuple):
    """Rows of each kind, and bytes of the outcome: how many are recorded, or how many there is room for."""

    samples: int = 0
    elements: int = 0
    events: int = 0
    outcome: int = 0
    remembered: int = 0
    contacts: int = 0
    maps: int = 0


END_TABLES = {"contacts": "contact_ends", "elements": "element_ends", "remembered": "remembered_ends"}
"""Tables with any number of rows for each sample, and where the last row + 1 of each sample stands."""


def kind_of(name: str) -> str:
    """The field of `Counts` that counts the rows of the array ``name``."""
    return "samples" if name.startswith("samples/") or name in END_TABLES.values() else name


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


def read_shapes(file: Any) -> Shapes:
    """Shape of each quantity of one sample of the run in an open h5py file."""
    return {name: tuple(shape) for name, shape in json.loads(file["samples"].attrs["shapes"]).items()}


def damaged(path: Path, reason: str) -> SimulationError:
    """The error for a run file whose contents make no sense."""
    return SimulationError(
        f"{path}: the run file is damaged ({reason}); copy it once more from where it was written, or run the "
        "simulation again"
    )


def open_hdf5(path: Path) -> Any:
    """The file, open for reading, once its seal has been compared or, without one, another process has read it.

    Raises `BrokenSealError`, or an `OSError` where HDF5 cannot read the file.
    """
    h5py = import_h5py()
    if check_seal(path) == "without seal" and h5py.is_hdf5(path):
        if too_many := bytes_too_many(path):  # of a seal that was cut some bytes are left
            raise OSError(f"its length is not that which it states: {too_many:+} bytes")
        reason = waits_or_crashes(path)
        if reason:
            raise OSError(reason)
    return h5py.File(path, "r")


def is_run_file(path: Path) -> bool:
    """Whether ``path`` is a run file of any version, complete or not."""
    try:
        with _open(path) as file:
            return bool(file.attrs.get("format") == FORMAT)
    except (SimulationError, *DAMAGE):
        return False


def _open(path: Path) -> Any:
    """Open for reading; no check yet of whose it is."""
    h5py = import_h5py()
    if path.is_dir():
        raise SimulationError(f"{path}: this is a folder; give the .h5 file of a run in it")
    if path.exists() and not path.is_file():  # reading it would wait for whoever writes it
        raise SimulationError(f"{path}: this is a FIFO, socket or device; give the .h5 file that a simulation recorded")
    try:
        return open_hdf5(path)
    except BrokenSealError as error:
        raise damaged(path, str(error)) from error
    except FileNotFoundError as error:
        raise SimulationError(f"{path}: no such file; check the name, relative names start at {Path.cwd()}") from error
    except PermissionError as error:
        raise SimulationError(
            f"{path}: cannot be read: {error.strerror}; check its access rights and where it lies"
        ) from error
    except DAMAGE as error:
        raise SimulationError(f"{path}: {_trouble(path, h5py.is_hdf5(path), str(error))}") from error


def _trouble(path: Path, has_signature: bool, reason: str) -> str:
    """Why a file that is there cannot be opened as HDF5, and what helps."""
    size = path.stat().st_size
    if not size:
        return "the file is empty; give the .h5 file that a simulation recorded"
    if not has_signature:
        return "not an HDF5 file; give the .h5 file that a simulation recorded"
    if "already open for write" in reason:
        return (
            "the run was recorded by polycontact 0.1 and killed before its end, so that HDF5 refuses the file; "
            "close it with 'h5clear -s FILE', read it with polycontact 0.1, or run the simulation again"
        )
    return (
        f"the file is cut off or damaged, it has {size} bytes ({reason}); copy it once more from where it was written, "
        "or run the simulation again"
    )


def _check_format(file: Any, path: Path) -> None:
    """Refuse what is not a run file of this version."""
    if file.attrs.get("format") != FORMAT:
        raise SimulationError(
            f"{path}: an HDF5 file, but not of a polycontact run; give a file that a simulation recorded (of the "
            "table of a study see 'polycontact report', and 'polycontact study open' makes one of its runs again)"
        )
    version = int(file.attrs["format_version"])
    if not OLDEST_FORMAT <= version <= FORMAT_VERSION:
        writer = file.attrs.get("polycontact_version", "unknown")
        remedy = "update polycontact" if version > FORMAT_VERSION else f"read it with polycontact {writer}"
        raise SimulationError(
            f"{path}: run file of format {version}, written by polycontact {writer}; this version reads formats "
            f"{OLDEST_FORMAT} to {FORMAT_VERSION}: {remedy}, or run the simulation again"
        )
