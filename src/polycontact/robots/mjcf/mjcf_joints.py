"""Joints of an MJCF file: types, anchors, axes, limits, springs, dampers, friction and rotors."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import N_QPOS, MjcfJoint
from polycontact.robots.mjcf.mjcf_placement import unit_vector
from polycontact.robots.mjcf.settings import CompilerSettings, choice
from polycontact.robots.parent_frames import Frame
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

SINGLE: Final = ("hinge", "slide")
"""Types with one coordinate."""

_READ: Final = (
    "name",
    "class",
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "ref",
    "springref",
)
_PASSIVE: Final = {
    "stiffness": ("N m/rad", "N/m"),
    "damping": ("N m s/rad", "N s/m"),
    "frictionloss": ("N m", "N"),
    "armature": ("kg m²", "kg"),
}
"""What acts along the coordinate of a hinge or a slide, and its unit at each."""

_WITHOUT_EFFECT: Final = ("group", "user", "margin", "solreflimit", "solimplimit", "solreffriction", "solimpfriction")
_HARMLESS: Final = {
    "springdamper": "0 0",
    "actuatorgravcomp": "false",
    "actuatorfrclimited": "false",
}


def parse_joint(
    element: Element, name: str, body: str, around: Frame, settings: CompilerSettings, leftovers: Leftovers
) -> MjcfJoint:
    """The joint of a <joint>, with what it inherits, or of a <freejoint>; it stands in the frame ``around``."""
    owner = f"joint {shown(name)}"
    if element.tag == "freejoint":
        leftovers.list_attributes(element, ("name", "group"), {"align": "false"})
        zero, no_limits = np.zeros(3), (-math.inf, math.inf)
        return MjcfJoint(name, "free", body, zero, zero, 0.0, *no_limits, 0.0, 0.0, 0.0, 0.0, 0.0, element.line)
    kind = choice(element, "type", "hinge", *N_QPOS)
    leftovers.list_attributes(element, (*_READ, *_PASSIVE, *_WITHOUT_EFFECT), _HARMLESS)
    leftovers.list_children(element, ())
    unit = "m" if kind == "slide" else "rad or degrees"
    factor = 1.0 if kind == "slide" else settings.angle_unit
    axis = unit_vector(element, "axis", owner, "0 0 1") if kind in SINGLE else np.array([0.0, 0.0, 1.0])
    position = np.array(values.numbers(element, "pos", owner, 3, "m", "0 0 0"))
    lower, upper = _range(element, kind, owner, unit, factor, settings)
    passive = {
        key: values.number(element, key, owner, units[kind == "slide"], "0", negative=False)
        for key, units in _PASSIVE.items()
    }
    if kind not in SINGLE:
        armature = passive.pop("armature") if kind == "ball" else 0.0
        for key, value in passive.items():
            if value:
                leftovers.add(element, f"{key} of a <joint> of the type {kind}")
        if math.isfinite(upper):
            leftovers.add(element, f"range of a <joint> of the type {kind}")
        passive, lower, upper = {**dict.fromkeys(_PASSIVE, 0.0), "armature": armature}, -math.inf, math.inf
    return MjcfJoint(
        name,
        kind,
        body,
        np.zeros(3) if kind == "free" else around.position + around.rotation @ position,
        around.rotation @ axis,
        _single(element, "ref", owner, unit, factor, kind),
        lower,
        upper,
        passive["stiffness"],
        _single(element, "springref", owner, unit, factor, kind),
        passive["damping"],
        passive["frictionloss"],
        passive["armature"],
        element.line,
    )


def _single(element: Element, key: str, owner: str, unit: str, factor: float, kind: str) -> float:
    """A value of the one coordinate of a joint; other types have none."""
    return factor * values.number(element, key, owner, unit, "0") if kind in SINGLE else 0.0


def _range(
    element: Element, kind: str, owner: str, unit: str, factor: float, settings: CompilerSettings
) -> tuple[float, float]:
    """Lower and upper end of the joint's motion, infinite if the file sets none."""
    lower, upper = (factor * each for each in values.numbers(element, "range", owner, 2, unit, "0 0"))
    limited = choice(element, "limited", "auto", "auto", "true", "false")
    has_range = (lower, upper) != (0.0, 0.0)
    if limited == "auto" and has_range and not settings.auto_limits:
        element.fail(
            f'{owner}: it has a range, and the compiler\'s autolimits="false" leaves open whether it counts; give '
            f'limited="true" or "false"'
        )
    if limited == "false" or (limited == "auto" and not has_range):
        return -math.inf, math.inf
    if lower >= upper and kind in SINGLE:
        element.fail(f"{owner}: range goes from {lower:g} to {upper:g}; the first must lie below the second")
    return lower, upper
