"""Steps through a file and, side by side, through the JSON schema that it should fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def child(value: Any, step: str | int) -> Any:
    """What ``value`` has under a key or an index; None if nothing."""
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def child_schema(node: Schema, step: str | int) -> Schema:
    """The schema of what lies under a key or an index; empty if it is not known."""
    if isinstance(step, str):
        extra = node.get("additionalProperties")
        found = node.get("properties", {}).get(step, extra if isinstance(extra, dict) else {})
    else:
        fixed = node.get("prefixItems", ())
        found = fixed[step] if step < len(fixed) else node.get("items", {})
    return found if isinstance(found, dict) else {}


def resolved(node: Schema, value: Any, schema: Schema) -> Schema:
    """The schema behind references, and the branch that fits ``value`` where there are several."""
    if "$ref" in node:
        target = schema["$defs"][node["$ref"].rpartition("/")[2]]
        node = {**target, **{key: each for key, each in node.items() if key != "$ref"}}
    if "discriminator" in node and isinstance(value, dict):
        kind = value.get("kind")
        reference = node["discriminator"]["mapping"].get(kind) if isinstance(kind, str) else None
        return resolved({"$ref": reference}, value, schema) if reference else node
    if "oneOf" in node and isinstance(value, dict):
        reference = kinds_of_node(node, schema).get(str(value.get("kind")))
        return resolved({"$ref": reference}, value, schema) if reference else node
    if "anyOf" in node and isinstance(value, list):
        branches = [each for each in node["anyOf"] if each.get("type") == "array"]
        return {**node, **branches[0]} if branches else node
    return node


def kinds_of_node(node: Schema, schema: Schema) -> Mapping[str, str]:
    """References to the tables that a value may be, by their kinds."""
    if "discriminator" in node:
        found: Mapping[str, str] = node["discriminator"]["mapping"]
        return found
    tables = [each["$ref"] for each in node["oneOf"] if "$ref" in each]
    return {schema["$defs"][each.rpartition("/")[2]]["properties"]["kind"]["const"]: each for each in tables}
