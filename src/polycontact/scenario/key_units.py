"""What a key of a scenario is measured in, and the number that a text with a unit means there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from polycontact.scenario.changed_values import changed_content, locations
from polycontact.scenario.schema.json_schema import model_schema
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema_nodes import Schema, child, child_schema, resolved
from polycontact.scenario.told_kinds import with_kinds
from polycontact.scenario.written_units import unit_at, with_numbers

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario


def unit_of_key(scenario: Scenario, key: str) -> str:
    """The unit of a key, at the first place it leads to; empty where it has none."""
    schema = model_schema(ScenarioModel)
    full = with_kinds(changed_content(scenario, {}))
    where = locations(scenario, key)[0]
    node: Schema = schema
    value: Any = full
    unit = ""
    for step in where:
        node = child_schema(resolved(node, value, schema), step)
        value = child(value, step)
        unit = resolved(node, value, schema).get("unit", unit)
    return unit_at(where, unit, full)


def number_at(scenario: Scenario, key: str, value: Any) -> Any:
    """``value`` as the schema sees it at ``key``: a text such as "12 mm" has become a number in the key's unit."""
    content = changed_content(scenario, {key: value})
    found: Any = with_numbers(with_kinds(content), partial(model_schema, ScenarioModel))
    for step in locations(scenario, key)[0]:
        found = child(found, step)
    return found
