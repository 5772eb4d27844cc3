"""Run files of polycontact 0.1: pairings with loose parameters, and shapes told by their order alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polycontact.contact.description import ContactDescription
from polycontact.simulation.recording.first_format import pairings_of_any_format
from polycontact.simulation.recording.records import BodyRecord, ShapeRecord

PARAMETERS: dict[str, Any] = {
    "stiffness": 1e7,
    "depth_share": 0.25,
    "damping": 20.0,
    "transition_depth": 1e-3,
    "friction": 0.3,
    "friction_velocity": 0.01,
    "elements": "whole",
    "depth": "base_normal",
    "generator": "intersection",
    "base": "both",
}


def body(name: str, *contact: bool) -> BodyRecord:
    vertices, triangles = np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32)
    shapes = tuple(
        ShapeRecord(f"{name} {i}", vertices, triangles, np.zeros(3), np.eye(3), each) for i, each in enumerate(contact)
    )
    return BodyRecord(name, 1.0, np.zeros(3), np.eye(3), shapes)


BODIES = (body("a", True, False, True), body("b", True, True))


def old(name: str, **parameters: Any) -> dict[str, Any]:
    return {"name": name, "e": "a", "f": "b", "parameters": parameters}


def test_parameters_become_a_description() -> None:
    (pairing,) = pairings_of_any_format([old("a–b", **PARAMETERS)], BODIES)
    description = ContactDescription.from_plain(pairing["contact"])
    assert description.stiffness == pytest.approx(1e7)
    assert description.depth_share == pytest.approx(0.25)
    assert (description.law.damping, description.law.transition_depth) == (20.0, 1e-3)  # type: ignore[attr-defined]
    assert description.friction is not None
    assert (description.method.base.value, description.method.elements) == ("both", "whole")  # type: ignore[attr-defined]


def test_shapes_follow_from_the_order() -> None:
    found = pairings_of_any_format([old(f"pair {i}", **PARAMETERS) for i in range(4)], BODIES)
    assert [(each["shape_e"], each["shape_f"]) for each in found] == [(0, 0), (0, 1), (2, 0), (2, 1)]


def test_what_is_missing_stays_empty() -> None:
    found = pairings_of_any_format([old("far apart"), old("odd", stiffness="soft")], BODIES)
    assert [each["contact"] for each in found] == [{}, {}]


def test_present_pairings_stay_as_they_are() -> None:
    pairing = {"name": "a–b", "e": "a", "f": "b", "shape_e": 2, "shape_f": 1, "contact": {"kind": "contact"}}
    assert pairings_of_any_format([pairing], BODIES) == [pairing]
