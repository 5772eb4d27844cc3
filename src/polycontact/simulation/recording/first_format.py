"""Pairings as polycontact 0.1 wrote them into run files: loose parameters instead of a description."""

from __future__ import annotations

from typing import Any

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.methods import Base, ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.errors import ContactError


def pairing_of_format_1(pairing: dict[str, Any], turn: int) -> dict[str, Any]:
    """A pairing in the present form. Its shapes were not told: the ``turn``-th pairing of two bodies is assumed to
    be that of their ``turn``-th shapes; the contact is empty where none was recorded.
    """
    given = pairing.get("parameters", {})
    try:
        contact = _description(given).to_plain() if given else {}
    except (ContactError, KeyError, TypeError, ValueError):
        contact = {}
    names = {name: pairing[name] for name in ("name", "e", "f")}
    return {**names, "shape_e": 0, "shape_f": turn, "contact": contact}


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
