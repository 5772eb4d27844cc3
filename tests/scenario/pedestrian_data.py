"""The man of the built-in pedestrian scenario as its file has him: segments, joints, stops and where he starts."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.schema.force_keys import EndStopTable, SwingTwistStopTable

MODEL = load_scenario("pedestrian").model
SEGMENTS = tuple(body.name for body in MODEL.bodies if body.material == "flesh")
LIMBS = tuple(name.removeprefix("left ") for name in SEGMENTS if name.startswith("left "))
JOINTS = tuple(joint for joint in MODEL.joints if joint.child in SEGMENTS)
NEIGHBOURS = {frozenset((joint.parent, joint.child)) for joint in JOINTS}


class Placement(NamedTuple):
    """Rotation (3, 3) and position (3,) in m of a segment in the world."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]


@cache
def man_and_car() -> pc.MultibodySystem:
    """The system, built once; not to be changed."""
    return load_scenario("pedestrian").build()


def surface_of(name: str) -> pc.Surface:
    return man_and_car().bodies[name].shapes[0].surface


@cache
def start() -> dict[str, Placement]:
    """Where the segments are at the start, as a run has them."""
    trajectory = pc.simulate(man_and_car(), end_time=1e-6).trajectory
    histories = {name: trajectory.body(name) for name in SEGMENTS}
    return {name: Placement(each.rotation[0], each.position[0]) for name, each in histories.items()}


def standing_origins() -> dict[str, NDArray[np.float64]]:
    """Origin (3,) of each segment in m as he stands upright, from the pelvis."""
    origins = {"pelvis": np.zeros(3)}
    for joint in JOINTS:
        origins[joint.child] = origins[joint.parent] + joint.at
    return origins


def end_stops(joint: str) -> list[EndStopTable]:
    """End stops of the coordinates of a joint, in their order."""
    found = [force for force in MODEL.forces if isinstance(force, EndStopTable) and force.joint == joint]
    return sorted(found, key=lambda stop: stop.coordinate)


def swing_stop(joint: str) -> SwingTwistStopTable | None:
    """The stop of a spherical joint."""
    found = [force for force in MODEL.forces if isinstance(force, SwingTwistStopTable) and force.joint == joint]
    return found[0] if found else None
