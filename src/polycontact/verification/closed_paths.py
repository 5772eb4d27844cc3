"""Work around closed paths of random pairs of bodies: with the depth as a distance it vanishes with the tolerance.

F goes around a closed path of positions and rotations while E stands still. The work that the contact does on the way
is compared with the energy that it stores where it is deepest, integrated independently (`stored_energy`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.verification.stored_energy import stored_energy
from polycontact.verification.various_bodies import body

Array = NDArray[np.float64]

TILT = 0.05
"""Greatest rotation on a path, rad."""

ENERGY_ACCURACY = 0.05
"""Of the stored energy, cells added up without regard to signs: the energy itself is right to some 1e-3."""

STIFFNESS = 1e7
"""c, N/m³."""

GRAZING = 1e-10
"""Energy over c and the fourth power of the size, below which a pair is left out: a ball 0.06 % of its width deep."""

ANY = (
    *("coarse ball", "ball", "fine ball", "box", "fine box", "slab", "torus", "cylinder", "cone", "capsule", "egg"),
    *("bubble", "table", "plate", "horseshoe", "gear", "stone", "head", "hand", "foot", "torso", "pelvis"),
)
"""Bodies that meet each other in any orientation."""

CONTAINED = (("small ball", "slab"), ("small ball", "fine ball"), ("hand", "torso"), ("small ball", "stone"))
"""A small body wholly inside a larger one, which is not the base alone: then there is no potential.

