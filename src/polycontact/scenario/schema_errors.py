"""From what pydantic finds to problems in our words: path as written, value, what is allowed, and a suggestion.

What is allowed, keys, kinds, units and descriptions are read from the JSON schema of the file's model, so that
messages and schema cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from polycontact.scenario.file_problems import Location, Problem, listed, shown, suggestion
from polycontact.scenario.schema.base import LARGEST, Table
from polycontact.scenario.schema.json_schema import model_schema
from polycontact.scenario.schema_nodes import Schema, child, child_schema, kinds_of_node, resolved
from polycontact.scenario.written_units import is_quantity, unit_at, what_is_wrong

MAX_TRANSLATED: Final = 200
"""Most errors of pydantic that are put into words."""

_OWN_WORDS: Final = ("value_error", "too_many")
_NUMBERS: Final = {"number": ("a number", "numbers"), "integer": ("an integer", "integers")}


class Place(NamedTuple):
    """Where an error belongs: its location in the file, the value there and the schema of that value."""

    location: Location
    value: Any
    node: Schema
    unit: str


def schema_problems(error: ValidationError, raw: Mapping[str, Any], model: type[Table]) -> tuple[list[Problem], int]:
    """Problems for the first errors of pydantic in a file of ``model``, and how many more there are."""
    found = error.errors(include_url=False, include_input=False)
    schema = model_schema(model)
    problems = [_problem(each, raw, schema) for each in found[:MAX_TRANSLATED]]
    return list(dict.fromkeys(problems)), max(0, len(found) - MAX_TRANSLATED)


def _problem(error: Mapping[str, Any], raw: Mapping[str, Any], schema: Schema) -> Problem:
    kind, location = error["type"], error["loc"]
    if kind == "missing" and isinstance(location[-1], int):  # an array that is too short
        kind, location = "too_short", location[:-1]
    if kind == "extra_forbidden":
        return _unknown_key(raw, location, schema)
    place = _find(raw, location, schema)
    if kind == "missing":
        return Problem(place.location, f"is missing; give {_description(place.node)}")
    wrong = ""
    if isinstance(place.value, str):
        wrong = what_is_wrong(place.value, unit_at(place.location, place.unit, raw))
    if wrong and is_quantity(place.value):  # no formula, but a number with another unit
        return Problem(place.location, wrong)
    if kind in _OWN_WORDS:
        cause = error.get("ctx", {}).get("error")
        complaint = str(cause) if cause is not None else error["msg"]
        is_table = isinstance(place.value, dict | list)
        return Problem(place.location, complaint if is_table else f"{shown(place.value)} {complaint}")
    if kind in ("union_tag_invalid", "union_tag_not_found") and isinstance(place.value, dict):
        return _unknown_kind(place, schema)
    if wrong:
        return Problem(place.location, wrong)
    if place.location[:1] == ("contact",):
        place = place._replace(unit=unit_at(place.location, place.unit, raw))
    return Problem(place.location, _not_allowed(place, kind, schema))


def _not_allowed(place: Place, kind: str, schema: Schema) -> str:
    value = place.value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "finite_number":
        return f"{shown(value)}; allowed is a finite number"
    if number and abs(value) > LARGEST:
        return f"{shown(value)}; allowed is a magnitude of up to {LARGEST:g}"
    found = f"{len(value)} values" if kind in ("too_short", "too_long") and isinstance(value, list) else shown(value)
    choices = _choices(place.node) or _choices(_name_branch(place.node))
    unit = f", in {place.unit}" if place.unit else ""
    return f"{found}; allowed is {_allowed(place.node, schema)}{unit}{suggestion(value, choices)}"


def _unknown_key(raw: Mapping[str, Any], location: Location, schema: Schema) -> Problem:
    table = _find(raw, location[:-1], schema)
    key = location[-1]
    keys = list(table.node.get("properties", ()))
    hint = suggestion(key, keys)
    if not hint and table.location and key in schema["properties"]:
        hint = f"; {key} belongs to the top level: write {_written_on_top(str(key), schema)}"
    return Problem(
        (*table.location, key),
        f"unknown key{hint}" + (f"; allowed are {', '.join(keys)}" if not hint else ""),
    )


def _written_on_top(key: str, schema: Schema) -> str:
    """How a key of the top level is written."""
    node = resolved(schema["properties"][key], None, schema)
    if _is_table(node):
        return f"[{key}]"
    entry = resolved(node.get("items", {}), None, schema)
    return f"[[{key}]]" if _is_table(entry) else "it before the first [table]"


def _is_table(node: Schema) -> bool:
    return node.get("type") == "object" or "discriminator" in node


def _unknown_kind(place: Place, schema: Schema) -> Problem:
    kinds = sorted(kinds_of_node(place.node, schema))
    location = (*place.location, "kind")
    if "kind" not in place.value:
        return Problem(location, f"is missing; allowed is one of {listed(kinds)}")
    kind = place.value["kind"]
    return Problem(location, f"{shown(kind)}; allowed is one of {listed(kinds)}{suggestion(kind, kinds)}")


def _find(raw: Mapping[str, Any], location: Location, schema: Schema) -> Place:
    """Follow ``location`` through file and schema; names of kinds, which pydantic puts in between, are dropped."""
    value: Any = raw
    node, unit = resolved(schema, raw, schema), ""
    written: list[str | int] = []
    kind_passed = False
    for step in location:
        is_kind = isinstance(value, dict) and value.get("kind") == step and not kind_passed
        if is_kind and step not in node.get("properties", ()):
            kind_passed = True
            continue
        if isinstance(step, int) and not isinstance(value, list):  # one number that stands for several
            break
        if isinstance(step, str) and not isinstance(value, dict) and "oneOf" in node:  # which of several kinds of value
            break
        kind_passed = False
        written.append(step)
        value = child(value, step)
        node = resolved(child_schema(node, step), value, schema)
        unit = node.get("unit", unit)
    return Place(tuple(written), value, node, unit)


def _description(node: Schema) -> str:
    return str(node.get("description", "it"))


def _name_branch(node: Schema) -> Schema:
    """The names that may stand for a table, where they may."""
    found: Schema = next((each for each in node.get("oneOf", node.get("anyOf", ())) if "enum" in each), {})
    return found


def _values(node: Schema) -> list[Any]:
    """The values that are allowed, where they are countable."""
    return list(node.get("enum", [node["const"]] if "const" in node else []))


def _choices(node: Schema) -> list[str]:
    return [word for word in _values(node) if isinstance(word, str)]


def _allowed(node: Schema, schema: Schema) -> str:
    """What a value may be, in words."""
    if _choices(node):
        return f"one of {listed(_values(node))}" if len(_values(node)) > 1 else listed(_values(node))
    if "discriminator" in node:
        names = _choices(_name_branch(node))
        if names:
            return f"one of {listed(names)}, or a table with one of these as its kind"
        return f"a table with kind = one of {listed(sorted(node['discriminator']['mapping']))}"
    if "oneOf" in node:
        return "a number, a formula in quotes, or a table with kind = one of " + listed(
            sorted(kinds_of_node(node, schema))
        )
    if "anyOf" in node:
        return " or ".join(_allowed(each, schema) for each in node["anyOf"])
    kind = node.get("type")
    if kind in _NUMBERS:
        return f"{_NUMBERS[kind][0]}{_range(node)}"
    if kind == "array":
        return _allowed_array(node, schema)
    if kind == "string":
        return 'a text like "#1f77b4"' if "pattern" in node else f"a text in quotes{_length(node)}"
    return {"boolean": "true or false", "object": "a table"}.get(str(kind), "something else")


def _allowed_array(node: Schema, schema: Schema) -> str:
    entries = node.get("prefixItems") or [node.get("items", {})]
    first = resolved(entries[0], None, schema)
    singular, plural = _NUMBERS.get(
        first.get("type", ""), ("", {"string": "texts in quotes"}.get(first.get("type", ""), ""))
    )
    if "oneOf" in first:
        plural = f"values, each {_allowed(first, schema)}"
    if not plural:
        plural = "tables" if _is_table(first) else f"arrays of {_allowed(first, schema)}"
    if "prefixItems" in node:
        return f"{len(entries)} {plural}{_range(first)}" if singular else f"{len(entries)} {plural}"
    few = f" with at least {node['minItems']}" if "minItems" in node else ""
    return f"an array of {plural}{few}"


def _range(node: Schema) -> str:
    low, high = node.get("minimum", -LARGEST), node.get("maximum", LARGEST)
    if low > -LARGEST and high < LARGEST and not {"exclusiveMinimum", "exclusiveMaximum"} & node.keys():
        return f" from {low:g} to {high:g}"
    parts = []
    if "exclusiveMinimum" in node:
        parts.append(f"greater than {node['exclusiveMinimum']:g}")
    elif low > -LARGEST:
        parts.append(f"of at least {low:g}")
    if "exclusiveMaximum" in node:
        parts.append(f"less than {node['exclusiveMaximum']:g}")
    elif high < LARGEST:
        parts.append(f"of at most {high:g}")
    return "".join(f" {'and ' if i else ''}{part}" for i, part in enumerate(parts))


def _length(node: Schema) -> str:
    return f" of {node['minLength']} to {node['maxLength']} characters" if "minLength" in node else ""
