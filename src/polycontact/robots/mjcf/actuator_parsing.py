"""Actuators of an MJCF file that a motor or an effort can stand for: those at hinges and slides, without dynamics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from polycontact.multibody import checks
from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.defaults import ACTUATORS, Defaults
from polycontact.robots.mjcf.mjcf_joints import SINGLE
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import MjcfActuator, MjcfJoint
from polycontact.robots.mjcf.settings import CompilerSettings, choice
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

_MADE: Final = ("general", "motor", "position", "velocity", "damper")
_READ: Final = (
    "name",
    "class",
    "joint",
    "jointinparent",
    "gear",
    "ctrlrange",
    "ctrllimited",
    "forcerange",
    "forcelimited",
    "kp",
    "kv",
    "gainprm",
    "biasprm",
    "gaintype",
    "biastype",
    "dyntype",
)
_WITHOUT_EFFECT: Final = ("group", "user", "lengthrange", "cranklength", "nsample", "interp", "delay")
_HARMLESS: Final = {
    "timeconst": "0",
    "dampratio": "0",
    "inheritrange": "0",
    "armature": "0",
    "actlimited": "false",
    "actdim": "-1",
    "dynprm": "1 0 0",
    "actearly": "false",
}
_ELSEWHERE: Final = ("tendon", "cranksite", "slidersite", "site", "refsite", "body")


@dataclass
class _Law:
    """Gain and bias of an actuator, as its defaults and itself set them one after the other."""

    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gain_type: str = "fixed"
    bias_type: str = "none"
    dynamics: str = "none"

    def set(self, element: Element, owner: str) -> None:
        """Take over what an element says; the short forms set all but what they have no word for."""
        tag, given = element.tag, element.attributes
        if tag == "general":
            gain, bias = _padded(element, "gainprm", owner), _padded(element, "biasprm", owner)
            self.gain = gain[0] if gain else self.gain
            self.bias = (bias[0], bias[1], bias[2]) if bias else self.bias
            self.gain_type = given.get("gaintype", self.gain_type).strip()
            self.bias_type = given.get("biastype", self.bias_type).strip()
            self.dynamics = given.get("dyntype", self.dynamics).strip()
            if self.gain_type == "affine" and not any(gain[1:3] if gain else (1.0,)):
                self.gain_type = "fixed"
            return
        self.gain_type, self.dynamics = "fixed", "none"
        if tag == "motor":
            self.gain, self.bias, self.bias_type = 1.0, (0.0, 0.0, 0.0), "none"
        elif tag == "position":
            kp = values.number(element, "kp", owner, "N m/rad or N/m", repr(self.gain), negative=False)
            kv = values.number(element, "kv", owner, "N m s/rad or N s/m", repr(-self.bias[2]), negative=False)
            self.gain, self.bias, self.bias_type = kp, (0.0, -kp, -kv), "affine"
        elif tag == "velocity":
            kv = values.number(element, "kv", owner, "N m s/rad or N s/m", repr(self.gain), negative=False)
            self.gain, self.bias, self.bias_type = kv, (0.0, 0.0, -kv), "affine"
        else:
            self.gain_type = tag


def parse_actuators(
    root: Element,
    joints: Mapping[str, MjcfJoint],
    settings: CompilerSettings,
    defaults: Defaults,
    leftovers: Leftovers,
) -> tuple[dict[str, MjcfActuator], tuple[str, ...]]:
    """Actuators by name, those that nothing here can stand for listed; and the names of all, in their order."""
    made: dict[str, MjcfActuator] = {}
    names: list[str] = []
    for section in root.named("actuator"):
        leftovers.list_children(section, ACTUATORS)
        for element in section.children:
            if element.tag not in ACTUATORS:
                continue
            name = element.attributes.get("name", "").strip() or f"actuator {len(names) + 1}"
            if name in names:
                element.fail(f"there is an actuator {shown(name)} already; names must differ")
            names.append(name)
            actuator = _actuator(element, name, joints, settings, defaults, leftovers)
            if actuator is not None:
                made[name] = actuator
    return made, tuple(names)


def _actuator(
    element: Element,
    name: str,
    joints: Mapping[str, MjcfJoint],
    settings: CompilerSettings,
    defaults: Defaults,
    leftovers: Leftovers,
) -> MjcfActuator | None:
    """The actuator of an element; None, and listed, where there is nothing for it here."""
    owner = f"actuator {shown(name)}"
    law = _Law()
    merged: dict[str, str] = {}
    for tag, attributes in defaults.actuator_chain(element):
        law.set(Element(element.file, tag, dict(attributes), element.line), owner)
        merged.update(attributes)
    whole = Element(element.file, element.tag, merged, element.line)
    reason = _reason_without_motor(whole, law, joints, owner)
    if reason:
        leftovers.add(element, f"{owner} (<{element.tag}>): {reason}")
        return None
    leftovers.list_attributes(whole, (*_READ, *_WITHOUT_EFFECT), _HARMLESS)
    gear = _padded(whole, "gear", owner, 6)
    return MjcfActuator(
        name,
        element.tag,
        (merged.get("joint") or merged["jointinparent"]).strip(),
        gear[0] if gear else 1.0,
        law.gain,
        law.bias if law.bias_type == "affine" else (0.0, 0.0, 0.0),
        _limits(whole, "ctrl", owner, settings),
        _force_limit(whole, owner, settings, leftovers),
        element.line,
    )


def _reason_without_motor(element: Element, law: _Law, joints: Mapping[str, MjcfJoint], owner: str) -> str:
    """Why no motor can replace an actuator; empty if one can."""
    elsewhere = [key for key in _ELSEWHERE if key in element.attributes]
    if elsewhere:
        return f"it acts by a {elsewhere[0]}"
    name = (element.attributes.get("joint") or element.attributes.get("jointinparent", "")).strip()
    if not name:
        element.fail(f'{owner}: it acts on nothing; write joint="…"')
    try:
        joint = joints[checks.known("joint", name, joints, owner)]
    except ValueError as error:
        element.fail(str(error))
    if joint.kind not in SINGLE:
        return f"joint {shown(name)} is {joint.kind}, and has no single coordinate"
    if element.tag not in _MADE or law.gain_type != "fixed":
        return f"its force is no linear function ({element.tag if element.tag not in _MADE else law.gain_type})"
    if law.bias_type not in ("none", "affine"):
        return f"its bias is {shown(law.bias_type)}"
    if law.dynamics != "none":
        return f"it has dynamics of its own ({law.dynamics})"
    if law.bias_type == "affine" and max(law.bias[1:]) > 0.0:
        return "it has a negative stiffness or damping"
    return ""


def _limits(element: Element, key: str, owner: str, settings: CompilerSettings) -> tuple[float, float]:
    """Lower and upper limit of a signal; infinite if the file sets none."""
    low, high = values.numbers(element, f"{key}range", owner, 2, "1", "0 0")
    limited = choice(element, f"{key}limited", "auto", "auto", "true", "false")
    has_range = (low, high) != (0.0, 0.0)
    if limited == "auto" and has_range and not settings.auto_limits:
        element.fail(
            f'{owner}: it has a {key}range, and the compiler\'s autolimits="false" leaves open whether it counts; give '
            f'{key}limited="true" or "false"'
        )
    if limited == "false" or (limited == "auto" and not has_range):
        return -math.inf, math.inf
    if low >= high:
        element.fail(f"{owner}: {key}range goes from {low:g} to {high:g}; the first must lie below the second")
    return low, high


def _force_limit(element: Element, owner: str, settings: CompilerSettings, leftovers: Leftovers) -> float:
    low, high = _limits(element, "force", owner, settings)
    if low == -high:
        return high
    leftovers.add(element, f"{owner}: its forcerange, which is not symmetric about zero")
    return math.inf


def _padded(element: Element, key: str, owner: str, most: int = 10) -> list[float]:
    """Numbers of an attribute, at least three by zeros at the end; none where it is missing."""
    if key not in element.attributes:
        return []
    value = element.attributes[key]
    words = value.split(maxsplit=most)
    if not words or len(words) > most:
        element.fail(f"{owner}: {key} is {shown(value)}; expected 1 to {most} numbers")
    found = [values.number_of(element, f"{owner}: {key}", word, value, "SI units") for word in words]
    return found + [0.0] * (3 - len(found))
