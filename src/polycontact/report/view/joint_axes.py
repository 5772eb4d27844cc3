"""What the coordinates of a joint turn about and slide along, as it is placed now, in the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.joint_types import Joint, JointKind
from polycontact.multibody.placement import Placement

Frame = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Rotation (3, 3) and position (3,) m in the world."""


@dataclass(frozen=True, eq=False)
class JointAxis:
    """The axis of one coordinate, which is ``value`` (rad or m) now; points in m.

    ``turns``: the child turns about ``direction`` through ``origin``, from the perpendicular direction ``zero``;
    otherwise it slides along ``direction``, from ``origin``.
    """

    coordinate: str
    turns: bool
    origin: NDArray[np.float64]
    direction: NDArray[np.float64]
    zero: NDArray[np.float64]
    value: float


def marker_in_world(placed: Placement, body: str, marker: Frame) -> Frame:
    """A frame on a body, in the world."""
    R, r = placed.pose(body)
    return R @ marker[0], r + R @ marker[1]


def joint_axes(placed: Placement, joint: Joint) -> tuple[JointAxis, ...]:
    """One axis for each coordinate, in their order; none where coordinates are no angles and ways."""
    (P, _), (C, at) = (
        marker_in_world(placed, joint.parent, joint.parent_marker),
        marker_in_world(placed, joint.child, joint.child_marker),
    )
    values, names = placed.joint_values(joint.name)[0], joint.variables.coordinates
    x, y, z = P.T
    axes: dict[JointKind, tuple[tuple[bool, NDArray[np.float64], NDArray[np.float64]], ...]] = {
        JointKind.REVOLUTE: ((True, z, x),),
        JointKind.PRISMATIC: ((False, z, x),),
        JointKind.CYLINDRICAL: ((True, z, x), (False, z, x)),
        JointKind.UNIVERSAL: ((True, x, y), (True, C[:, 1], np.cross(x, C[:, 1]))),
        JointKind.PLANAR: ((False, x, y), (False, y, x), (True, z, x)),
    }
    return tuple(
        JointAxis(name, turns, at if turns else at - value * direction, direction, zero, float(value))
        for name, value, (turns, direction, zero) in zip(names, values, axes.get(joint.kind, ()), strict=False)
    )
