"""Samples in a row of memory: what `MemoryRecorder` keeps, and what `Hdf5Recorder` gathers before it writes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.records import Sample
from polycontact.simulation.recording.sample_quantities import QUANTITIES, Shapes


class SampleBlock:
    """Arrays with one row for each sample, the first ``n`` of them filled; time grows from row to row."""

    def __init__(self, shapes: Shapes, capacity: int, *, label: str, last_time: float = -math.inf) -> None:
        self.shapes = shapes
        self.capacity = capacity
        self.n = 0
        self.last_time = last_time
        self._label = label
        self.arrays: dict[str, NDArray[Any]] = {
            quantity.name: np.zeros((capacity, *shapes[quantity.name]), quantity.dtype) for quantity in QUANTITIES
        }

    def append(self, sample: Sample) -> None:
        """Copy ``sample`` into the next row, or say what is wrong with it."""
        row = self.n
        if not self.last_time < sample.time < math.inf:
            raise SimulationError(
                f"{self._label}: a sample at t = {sample.time!r} s cannot follow the one at t = {self.last_time!r} s; "
                "samples are added with finite, strictly increasing times"
            )
        for name, array in self.arrays.items():
            value = getattr(sample, name)
            if np.shape(value) != self.shapes[name]:
                raise SimulationError(
                    f"{self._label}: the sample at t = {sample.time!r} s has '{name}' of shape {np.shape(value)}; "
                    f"the description of the run demands {self.shapes[name]}"
                )
            array[row] = value
        self.last_time = float(sample.time)
        self.n = row + 1

    @property
    def row_bytes(self) -> int:
        """Bytes of one sample."""
        return sum(array.nbytes for array in self.arrays.values()) // self.capacity

    def grow(self) -> None:
        """Double the capacity. Arrays handed out before keep their contents."""
        for name, array in self.arrays.items():
            self.arrays[name] = np.concatenate((array, np.zeros_like(array)))
        self.capacity *= 2

    def clear(self) -> None:
        """Forget the rows, not the last time."""
        self.n = 0
