"""Pairs of bodies at random that touch: round and edged ones, coarse and fine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.surfaces.surface import Surface
from polycontact.verification.placing import rotation
from proof.properties.approach import random_direction, way_to_contact
from proof.properties.various_bodies import body

Array = NDArray[np.float64]

LAW = LayerLaw(stiffness=1e8)
TITLES = {"plate": "plate with a hole"}
DEPTHS = (0.01, 0.03, 0.1)
"""How far the bodies go on after they have met, in sizes of the smaller one."""


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
    names = ("ball", "coarse ball", "box", "fine box", "torus", "cylinder", "cone", "plate", "bubble")
    return {TITLES.get(name, name): body(name) for name in names}


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


def _draw(rng: np.random.Generator) -> Touching | None:
    names = [str(name) for name in rng.choice(list(bodies()), 2)]
    e, f = (bodies()[name] for name in names)
    base = (Base.E, Base.F, Base.BOTH)[int(rng.integers(3))]
    depth = float(rng.choice(DEPTHS)) * min(e.size, f.size)
    R, direction = random_rotation(rng), random_direction(rng)
    way = way_to_contact(e, f, R, direction)
    if way is None:
        return None
    position = (way - depth) * direction
    if not ContactPairing(e, f, law=LAW, base=base).wrench(R, position).any():
        return None  # a body has passed through the hole of the other
    return Touching((names[0], names[1]), e, f, base, R, position, depth)
