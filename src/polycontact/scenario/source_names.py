"""Names that the source of the contact properties has (Otter, Elmqvist, Díaz López 2005), read as ours.

In a table of ``contact_properties`` its symbols, and on a body or a shape ``contact_handling`` for ``contact``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from polycontact.scenario.file_problems import Location, Problem
from polycontact.scenario.key_paths import Steps
from polycontact.scenario.raw_content import Raw, entries

PROPERTIES: Final = "contact_properties"
SYMBOLS: Final = {
    "c": "stiffness",
    "d": "damping",
    "d_w": "spin_length",
    "mu": "friction",
    "v_min": "slip_velocity",
    "w_min": "spin_velocity",
    "omega_min": "spin_velocity",
}
"""Keys of contact properties by the symbols of the source; ω_min is w_min there."""

HANDLING: Final = {"contact_handling": "contact"}
"""Keys of bodies and shapes."""

ALSO: Final = "x-is"
"""Marks a key of the exported schema that is another name of one."""


def with_names_of_source(content: dict[str, Any]) -> dict[str, Any]:
    """The content of a file with our names for those of the source; a key that has both keeps both."""
    if not any(True for _ in _found(content)):
        return content
    changed = dict(content)
    if isinstance(content.get("materials"), dict):
        changed["materials"] = {
            name: _renamed(each, {}) if isinstance(each, dict) else each for name, each in content["materials"].items()
        }
    if isinstance(content.get("bodies"), list):
        changed["bodies"] = [_of_body(each) if isinstance(each, dict) else each for each in content["bodies"]]
    return changed


def with_other_names(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of files in which tables know the names of the source too, each marked with ours under `ALSO`."""
    tables = {
        name: {**table, "properties": {**table["properties"], **_other_names(table["properties"])}}
        for name, table in schema["$defs"].items()
        if "properties" in table
    }
    return {**schema, "$defs": {**schema["$defs"], **tables}}


def _other_names(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Keys by the names of the source that a table with some ``keys`` has."""
    names = SYMBOLS if set(SYMBOLS.values()) <= keys.keys() else HANDLING if PROPERTIES in keys else {}
    return {theirs: {**keys[ours], ALSO: ours} for theirs, ours in names.items() if ours in keys}


def told_of_both_names(content: Raw) -> list[Problem]:
    """Problems of keys that are given by both their names."""
    return [
        Problem((*where, theirs), f"is {ours} here, which is given too; leave one of them out")
        for where, table, names in _found(content)
        for theirs, ours in names.items()
        if theirs in table and _has_other(table, theirs, names)
    ]


def steps_with_our_names(steps: Steps) -> Steps:
    """The steps to a key by its name here."""
    if len(steps) > 1 and steps[-2] == PROPERTIES and steps[-1] in SYMBOLS:
        return (*steps[:-1], SYMBOLS[str(steps[-1])])
    if steps[0] == "bodies" and steps[-1] in HANDLING:
        return (*steps[:-1], HANDLING[str(steps[-1])])
    return steps


def _has_other(table: Raw, theirs: str, names: Mapping[str, str]) -> bool:
    """Whether a key is given by another name too; of two symbols the first is told."""
    known = list(names)
    others = [each for each in known if names[each] == names[theirs] and known.index(each) < known.index(theirs)]
    return names[theirs] in table or any(each in table for each in others)


def _found(content: Raw) -> Iterator[tuple[Location, Raw, Mapping[str, str]]]:
    """Tables that have names of the source, with their places."""
    for where, holder, names in _holders(content):
        if any(each in holder for each in names):
            yield where, holder, names
        properties = holder.get(PROPERTIES)
        if isinstance(properties, dict) and any(each in properties for each in SYMBOLS):
            yield (*where, PROPERTIES), properties, SYMBOLS


def _holders(content: Raw) -> Iterator[tuple[Location, Raw, Mapping[str, str]]]:
    """Tables that may have contact properties: materials, bodies and shapes; with the other names of their keys."""
    materials = content.get("materials")
    for name, each in materials.items() if isinstance(materials, dict) else ():
        if isinstance(each, dict):
            yield ("materials", name), each, {}
    for i, body in entries(content, "bodies"):
        yield ("bodies", i), body, HANDLING
        if isinstance(body.get("shape"), dict):
            yield ("bodies", i, "shape"), body["shape"], HANDLING
        for j, shape in entries(body, "shapes"):
            yield ("bodies", i, "shapes", j), shape, HANDLING


def _of_body(body: dict[str, Any]) -> dict[str, Any]:
    changed = _renamed(body, HANDLING)
    if isinstance(body.get("shape"), dict):
        changed["shape"] = _renamed(body["shape"], HANDLING)
    if isinstance(body.get("shapes"), list):
        changed["shapes"] = [_renamed(each, HANDLING) if isinstance(each, dict) else each for each in body["shapes"]]
    return changed


def _renamed(holder: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A table that may have contact properties, in the order of its keys."""
    changed = {names.get(key, key): value for key, value in holder.items()}
    if isinstance(changed.get(PROPERTIES), dict):
        changed[PROPERTIES] = {SYMBOLS.get(key, key): value for key, value in changed[PROPERTIES].items()}
    return changed
