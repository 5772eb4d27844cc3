"""Collisions without damping and friction: with the depth as a distance no energy is made or lost."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.errors import ContactWarning
from proof.properties.various_bodies import body

PAIRS = (
    *(("ball", "box"), ("torus", "cylinder"), ("cone", "bubble"), ("head", "slab"), ("stone", "gear")),
    *(("hand", "plate"), ("egg", "cone"), ("gear", "gear"), ("stone", "stone"), ("horseshoe", "box")),
    *(("foot", "ball"), ("fine ball", "plate"), ("box", "box"), ("cylinder", "cone"), ("torso", "stone")),
    *(("capsule", "torus"), ("pelvis", "box"), ("cup", "ball"), ("head", "head"), ("bubble", "table")),
)
"""Sharp and smooth, CAD-like and as if scanned; each meets the other once."""


@dataclass(frozen=True)
class Collision:
    """Kinetic energy, J, ``before`` and ``after``, greatest ``elastic`` energy, and evaluations of the system."""

    name: str
    before: float
    after: float
    elastic: float
    parted: bool
    evaluations: int

    @property
    def loss(self) -> float:
        """Share of the kinetic energy that is lost; negative where some is made."""
        return 1.0 - self.after / self.before


def collide(number: int, *, rtol: float = 1e-6, tolerance: float = 5e-3) -> Collision:
    """Two bodies of 1 kg each that meet at 1 m/s, turned anyhow: pair ``number`` of `PAIRS`."""
    names = PAIRS[number]
    e, f = (body(name) for name in names)
    rng = np.random.default_rng(number)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    turns = [Rotation.random(random_state=rng).as_matrix() for _ in range(2)]
    middles = [R @ surface.vertices.mean(axis=0) for R, surface in zip(turns, (e, f), strict=True)]
    apart = 0.51 * (e.size + f.size)
    system = pc.MultibodySystem("collision", gravity=(0.0, 0.0, 0.0))
    system.add_body("a", surface=e, mass=1.0, rotation=turns[0], position=-middles[0])
    system.add_body(
        "b", surface=f, mass=1.0, rotation=turns[1], position=apart * direction - middles[1], velocity=-direction
    )
    system.add_contact("a", "b", law=pc.LayerLaw(stiffness=3e7), method=pc.contact.PolygonalMethod(tolerance=tolerance))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        run = pc.simulate(system, end_time=2.5 * apart, rtol=rtol)
    kinetic, elastic = run.ledger["kinetic"], run.ledger["elastic"]
    return Collision(
        ", ".join(names),
        float(kinetic[0]),
        float(kinetic[-1]),
        float(elastic.max()),
        bool(elastic[-1] == 0.0),
        run.statistics.evaluations,
    )
