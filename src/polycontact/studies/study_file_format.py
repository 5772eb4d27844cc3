"""Study files: where things are in the HDF5 file of a study, and how such a file is opened, also while it grows.

    /                attributes: format, format_version, polycontact_version, created, scenario_folder, scenario_file
    /study           JSON: the design with its parameters, and the results
    /scenario        the TOML text that values are changed in
    /points          (n, number of parameters): of a range its value, of values their index; a row for each run
    /rows            one for each run that is over, in the order in which they ended; a later one of the same run counts
    /committed       number of rows that are recorded, and when (s); then their CRC-32, and that of these numbers

The file bears the seal of `file_seal`: what HDF5 wrote is compared with its checksum before HDF5 reads it. Files of
format 1 have no checksums.

At any moment this is a whole HDF5 file that no program has open for writing: rows are plain writes to where the array
lies, and the number of them is written after them. What a kill leaves behind is as good as what it found.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from polycontact.errors import SimulationError, StudyError
from polycontact.simulation.recording.file_seal import BrokenSealError
from polycontact.simulation.recording.row_sums import PAUSE, TEARS, unpack_record
from polycontact.simulation.recording.run_file import DAMAGE, open_hdf5

FORMAT: Final = "polycontact study"
FORMAT_VERSION: Final = 2
OLDEST_FORMAT: Final = 1

N_COUNTS: Final = 2
"""Numbers in /committed before its checksums."""

MESSAGE_BYTES: Final = 240
"""Room for the reason of a failed run."""


def row_type(n_results: int) -> np.dtype[Any]:
    """A row: number of the run, status (see `one_run.STATUSES`), attempts, times in s, results, message in UTF-8."""
    return np.dtype(
        [
            ("run", "<i8"),
            ("status", "<i4"),
            ("attempts", "<i4"),
            ("seconds", "<f8"),
            ("cpu_seconds", "<f8"),
            ("results", "<f8", (n_results,)),
            ("message", f"S{MESSAGE_BYTES}"),
        ]
    )


@contextmanager
def open_study_file(path: Path) -> Iterator[Any]:
    """The h5py file of a study, open for reading; what goes wrong inside becomes a `StudyError`."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # reading it would wait for whoever writes it
        raise StudyError(f"{path}: this is a FIFO, socket or device; give the file that a study has written")
    try:
        file = open_hdf5(path)
    except SimulationError as error:  # no h5py
        raise StudyError(str(error)) from error
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file; check the name") from error
    except BrokenSealError as error:
        raise _damaged(path, str(error)) from error
    except DAMAGE as error:
        raise StudyError(f"{path}: cannot be read as the file of a study ({error}); check what it is") from error
    try:
        if file.attrs.get("format") != FORMAT:
            raise StudyError(f"{path}: an HDF5 file, but not of a study; give the file that a study has written")
        if not OLDEST_FORMAT <= int(file.attrs["format_version"]) <= FORMAT_VERSION:
            raise StudyError(
                f"{path}: written by polycontact {file.attrs.get('polycontact_version')}; read it with that"
            )
        yield file
    except DAMAGE as error:
        if isinstance(error, StudyError):
            raise
        raise _damaged(path, f"{type(error).__name__}: {error}") from error
    finally:
        file.close()


def is_study_file(path: Path) -> bool:
    """Whether ``path`` is the file of a study."""
    try:
        with open_study_file(path):
            return True
    except StudyError:
        return False


def read_text(file: Any, name: str) -> str:
    """A text in the open h5py file."""
    return bytes(file[name][()]).decode("utf-8")


def read_json(file: Any, name: str) -> Any:
    """Plain values in the open h5py file."""
    return json.loads(read_text(file, name))


def read_rows(file: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """The rows that are recorded; an error where they or their number are not as they were written."""
    record, rows_sum = file["committed"][()], None
    if int(file.attrs["format_version"]) > OLDEST_FORMAT:
        for _ in range(TEARS):
            found = unpack_record(record, N_COUNTS)
            if found is not None:
                (rows_sum,) = found[1]
                break
            time.sleep(PAUSE)
            record = file["committed"][()]
        else:
            raise _damaged(Path(file.filename), "the checksum of the number of rows differs")
    rows: np.ndarray[Any, np.dtype[Any]] = file["rows"][: int(record[0])]
    if rows_sum is not None and zlib.crc32(rows.tobytes()) != rows_sum:
        raise _damaged(Path(file.filename), "the checksum of its rows differs")
    return rows


def _damaged(path: Path, reason: str) -> StudyError:
    return StudyError(
        f"{path}: the file of the study is damaged ({reason}); copy it once more from where it was written, or "
        "delete it and make the study again"
    )
