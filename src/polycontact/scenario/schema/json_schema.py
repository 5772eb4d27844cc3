"""The JSON schema of a model, for editors and for messages about files that do not fit it."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from polycontact.contact.kinds import Part, kinds_of
from polycontact.scenario.schema.base import Table
from polycontact.units import has_dimension

WITH_UNIT = {
    "type": "string",
    "pattern": r"^\s*[-+−]?[0-9.].*[a-zA-Zµμ°]",
    "description": 'a number with a unit: "12 mm"',
}
"""What may stand for a number that has a unit."""


def model_schema(model: type[Table]) -> dict[str, Any]:
    """JSON schema of a file, with a description and the unit of every key; not to be changed.

    Made anew only when kinds of contacts have been announced since.
    """
    return _schema_with(model, tuple(item for part in get_args(Part) for item in kinds_of(part).items()))


@cache
def _schema_with(model: type[Table], kinds: tuple[tuple[str, type], ...]) -> dict[str, Any]:
    schema: dict[str, Any] = _without_null(model.model_json_schema())
    return schema


def _without_null(node: Any) -> Any:
    """The schema without the null of keys that may be left out: TOML has none."""
    if isinstance(node, list):
        return [_without_null(each) for each in node]
    if not isinstance(node, dict):
        return node
    left = {key: _without_null(value) for key, value in node.items() if not (key == "default" and value is None)}
    branches = [each for each in left.get("anyOf", ()) if each != {"type": "null"}]
    if len(branches) == 1:
        del left["anyOf"]
        return {**branches[0], **left}
    if branches:
        left["anyOf"] = branches
    return left


def with_units(node: Any, has_unit: bool = False) -> Any:
    """The schema in which texts with units may stand for numbers that have one, as in files before they are read."""
    if isinstance(node, list):
        return [with_units(each, has_unit) for each in node]
    if not isinstance(node, dict):
        return node
    unit = node.get("unit")
    has_unit = has_dimension(unit.partition(", ")[0]) if isinstance(unit, str) else has_unit
    if node.get("type") == "number" and has_unit:
        number = {key: value for key, value in node.items() if key not in _TOLD}
        told = {key: value for key, value in node.items() if key in _TOLD}
        return {"anyOf": [number, WITH_UNIT], **told}
    if any(
        _is_any_text(each) for each in node.get("oneOf", ())
    ):  # formulas: a number with a unit is such a text already
        return {**node, "oneOf": [each if "type" in each else with_units(each, has_unit) for each in node["oneOf"]]}
    return {key: value if key == "default" else with_units(value, has_unit) for key, value in node.items()}


def _is_any_text(node: dict[str, Any]) -> bool:
    """Whether a branch of a schema takes texts, whatever they say."""
    return node.get("type") == "string" and not {"pattern", "enum", "const"} & node.keys()


_TOLD = ("title", "description", "default", "unit")
