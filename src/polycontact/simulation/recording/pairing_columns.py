"""Pairings in the JSON of a run file: a list for each of their fields, and each distinct contact once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from polycontact.simulation.recording.first_format import pairings_of_any_format
from polycontact.simulation.recording.json_text import to_json
from polycontact.simulation.recording.records import BodyRecord, PairingRecord

FIELDS = ("name", "e", "f", "shape_e", "shape_f", "contact")


def pairings_to_json(pairings: Sequence[PairingRecord]) -> dict[str, Any]:
    """Entries of the JSON: pairings by columns, and the contacts to which they point.

    A name is None where it is that of both bodies with a dash between them.
    """
    numbers: dict[str, int] = {}
    texts = {id(pairing.contact): "" for pairing in pairings}  # pairings of one description share its plain data
    for pairing in pairings:
        if not texts[id(pairing.contact)]:
            texts[id(pairing.contact)] = text = to_json(pairing.contact)
            numbers.setdefault(text, len(numbers))
    columns: dict[str, list[Any]] = {name: [getattr(pairing, name) for pairing in pairings] for name in FIELDS}
    columns["name"] = [None if each.name == _usual_name(each.e, each.f) else each.name for each in pairings]
    columns["contact"] = [numbers[texts[id(pairing.contact)]] for pairing in pairings]
    return {"pairings": columns, "contacts": [json.loads(text) for text in numbers]}


def pairings_from_json(content: Mapping[str, Any], bodies: Sequence[BodyRecord]) -> tuple[PairingRecord, ...]:
    """The pairings of the JSON of a run file of any format; those with the same contact share its plain data."""
    if "contacts" not in content:  # up to format 2
        return tuple(PairingRecord(**pairing) for pairing in pairings_of_any_format(content["pairings"], bodies))
    contacts = content["contacts"]
    return tuple(
        PairingRecord(_usual_name(e, f) if name is None else name, e, f, shape_e, shape_f, contacts[number])
        for name, e, f, shape_e, shape_f, number in zip(*(content["pairings"][key] for key in FIELDS), strict=True)
    )


def _usual_name(e: str, f: str) -> str:
    return f"{e}–{f}"
