"""The one switch from points to areas, ``simple_response`` of [contact] (S4.15): what it makes of the shapes.

With true, shapes that say no geometry touch as their exact convex body, so that every pair touches in a point; with
false they touch as meshes, as they do without it. The text of the file stays as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polycontact.errors import SurfaceError
from polycontact.scenario.checks.body_checks import shapes_of
from polycontact.scenario.contact_parts import given_part
from polycontact.scenario.file_problems import Location, Problem
from polycontact.scenario.raw_content import Raw, table
from polycontact.scenario.readable_tables import entries, given
from polycontact.scenario.schema.assembly_keys import AssemblyTable
from polycontact.scenario.schema.contact_keys import FLAT_KEYS, Contact
from polycontact.scenario.schema.robot_keys import RobotTable
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import ShapeTable
from polycontact.surfaces.alternatives import KINDS, MESH, alternatives_of, check_choice

CONVEX = "convex"


def asks_for_points(raw: Raw) -> bool:
    """Whether a file asks for contacts in points."""
    return table(raw, "contact").get("simple_response") is True


def with_geometries(raw: dict[str, Any]) -> dict[str, Any]:
    """The content with the geometry of shapes, robots and assemblies that say none, where points are asked for."""
    if not asks_for_points(raw):
        return raw
    changed = dict(raw)
    if isinstance(raw.get("bodies"), list):
        changed["bodies"] = [_with_convex_shapes(each) if isinstance(each, dict) else each for each in raw["bodies"]]
    for key in ("robots", "assemblies"):
        if isinstance(raw.get(key), list):
            changed[key] = [{"geometry": CONVEX, **each} if isinstance(each, dict) else each for each in raw[key]]
    return changed


def check_simple_response(model: ScenarioModel, contact: Contact) -> Iterator[Problem]:
    """What stands against the switch: laws and methods of all pairs, and shapes that cannot touch so."""
    if contact.simple_response is None:
        return
    for key in _chosen_by_it(contact):
        remedy = "leave it out, or leave simple_response out; a pair may have its own"
        yield Problem(("contact", key), f"simple_response chooses the method and the law of all pairs; {remedy}")
    for i, body in entries(model.bodies):
        for place, shape in shapes_of(body):
            if (shape.contact if given(shape, "contact") else body.contact) is not False:
                yield from _check_geometry(("bodies", i, *place), shape, contact)
    for i, robot in entries(model.robots):
        yield from _check_geometry(("robots", i), robot, contact)
    for i, assembly in entries(model.assemblies):
        yield from _check_geometry(("assemblies", i), assembly, contact)


def _check_geometry(
    where: Location, entry: ShapeTable | RobotTable | AssemblyTable, contact: Contact
) -> Iterator[Problem]:
    """A shape, or what a file brings, that cannot touch as the switch asks for."""
    if contact.simple_response:
        if isinstance(entry, ShapeTable) and entry.kind in KINDS and not given(entry, "geometry"):
            try:
                check_choice(entry.kind, (), CONVEX)
            except SurfaceError as error:
                yield Problem(where, f"simple_response = true asks for contact in a point; {error}")
    elif entry.geometry not in (MESH, None):
        told = f'"{entry.geometry}" touches in a point, and simple_response = false asks for areas'
        yield Problem((*where, "geometry"), f"{told}; leave one of them out")


def _chosen_by_it(contact: Contact) -> Iterator[str]:
    """Keys of [contact] for what the switch chooses itself."""
    if given_part("law", contact).says_something:
        yield from ["law"] if given(contact, "law") else [key for key in FLAT_KEYS["law"] if given(contact, key)]
    if given(contact, "method"):
        yield "method"
    if contact.simple_response:
        yield from (key for key in FLAT_KEYS["method"] if given(contact, key))


def _with_convex_shapes(body: dict[str, Any]) -> dict[str, Any]:
    changed = dict(body)
    if isinstance(body.get("shape"), dict):
        changed["shape"] = _as_convex(body["shape"], body)
    if isinstance(body.get("shapes"), list):
        changed["shapes"] = [_as_convex(each, body) if isinstance(each, dict) else each for each in body["shapes"]]
    return changed


def _as_convex(shape: dict[str, Any], body: Raw) -> dict[str, Any]:
    """A shape as a convex body, if it takes part in contact, says no geometry itself and can be one."""
    touches = shape.get("contact", body.get("contact", True)) is not False
    kind = shape.get("kind")
    if not touches or "geometry" in shape or kind not in KINDS or CONVEX not in alternatives_of(str(kind)):
        return shape
    return {**shape, "geometry": CONVEX}
