"""A few samples of a run file as a trajectory of their own, so that no more than those is read."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.recording.contact_table import ContactTable
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import ContactEvent, ElementRecord, RememberedRecord


class FewSamples:
    """The samples with the given numbers, in increasing order, of a run file, as `Trajectory` reads them."""

    def __init__(self, source: Hdf5Source, samples: NDArray[np.int64]) -> None:
        self._source = source
        self._samples = samples
        self.label = source.label
        self.description = source.description
        self.n_samples = len(samples)
        self.has_elements = source.has_elements
        self.quantities = source.quantities
        self.outcome = source.outcome
        self.events: tuple[ContactEvent, ...] = ()

    @cached_property
    def contacts(self) -> ContactTable:
        """The contacts of these samples."""
        return self._source.contacts_at(self._samples.tolist())

    def array(self, name: str) -> NDArray[Any]:
        """The quantity ``name`` at these samples."""
        return self._source.rows(name, self._samples.tolist())

    def elements(self, index: int) -> tuple[ElementRecord, ...]:
        """The contact elements of one of them."""
        return self._source.elements(int(self._samples[index]))

    def remembered(self, index: int) -> tuple[RememberedRecord, ...]:
        """What contact laws remember at one of these samples."""
        return self._source.remembered(int(self._samples[index]))

    def map_rows(self) -> NDArray[Any] | None:
        """Rows of the maps of surfaces of the run; None where none are recorded."""
        return self._source.map_rows()

    def open(self) -> None:
        """Keep the file open until `close`."""
        self._source.open()

    def close(self) -> None:
        """Close the file that is read."""
        self._source.close()
