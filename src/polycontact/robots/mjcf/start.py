"""How a model starts: values of its joints as given, or those of a key frame; and signals of its actuators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import RobotError
from polycontact.multibody import checks
from polycontact.multibody.motion_functions import FunctionOfTime
from polycontact.multibody.rotations import from_quaternion
from polycontact.robots.adding import StartValues, told_at
from polycontact.robots.following import follow
from polycontact.robots.mjcf.mjcf_model import N_QPOS, N_QVEL, MjcfJoint, MjcfKey, MjcfModel

Controls = Mapping[str, FunctionOfTime]
"""Signals (ctrl) of actuators by their names: a number, a formula of time, or a motion."""

Array = NDArray[np.float64]


class Start(NamedTuple):
    """Coordinates and speeds of joints as the system has them, and signals of actuators, each by name."""

    coordinates: dict[str, Array]
    speeds: dict[str, Array]
    controls: dict[str, FunctionOfTime]


def start_of(
    model: MjcfModel,
    key: str | None,
    coordinates: StartValues | None,
    speeds: StartValues | None,
    controls: Controls | None,
) -> Start:
    """What is given comes before what the key frame says; all other joints stand as the file places them."""
    start = Start({}, {}, {})
    if key is not None:
        with told_at(model.file):
            _take_key(model, model.keys[checks.known("key frame", key, model.keys, "key")], start)
    for name, value in _checked(model, "coordinates", coordinates, model.joints).items():
        start.coordinates[name] = _coordinates(model.joints[name], _array(model, "coordinates", name, value, N_QPOS))
    for name, value in _checked(model, "speeds", speeds, model.joints).items():
        start.speeds[name] = _array(model, "speeds", name, value, N_QVEL)
    _take_followings(model, start.coordinates, "coordinates", coordinates)
    _take_followings(model, start.speeds, "speeds", speeds)
    start.controls.update(_checked(model, "controls", controls, model.actuators))
    return start


def _take_key(model: MjcfModel, key: MjcfKey, start: Start) -> None:
    at_q = at_v = 0
    for name, joint in model.joints.items():
        n_q, n_v = N_QPOS[joint.kind], N_QVEL[joint.kind]
        if key.qpos is not None:
            start.coordinates[name] = _coordinates(joint, key.qpos[at_q : at_q + n_q])
        if key.qvel is not None:
            turn = from_quaternion(key.qpos[at_q : at_q + n_q][-4:]) if key.qpos is not None and n_v > 1 else np.eye(3)
            start.speeds[name] = _speeds(joint, key.qvel[at_v : at_v + n_v], turn)
        at_q, at_v = at_q + n_q, at_v + n_v
    if key.ctrl is not None:
        start.controls.update(zip(model.actuators, key.ctrl.tolist(), strict=True))


def _take_followings(model: MjcfModel, start: dict[str, Array], what: str, given: StartValues | None) -> None:
    """Joints that follow others start where these put them, whatever the key frame says."""
    values = {name: float(value[0]) for name, value in start.items() if len(value) == 1}
    zeros = {name: joint.reference for name, joint in model.joints.items()} if what == "coordinates" else None
    for name, value in follow(model.file, what, model.followings.values(), values, given or (), zeros).items():
        start[name] = np.array([value])


def _coordinates(joint: MjcfJoint, qpos: Array) -> Array:
    """Values of the file as those of the system, which are zero where the file places the body."""
    return qpos - joint.reference if len(qpos) == 1 else qpos


def _speeds(joint: MjcfJoint, qvel: Array, turn: Array) -> Array:
    """Speeds of the file as those of the system: an angular velocity is in the axes of the parent, not the body's."""
    return qvel if len(qvel) == 1 else np.concatenate([qvel[:-3], turn @ qvel[-3:]])


def _checked(
    model: MjcfModel, what: str, given: Mapping[str, Any] | None, known: Mapping[str, object]
) -> Mapping[str, Any]:
    """``given``, or nothing for None; names that are not ``known`` raise an error."""
    if given is None:
        return {}
    thing = "actuator" if what == "controls" else "joint"
    if not isinstance(given, Mapping):
        raise RobotError(f'{what} is {given!r}; give values by the names of {thing}s: {{"elbow": 0.5}}')
    with told_at(model.file):
        for name in given:
            checks.known(thing, name, known, what)
    return given


def _array(model: MjcfModel, what: str, name: str, value: object, counts: Mapping[str, int]) -> Array:
    kind = model.joints[name].kind
    with told_at(model.file):
        found = np.atleast_1d(checks.floats(f"joint {name!r}", what, value, "rad, m"))  # type: ignore[arg-type]
        return checks.array(f"joint {name!r}", what, found, (counts[kind],), "rad, m")
