"""Writing the file of a study: laid out at once with room for all rows, which are added as runs end."""

from __future__ import annotations

import datetime
import json
import os
import time
import zlib
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError, StudyError
from polycontact.replacing import replacing
from polycontact.simulation.recording.interrupts import uninterrupted
from polycontact.simulation.recording.row_sums import pack_record
from polycontact.simulation.recording.run_layout import create_rows, make_file
from polycontact.simulation.recording.run_lock import RunLock
from polycontact.studies.one_run import STATUSES, RunRow
from polycontact.studies.study_file_format import (
    FORMAT,
    FORMAT_VERSION,
    MESSAGE_BYTES,
    open_study_file,
    read_json,
    read_rows,
    read_text,
    row_type,
)
from polycontact.studies.study_plan import StudyPlan
from polycontact.version import __version__

FLUSH_SECONDS: Final = 1.0
"""Real time after which rows are written: as much is lost where the study itself is killed."""

MOST_GATHERED: Final = 1000
"""Rows that are gathered at most before they are written."""

ROWS_PER_RUN: Final = 2
"""Rows for each run: failed ones may be made again."""


class StudyStore:
    """Adds rows to the file of a study; from `open` to `close` nobody else may write it."""

    def __init__(self, path: Path, plan: StudyPlan) -> None:
        self.path = path.resolve() if path.is_symlink() else path
        self._plan = plan
        self._lock = RunLock(self.path, "study")
        self._type = row_type(len(plan.results))
        self._gathered: list[RunRow] = []
        self._flushed = time.monotonic()
        self._n = 0
        self._rows_sum = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._stream: Any = None
        self.status: NDArray[np.int32] = np.zeros(len(plan.points), "<i4")
        """Number of the status of each run, see `STATUSES`."""

    def open(self, *, replace: bool = False) -> None:
        """Make the file, or go on with the one that is there if it is of the same study."""
        check_place(self.path)
        try:
            self._lock.take()
        except SimulationError as error:
            raise StudyError(str(error)) from error
        except OSError as error:
            raise StudyError(f"{self.path}: cannot be written: {error.strerror}; write elsewhere") from error
        try:
            if self.path.exists() and self.path.stat().st_size and not replace:
                self._go_on()
            else:
                self._begin()
            self._stream = self.path.open("r+b", buffering=0)
        except OSError as error:
            self._lock.release()
            raise _cannot_write(self.path, error) from error
        except BaseException:
            self._lock.release()
            raise

    def add(self, row: RunRow) -> None:
        """Take a row; it is on the disk a second later."""
        self._gathered.append(row)
        self.status[row.number] = STATUSES.index(row.status)
        if len(self._gathered) >= MOST_GATHERED or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    @uninterrupted
    def flush(self) -> None:
        """Write the rows that were gathered, then their number."""
        self._flushed = time.monotonic()
        if not self._gathered:
            return
        rows = np.array([self._record(row) for row in self._gathered], self._type)
        try:
            self._put("rows", self._n, rows)
            n, rows_sum = self._n + len(rows), zlib.crc32(rows.tobytes(), self._rows_sum)
            self._put("committed", 0, pack_record([n, int(time.time())], [rows_sum]))
            self._n, self._rows_sum = n, rows_sum
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        self._gathered = []

    def close(self) -> None:
        """Write the rows that are left, close the file and release its lock."""
        try:
            if self._stream is not None:
                self.flush()
        finally:
            if self._stream is not None:
                self._stream.close()
                self._stream = None
            self._lock.release()

    def _begin(self) -> None:
        plan = self._plan

        def write(file: Any) -> dict[str, Any]:
            file.attrs["format"] = FORMAT
            file.attrs["format_version"] = FORMAT_VERSION
            file.attrs["polycontact_version"] = __version__
            file.attrs["created"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            file.attrs["scenario_folder"] = str(plan.scenario.folder)
            file.attrs["scenario_file"] = plan.scenario.file
            file.create_dataset("study", data=np.frombuffer(json.dumps(plan.to_plain()).encode(), "u1"))
            file.create_dataset("scenario", data=np.frombuffer(plan.scenario.source.encode(), "u1"))
            file.create_dataset("points", data=plan.points)
            rows = create_rows(file, "rows", (ROWS_PER_RUN * len(plan.points),), self._type)
            return {"rows": rows, "committed": file.create_dataset("committed", data=pack_record([0, 0], [0]))}

        with replacing(self.path) as part:
            self._places = make_file(part, write)

    def _go_on(self) -> None:
        """Take up the study in the file, if it is this one."""
        with open_study_file(self.path) as file:
            self._refuse_another(file)
            rows = read_rows(file)
            if int(file.attrs["format_version"]) != FORMAT_VERSION:
                raise StudyError(
                    f"{self.path}: begun by polycontact {file.attrs.get('polycontact_version')}, which kept no "
                    "checksums; go on with that version, or give another name"
                )
            self._n, self._rows_sum = len(rows), zlib.crc32(rows.tobytes())
            self.status[rows["run"]] = rows["status"]
            self._places = {
                name: (file[name].id.get_offset(), file[name].dtype.itemsize) for name in ("rows", "committed")
            }

    def _refuse_another(self, file: Any) -> None:
        plan, there = self._plan, read_json(file, "study")
        mine = json.loads(json.dumps(plan.to_plain()))
        told = [
            what
            for what, differs in (
                ("another scenario", read_text(file, "scenario") != plan.scenario.source),
                ("other parameters", there["design"]["parameters"] != mine["design"]["parameters"]),
                ("another design", {**there["design"], "parameters": 0} != {**mine["design"], "parameters": 0}),
                ("other results", there["results"] != mine["results"]),
            )
            if differs
        ]
        if not told and not np.array_equal(file["points"][()], plan.points):
            told = ["other points"]
        if told:
            raise StudyError(
                f"{self.path}: there is a study with {' and '.join(told)}; give another name, or start anew in its "
                f"place with --replace (in Python replace=True)"
            )

    def _record(self, row: RunRow) -> tuple[Any, ...]:
        message = row.message.encode("utf-8")[:MESSAGE_BYTES].decode("utf-8", "ignore").encode("utf-8")
        number = STATUSES.index(row.status)
        return (row.number, number, row.attempts, row.seconds, row.cpu_seconds, row.results, message)

    def _put(self, name: str, start: int, rows: NDArray[Any]) -> None:
        place, row_bytes = self._places[name]
        if name == "rows" and start + len(rows) > ROWS_PER_RUN * len(self._plan.points):
            raise StudyError(f"{self.path}: no room for more rows; start anew with --replace")
        self._stream.seek(place + start * row_bytes)
        left = memoryview(rows.tobytes())
        while left:
            left = left[self._stream.write(left) :]


def check_place(path: Path) -> None:
    """Refuse, before any run, a place where the file of a study cannot be."""
    if path.is_dir():
        raise StudyError(f"{path}: this is a folder; give the name of a file, such as study.h5 in it")
    if path.suffix.lower() not in (".h5", ".hdf5"):
        raise StudyError(f"{path}: a study is recorded as HDF5; name a .h5 or .hdf5 file")
    if not path.parent.is_dir():
        raise StudyError(f"{path}: the folder {path.parent} does not exist; make it, or write elsewhere")
    if not os.access(path.parent, os.W_OK):
        raise StudyError(f"{path}: the folder {path.parent} may not be written to; write elsewhere")
    if path.exists() and path.stat().st_size:
        with open_study_file(path):  # refuses what is something else
            return


def _cannot_write(path: Path, error: OSError) -> StudyError:
    return StudyError(
        f"{path}: cannot be written: {error.strerror or error}; make room and start the study again, it goes on where "
        f"it stopped"
    )
