"""Reading a run file, also one that is still being written or whose writer died."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.description_file import read_description
from polycontact.simulation.recording.recorded_elements import records_from_rows
from polycontact.simulation.recording.records import ContactEvent, ElementRecord, Outcome, RememberedRecord
from polycontact.simulation.recording.remembered_table import remembered_from_rows
from polycontact.simulation.recording.run_file import Counts, damaged, open_run_file, read_shapes
from polycontact.simulation.recording.sample_quantities import ALL_QUANTITIES

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
        with open_run_file(path) as file:
            self.format_version = int(file.attrs["format_version"])
            self._run_id = str(file.attrs["run_id"])
            self.description = read_description(file)
            self.shapes = read_shapes(file)
            self.has_elements = "elements" in file
            self._count(file)

    def _count(self, file: Any) -> None:
        """Take how many rows of each kind are recorded, and how the run ended."""
        *counts, written = map(int, file["committed"][()])
        self.counts = Counts(*counts)
        self.outcome = _read_outcome(file, self.counts.outcome, written)
        self._check(file)

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
        """Number of samples."""
        return self.counts.samples

    @property
    def last_time(self) -> float:
        """Time of the last sample, s; minus infinity where there is none."""
        return float(self.array("time")[-1]) if self.n_samples else -math.inf

    def array(self, name: str) -> NDArray[Any]:
        """All samples of the quantity ``name``."""
        shape = (self.n_samples, *self.shapes[name])
        if 0 in shape:
            return np.zeros(shape, DTYPES[name])
        with self._file() as file:
            return np.asarray(file["samples"][name][: self.n_samples])

    def rows(self, name: str, samples: list[int]) -> NDArray[Any]:
        """Some samples, in increasing order, of the quantity ``name``."""
        shape = (len(samples), *self.shapes[name])
        if 0 in shape:
            return np.zeros(shape, DTYPES[name])
        with self._file() as file:
            return np.asarray(file["samples"][name][samples])

    def elements(self, index: int) -> tuple[ElementRecord, ...]:
        """The contact elements of a sample."""
        with self._file() as file:
            end = int(file["element_ends"][index])
            start = int(file["element_ends"][index - 1]) if index else 0
            return records_from_rows(file["elements"][start:end])

    def remembered(self, index: int) -> tuple[RememberedRecord, ...]:
        """What contact laws remember at a sample."""
        if not self.description.remembered_width:
            return ()
        with self._file() as file:
            ends = file["remembered_ends"]
            start = int(ends[index - 1]) if index else 0
            return remembered_from_rows(file["remembered"][start : int(ends[index])])

    @cached_property
    def events(self) -> tuple[ContactEvent, ...]:
        """The contact events."""
        with self._file() as file:
            rows = file["events"][: self.counts.events]
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
        """The open file, after a look at whether it is still the same run."""
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
        """The counts fit to the arrays."""
        counts = self.counts
        lengths = [(f"samples/{name}", counts.samples) for name, shape in self.shapes.items() if 0 not in shape]
        lengths += [("events", counts.events), ("outcome", counts.outcome)]
        if self.has_elements:
            lengths += [("element_ends", counts.samples), ("elements", counts.elements)]
        if self.description.remembered_width:
            lengths += [("remembered_ends", counts.samples), ("remembered", counts.remembered)]
        for name, count in lengths:
            if not 0 <= count <= len(file[name]):
                raise damaged(self.path, f"{count} rows of {name} promised, {len(file[name])} there")


def _read_outcome(file: Any, n_bytes: int, written: int) -> Outcome:
    if not n_bytes:
        when = datetime.datetime.fromtimestamp(written, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return Outcome(message=f"no end is recorded: the run goes on, or it was killed; last written {when}")
    content = json.loads(bytes(file["outcome"][:n_bytes]).decode("utf-8"))
    return Outcome(content["status"], content["message"], content["statistics"])
