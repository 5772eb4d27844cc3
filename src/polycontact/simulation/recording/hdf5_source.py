"""Reading a run file, also one that is still being written or whose writer died."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.description_file import read_description
from polycontact.simulation.recording.element_table import ELEMENT_ROW, records_from_rows
from polycontact.simulation.recording.records import ContactEvent, ElementRecord, Outcome
from polycontact.simulation.recording.run_file import damaged, open_run_file
from polycontact.simulation.recording.sample_quantities import QUANTITIES, Shapes

DTYPES = {quantity.name: quantity.dtype for quantity in QUANTITIES}


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
            self._run_id = str(file.attrs["run_id"])
            self.description = read_description(file)
            self.shapes: Shapes = {
                name: tuple(shape) for name, shape in json.loads(file["samples"].attrs["shapes"]).items()
            }
            self.has_elements = "elements" in file
            counts = [int(count) for count in file["committed"][()]]
            self.n_samples, self.n_elements, self._n_events, n_outcome, written = counts
            self.outcome = _read_outcome(file, n_outcome, written)
            self._check(file)

    def array(self, name: str, start: int = 0, end: int | None = None) -> NDArray[Any]:
        """The samples ``start`` to ``end`` of the quantity ``name``."""
        end = self.n_samples if end is None else end
        shape = (end - start, *self.shapes[name])
        if 0 in shape:
            return np.zeros(shape, DTYPES[name])
        with self._file() as file:
            return np.asarray(file["samples"][name][start:end])

    def elements(self, index: int) -> tuple[ElementRecord, ...]:
        """The contact elements of a sample."""
        with self._file() as file:
            end = int(file["element_ends"][index])
            start = int(file["element_ends"][index - 1]) if index else 0
            return records_from_rows(file["elements"][start:end])

    def element_rows(self, start: int, end: int) -> NDArray[Any]:
        """Rows of the table of elements."""
        if end <= start:
            return np.empty(0, ELEMENT_ROW)
        with self._file() as file:
            return np.asarray(file["elements"][start:end])

    def element_ends(self) -> NDArray[np.int64]:
        """For each sample the row of the table after its last."""
        with self._file() as file:
            return np.asarray(file["element_ends"][: self.n_samples])

    @cached_property
    def events(self) -> tuple[ContactEvent, ...]:
        """The contact events."""
        with self._file() as file:
            rows = file["events"][: self._n_events]
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
        lengths = [(f"samples/{name}", self.n_samples) for name, shape in self.shapes.items() if 0 not in shape]
        lengths += [("events", self._n_events)]
        if self.has_elements:
            lengths += [("element_ends", self.n_samples), ("elements", self.n_elements)]
        for name, count in lengths:
            if not 0 <= count <= len(file[name]):
                raise damaged(self.path, f"{count} rows of {name} promised, {len(file[name])} there")


def _read_outcome(file: Any, n_bytes: int, written: int) -> Outcome:
    if not n_bytes:
        when = datetime.datetime.fromtimestamp(written, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return Outcome(message=f"no end is recorded: the run goes on, or it was killed; last written {when}")
    content = json.loads(bytes(file["outcome"][:n_bytes]).decode("utf-8"))
    return Outcome(content["status"], content["message"], content["statistics"])
