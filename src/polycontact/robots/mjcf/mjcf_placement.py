"""How MJCF says where something stands and how it is turned: pos, and one of quat, axisangle, euler, xyaxes, zaxis."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import from_quaternion
from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.settings import CompilerSettings
from polycontact.robots.parent_frames import Frame
from polycontact.robots.xml_elements import Element

ORIENTATIONS: Final = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
PLACEMENT: Final = ("pos", *ORIENTATIONS)
_SHORT: Final = 1e-10
"""Directions below this length have none, and MuJoCo refuses them as well."""

Array = NDArray[np.float64]


def parse_frame(element: Element, settings: CompilerSettings, owner: str) -> Frame:
    """Where an element stands; the frame around it where it says nothing."""
    return Frame(
        parse_rotation(element, settings, owner), np.array(values.numbers(element, "pos", owner, 3, "m", "0 0 0"))
    )


def parse_rotation(element: Element, settings: CompilerSettings, owner: str) -> Array:
    """Rotation (3, 3) of an element in its parent; the identity if none is given."""
    given = [key for key in ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        element.fail(f"{owner}: {' and '.join(given)} are given; leave one out")
    if not given:
        return np.eye(3)
    (key,) = given
    if key == "quat":
        return rotation_of_quaternion(element, "quat", owner)
    if key == "axisangle":
        *axis, angle = values.numbers(element, key, owner, 4, "1 and an angle")
        return turn(_direction(element, np.array(axis), f"{owner}: the axis of axisangle"), angle * settings.angle_unit)
    if key == "euler":
        angles = values.numbers(element, key, owner, 3, "rad or degrees")
        return rotation_of_euler([angle * settings.angle_unit for angle in angles], settings.euler_sequence)
    if key == "zaxis":
        return along(_direction(element, np.array(values.numbers(element, key, owner, 3, "1")), f"{owner}: zaxis"))
    six = np.array(values.numbers(element, key, owner, 6, "1"))
    x = _direction(element, six[:3], f"{owner}: the x axis of xyaxes")
    y = _direction(element, six[3:] - x * (x @ six[3:]), f"{owner}: the y axis of xyaxes, across the x axis,")
    return np.column_stack([x, y, np.cross(x, y)])


def rotation_of_quaternion(element: Element, key: str, owner: str, default: str | None = None) -> Array:
    """The rotation of a quaternion (w, x, y, z) of any length but zero."""
    quaternion = np.array(values.numbers(element, key, owner, 4, "1", default))
    if not np.linalg.norm(quaternion) > _SHORT:
        element.fail(f"{owner}: {key} is zero; give a quaternion (w, x, y, z), such as 1 0 0 0")
    return from_quaternion(quaternion)


def rotation_of_euler(angles: list[float], sequence: str) -> Array:
    """Turns about axes: those of small letters turn with the frame, those of capital letters stay; angles in rad."""
    R = np.eye(3)
    for angle, letter in zip(angles, sequence, strict=True):
        each = turn(np.eye(3)["xyz".index(letter.lower())], angle)
        R = R @ each if letter.islower() else each @ R
    return R


def along(direction: Array) -> Array:
    """The shortest turn of the z axis onto a unit vector; half a turn about x where that is opposite."""
    axis = np.cross([0.0, 0.0, 1.0], direction)
    sine = float(np.linalg.norm(axis))
    axis = np.array([1.0, 0.0, 0.0]) if sine < _SHORT else axis / sine
    return turn(axis, math.atan2(sine, float(direction[2])))


def turn(axis: Array, angle: float) -> Array:
    """The rotation by an angle (rad) about a unit vector."""
    return from_quaternion(np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) * axis)]))


def unit_vector(element: Element, key: str, owner: str, default: str) -> Array:
    """A direction, of length one."""
    return _direction(element, np.array(values.numbers(element, key, owner, 3, "1", default)), f"{owner}: {key}")


def _direction(element: Element, vector: Array, what: str) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > _SHORT:
        element.fail(f"{what} is zero; give a direction, such as 0 0 1")
    return np.asarray(vector / length)
