"""The force of one contact in several orientations of its meshes: what comes out farthest from the closed form counts.

A closed form knows no mesh, so that it holds for a round body however it is turned; a single orientation may by chance
be a good one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.pairing import ContactPairing
from polycontact.verification.placing import ORIENTATIONS, rotation, wrench_on_body

LAID_DOWN = (0.5 * np.pi, 0.0, 0.0)
"""Rotation vector, rad, that lays a cylinder down: its axis, z, points along -y."""


def worst(values: Iterable[float], expected: float) -> float:
    """The value that is farthest from what is expected."""
    return max(values, key=lambda value: abs(value - expected))


def forces_on_body(
    pairing: ContactPairing, position: ArrayLike, turns: Iterable[ArrayLike] = ORIENTATIONS
) -> list[float]:
    """Vertical force, N, on a body at ``position`` (m) over the plane, for each of its rotation vectors (rad)."""
    return [float(wrench_on_body(pairing, position, turn=turn).force[2]) for turn in turns]


def forces_apart(pairing: ContactPairing, distance: float) -> list[float]:
    """Force, N, that drives two balls apart whose centres are ``distance`` (m) from each other.

    Neither mesh is aligned with the line between the centres.
    """
    forces = []
    for turn in ORIENTATIONS:
        direction = rotation(turn)[:, 2]
        wrench = pairing.wrench(rotation(turn[::-1]), distance * direction)
        forces.append(-float(direction @ wrench[:3]))
    return forces


def rolled(angles: Iterable[float]) -> list[NDArray[np.float64]]:
    """Rotation vectors, rad, of a lying cylinder rolled by each of ``angles``: another line of facets touches first."""
    lying = rotation(LAID_DOWN)
    return [rotation_vector(rotation((0.0, float(angle), 0.0)) @ lying) for angle in angles]


def rotation_vector(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotation vector, rad, of a rotation by less than π."""
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(axis))
    if sine == 0.0:
        return np.zeros(3)
    angle: NDArray[np.float64] = np.arctan2(sine, 0.5 * (np.trace(R) - 1.0)) / sine * axis
    return angle
