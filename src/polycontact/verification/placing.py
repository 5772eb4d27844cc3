"""A body above the plane z = 0: from its pose and motion to the wrench that it feels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult

SIDES = ((Base.E, "body"), (Base.F, "plane"), (Base.BOTH, "both"))
"""Base of a pairing of a body (E) with a plane (F), and what to call it."""

ORIENTATIONS = ((0.3, 0.2, 0.1), (1.1, 0.7, -0.4), (-0.5, 1.9, 2.3))
"""Rotation vectors, rad, for round bodies: none aligns the mesh with the plane. The worst one counts."""


class Wrench(NamedTuple):
    """Force (N) and torque about the origin (N m)."""

    force: NDArray[np.float64]
    torque: NDArray[np.float64]


def rotation(vector: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrix of a rotation vector, rad (Rodrigues)."""
    vector = np.asarray(vector, dtype=np.float64)
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R: NDArray[np.float64] = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)
    return R


def relative_to_body(
    R: NDArray[np.float64],
    position: ArrayLike,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
) -> RelativeKinematics:
    """Kinematics of the resting plane (F) in the frame of a body (E) with the given pose and motion."""
    p, v, w = (np.asarray(each, dtype=np.float64) for each in (position, velocity, angular_velocity))
    return RelativeKinematics(
        rotation=R.T, position=-R.T @ p, velocity=-R.T @ (v - np.cross(w, p)), angular_velocity=-R.T @ w
    )


def place(pairing: ContactPairing, position: ArrayLike, *, turn: ArrayLike = (0.0, 0.0, 0.0)) -> ContactResult:
    """Contact of the body at ``position`` (m), turned by a rotation vector (rad), with the plane."""
    return pairing.evaluate(relative_to_body(rotation(turn), position))


def wrench_on_body(
    pairing: ContactPairing,
    position: ArrayLike,
    *,
    turn: ArrayLike = (0.0, 0.0, 0.0),
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
) -> Wrench:
    """Wrench on the body about the plane's origin, in the plane's frame."""
    R = rotation(turn)
    result = pairing.evaluate(relative_to_body(R, position, velocity, angular_velocity))
    return Wrench(R @ result.force, R @ result.torque)


def of_base(base: Base, first: float, second: float) -> float:
    """What is expected with E as the base, with F, or with both: their mean (S0.46)."""
    return {Base.E: first, Base.F: second, Base.BOTH: 0.5 * (first + second)}[base]
