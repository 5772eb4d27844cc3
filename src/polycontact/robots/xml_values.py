"""Values of attributes: names, numbers, vectors, rotations and colours, each checked where it is read."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import from_quaternion
from polycontact.robots.xml_elements import Element, refuse_xacro_value
from polycontact.surfaces.reading.source import shown

LARGEST: Final = 1e30
"""Largest magnitude of a number in a robot file: its square still is far from overflow."""

_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_INFINITE: Final = re.compile(r"[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)


def text(element: Element, key: str, owner: str) -> str:
    """The attribute ``key``, which must be there and not empty."""
    value = element.attributes.get(key, "").strip()
    if not value:
        element.fail(f'{owner}: <{element.tag}> has no {key}; write <{element.tag} {key}="…">')
    refuse_xacro_value(element, value)
    return value


def numbers(element: Element, key: str, owner: str, count: int, unit: str, default: str | None = None) -> list[float]:
    """``count`` finite numbers; ``default`` is the text that a missing attribute stands for, None: it must be there."""
    value = text(element, key, owner) if default is None else element.attributes.get(key, default)
    return [
        number_of(element, f"{owner}: {key}", word, value, unit)
        for word in _words(element, key, owner, value, count, unit)
    ]


def number(
    element: Element,
    key: str,
    owner: str,
    unit: str,
    default: str | None = None,
    *,
    positive: bool = False,
    negative: bool = True,
) -> float:
    """One number: above zero if ``positive``, not below it unless ``negative`` ones are allowed."""
    (value,) = numbers(element, key, owner, 1, unit, default)
    if (value < 0.0 and not negative) or (value <= 0.0 and positive):
        wanted = "positive" if positive else "not negative"
        element.fail(f"{owner}: {key} is {value:g} {unit}; it must be {wanted}")
    return value


def limit(element: Element, key: str, owner: str, unit: str) -> float:
    """A number that may be infinite: there is no limit; zero where it is left out."""
    value = element.attributes.get(key, "0").strip()
    if _INFINITE.fullmatch(value):
        return -math.inf if value.startswith("-") else math.inf
    return number(element, key, owner, unit, "0")


def vector(
    element: Element | None, key: str, owner: str, unit: str, default: str | None = "0 0 0"
) -> NDArray[np.float64]:
    """Three numbers; ``default`` where the element or the attribute is missing."""
    if element is None:
        return np.array([float(word) for word in (default or "0 0 0").split()])
    return np.array(numbers(element, key, owner, 3, unit, default))


def rotation(element: Element | None, owner: str) -> NDArray[np.float64]:
    """The rotation (3, 3) of an <origin>: roll, pitch and yaw, turns about the fixed x, then y, then z axis, rad.

    URDF 1.2 has quaternions too, quat_xyzw.
    """
    if element is not None and "quat_xyzw" in element.attributes:
        if "rpy" in element.attributes:
            element.fail(f"{owner}: both rpy and quat_xyzw are given; leave one out")
        quaternion = np.array(numbers(element, "quat_xyzw", owner, 4, "1"))[[3, 0, 1, 2]]
        if not 0.5 < np.linalg.norm(quaternion) < 2.0:
            element.fail(f"{owner}: quat_xyzw has length {np.linalg.norm(quaternion):.3g}; it must be 1")
        return from_quaternion(quaternion)
    return rotation_of_rpy(*vector(element, "rpy", owner, "rad").tolist())


def rotation_of_rpy(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """R = R_z(yaw) R_y(pitch) R_x(roll); angles in rad."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle), math.sin(angle)) for angle in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def number_of(element: Element, what: str, word: str, value: str, unit: str) -> float:
    """The number that a word of an attribute means."""
    refuse_xacro_value(element, word)
    if not _NUMBER.fullmatch(word):
        found = "is not finite" if _INFINITE.fullmatch(word) or word.lower().lstrip("+-") == "nan" else "is no number"
        of = "" if word == value.strip() else f" in {shown(value)}"
        comma = "; write a point, no comma" if "," in word else ""
        element.fail(f"{what}: {shown(word)}{of} {found}{comma}; give a number in {unit}")
    result = float(word)
    if not abs(result) <= LARGEST:
        element.fail(f"{what}: {shown(word)} {unit} is too large; allowed is a magnitude of up to {LARGEST:g}")
    return result


def _words(element: Element, key: str, owner: str, value: str, count: int, unit: str) -> list[str]:
    words = value.split(maxsplit=count)
    if len(words) != count:
        refuse_xacro_value(element, value)
        wanted = "one number" if count == 1 else f"{count} numbers with spaces between them"
        element.fail(f"{owner}: {key} is {shown(value)}; expected {wanted}, in {unit}")
    return words
