"""The unit of a sought parameter: that of its key, per point instead of per area where all contacts are points."""

from __future__ import annotations

from polycontact.contact.description import finds_points
from polycontact.contact.options import PER_POINT
from polycontact.scenario.key_units import unit_of_key
from polycontact.scenario.parsing import Scenario
from polycontact.units import has_dimension


def unit_of_parameter(scenario: Scenario, key: str) -> str:
    """The unit, such as "N/m³"; empty where numbers have none, or where it depends on other keys."""
    unit = unit_of_key(scenario, key)
    if key.startswith("contact") and unit in PER_POINT and _only_points(scenario):
        return PER_POINT[unit]
    return unit if has_dimension(unit) else ""


def _only_points(scenario: Scenario) -> bool:
    """Whether all contacts find points, which have no area."""
    contacts = scenario.build().compile().contacts
    return all(finds_points(each.description.to_plain()) for each in contacts) and len(contacts) > 0