The base of the potential is the inner body, as no part of the container's surface lies inside it. Where the container
is the base, the inner body is pushed out all the same, by a rule that fades near the wall.
"""

CONFORMING = (("ball", "cup"), ("fine ball", "cup"), ("egg", "cup"), ("cylinder", "plate"))
"""A body in a hollow of nearly its own shape."""

DEPTHS = (0.01, 0.03, 0.1)
"""How far bodies go on after they have met, in sizes of the smaller one."""


@dataclass(frozen=True, eq=False)
class Case:
    """A pair of bodies with a closed path of poses of F in E: R(s), r(s), s from 0 to 2π."""

    name: str
    e: str
    f: str
    base: Base
    rotation: Array
    position: Array
    shifts: Array
    turns: Array

    def pairing(self, tolerance: float) -> ContactPairing:
        """The pair."""
        method = PolygonalMethod(base=self.base, tolerance=tolerance)
        return ContactPairing(body(self.e), body(self.f), law=LayerLaw(stiffness=STIFFNESS), method=method)

    def pose(self, s: float) -> tuple[Array, Array]:
        """R_EF and r_EF (m)."""
        around = np.array([np.cos(s), np.sin(s)])
        turn = Rotation.from_rotvec(around @ self.turns).as_matrix()
        return turn @ self.rotation, self.position + around @ self.shifts

    def rates(self, s: float) -> tuple[Array, Array]:
        """Derivatives with s: velocity (m) and angular velocity (rad) of F in E."""
        step = 1e-6  # rad: differences of rotations of 0.05 rad are then right to ten digits
        after, before = (
            Rotation.from_rotvec(np.array([np.cos(at), np.sin(at)]) @ self.turns) for at in (s + step, s - step)
        )
        return np.array([-np.sin(s), np.cos(s)]) @ self.shifts, (after * before.inv()).as_rotvec() / (2.0 * step)


@dataclass(frozen=True)
class Loop:
    """Work around a path: ``work`` and its value with every other point ``coarse_work``, and the stored ``energy``, J.

    ``touching``: share of the path in contact.
    """

    case: Case
    work: float
    coarse_work: float
    energy: float
    touching: float

    @property
    def defect(self) -> float:
        """Work over energy."""
        return abs(self.work) / self.energy

    @property
    def doubt(self) -> float:
        """How much of that the number of points on the path may account for."""
        return abs(self.work - self.coarse_work) / self.energy


def draw_cases(seed: int) -> Iterator[Case]:
    """Pairs without end: of ten one contained, two conforming, the others any two bodies."""
    rng = np.random.default_rng(seed)
    number = 0
    while True:
        kind = ("contained", "conforming", "conforming", *["met"] * 7)[number % 10]
        case = {"contained": _contained, "conforming": _conforming, "met": _met}[kind](rng)
        if case is not None:
            number += 1
            yield case


def walk(case: Case, tolerance: float, points: int = 800) -> Loop | None:
    """Work around a path by the rule of trapezia; None where the bodies hardly touch on it."""
    pairing = case.pairing(tolerance)
    places = 2.0 * np.pi * np.arange(points) / points
    power, touching = np.empty(points), 0
    for k, s in enumerate(places):
        wrench = pairing.wrench(*case.pose(s))
        velocity, spin = case.rates(s)
        power[k] = -(wrench[:3] @ velocity + wrench[3:] @ spin)  # the opposite wrench acts on F
        touching += bool(wrench.any())
    if not touching:
        return None
    deepest = places[(np.cumsum(power) - 0.5 * power).argmin()]
    R, r = case.pose(deepest)
    energy = stored_energy(pairing, RelativeKinematics(rotation=R, position=r), accuracy=ENERGY_ACCURACY)
    grazing = GRAZING * STIFFNESS * min(body(case.e).size, body(case.f).size) ** 4
    if energy <= grazing:
        return None
    work, coarse = 2.0 * np.pi * power.mean(), 2.0 * np.pi * power[::2].mean()
    return Loop(case, float(work), float(coarse), energy, touching / points)


def _met(rng: np.random.Generator) -> Case | None:
    """Two bodies that have met along a random direction and gone on by a part of their size."""
    e, f = (str(name) for name in rng.choice(ANY, 2))
    base = Base(str(rng.choice([each.value for each in Base])))
    depth, R = float(rng.choice(DEPTHS)), Rotation.random(random_state=rng).as_matrix()
    direction = _unit(rng)
    size = min(body(e).size, body(f).size)
    way = _touching_way(e, f, R, direction, size / 60.0)
    if way is None:
        return None
    return _case(rng, e, f, base, R, (way - depth * size) * direction, 0.8 * depth * size)


def _contained(rng: np.random.Generator) -> Case:
    small, large = CONTAINED[int(rng.integers(len(CONTAINED)))]
    room = np.ptp(body(large).vertices, axis=0)
    middle = body(large).vertices.mean(axis=0)
    R = Rotation.random(random_state=rng).as_matrix()
    place = middle + 0.1 * room * rng.uniform(-1.0, 1.0, 3) - R @ body(small).vertices.mean(axis=0)
    base = (Base.F, Base.BOTH)[int(rng.integers(2))]
    return _case(rng, large, small, base, R, place, 0.1 * float(room.min()))


def _conforming(rng: np.random.Generator) -> Case:
    """A body in a hollow about the origin, its axis along z, pressed against its wall."""
    inner, outer = CONFORMING[int(rng.integers(len(CONFORMING)))]
    direction = _unit(rng)
    direction[2] = -abs(direction[2])
    base = Base(str(rng.choice([each.value for each in Base])))
    play = 0.01 if outer == "cup" else 0.0  # m; the cylinder is thicker than the hole as it is
    return _case(rng, outer, inner, base, np.eye(3), play * direction, 0.4 * play + 0.002)


def _case(rng: np.random.Generator, e: str, f: str, base: Base, R: Array, r: Array, amplitude: float) -> Case:
    shifts, turns = rng.normal(size=(2, 2, 3))
    shifts *= amplitude / np.linalg.norm(shifts, axis=1)[:, None]
    turns *= TILT / np.linalg.norm(turns, axis=1)[:, None]
    return Case(f"{e}, {f}", e, f, base, R, r, shifts, turns)


def _touching_way(e: str, f: str, R: Array, direction: Array, step: float) -> float | None:
    """How far F is from E, along ``direction``, where they meet; None where F passes by."""
    pairing = ContactPairing(body(e), body(f), law=LayerLaw(stiffness=STIFFNESS))
    way = body(e).size + body(f).size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        while way > 0.0:
            if pairing.evaluate(RelativeKinematics(rotation=R, position=way * direction)).in_contact:
                return way
            way -= step
    return None


def _unit(rng: np.random.Generator) -> Array:
    direction = rng.normal(size=3)
    return np.asarray(direction / np.linalg.norm(direction))
