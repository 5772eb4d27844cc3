"""Pairs of bodies at random that touch: round and edged ones, coarse and fine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.surfaces import shapes
from polycontact.surfaces.surface import Surface
from polycontact.verification.placing import rotation

Array = NDArray[np.float64]

LAW = LayerLaw(stiffness=1e8)
DEPTHS = (0.01, 0.03, 0.1)
"""How far the bodies go on after they have met, in sizes of the smaller one."""
STEP = 1.0 / 60.0
"""Way between two looks on the approach, in sizes of the smaller body."""


@dataclass(frozen=True, eq=False)
class Touching:
    """Two named bodies that touch: F stands at ``position`` (m), turned by ``R``, in the frame of E.

    ``depth``: about how deep the bodies overlap, m.
    """

    names: tuple[str, str]
    e: Surface
    f: Surface
    base: Base
    R: Array
    position: Array
    depth: float


@cache
def bodies() -> dict[str, Surface]:
    """The bodies among which pairs are drawn, all about 0.2 m large."""
    return {
        "ball": shapes.sphere(0.1, 2),
        "coarse ball": shapes.sphere(0.1, 1),
        "box": shapes.box((0.2, 0.15, 0.1), (1, 1, 1)),
        "fine box": shapes.box((0.2, 0.15, 0.1), (4, 3, 2)),
        "torus": shapes.torus(0.1, 0.04),
        "cylinder": shapes.cylinder(0.08, 0.2),
        "cone": shapes.cone(0.1, 0.2),
        "plate with a hole": shapes.plate_with_hole((0.3, 0.3), 0.05, 0.06),
        "bubble": shapes.bubble(),
    }


def touching_pairs(n: int, seed: int) -> Iterator[Touching]:
    """``n`` pairs that touch, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    found = 0
    while found < n:
        pair = _draw(rng)
        if pair is not None:
            found += 1
            yield pair


def random_rotation(rng: np.random.Generator) -> Array:
    """A rotation about a random axis by a random angle."""
    return rotation(rng.normal(scale=2.0, size=3))


def random_direction(rng: np.random.Generator) -> Array:
    """A unit vector."""
    direction = rng.normal(size=3)
    unit: Array = direction / np.linalg.norm(direction)
    return unit


def _draw(rng: np.random.Generator) -> Touching | None:
    names = [str(name) for name in rng.choice(list(bodies()), 2)]
    e, f = (bodies()[name] for name in names)
    base = (Base.E, Base.F, Base.BOTH)[int(rng.integers(3))]
    depth = float(rng.choice(DEPTHS)) * min(e.size, f.size)
    R, direction = random_rotation(rng), random_direction(rng)
    way = _way_to_contact(e, f, R, direction)
    if way is None:
        return None
    position = (way - depth) * direction
    if not ContactPairing(e, f, law=LAW, base=base).wrench(R, position).any():
        return None  # a body has passed through the hole of the other
    return Touching((names[0], names[1]), e, f, base, R, position, depth)


def _way_to_contact(e: Surface, f: Surface, R: Array, direction: Array) -> float | None:
    """Where F, coming along ``direction`` towards E, first touches it, m; None where it passes by."""
    pairing = ContactPairing(e, f, law=LAW)
    way, step = e.size + f.size, STEP * min(e.size, f.size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        while way > 0.0:
            if pairing.evaluate(RelativeKinematics(rotation=R, position=way * direction)).in_contact:
                return way
            way -= step
    return None
