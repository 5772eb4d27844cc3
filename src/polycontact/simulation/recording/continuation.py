"""What a continued run starts with: all that was recorded, in a new file with room for more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from polycontact.errors import SimulationError
from polycontact.simulation.recording.description_file import to_json
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import RunDescription
from polycontact.simulation.recording.run_file import Counts, import_h5py
from polycontact.simulation.recording.run_layout import first_room, lay_out, replacing
from polycontact.simulation.recording.run_writer import RunFileWriter


def continue_file(source: Hdf5Source, path: Path, description: RunDescription, n_samples: int) -> RunFileWriter:
    """The writer of a run file that takes the place of ``path`` with the run of ``source``.

    Samples that will come: ``n_samples``, the one where the continuation starts included; 0 where not known.
    """
    with replacing(path) as part, import_h5py().File(source.path, "r") as old:
        events = old["events"][: source.counts.events]
        events = events[events["time"] <= source.last_time]  # of a killed run there may be later ones
        kept = source.counts._replace(events=len(events), outcome=0)
        room = first_room(
            source.shapes,
            max(n_samples - 1, 0),
            with_elements=source.has_elements,
            remembered_width=description.remembered_width,
        )
        room = Counts(*(a + b for a, b in zip(kept, room, strict=True)))
        layout = lay_out(part, description, source.shapes, room, with_elements=source.has_elements)
        copy = RunFileWriter(part, layout)
        try:
            copy.copy_rows(lambda name, start, end: old[name][start:end], kept._replace(events=0))
            copy.add_events(events)
        finally:
            copy.close(trim=False)
    return RunFileWriter(path, layout, copy.counts)


def refuse_other(source: Hdf5Source, description: RunDescription) -> None:
    """Raise unless ``description`` names the same things in the same order as the run of ``source``."""
    for kind, old, new in zip(
        ("bodies", "joints", "pairings", "states", "energies", "numbers remembered"),
        _names(source.description),
        _names(description),
        strict=True,
    ):
        if old != new:
            raise SimulationError(
                f"{source.path}: the run cannot be continued, its {kind} are {_short(old)}, those of the "
                f"continuation {_short(new)}; continue with the same system, or record to another file"
            )
    for was, now in zip(source.description.pairings, description.pairings, strict=True):
        known = was.contact and now.contact  # files of 0.1 may not tell
        if known and (was.shape_e, was.shape_f, was.contact) != (now.shape_e, now.shape_f, _as_read(now.contact)):
            raise SimulationError(
                f"{source.path}: the run cannot be continued, its contact {was.name!r} has another method, law or "
                f"shape; continue with the same system, or record to another file"
            )


def _as_read(contact: dict[str, Any]) -> Any:
    """A description as it comes back from a file."""
    return json.loads(to_json(contact))


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
