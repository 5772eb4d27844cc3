"""The part of a recorded run that is kept when the run is continued."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from polycontact.errors import SimulationError
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.run_writer import EVENT_ROW, RunFileWriter
from polycontact.simulation.recording.sample_quantities import QUANTITIES

SLAB = 64
"""Samples copied at a time."""


class RecordedPart:
    """A recorded run, kept up to the time ``until`` (s); ``last_time`` is that of the last sample kept."""

    def __init__(self, source: Hdf5Source, until: float) -> None:
        self.source = source
        times = source.array("time")
        self.until = until
        self.n_samples = int(np.searchsorted(times, until, side="right"))
        self.last_time = float(times[self.n_samples - 1]) if self.n_samples else -math.inf

    def copy_to(self, writer: RunFileWriter) -> None:
        """Write the samples, elements and events that are kept, and close both files."""
        self.source.open()
        try:
            self._copy(writer)
            writer.commit()
        finally:
            self.source.close()
            writer.close()

    def _copy(self, writer: RunFileWriter) -> None:
        source = self.source
        ends = source.element_ends() if source.has_elements else np.zeros(0, np.int64)
        for start in range(0, self.n_samples, SLAB):
            end = min(start + SLAB, self.n_samples)
            arrays = {quantity.name: source.array(quantity.name, start, end) for quantity in QUANTITIES}
            writer.reserve(sum(array.nbytes for array in arrays.values()))
            writer.append_samples(arrays, end - start)
            if source.has_elements:
                first = int(ends[start - 1]) if start else 0
                rows = source.element_rows(first, int(ends[end - 1]))
                writer.reserve(rows.nbytes)
                writer.append_elements(np.split(rows, ends[start : end - 1] - first))
        numbers = {pairing.name: i for i, pairing in enumerate(source.description.pairings)}
        kept = [event for event in source.events if event.time <= min(self.until, self.last_time)]
        rows = np.array([(e.time, numbers[e.pairing], e.kind.encode("utf-8")) for e in kept], EVENT_ROW)
        writer.reserve(rows.nbytes)
        writer.append_events(rows)

    def refuse_other(self, description: RunDescription) -> None:
        """Raise unless ``description`` names the same things in the same order."""
        for kind, old, new in zip(
            ("bodies", "joints", "pairings", "states", "energies"),
            _names(self.source.description),
            _names(description),
            strict=True,
        ):
            if old != new:
                raise SimulationError(
                    f"{self.source.path}: the run cannot be continued, its {kind} are {_short(old)}, those of the "
                    f"continuation {_short(new)}; continue with the same system, or record to another file"
                )


def _names(description: RunDescription) -> tuple[tuple[Any, ...], ...]:
    return (
        tuple(body.name for body in description.bodies),
        tuple((joint.name, joint.kind, joint.coordinates, joint.speeds) for joint in description.joints),
        tuple((pairing.name, pairing.e, pairing.f) for pairing in description.pairings),
        tuple(description.state_names),
        tuple(description.energies),
    )


def _short(names: tuple[Any, ...], most: int = 5) -> str:
    listed = ", ".join(str(name[0] if isinstance(name, tuple) else name) for name in names[:most])
    return f"{listed or 'none'}{', …' if len(names) > most else ''} ({len(names)})"
