"""Work of a contact around a closed path of positions and rotations; where it has a potential, there is none left."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.pairing import ContactPairing
from polycontact.verification.placing import rotation

Array = NDArray[np.float64]

TILT = 0.05
"""Greatest rotation on a path, rad."""


@dataclass(frozen=True, eq=False)
class ClosedPath:
    """An ellipse of poses of F in E, s from 0 to 2π: ``shifts`` (2, 3) m about ``position``, ``turns`` (2, 3) rad."""

    R: Array
    position: Array
    shifts: Array
    turns: Array

    def pose(self, s: float) -> tuple[Array, Array]:
        """R_EF and r_EF (m) at the path parameter s, rad."""
        around = np.array([math.cos(s), math.sin(s)])
        return rotation(around @ self.turns) @ self.R, self.position + around @ self.shifts

    def rates(self, s: float) -> tuple[Array, Array]:
        """Derivatives with s: velocity (m) and angular velocity (rad) of F in E."""
        along = np.array([-math.sin(s), math.cos(s)])
        turn = np.array([math.cos(s), math.sin(s)]) @ self.turns
        return along @ self.shifts, _angular_velocity(turn, along @ self.turns)


@dataclass(frozen=True)
class PathWork:
    """Work that F takes in around a path, J: ``work``, and ``coarse_work`` from every other point of it.

    ``exchanged``: what goes in and out, added up without regard to signs, J. ``touching``: share of the path in
    contact. ``deepest``: s where the contact has taken in most.
    """

    work: float
    coarse_work: float
    exchanged: float
    touching: float
    deepest: float

    @property
    def left_over(self) -> float:
        """Work over half of what is exchanged; not a number where nothing is."""
        return abs(self.work) / (0.5 * self.exchanged) if self.exchanged > 0.0 else math.nan


def random_path(rng: np.random.Generator, R: Array, position: Array, amplitude: float) -> ClosedPath:
    """A path about a pose: shifts of length ``amplitude`` (m) and rotations of `TILT` in random directions."""
    shifts, turns = rng.normal(size=(2, 2, 3))
    shifts *= amplitude / np.linalg.norm(shifts, axis=1)[:, None]
    turns *= TILT / np.linalg.norm(turns, axis=1)[:, None]
    return ClosedPath(R, position, shifts, turns)


def work_around(pairing: ContactPairing, path: ClosedPath, points: int) -> PathWork:
    """Work by the rule of trapezia, which on a closed path converges faster than any power; ``points`` are even."""
    places = 2.0 * math.pi * np.arange(points) / points
    power, touching = np.empty(points), 0
    for k, s in enumerate(places):
        wrench = pairing.wrench(*path.pose(s))
        velocity, angular_velocity = path.rates(s)
        power[k] = -(wrench[:3] @ velocity + wrench[3:] @ angular_velocity)  # the opposite wrench acts on F
        touching += bool(wrench.any())
    return PathWork(
        work=float(2.0 * math.pi * power.mean()),
        coarse_work=float(2.0 * math.pi * power[::2].mean()),
        exchanged=float(2.0 * math.pi * np.abs(power).mean()),
        touching=touching / points,
        deepest=float(places[(np.cumsum(power) - 0.5 * power).argmin()]),
    )


def _angular_velocity(turn: Array, rate: Array) -> Array:
    """Of a rotation vector (rad) that changes at ``rate``."""
    angle = float(np.linalg.norm(turn))
    if angle < 1e-9:
        return rate
    first = (1.0 - math.cos(angle)) / angle**2
    second = (angle - math.sin(angle)) / angle**3
    spin: Array = rate + first * np.cross(turn, rate) + second * np.cross(turn, np.cross(turn, rate))
    return spin
