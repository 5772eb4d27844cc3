"""Work around closed paths of random pairs of bodies: with the depth as a distance it vanishes with the tolerance.

F goes around a closed path of positions and rotations while E stands still. The work that the contact does on the way
is compared with the energy that it stores where it is deepest, integrated independently (`stored_energy`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from proof.properties.approach import random_direction, way_to_contact
from proof.properties.path_work import ClosedPath, PathWork, random_path, work_around
from proof.properties.stored_energy import stored_energy
from proof.properties.various_bodies import body

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
    """A pair of bodies with a closed path of poses of F in E."""

    e: str
    f: str
    base: Base
    path: ClosedPath

    @property
    def name(self) -> str:
        """Names of both bodies, for tables."""
        return f"{self.e}, {self.f}"

    def pairing(self, tolerance: float) -> ContactPairing:
        """Pairing of both bodies whose method has this tolerance."""
        method = PolygonalMethod(base=self.base, tolerance=tolerance)
        return ContactPairing(body(self.e), body(self.f), law=LayerLaw(stiffness=STIFFNESS), method=method)


@dataclass(frozen=True)
class Loop:
    """Work around the path of a case, and the stored ``energy``, J."""

    case: Case
    around: PathWork
    energy: float

    @property
    def defect(self) -> float:
        """Amount of the work around the path, as a share of the stored energy."""
        return abs(self.around.work) / self.energy

    @property
    def doubt(self) -> float:
        """How much of that the number of points on the path may account for."""
        return abs(self.around.work - self.around.coarse_work) / self.energy


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
    """Work around a path; None where the bodies hardly touch on it."""
    pairing = case.pairing(tolerance)
    found = work_around(pairing, case.path, points)
    if not found.touching:
        return None
    R, r = case.path.pose(found.deepest)
    energy = stored_energy(pairing, RelativeKinematics(rotation=R, position=r), accuracy=ENERGY_ACCURACY)
    grazing = GRAZING * STIFFNESS * min(body(case.e).size, body(case.f).size) ** 4
    return Loop(case, found, energy) if energy > grazing else None


def _met(rng: np.random.Generator) -> Case | None:
    """Two bodies that have met along a random direction and gone on by a part of their size."""
    e, f = (str(name) for name in rng.choice(ANY, 2))
    base = Base(str(rng.choice(("E", "F", "both"))))
    depth, R = float(rng.choice(DEPTHS)), Rotation.random(random_state=rng).as_matrix()
    direction = random_direction(rng)
    size = min(body(e).size, body(f).size)
    way = way_to_contact(body(e), body(f), R, direction)
    if way is None:
        return None
    return Case(e, f, base, random_path(rng, R, (way - depth * size) * direction, 0.8 * depth * size))


def _contained(rng: np.random.Generator) -> Case:
    small, large = CONTAINED[int(rng.integers(len(CONTAINED)))]
    room = np.ptp(body(large).vertices, axis=0)
    middle = body(large).vertices.mean(axis=0)
    R = Rotation.random(random_state=rng).as_matrix()
    place = middle + 0.1 * room * rng.uniform(-1.0, 1.0, 3) - R @ body(small).vertices.mean(axis=0)
    base = (Base.F, Base.BOTH)[int(rng.integers(2))]
    return Case(large, small, base, random_path(rng, R, place, 0.1 * float(room.min())))


def _conforming(rng: np.random.Generator) -> Case:
    """A body in a hollow about the origin, its axis along z, pressed against its wall."""
    inner, outer = CONFORMING[int(rng.integers(len(CONFORMING)))]
    direction = random_direction(rng)
    direction[2] = -abs(direction[2])
    base = Base(str(rng.choice(("E", "F", "both"))))
    play = 0.01 if outer == "cup" else 0.0  # m; the cylinder is thicker than the hole as it is
    return Case(outer, inner, base, random_path(rng, np.eye(3), play * direction, 0.4 * play + 0.002))
