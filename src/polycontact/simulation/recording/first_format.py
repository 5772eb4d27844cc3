"""Pairings as polycontact 0.1 wrote them into run files: loose parameters instead of a description."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.methods import Base, ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.errors import ContactError
from polycontact.simulation.recording.records import BodyRecord


def pairings_of_any_format(pairings: list[dict[str, Any]], bodies: Sequence[BodyRecord]) -> list[dict[str, Any]]:
    """Pairings as they are written now.

    Polycontact 0.1 did not write which shapes touch: its pairings of two bodies stood in the order of their contact
    shapes. The contact is empty where no parameters were recorded.
    """
    shapes = {body.name: [i for i, shape in enumerate(body.shapes) if shape.contact] for body in bodies}
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for pairing in pairings:
        if "contact" in pairing:
            found.append(pairing)
            continue
        e, f = pairing["e"], pairing["f"]
        pairs = list(itertools.product(shapes.get(e, ()), shapes.get(f, ())))
        shape_e, shape_f = pairs[seen[e, f]] if seen[e, f] < len(pairs) else (0, 0)
        seen[e, f] += 1
        contact = _contact(pairing.get("parameters", {}))
        found.append(
            {"name": pairing["name"], "e": e, "f": f, "shape_e": shape_e, "shape_f": shape_f, "contact": contact}
        )
    return found


def told_by_first_format(contact: dict[str, Any]) -> dict[str, Any]:
    """What polycontact 0.1 wrote of a contact, of a description in plain data: of two layers what they are together."""
    description = ContactDescription.from_plain(contact)
    method, law, friction = contact["method"], contact["law"], contact["friction"]
    told_of_law = {name: law.get(name) for name in ("kind", "damping", "transition_depth")}
    return {
        "method": {name: method.get(name) for name in ("kind", "base", "elements", "depth")},
        "law": told_of_law | {"stiffness": description.stiffness},
        "depth_share": description.depth_share,
        "friction": friction if friction and friction.get("coefficient") != 0.0 else None,
    }


def _contact(given: dict[str, Any]) -> dict[str, Any]:
    """The description that loose parameters amount to; nothing where they are not enough."""
    try:
        return _description(given).to_plain() if given else {}
    except (ContactError, KeyError, TypeError, ValueError):
        return {}


def _description(given: dict[str, Any]) -> ContactDescription:
    share = given.get("depth_share")
    stiffness = float(given["stiffness"])
    friction = None
    if given.get("friction"):
        friction = RegularisedCoulomb(coefficient=given["friction"], velocity=given["friction_velocity"])
    return ContactDescription(
        method=_method(given),
        law=LayerLaw(
            stiffness=stiffness if share is None else None,
            damping=given.get("damping", 0.0),
            transition_depth=given.get("transition_depth", 0.0),
        ),
        layers=None if share is None else (_layer(stiffness, share), _layer(stiffness, 1.0 - share)),
        friction=friction,
    )


def _method(given: dict[str, Any]) -> ContactMethod:
    base = Base(given.get("base", "E"))
    if given.get("generator") == "penetration_lines":
        return PenetrationLines(base=base, depth=given.get("depth", "base_normal"))
    return PolygonalMethod(
        base=base, elements=given.get("elements", "clipped"), depth=given.get("depth", "base_normal")
    )


def _layer(stiffness: float, part: float) -> ElasticLayer:
    """A layer that takes a part of the depth where two together have a ``stiffness`` (N/m³)."""
    if part <= 0.0:
        return ElasticLayer.rigid()
    return ElasticLayer(youngs_modulus=stiffness / part, poissons_ratio=0.0, thickness=1.0)
