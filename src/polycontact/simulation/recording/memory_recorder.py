"""A run kept in memory: for short runs, tests and notebooks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.contact_table import ContactTable, split_contacts
from polycontact.simulation.recording.element_tables import records_from_rows, rows_from_records
from polycontact.simulation.recording.records import (
    ContactEvent,
    ElementRecord,
    Outcome,
    RememberedRecord,
    RunDescription,
    Sample,
    SampleBlock,
)
from polycontact.simulation.recording.sample_quantities import (
    PAIRING_QUANTITIES,
    Shapes,
    block_of,
    check_block,
    expected_shapes,
    quantities_in,
)

LABEL = "run in memory"


class MemoryRecorder:
    """Keeps all samples in memory; `Trajectory.from_memory` reads them, also while the run goes on."""

    def __init__(self) -> None:
        self._description: RunDescription | None = None
        self._shapes: Shapes = {}
        self._blocks: list[dict[str, NDArray[Any]]] = []
        self._contacts: list[tuple[NDArray[Any], NDArray[np.int64]]] = []
        self._last_time = -math.inf
        self._elements: list[NDArray[Any]] | None = None
        self._remembered: list[tuple[RememberedRecord, ...]] = []
        self._events: list[ContactEvent] = []
        self._outcome: Outcome | None = None
        self._maps: NDArray[Any] | None = None

    def begin(self, description: RunDescription, *, n_samples: int = 0) -> None:
        """Take what does not change; how many samples will come does not matter here."""
        if self._description is not None:
            raise SimulationError(f"{LABEL}: begun twice; make a new MemoryRecorder for each run")
        self._description = description

    def add(self, sample: Sample) -> None:
        """Take the next sample; its arrays are copied."""
        shapes = self._shapes or expected_shapes(self._writable(), len(sample.discrete))
        self.add_block(block_of(sample, shapes, self._last_time, LABEL))

    def add_block(self, block: SampleBlock) -> None:
        """Take the next samples."""
        description = self._writable()
        if not self._blocks:
            self._shapes = expected_shapes(description, block.arrays["discrete"].shape[1])
            self._elements = None if block.elements is None else []
        check_block(block, self._shapes, self._last_time, LABEL)
        if self._elements is not None:
            none: list[tuple[ElementRecord, ...]] = [()] * len(block)
            n_pairings = len(description.pairings)
            self._elements += [rows_from_records(each, n_pairings, LABEL) for each in block.elements or none]
        elif block.elements is not None:
            raise SimulationError(f"{LABEL}: this sample has contact elements, the first had none; give them to all")
        arrays, contacts, counts = split_contacts(block.arrays)
        self._blocks.append(arrays)
        self._contacts.append((contacts, counts))
        self._remembered += block.remembered
        self._last_time = float(block.arrays["time"][-1])

    def add_event(self, event: ContactEvent) -> None:
        """Append the event; after `finish` an error is raised."""
        self._writable()
        self._events.append(event)

    def finish(self, status: str, message: str, statistics: dict[str, Any], maps: NDArray[Any] | None = None) -> None:
        """Take how the run ended, and rows of maps of the surfaces; nothing can be added any more."""
        self._writable()
        self._maps = maps
        self._outcome = Outcome(status, message, dict(statistics))

    def source(self) -> MemorySource:
        """What was recorded so far, for `Trajectory`; samples added later do not change it."""
        if self._description is None:
            raise SimulationError(f"{LABEL}: nothing recorded yet; call begin first")
        shapes = self._shapes or expected_shapes(self._description, 0)
        arrays = {
            quantity.name: np.concatenate(
                [np.empty((0, *shapes[quantity.name])), *(block[quantity.name] for block in self._blocks)]
            ).astype(quantity.dtype)
            for quantity in quantities_in(shapes)
            if quantity.name not in PAIRING_QUANTITIES
        }
        contacts = ContactTable.of_blocks(
            self._contacts, shapes["wrenches"][0], with_centres="centres_of_pressure" in shapes
        )
        elements = None if self._elements is None else list(self._elements)
        outcome = self._outcome or Outcome(message="no end is recorded yet")
        return MemorySource(
            self._description,
            tuple(quantity.name for quantity in quantities_in(shapes)),
            arrays,
            contacts,
            elements,
            tuple(self._remembered),
            tuple(self._events),
            outcome,
            self._maps,
        )

    def _writable(self) -> RunDescription:
        if self._description is None:
            raise SimulationError(f"{LABEL}: begin must be called before anything is added")
        if self._outcome is not None:
            raise SimulationError(f"{LABEL}: already finished; make a new MemoryRecorder")
        return self._description


class MemorySource:
    """A recorded run in memory, as `Trajectory` reads it."""

    label = LABEL

    def __init__(
        self,
        description: RunDescription,
        quantities: tuple[str, ...],
        arrays: dict[str, NDArray[Any]],
        contacts: ContactTable,
        elements: list[NDArray[Any]] | None,
        remembered: tuple[tuple[RememberedRecord, ...], ...],
        events: tuple[ContactEvent, ...],
        outcome: Outcome,
        maps: NDArray[Any] | None = None,
    ) -> None:
        self.description = description
        self.n_samples = len(arrays["time"])
        self.outcome = outcome
        self.events = events
        self.has_elements = elements is not None
        self.quantities = quantities
        self.contacts = contacts
        self._arrays = arrays
        self._elements = elements or []
        self._remembered = remembered
        self._maps = maps

    def array(self, name: str) -> NDArray[Any]:
        """All samples of a quantity that is none of pairings."""
        return self._arrays[name]

    def elements(self, index: int) -> tuple[ElementRecord, ...]:
        """The contact elements of a sample."""
        return records_from_rows(self._elements[index]) if self._elements else ()

    def remembered(self, index: int) -> tuple[RememberedRecord, ...]:
        """What contact laws remember at a sample."""
        return self._remembered[index]

    def map_rows(self) -> NDArray[Any] | None:
        """Rows of the maps of surfaces; None where none are recorded."""
        return self._maps

    def open(self) -> None:
        """Does nothing: the run is in memory."""

    def close(self) -> None:
        """Does nothing: the run is in memory."""
