"""The part of a recorded run that is kept when the run is continued."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from polycontact.errors import SimulationError
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.run_file import Counts, import_h5py
from polycontact.simulation.recording.run_layout import first_room, lay_out, replacing
from polycontact.simulation.recording.run_writer import ENDS, RunFileWriter


class RecordedPart:
    """The run recorded in ``path``, kept up to ``until`` (s); ``last_time`` (s) is that of the last sample kept."""

    def __init__(self, path: Path, until: float) -> None:
        if math.isnan(until):
            raise SimulationError(f"{path}: the run cannot be continued from t = nan; give a time in s")
        source = Hdf5Source(path)
        times = source.array("time")
        self._path = path
        self._n_samples = int(np.searchsorted(times, until, side="right"))
        self._n_events = source.n_events
        self.shapes = source.shapes
        self.description = source.description
        self.last_time = float(times[self._n_samples - 1]) if self._n_samples else -math.inf

    def start_file(self, path: Path, description: RunDescription, n_samples: int) -> RunFileWriter:
        """The writer of the run file ``path`` with what is kept, which comes into its place when it is whole.

        ``n_samples``: how many more will come, the one where the continuation starts included; 0 where not known.
        """
        with replacing(path) as part, import_h5py().File(self._path, "r") as old:
            shapes, with_elements, n = self.shapes, "elements" in old, self._n_samples
            events = old["events"][: self._n_events]
            events = events[events["time"] <= self.last_time]
            rows = {name: int(old[ends][n - 1]) if ends in old and n else 0 for name, ends in ENDS.items()}
            kept = Counts(samples=n, events=len(events), **rows)
            width = description.remembered_width
            room = first_room(shapes, max(n_samples - 1, 0), with_elements=with_elements, remembered_width=width)
            room = Counts(*(a + b for a, b in zip(kept, room, strict=True)))
            layout = lay_out(part, description, shapes, room, with_elements=with_elements)
            copy = RunFileWriter(part, layout)
            try:
                copy.copy_rows(lambda name, start, end: old[name][start:end], kept._replace(events=0))
                copy.add_events(events)
            finally:
                copy.close(trim=False)
        return RunFileWriter(path, layout, copy.counts)

    def refuse_other(self, description: RunDescription) -> None:
        """Raise unless ``description`` names the same things in the same order."""
        for kind, old, new in zip(
            ("bodies", "joints", "pairings", "states", "energies", "numbers remembered"),
            _names(self.description),
            _names(description),
            strict=True,
        ):
            if old != new:
                raise SimulationError(
                    f"{self._path}: the run cannot be continued, its {kind} are {_short(old)}, those of the "
                    f"continuation {_short(new)}; continue with the same system, or record to another file"
                )


def _names(description: RunDescription) -> tuple[tuple[Any, ...], ...]:
    return (
        tuple(body.name for body in description.bodies),
        tuple((joint.name, joint.kind, joint.coordinates, joint.speeds) for joint in description.joints),
        tuple((pairing.name, pairing.e, pairing.f) for pairing in description.pairings),
        tuple(description.state_names),
        tuple(description.energies),
        tuple(range(description.remembered_width)),
    )


def _short(names: tuple[Any, ...], most: int = 5) -> str:
    listed = ", ".join(str(name[0] if isinstance(name, tuple) else name) for name in names[:most])
    return f"{listed or 'none'}{', …' if len(names) > most else ''} ({len(names)})"
