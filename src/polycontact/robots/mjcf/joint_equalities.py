"""Equalities of an MJCF file: which count, and those that let a joint follow another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from polycontact.multibody import checks
from polycontact.robots import xml_values as values
from polycontact.robots.following import JointFollowing
from polycontact.robots.mjcf.defaults import MAIN, Defaults
from polycontact.robots.mjcf.mjcf_joints import SINGLE
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import MjcfJoint
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

LOOPS: Final = ("connect", "weld")
"""Equalities that close a loop."""

_FOLLOWING: Final = "joint"
_READ: Final = ("name", "class", "active", "joint1", "joint2", "polycoef", "solref", "solimp")
_MOST_COEFFICIENTS: Final = 5


def active_equalities(root: Element, defaults: Defaults, leftovers: Leftovers) -> dict[str, Element]:
    """Equalities by name, with what they inherit; such as are not understood, or not active, are listed."""
    found: dict[str, Element] = {}
    for section in root.named("equality"):
        for each in section.children:
            element = defaults.applied(each, MAIN, "equality")
            name = element.attributes.get("name", "").strip() or f"{element.tag} in line {element.line}"
            if element.tag not in (*LOOPS, _FOLLOWING):
                leftovers.add(element, f"<{element.tag}> in <equality>")
            elif element.attributes.get("active", "true").strip() != "true":
                leftovers.add(element, f"<{element.tag}> {shown(name)} in <equality>, which is not active")
            elif name in found:
                element.fail(f"there is an equality {shown(name)} already; names must differ")
            else:
                found[name] = element
    return found


def parse_followings(
    equalities: Mapping[str, Element], joints: Mapping[str, MjcfJoint], leftovers: Leftovers
) -> dict[str, JointFollowing]:
    """Joints that follow others; ``joints`` by their names in the file.

    An equality holds y - y₀ = a₀ + a₁ (x - x₀) + …, where x₀ and y₀ are values in the configuration of the file, from
    which a system counts. Those that are not linear are listed.
    """
    made: dict[str, JointFollowing] = {}
    for name, element in equalities.items():
        if element.tag != _FOLLOWING:
            continue
        owner = f"equality {shown(name)}"
        leftovers.list_attributes(element, _READ)
        follower = _joint(element, "joint1", joints, owner)
        leader = _joint(element, "joint2", joints, owner) if "joint2" in element.attributes else None
        if leader is follower:
            element.fail(f"{owner}: joint1 and joint2 are both {shown(follower.name)}; name two joints")
        offset, multiplier, *others = _coefficients(element, owner)
        if leader is not None and any(others):
            leftovers.add(element, f"<joint> {shown(name)} in <equality>, whose polycoef is not linear")
            continue
        led_by = None if leader is None or multiplier == 0.0 else leader.name
        made[name] = JointFollowing(name, follower.name, led_by, multiplier, offset, element.line)
    return made


def _coefficients(element: Element, owner: str) -> list[float]:
    """Those that are given, then those of "0 1 0 0 0"."""
    text = element.attributes.get("polycoef", "")
    words = text.split(maxsplit=_MOST_COEFFICIENTS)
    if len(words) > _MOST_COEFFICIENTS:
        element.fail(f"{owner}: polycoef is {shown(text)}; expected at most {_MOST_COEFFICIENTS} numbers")
    given = [values.number_of(element, f"{owner}: polycoef", word, text, "rad or m") for word in words]
    return [*given, *[0.0, 1.0, 0.0, 0.0, 0.0][len(given) :]]


def _joint(element: Element, key: str, joints: Mapping[str, MjcfJoint], owner: str) -> MjcfJoint:
    name = values.text(element, key, owner)
    try:
        joint = joints[checks.known("joint", name, joints, owner)]
    except ValueError as error:
        element.fail(str(error))
    if joint.kind not in SINGLE:
        element.fail(
            f"{owner}: joint {shown(name)} is of the type {joint.kind} and has no single value; name a hinge or a slide"
        )
    return joint
