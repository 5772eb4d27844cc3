"""How the bodies of a run touch: a card for each description of a contact, with the pairings that have it.

Titles, units and meanings come from the classes that are described; of a kind that is not known here, the recorded
names and numbers are shown as they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

from polycontact.contact.description import ContactDescription, finds_points
from polycontact.contact.kinds import class_of, summary
from polycontact.contact.options import PER_POINT, Option, options_of
from polycontact.errors import ContactError
from polycontact.report.document.markup import count, fold, number, paragraph, unbroken
from polycontact.simulation.recording.records import PairingRecord

MOST_NAMES = 24
"""Names of pairings that a card shows at once; more are folded."""

MOST_LISTED = 1000
"""Names of pairings that a card lists at all."""

Plain = Mapping[str, Any]
"""A part of a description as files have it."""

_REASON = "base_reason"
"""Key of the words that say why a base was chosen; contacts that differ in them alone are alike."""

_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})


def contact_cards(pairings: Sequence[PairingRecord]) -> str:
    """Pairings by their descriptions: a run has many pairings and few laws."""
    if not pairings:
        return paragraph("The run has no contact pairings.")
    groups: dict[str, list[PairingRecord]] = {}
    keys: dict[int, str] = {}  # pairings of the same contact share its plain data
    for pairing in pairings:
        if id(pairing.contact) not in keys:
            like = {key: value for key, value in pairing.contact.items() if key != _REASON}
            keys[id(pairing.contact)] = json.dumps(like, sort_keys=True, default=str)
        groups.setdefault(keys[id(pairing.contact)], []).append(pairing)
    what = count(len(pairings), "pairing")
    ways = "all of the same kind" if len(groups) == 1 else f"in {len(groups)} ways"
    note = f"{what}, {ways}. The base is the surface whose triangles become contact elements."
    return paragraph(note if len(pairings) > 1 else f"{what}.", "note") + "".join(map(_card, groups.values()))


def _card(pairings: Sequence[PairingRecord]) -> str:
    contact = pairings[0].contact
    named = ", ".join(unbroken(pairing.name) for pairing in pairings[:MOST_LISTED])
    left = f", … and {len(pairings) - MOST_LISTED} more" if len(pairings) > MOST_LISTED else ""
    names = f"<p>{escape(named + left)}</p>"
    if len(pairings) > MOST_NAMES:
        names = fold(count(len(pairings), "pairing"), names)
    if not contact:
        return f'<div class="contact">{names}{paragraph("The file does not tell how they touch.", "note")}</div>'
    per = PER_POINT if finds_points(contact) else _AS_THEY_ARE
    parts = [
        _part("method", contact.get("method")),
        _part("law", contact.get("law"), _stiffness_of_layers(contact), per),
        _part("friction", contact.get("friction"), "", per),
        _layers(contact.get("layers")),
    ]
    return f'<div class="contact">{names}<div class="parts">{"".join(parts)}</div>{_reasons(pairings)}</div>'


def _reasons(pairings: Sequence[PairingRecord]) -> str:
    """Why the program took the base that it did: once, where it is the same for all, else for each pairing."""
    told: dict[str, list[str]] = {}
    for pairing in pairings:
        if reason := str(pairing.contact.get(_REASON, "")):
            told.setdefault(reason, []).append(pairing.name)
    if len(told) == 1:
        return paragraph(f"Base chosen by the program: {next(iter(told))}.", "note")
    lines = [f"{', '.join(map(unbroken, names))}: {reason}." for reason, names in list(told.items())[:MOST_LISTED]]
    if not lines:
        return ""
    return fold("Bases chosen by the program", "".join(paragraph(line, "note") for line in lines))


def _layers(layers: Sequence[Plain] | None) -> str:
    """The layers of both bodies, in one column."""
    if not layers or len(layers) != 2:
        return ""
    e, f = layers
    if e == f:
        return _part("layers of E and F", e)
    return f"<div>{_part('layer of E', e)}{_part('layer of F', f)}</div>"


def _part(name: str, content: Plain | None, first: str = "", units: Mapping[str, str] = _AS_THEY_ARE) -> str:
    """One part of a description: its kind, and its options as a list of titles and values, in other ``units``."""
    if not isinstance(content, Mapping):
        return f'<div><h4>{escape(name)}</h4><p class="none">none</p></div>'
    kind = str(content.get("kind", ""))
    cls = class_of(kind)
    title = f' title="{escape(summary(cls))}"' if cls is not None else ""
    if content.get("youngs_modulus") == math.inf:
        return f'<div><h4>{escape(name)}</h4><p class="none">none: rigid</p></div>'
    known = {option.name: option for option in options_of(cls)} if cls is not None else {}
    given = [(key, value) for key, value in content.items() if key != "kind" and value is not None]
    rows = [_row(key, value, known.get(key), units) for key, value in given]
    heading = f"<h4{title}>{escape(name)} <b>{escape(_words(kind))}</b></h4>"
    return f"<div>{heading}<dl>{first}{''.join(rows)}</dl></div>"


def _row(name: str, value: Any, option: Option | None, units: Mapping[str, str]) -> str:
    title = _words(name) if option is None else _words(option.title)
    meaning = f' title="{escape(option.meaning)}"' if option is not None and option.meaning else ""
    unit = option.unit if option is not None else ""
    unit = units.get(unit, unit)
    return f"<dt{meaning}>{escape(title)}</dt><dd>{escape(_value(value, unit))}</dd>"


def _stiffness_of_layers(contact: Plain) -> str:
    """The stiffness that follows from elastic layers, as an option of the law."""
    if not contact.get("layers"):
        return ""
    try:
        stiffness = ContactDescription.from_plain(contact).stiffness
    except (ContactError, TypeError, ValueError):
        return ""
    told = 'title="of both layers together, eq. (12)"'
    return f"<dt {told}>layer stiffness</dt><dd>{escape(_value(stiffness, 'N/m³'))}</dd>"


def _value(value: Any, unit: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{number(float(value))} {unit}".rstrip()
    if isinstance(value, list | tuple):
        return ", ".join(_value(each, unit) for each in value) or "–"
    return _words(str(value))


def _words(name: str) -> str:
    return name.replace("_", " ")
