"""The reference of scenario files, from the schema that checks them."""

from __future__ import annotations

import json
import re
from typing import Any

from pages.tables import table

INTRODUCTION = """\
# Scenario files

Every key of a scenario file, with its unit and what happens when it is left out. The page is made from the schema
that checks the files. For an introduction see [write a scenario file](../howto/scenario_file.md).

Editors can check a file while you write it: [scenario.schema.json](scenario.schema.json) is the JSON schema, which
`polycontact schema` prints too. With the TOML extensions of common editors, put `#:schema scenario.schema.json` into
the first line of your file.
"""

SECTIONS = (
    ("The file", "", ""),
    ("[scenario]", "About", "scenario"),
    ("[simulation]", "Simulation", "simulation"),
    ("[materials.NAME]", "Material", "material"),
    ("[[bodies]]", "Body", "body"),
    ("[[robots]]", "RobotTable", "robot"),
    ("[[assemblies]]", "AssemblyTable", "assembly"),
    ("[[markers]]", "MarkerTable", "marker"),
    ("[[joints]]", "Joint", "joint"),
    ("[[loops]]", "Loop", "loop"),
    ("[contact]", "Contact", "contact"),
    ("[[contact.pairs]]", "Pair", "pair"),
    ("terms = [{ … }, …]", "TermTable", "term"),
    ("orientation = { … }", "Orientation", "orientation"),
)
"""Title, definition in the schema and anchor of each section; kinds of methods, laws, shapes … follow."""

KINDS = (
    ("Methods", "methods", ("$defs", "Contact", "properties", "method"), "[contact.method]"),
    ("Laws", "laws", ("$defs", "Contact", "properties", "law"), "[contact.law]"),
    ("Friction", "friction", ("$defs", "Contact", "properties", "friction"), "[contact.friction]"),
    ("Responses", "responses", ("$defs", "Simulation", "properties", "response"), "response = { kind = …, … }"),
    ("Shapes", "shapes", ("$defs", "Body", "properties", "shape"), "shape = { kind = …, … }"),
    ("Couplers", "couplers", ("properties", "couplers", "items"), "[[couplers]]"),
    ("Forces", "forces", ("properties", "forces", "items"), "[[forces]]"),
    ("Responses", "responses", ("$defs", "Simulation", "properties", "response"), "response = { kind = …, … }"),
    ("Ends of a run", "ends", ("$defs", "Simulation", "properties", "stop_when", "items"), "[[simulation.stop_when]]"),
    ("Motions", "motions", ("$defs", "MotorTable", "properties", "target"), "motion = { kind = …, … }"),
)


def schema() -> str:
    """The JSON schema itself."""
    from polycontact.scenario.schema.scenario import export_schema

    return json.dumps(export_schema(), indent=1, ensure_ascii=False) + "\n"


def page() -> str:
    """All tables of a scenario file."""
    from polycontact.scenario.schema.scenario import export_schema

    whole = export_schema()
    definitions = whole["$defs"]
    parts = [INTRODUCTION]
    for title, name, anchor in SECTIONS:
        if name and name not in definitions:
            continue
        found = definitions[name] if name else whole
        heading = f"## {title}" if not name else f"## `{title}` {{#{anchor}}}"
        parts.append(f"{heading}\n\n{found['description']}\n\n{_keys(found)}\n")
    for title, anchor, path, written in KINDS:
        parts.append(_kinds(whole, title, anchor, path, written))
    return "\n".join(parts)


def _kinds(whole: dict[str, Any], title: str, anchor: str, path: tuple[str, ...], written: str) -> str:
    """All kinds of one thing; keys that they share stand once at the top."""
    node: Any = whole
    for key in path:
        node = node[key]
    kinds = {kind: whole["$defs"][place.rsplit("/", 1)[1]] for kind, place in node["discriminator"]["mapping"].items()}
    kinds = dict(sorted(kinds.items(), key=lambda each: ("kind" in each[1].get("required", ()), each[0] == "none")))
    shared = set.intersection(*(set(each["properties"]) for each in kinds.values())) - {"kind"}
    parts = [f"## {title} {{#{anchor}}}\n\nWritten as `{written}`.{_usual(kinds)}\n"]
    if shared:
        first = next(iter(kinds.values()))
        parts.append(f"All kinds have these keys:\n\n{_keys(first, only=shared)}\n")
    for kind, each in kinds.items():
        own = set(each["properties"]) - shared - {"kind"}
        keys = _keys(each, only=own) if own else "No keys of its own."
        parts.append(f'### `kind = "{kind}"`\n\n{each["description"]}\n\n{keys}\n')
    return "\n".join(parts)


