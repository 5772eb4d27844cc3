"""The pose the man starts in: angles of his joints, and how high his hips are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tools.pedestrian.segments import segment_surfaces
from tools.pedestrian.skeleton import JOINTS

Angles = Mapping[str, tuple[float, ...]]
"""Angles of each joint, degrees: (y) of a revolute, (y, x) of a universal, (y, x, z) of a spherical joint."""


@dataclass(frozen=True, eq=False)
class SegmentPose:
    """Place of a segment: ``rotation`` (3, 3) takes its vectors to the man's frame, ``position`` (3,) in m."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]


WALKING: Final[Angles] = MappingProxyType(
    {
        "lumbar": (4.0, 0.0),
        "neck": (-4.0,),
        "left shoulder": (18.0, 14.0, 0.0),
        "left elbow": (-18.0,),
        "left wrist": (0.0,),
        "right shoulder": (-22.0, -14.0, 0.0),
        "right elbow": (-30.0,),
        "right wrist": (0.0,),
        "left hip": (-24.0, 0.0, 0.0),
        "left knee": (6.0,),
        "left ankle": (2.0,),
        "right hip": (14.0, 0.0, 0.0),
        "right knee": (32.0,),
        "right ankle": (0.0,),
    }
)
"""A step: left heel and right toes on the ground, right arm forward, upper body leaning a little, degrees."""


def joint_rotation(angles: tuple[float, ...]) -> NDArray[np.float64]:
    """R (3, 3) of a child against its parent: turned about y, then about its own x, then about its own z."""
    rotation = np.eye(3)
    for axis, angle in zip((1, 0, 2), np.radians(angles), strict=False):
        rotation = rotation @ _turn(axis, angle)
    return rotation


def start_height() -> float:
    """Height of the hips in the step `WALKING` (m), where his lowest point is on the ground z = 0."""
    poses = _segment_poses(WALKING)
    return -min(
        float((surface.vertices @ poses[name].rotation[2]).min() + poses[name].position[2])
        for name, surface in segment_surfaces().items()
    )


def _segment_poses(angles: Angles) -> dict[str, SegmentPose]:
    """The place of each segment, by name, with the pelvis upright at the origin."""
    poses = {"pelvis": SegmentPose(np.eye(3), np.zeros(3))}
    for joint in JOINTS:
        parent = poses[joint.parent]
        poses[joint.child] = SegmentPose(
            parent.rotation @ joint_rotation(angles[joint.name]),
            parent.position + parent.rotation @ np.array(joint.position),
        )
    return poses


def _turn(axis: int, angle: float) -> NDArray[np.float64]:
    """Rotation (3, 3) by ``angle`` (rad) about a coordinate axis."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[[first, second], [first, second]] = np.cos(angle)
    rotation[first, second], rotation[second, first] = -np.sin(angle), np.sin(angle)
    return rotation
