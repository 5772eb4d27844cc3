"""Every key of a scenario file in words, section by section, from the schema that checks the files.

Names and values of keys stand in backticks, as in Markdown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from polycontact.scenario.schema.scenario import export_schema
from polycontact.scenario.source_names import ALSO

Schema = dict[str, Any]

TABLES = (
    ("file", "the file, before its first table", ""),
    ("scenario", "[scenario]", "About"),
    ("simulation", "[simulation]", "Simulation"),
    ("material", "[materials.NAME]", "Material"),
    ("body", "[[bodies]]", "Body"),
    ("robot", "[[robots]]", "RobotTable"),
    ("assembly", "[[assemblies]]", "AssemblyTable"),
    ("marker", "[[markers]]", "MarkerTable"),
    ("joint", "[[joints]]", "Joint"),
    ("loop", "[[loops]]", "Loop"),
    ("contact", "[contact]", "Contact"),
    ("pair", "[[contact.pairs]]", "Pair"),
    ("material pair", "[[contact.material_pairs]]", "MaterialPair"),
    ("contact properties", "contact_properties = { … }", "ContactPropertiesTable"),
    ("wear", "wear = { … }", "WearTable"),
    ("term", "terms = [{ … }, …]", "TermTable"),
    ("orientation", "orientation = { … }", "Orientation"),
)
"""Name of a section, how it is written, and its definition in the schema."""

KINDS = (
    ("methods", "[contact.method]", ("$defs", "Contact", "properties", "method")),
    ("laws", "[contact.law]", ("$defs", "Contact", "properties", "law")),
    ("friction", "[contact.friction]", ("$defs", "Contact", "properties", "friction")),
    ("responses", "response = { kind = …, … }", ("$defs", "Simulation", "properties", "response")),
    ("shapes", "shape = { kind = …, … }", ("$defs", "Body", "properties", "shape")),
    ("couplers", "[[couplers]]", ("properties", "couplers", "items")),
    ("forces", "[[forces]]", ("properties", "forces", "items")),
    ("ends", "[[simulation.stop_when]]", ("$defs", "Simulation", "properties", "stop_when", "items")),
    ("motions", "motion = { kind = …, … }", ("$defs", "MotorTable", "properties", "target")),
)
"""The same of things that come in kinds; where the schema lists them."""

GROUPS = {
    "polygonal": "methods",
    "layer": "laws",
    "regularised_coulomb": "friction",
    "box": "shapes",
    "harmonic": "motions",
    "gear": "couplers",
    "motor": "forces",
    "tilted_beyond": "ends",
    "multipliers": "responses",
}
"""A kind of each group, by which the group is known."""


class KeyRow(NamedTuple):
    """A key: what its value is, its unit, what happens if it is left out, what it means."""

    key: str
    value: str
    unit: str
    left_out: str
    meaning: str


class KindKeys(NamedTuple):
    """What a kind is, and its own keys."""

    kind: str
    text: str
    rows: tuple[KeyRow, ...]


class KeySection(NamedTuple):
    """A table of the file, or all kinds of one thing, with the keys that they share."""

    name: str
    written: str
    text: str
    rows: tuple[KeyRow, ...]
    kinds: tuple[KindKeys, ...] = ()


Link = Callable[[str, str], str]
"""How words that lead to a section are written: the words, the section's name."""


def key_sections(link: Link = lambda words, section: words) -> list[KeySection]:
    """All sections, tables first."""
    whole = export_schema()
    tables = []
    for name, written, definition in TABLES:
        found = whole["$defs"][definition] if definition else whole
        tables.append(KeySection(name, written, found["description"], _rows(found, link)))
    return tables + [_kinds(whole, name, written, path, link) for name, written, path in KINDS]


def _kinds(whole: Schema, name: str, written: str, path: tuple[str, ...], link: Link) -> KeySection:
    """Section about all kinds of one thing; the kind that is used without a name comes first."""
    node: Any = whole
    for key in path:
        node = node[key]
    kinds = {kind: whole["$defs"][place.rsplit("/", 1)[1]] for kind, place in node["discriminator"]["mapping"].items()}
    kinds = dict(sorted(kinds.items(), key=lambda each: ("kind" in each[1].get("required", ()), each[0] == "none")))
    shared = set.intersection(*(set(each["properties"]) for each in kinds.values())) - {"kind"}
    usual = [kind for kind, each in kinds.items() if "kind" not in each.get("required", ())]
    text = f'Without a kind it is `"{usual[0]}"`.' if usual else ""
    own = tuple(
        KindKeys(kind, each["description"], _rows(each, link, set(each["properties"]) - shared - {"kind"}))
        for kind, each in kinds.items()
    )
    return KeySection(name, written, text, _rows(next(iter(kinds.values())), link, shared), own)


def _rows(found: Schema, link: Link, only: set[str] | None = None) -> tuple[KeyRow, ...]:
    rows = []
    for key, entry in found["properties"].items():
        if (only is not None and key not in only) or ALSO in entry:
            continue
        needed = "**required**" if key in found.get("required", ()) else _default(entry)
        unit = entry.get("unit", "")
        meaning = entry.get("description", "").removesuffix(f", {unit}" if unit else "")
        if meaning.startswith("short for "):  # its meaning stands with the kind
            meaning = re.sub(r"short for ([\w.]+):.*", r"short for `\1`", meaning)
        rows.append(KeyRow(f"`{key}`", _value(entry, link), unit, needed, meaning))
    return tuple(rows)


def _default(entry: Schema) -> str:
    if entry.get("default") in (None, [], {}, ""):
        return ""
    return f"`{json.dumps(entry['default'], ensure_ascii=False)}`"


def _value(entry: Schema, link: Link) -> str:
    """The values that a key allows, in words."""
    if "$ref" in entry:
        definition = entry["$ref"].rsplit("/", 1)[1]
        section = next((name for name, _, each in TABLES if each == definition), None)
        return link("table", section) if section else "table"
    if "discriminator" in entry:
        group = next(GROUPS[kind] for kind in entry["discriminator"]["mapping"] if kind in GROUPS)
        return f"table, {link(group, group)}"
    if "enum" in entry:
        return ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in entry["enum"])
    if "const" in entry:
        return f'`"{entry["const"]}"`'
    if "oneOf" in entry:
        return f"number, text (a formula of t) or {link('motion', 'motions')}"
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_value(each, link) for each in entry["anyOf"]))
    kind = entry.get("type")
    if kind == "array":
        return _array(entry, link)
    if kind == "object":
        kind = _value(entry["additionalProperties"], link)
        return "numbers by name" if kind == "number" else f"tables by name, {kind}"
    return {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}.get(
        str(kind), "value"
    )


def _array(entry: Schema, link: Link) -> str:
    parts = entry.get("prefixItems")
    if parts is None:
        return f"list of: {_value(entry['items'], link)}"
    if "oneOf" in parts[0]:
        return f"{len(parts)} × ({_value(parts[0], link)})"
    if parts[0].get("type") == "array":
        return f"{len(parts)} × {_array(parts[0], link)}"
    names = {"number": "numbers", "integer": "whole numbers", "string": "texts"}
    return f"{len(parts)} {names.get(parts[0].get('type', ''), 'values')}"