def _usual(kinds: dict[str, Any]) -> str:
    """Which kind is meant by a table without one, where there is such a kind."""
    usual = [kind for kind, each in kinds.items() if "kind" not in each.get("required", ())]
    return f' Without a kind it is `"{usual[0]}"`.' if usual else ""


def _keys(found: dict[str, Any], only: set[str] | None = None) -> str:
    rows = []
    for key, entry in found["properties"].items():
        if only is not None and key not in only:
            continue
        needed = "**required**" if key in found.get("required", ()) else _default(entry)
        unit = entry.get("unit", "")
        meaning = entry.get("description", "").removesuffix(f", {unit}" if unit else "")
        if meaning.startswith("short for "):  # its meaning stands with the kind
            meaning = re.sub(r"short for ([\w.]+):.*", r"short for `\1`", meaning)
        rows.append([f"`{key}`", _type(entry), unit, needed, meaning])
    return table(["key", "value", "unit", "if left out", "meaning"], rows)


def _default(entry: dict[str, Any]) -> str:
    if entry.get("default") in (None, [], {}, ""):
        return ""
    return f"`{json.dumps(entry['default'], ensure_ascii=False)}`"


PLACES = {
    "About": "scenario",
    "Simulation": "simulation",
    "Body": "body",
    "Joint": "joint",
    "Loop": "loop",
    "Contact": "contact",
    "Pair": "pair",
    "Orientation": "orientation",
    "Material": "material",
    "MarkerTable": "marker",
    "TermTable": "term",
}


def _type(entry: dict[str, Any]) -> str:
    """What a key's value is, in words."""
    if "$ref" in entry:
        name = entry["$ref"].rsplit("/", 1)[1]
        return f"[table](#{PLACES[name]})" if name in PLACES else "table"
    if "discriminator" in entry:
        return f"table, [{_group(entry)}](#{_group(entry)})"
    if "enum" in entry:
        return ", ".join(f'`"{value}"`' for value in entry["enum"])
    if "const" in entry:
        return f'`"{entry["const"]}"`'
    if "oneOf" in entry:
        return "number, text (a formula of t) or [motion](#motions)"
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_type(each) for each in entry["anyOf"]))
    kind = entry.get("type")
    if kind == "array":
        return _array(entry)
    if kind == "object":
        kind = _type(entry["additionalProperties"])
        return "numbers by name" if kind == "number" else f"tables by name, {kind}"
    return {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}.get(
        str(kind), "value"
    )


def _array(entry: dict[str, Any]) -> str:
    parts = entry.get("prefixItems")
    if parts is None:
        return f"list of: {_type(entry['items'])}"
    if "oneOf" in parts[0]:
        return f"{len(parts)} × ({_type(parts[0])})"
    if parts[0].get("type") == "array":
        return f"{len(parts)} × {_array(parts[0])}"
    names = {"number": "numbers", "integer": "whole numbers", "string": "texts"}
    return f"{len(parts)} {names.get(parts[0].get('type', ''), 'values')}"


def _group(entry: dict[str, Any]) -> str:
    mapping = entry["discriminator"]["mapping"]
    kinds = {"polygonal": "methods", "layer": "laws", "regularised_coulomb": "friction", "box": "shapes"}
    kinds |= {
        "harmonic": "motions",
        "gear": "couplers",
        "motor": "forces",
        "tilted_beyond": "ends",
        "multipliers": "responses",
    }
    return next(group for kind, group in kinds.items() if kind in mapping)
