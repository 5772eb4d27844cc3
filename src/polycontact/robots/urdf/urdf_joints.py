"""Joints of a URDF file: kinds, frames, axes, limits, damping and friction, and which joint they follow."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.robots import xml_values as values
from polycontact.robots.following import JointFollowing
from polycontact.robots.urdf.link_parsing import parse_frame
from polycontact.robots.urdf.urdf_leftovers import Leftovers
from polycontact.robots.urdf.urdf_robot import JointLimits, UrdfJoint
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

KINDS: Final = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
"""Types of joints in URDF."""

SINGLE: Final = ("revolute", "continuous", "prismatic")
"""Those with one coordinate."""

_LIMITED: Final = ("revolute", "prismatic")
_WITH_AXIS: Final = (*SINGLE, "planar")
_UNITS: Final = {"prismatic": ("m", "N", "m/s", "N s/m")}
_ANGULAR: Final = ("rad", "N m", "rad/s", "N m s/rad")


def parse_joint(element: Element, leftovers: Leftovers) -> UrdfJoint:
    """Kind, links, axis and limits of a <joint> element; what it has besides goes to ``leftovers``."""
    name = values.text(element, "name", "a joint")
    owner = f"joint {shown(name)}"
    kind = values.text(element, "type", owner)
    if kind not in KINDS:
        element.fail(f"{owner}: type is {shown(kind)}; allowed: {', '.join(KINDS)}")
    leftovers.list_others(element, ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"), owner)
    return UrdfJoint(
        name,
        kind,
        _end(element, "parent", owner),
        _end(element, "child", owner),
        parse_frame(element, owner, leftovers),
        _axis(element, kind, owner),
        _limits(element, kind, owner, leftovers),
        *_dynamics(element, kind, owner, leftovers),
        _mimic(element, name, kind, leftovers),
        element.line,
    )


def _end(element: Element, tag: str, owner: str) -> str:
    found = element.only(tag)
    if found is None:
        element.fail(f'{owner} has no {tag}; add <{tag} link="…"/>')
    return values.text(found, "link", owner)


def _axis(element: Element, kind: str, owner: str) -> NDArray[np.float64]:
    """Direction of the axis in the joint's frame, of length one; x where none is given."""
    found = element.only("axis")
    axis = values.vector(found, "xyz", f"{owner}: axis", "1", "1 0 0")
    length = float(np.linalg.norm(axis))
    if length == 0.0 and kind in _WITH_AXIS:
        (found or element).fail(f"{owner}: axis is zero; give a direction, such as 0 0 1")
    return np.asarray(axis / length) if length else axis


def _limits(element: Element, kind: str, owner: str, leftovers: Leftovers) -> JointLimits | None:
    """As the file tells them; numbers that are left out are zero for ``lower`` and ``upper``, none otherwise."""
    found = element.only("limit")
    if found is None:
        return None
    leftovers.list_attributes(found, ("lower", "upper", "effort", "velocity"), owner)
    owner = f"{owner}: limit"
    unit, effort_unit, speed_unit, _ = _UNITS.get(kind, _ANGULAR)
    effort, velocity = (
        values.limit(found, key, owner, each) if key in found.attributes else math.inf
        for key, each in (("effort", effort_unit), ("velocity", speed_unit))
    )
    if kind not in _LIMITED:
        return JointLimits(-math.inf, math.inf, effort, velocity)
    lower, upper = (values.limit(found, key, owner, unit) for key in ("lower", "upper"))
    if lower > upper:
        found.fail(f"{owner}: lower ({lower:g} {unit}) lies above upper ({upper:g} {unit}); swap them")
    return JointLimits(lower, upper, effort, velocity)


def _dynamics(element: Element, kind: str, owner: str, leftovers: Leftovers) -> tuple[float, float]:
    """Damping and dry friction along the one coordinate of a joint."""
    found = element.only("dynamics")
    if found is None:
        return 0.0, 0.0
    leftovers.list_attributes(found, ("damping", "friction"), owner)
    _, effort_unit, _, damping_unit = _UNITS.get(kind, _ANGULAR)
    damping, friction = (
        values.number(found, key, f"{owner}: dynamics", unit, "0", negative=False)
        for key, unit in (("damping", damping_unit), ("friction", effort_unit))
    )
    if kind in SINGLE:
        return damping, friction
    for what, value in (("damping", damping), ("friction", friction)):
        if value and kind != "fixed":
            leftovers.add(found, f"{owner}: {what} of a joint of the type {kind}")
    return 0.0, 0.0


def _mimic(element: Element, name: str, kind: str, leftovers: Leftovers) -> JointFollowing | None:
    """The joint that this one follows, None without <mimic>; `with_leaders` checks later whether it exists."""
    found = element.only("mimic")
    if found is None:
        return None
    owner = f"joint {shown(name)}"
    leader = values.text(found, "joint", owner)
    leftovers.list_attributes(found, ("joint", "multiplier", "offset"), owner)
    unit = _UNITS.get(kind, _ANGULAR)[0]
    multiplier = values.number(found, "multiplier", f"{owner}: mimic", f"{unit} per rad or m", "1")
    offset = values.number(found, "offset", f"{owner}: mimic", unit, "0")
    if kind not in SINGLE:
        leftovers.add(found, f"{owner}: <mimic> of a joint of the type {kind}")
        return None
    return JointFollowing(f"{name} mimic", name, leader, multiplier, offset, found.line)
