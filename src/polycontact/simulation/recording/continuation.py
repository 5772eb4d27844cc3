"""What a continued run starts with: all that was recorded, in a new file with room for more."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from polycontact.contact.kinds import class_of
from polycontact.contact.options import options_of
from polycontact.errors import SimulationError
from polycontact.replacing import replacing
from polycontact.simulation.recording.description_file import to_json
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import PairingRecord, RunDescription
from polycontact.simulation.recording.run_file import Counts
from polycontact.simulation.recording.run_layout import first_room, lay_out
from polycontact.simulation.recording.run_writer import RunFileWriter
from polycontact.tolerances import SAME_OPTION


def continue_file(source: Hdf5Source, path: Path, description: RunDescription, n_samples: int) -> RunFileWriter:
    """The writer of a run file that takes the place of ``path`` with the run of ``source``.

    Samples that will come: ``n_samples``, the one where the continuation starts included; 0 where not known.
    """
    with replacing(path) as part, source.reading() as rows:
        events = rows("events", 0, source.counts.events)
        events = events[events["time"] <= source.last_time]  # of a killed run there may be later ones
        contacts = source.contacts  # of files of older formats made up from rows of all pairings
        kept = source.counts._replace(events=len(events), outcome=0, contacts=len(contacts.rows))
        room = first_room(
            source.shapes,
            max(n_samples - 1, 0),
            with_elements=source.has_elements,
            remembered_width=description.remembered_width,
        )
        room = Counts(*(a + b for a, b in zip(kept, room, strict=True)))
        room = room._replace(maps=sum(each.n_triangles for each in description.maps))
        layout = lay_out(part, description, source.shapes, room, with_elements=source.has_elements)
        copy = RunFileWriter(part, layout)
        try:
            tables = {"contacts": contacts.rows, "contact_ends": contacts.ends}
            copy.copy_rows(
                lambda name, start, end: tables[name][start:end] if name in tables else rows(name, start, end),
                kept._replace(events=0),
            )
            copy.add_events(events)
        finally:
            copy.close(trim=False)
    return RunFileWriter(path, layout, copy)


def refuse_other(source: Hdf5Source, description: RunDescription) -> None:
    """Raise unless ``description`` has the same names, in the same order, and the same contacts as ``source``."""
    for kind, old, new in zip(
        ("bodies", "joints", "pairings", "states", "energies", "numbers remembered"),
        _names(source.description),
        _names(description),
        strict=True,
    ):
        if old != new:
            raise _refusal(source, _other_names(kind, old, new))
    for was, now in zip(source.description.pairings, description.pairings, strict=True):
        difference = _first_difference(_told(was), _told(now))
        if difference is not None:
            raise _refusal(source, f"its contact {was.name!r} has {difference}")


def _refusal(source: Hdf5Source, reason: str) -> SimulationError:
    return SimulationError(
        f"{source.path}: the run cannot be continued, {reason}; continue with the same system, or record to another "
        "file"
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


def _other_names(kind: str, old: tuple[Any, ...], new: tuple[Any, ...]) -> str:
    """How two lists of names differ: both in short, or the first entries that differ where these look the same."""
    if _short(old) != _short(new):
        return f"its {kind} are {_short(old)}, those of the continuation {_short(new)}"
    was, now = next((was, now) for was, now in zip(old, new, strict=True) if was != now)
    return f"one of its {kind} is {was}, in the continuation {now}"


def _short(names: tuple[Any, ...], most: int = 5) -> str:
    listed = ", ".join(str(name[0] if isinstance(name, tuple) else name) for name in names[:most])
    return f"{listed or 'none'}{', …' if len(names) > most else ''} ({len(names)})"


def _told(pairing: PairingRecord) -> dict[str, Any]:
    """All about the contact of a pairing, as it comes back from the file."""
    return {"shape_e": pairing.shape_e, "shape_f": pairing.shape_f, **json.loads(to_json(pairing.contact))}


class _Difference(NamedTuple):
    """An option that differs: where it stands, both values, and the kind of law, layer or method that it belongs to."""

    name: str
    was: Any
    now: Any
    kind: str | None

    def __str__(self) -> str:
        cls = None if self.kind is None else class_of(self.kind)
        units = {} if cls is None else {option.name: option.unit for option in options_of(cls)}
        was, now = (_shown(value, units.get(self.name.rpartition(".")[2], "")) for value in (self.was, self.now))
        return f"{self.name} = {was}, that of the continuation {now}"


def _shown(value: Any, unit: str) -> str:
    return f"{value:.12g} {unit}".rstrip() if isinstance(value, float) else repr(value)


def _first_difference(was: Any, now: Any, name: str = "", kind: str | None = None) -> _Difference | None:
    """The first option that differs; None where all are the same."""
    if isinstance(was, dict) and isinstance(now, dict):
        parts = [(was.get(key), now.get(key), f"{name}.{key}".lstrip("."), was.get("kind")) for key in was | now]
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        parts = [(*values, f"{name}[{i}]", kind) for i, values in enumerate(zip(was, now, strict=True))]
    elif isinstance(was, float) and isinstance(now, float):
        return None if math.isclose(was, now, rel_tol=SAME_OPTION) else _Difference(name, was, now, kind)
    else:
        return None if was == now else _Difference(name, was, now, kind)
    return next(filter(None, (_first_difference(*part) for part in parts)), None)
