"""The unit of a key of a scenario, as its schema tells it."""

from __future__ import annotations

from typing import Any, Final

from polycontact.contact.description import finds_points
from polycontact.scenario.changed_values import changed_content, locations
from polycontact.scenario.contact_parts import with_kinds
from polycontact.scenario.parsing import Scenario
from polycontact.scenario.schema.json_schema import model_schema
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema_nodes import child, child_schema, resolved
from polycontact.scenario.written_units import unit_at
from polycontact.units import has_dimension

PER_POINT: Final = {"N/m³": "N/m", "N s/m³": "N s/m"}
"""Units of laws where all contacts are points, by those per area."""


def unit_of_key(scenario: Scenario, key: str) -> str:
    """The unit, such as "N/m³"; empty where numbers have none, or where it depends on other keys."""
    unit = _unit_in_schema(scenario, key)
    return PER_POINT[unit] if key.startswith("contact") and unit in PER_POINT and _only_points(scenario) else unit


def _only_points(scenario: Scenario) -> bool:
    """Whether all contacts find points, which have no area."""
    contacts = scenario.build().compile().contacts
    return all(finds_points(each.description.to_plain()) for each in contacts) and len(contacts) > 0


def _unit_in_schema(scenario: Scenario, key: str) -> str:
    schema = model_schema(ScenarioModel)
    content = with_kinds(changed_content(scenario, {}))
    location = locations(scenario, key)[0]
    value: Any = content
    node, unit = resolved(schema, value, schema), ""
    for step in location:
        value = child(value, step)
        node = resolved(child_schema(node, step), value, schema)
        unit = node.get("unit", unit)
    exact = unit_at(location, unit, content)
    return exact if has_dimension(exact) else ""
