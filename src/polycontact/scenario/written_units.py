"""Numbers with units in a scenario file, such as "12 mm", are replaced by numbers in the unit of their key.

This happens before anything else looks at the content; the text of the file stays as it was written. Which unit a key
has, the schema tells; where it tells two, such as "rad or m", the joint decides that the number belongs to. Of six
numbers for translations and rotations, or a 6×6 matrix of such, it tells several, such as "N, N m", in their order.
Laws of contacts count per area, in N/m³; where these are points, in N/m.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any, Final

from polycontact.contact.options import PER_POINT
from polycontact.errors import UnitError
from polycontact.multibody.joint_types import VARIABLES, unit_of
from polycontact.scenario.file_problems import Location
from polycontact.scenario.point_contacts import belongs_to_points
from polycontact.scenario.schema_nodes import Schema, child_schema, resolved
from polycontact.units import has_dimension, quantity

OF_ANGLES: Final = ("rad", "rad/s", "N m/rad", "N m s/rad", "N m", "kg m²")
"""Units of a coordinate that is an angle, of its speed, and of what acts on it or moves with it."""


_LIKE_A_NUMBER: Final = re.compile(r"\s*[+−-]?\.?\d")
"""How a text begins that may mean a number."""


def with_numbers(raw: dict[str, Any], schema: Callable[[], Schema]) -> dict[str, Any]:
    """The content ``raw``, with all kinds, with numbers for texts that fit their key.

    Other texts stay, for the schema to refuse; it is asked for only where some text begins like a number, because
    making it takes a fifth of a second.
    """
    if not _has_number_texts(raw):
        return raw
    numbers = list(_numbers(raw, schema(), schema(), (), "", raw))
    if not numbers:
        return raw
    changed = deepcopy(raw)
    for location, number in numbers:
        holder: Any = changed
        for step in location[:-1]:
            holder = holder[step]
        holder[location[-1]] = number
    return changed


def _has_number_texts(value: Any) -> bool:
    """Whether any text in a value begins like a number."""
    if isinstance(value, str):
        return _LIKE_A_NUMBER.match(value) is not None
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(each, str | dict | list) and _has_number_texts(each) for each in inner)


def unit_at(location: Location, unit: str, raw: Mapping[str, Any]) -> str:
    """The unit of the key at ``location``; of two that the schema tells, the one that fits its joint if that is known.

    Of a law it is that of a point where none of its contacts has an area. Empty for a number without any, such as one
    of a quaternion.
    """
    if ", " in unit:
        return _unit_by_place(location, unit.split(", "))
    if unit in PER_POINT and location[0] == "contact" and belongs_to_points(location, raw):
        return PER_POINT[unit]
    if " or " not in unit or len(location) < 3 or location[0] not in ("joints", "forces"):
        return unit
    variable = _variable(location, raw)
    if variable is None:
        return unit
    own = unit_of(variable)
    return next(each for each in unit.split(" or ") if (each in OF_ANGLES) == own.startswith("rad")) if own else ""


def _unit_by_place(location: Location, units: list[str]) -> str:
    """The unit of one of six numbers, or of an entry of a 6×6 matrix: by how many of its indices are rotations'."""
    places = [step for step in location[3:] if isinstance(step, int)]
    if not places:
        return ", ".join(units)
    share = sum(place >= 3 for place in places) / len(places)
    return units[round(share * (len(units) - 1))]


def what_is_wrong(text: str, unit: str) -> str:
    """Why ``text`` is no number in ``unit``; empty where it was not meant as one, or texts are not expected at all."""
    if not has_dimension(unit) or not _LIKE_A_NUMBER.match(text):
        return ""
    try:
        quantity(text, unit)
    except UnitError as error:
        return str(error)
    return ""


def is_quantity(text: str) -> bool:
    """Whether ``text`` is a number with a unit, whichever."""
    with suppress(UnitError):
        quantity(text)
        return True
    return False


def _numbers(
    value: Any, node: Schema, schema: Schema, location: Location, unit: str, raw: Mapping[str, Any]
) -> Iterator[tuple[Location, float]]:
    """Where texts mean numbers, and which."""
    node = resolved(node, value, schema)
    unit = node.get("unit", unit)
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            if isinstance(inner, dict | list | str):
                yield from _numbers(inner, child_schema(node, step), schema, (*location, step), unit, raw)
    elif unit and _may_be_number(node, schema):
        exact = unit_at(location, unit, raw)
        if has_dimension(exact):
            with suppress(UnitError):
                yield location, quantity(value, exact)


def _may_be_number(node: Schema, schema: Schema) -> bool:
    branches = [resolved(each, None, schema) for each in node.get("anyOf", node.get("oneOf", (node,)))]
    return any(each.get("type") == "number" for each in branches)


def _variable(location: Location, raw: Mapping[str, Any]) -> str | None:
    """Name of the joint's coordinate, or of its speed, that a number of a joint or of a force belongs to."""
    table = raw[str(location[0])][location[1]]
    key, names = location[2], "coordinates"
    if location[0] == "joints":
        kind, place = table.get("kind"), location[3] if len(location) > 3 and key != "motion" else 0
        names = "speeds" if key in ("speeds", "rotor_inertia") else names
    else:
        kind, place = _kind_of_joint(table.get("joint"), raw), table.get("coordinate", 0)
        names = "speeds"  # indices of forces count degrees of freedom
    variables = {each.value: getattr(found, names) for each, found in VARIABLES.items()}.get(str(kind), ())
    fits = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(variables)
    return variables[place] if fits else None


def _kind_of_joint(name: object, raw: Mapping[str, Any]) -> object:
    joints = raw.get("joints")
    named = [each for each in joints if isinstance(each, dict)] if isinstance(joints, list) else []
    return next((each.get("kind") for each in named if each.get("name") == name), None)
