"""How far bodies can move against each other: bounds, from boxes around them."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.surfaces.geometry import Geometry


def farthest_motion(e: Geometry, f: Geometry, kinematics: RelativeKinematics, duration: float) -> float:
    """Bound of how far a point of F moves against E, or one of E against F, in ``duration`` (s), m.

    The marker of F keeps its velocity and the angular velocity is constant in frame E: a point ρ away from the axis
    moves by the way of the marker and at most 2 ρ sin(|ω| t / 2) around it.
    """
    _, _, v, w = kinematics.arrays()
    angle = min(float(np.linalg.norm(w)) * duration, math.pi)
    return float(np.linalg.norm(v)) * duration + 2.0 * _arm(e, f, kinematics) * math.sin(0.5 * angle)


def greatest_speed(e: Geometry, f: Geometry, kinematics: RelativeKinematics) -> float:
    """Bound of the speed of points of F against E, or of E against F, at any time of such a motion, m/s."""
    _, _, v, w = kinematics.arrays()
    return float(np.linalg.norm(v) + np.linalg.norm(w) * _arm(e, f, kinematics))


def _arm(e: Geometry, f: Geometry, kinematics: RelativeKinematics) -> float:
    """Greatest distance of a point of F, or of E if that is less, from the axis of rotation through the marker of F."""
    R, r, _, w = kinematics.arrays()
    speed = float(np.linalg.norm(w))
    if speed == 0.0:
        return 0.0
    axis = w / speed
    reach = [np.linalg.norm(np.cross(axis, points), axis=1).max() for points in (_corners(f) @ R.T, _corners(e) - r)]
    return float(min(reach))


def _corners(geometry: Geometry) -> NDArray[np.float64]:
    """Corners (8, 3) of the box around a geometry, m: no point of it is farther from an axis than one of them."""
    return np.array(list(itertools.product(*np.asarray(geometry.bounds, dtype=np.float64).T)))
