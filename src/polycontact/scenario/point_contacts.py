"""Which contacts of a scenario file are points, where a law counts in N/m, and not per area in N/m³."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from polycontact.contact.description import finds_points
from polycontact.contact.kinds import kinds_of
from polycontact.scenario.file_problems import Location
from polycontact.scenario.raw_content import Raw, entries, table, text
from polycontact.scenario.told_kinds import told_kind
from polycontact.surfaces.alternatives import MESH


def belongs_to_points(location: Location, raw: Mapping[str, Any]) -> bool:
    """Whether a key of [contact], or of one of its pairs, belongs to contacts that are points, all of them."""
    contact = table(raw, "contact")
    if len(location) > 2 and location[1] == "pairs":
        return any(_is_point(raw, contact, pair) for i, pair in entries(contact, "pairs") if i == location[2])
    pairs = [pair for _, pair in entries(contact, "pairs")]
    found = [_is_point(raw, contact, pair) for pair in pairs]
    if contact.get("automatic") is True or location[1:2] == ("material_pairs",):
        found.append(_finds_points(contact, {}, [*_exact_bodies(raw).values(), _others_are_exact(raw)]))
    return bool(found) and all(found)


def _is_point(raw: Raw, contact: Raw, pair: Raw) -> bool:
    exact = _exact_bodies(raw)
    others = _others_are_exact(raw)
    bodies = pair.get("bodies")
    named = [each for each in bodies if isinstance(each, str)] if isinstance(bodies, list) else []
    return _finds_points(contact, pair, [exact.get(each, others) for each in named])


def _finds_points(contact: Raw, pair: Raw, exact: Collection[bool]) -> bool:
    """Whether contacts are points: by the method if one is given, else by the geometry of the bodies."""
    kind = told_kind("method", pair) or told_kind("method", contact)
    if kind in kinds_of("method"):
        return finds_points({"method": {"kind": kind}})
    if isinstance(contact.get("simple_response"), bool):
        return contact["simple_response"] is True
    return bool(exact) and all(exact)


def _exact_bodies(raw: Raw) -> dict[str, bool]:
    return {name: _is_exact(body) for _, body in entries(raw, "bodies") if (name := text(body, "name")) is not None}


def _is_exact(body: Raw) -> bool:
    """Whether no contact shape of a body is a mesh."""
    shapes = [table(body, "shape")] if "shape" in body else [each for _, each in entries(body, "shapes")]
    touching = [shape for shape in shapes if shape.get("contact", body.get("contact", True)) is not False]
    return all(shape.get("geometry", MESH) != MESH for shape in touching)


def _others_are_exact(raw: Raw) -> bool:
    """Whether bodies that are not listed, links of robots and parts of assemblies, are no meshes."""
    return all(each.get("geometry", MESH) != MESH for key in ("robots", "assemblies") for _, each in entries(raw, key))
