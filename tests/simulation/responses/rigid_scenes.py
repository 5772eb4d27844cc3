"""Rigid bodies with closed forms, that the tests of the responses share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import polycontact as pc
from polycontact.simulation.run_options import without_unused
from scenes import rotation

Array = NDArray[np.float64]

G = 9.81
RADIUS = 0.05
LAW = pc.laws.SpringDamperLaw(stiffness=1e5)
RUN = {"rtol": 1e-9, "atol": 1e-10}
"""Flights of ballistic bodies and rolling balls are exact with these."""


def precise(response: Any) -> dict[str, Any]:
    """A response with these tolerances, where it has tolerances at all."""
    return without_unused({"response": response, **RUN})


def friction(mu: float) -> pc.RegularisedCoulomb | None:
    """Coulomb friction; its velocity means nothing to rigid contact."""
    return pc.RegularisedCoulomb(coefficient=mu, velocity=1e-3) if mu > 0.0 else None


def floor_and(shape: Any, mu: float = 0.0, *, gravity: ArrayLike = (0.0, 0.0, -G), **body: Any) -> pc.MultibodySystem:
    """A convex body "body" over a floor whose top is z = 0."""
    system = pc.MultibodySystem("on the floor", gravity=gravity)
    system.add_body("body", surface=shape, **body)
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.add_contact("body", "floor", name="touch", method=pc.contact.ConvexMethod(), law=LAW, friction=friction(mu))
    return system


def ball_over_floor(*, height: float = 0.2, mu: float = 0.0, **body: Any) -> pc.MultibodySystem:
    """A ball of 1 kg, ``height`` (m) over the floor."""
    body = {"mass": 1.0, "position": (0.0, 0.0, RADIUS + height), **body}
    return floor_and(pc.convex.Sphere(RADIUS), mu, **body)


def box_on_slope(angle: float, mu: float) -> pc.MultibodySystem:
    """A box that lies on a floor; gravity is tilted by an angle (rad) towards +x."""
    gravity = (G * math.sin(angle), 0.0, -G * math.cos(angle))
    place = (0.0, 0.0, 0.05)
    return floor_and(pc.convex.Box((0.3, 0.2, 0.1)), mu, gravity=gravity, mass=2.0, position=place)


def free_balls(n: int = 4, seed: int = 1) -> pc.MultibodySystem:
    """Balls of different masses that fly towards each other, without gravity and without loss."""
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem("balls", gravity=(0.0, 0.0, 0.0))
    for i in range(n):
        angle = 2.0 * math.pi * i / n
        place = 0.2 * np.array([math.cos(angle), math.sin(angle), 0.0]) + 0.01 * rng.normal(size=3)
        velocity = -place / 0.2 + 0.05 * rng.normal(size=3)
        spin = rng.normal(size=3)
        mass = rng.uniform(0.2, 1.0)
        system.add_body(
            f"ball {i}",
            surface=pc.convex.Sphere(RADIUS),
            mass=mass,
            inertia=3 * (0.4 * mass * RADIUS**2,),
            position=place,
            velocity=velocity,
            angular_velocity=spin,
        )
    system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW)
    return system


def table(load_at: tuple[float, float] | None = None) -> pc.MultibodySystem:
    """A top on four feet at (±0.4, ±0.3); a load of 4 kg is fixed on it at x, y (m); top and feet have 6 kg."""
    system = pc.MultibodySystem("table")
    system.add_body("table", mass=6.0, inertia=(0.4, 0.5, 0.8), position=(0.0, 0.0, 0.5))
    for i, (x, y) in enumerate(((0.4, 0.3), (-0.4, 0.3), (-0.4, -0.3), (0.4, -0.3))):
        name = f"foot {i}"
        system.add_body(name, surface=pc.convex.Sphere(0.02), mass=1e-6, inertia=(1e-9, 1e-9, 1e-9))
        system.add_joint(f"leg {i}", "fixed", "table", name, at=(x, y, -0.48))
    if load_at is not None:
        system.add_body("load", mass=4.0, inertia=(0.01, 0.01, 0.01))
        system.add_joint("glue", "fixed", "table", "load", at=(*load_at, 0.05))
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    for i in range(4):
        system.add_contact(f"foot {i}", "floor", name=f"on {i}", method=pc.contact.ConvexMethod(), law=LAW)
    return system


def tilted(angle: float) -> Array:
    """Rotation about y, rad."""
    return rotation((0.0, 1.0, 0.0), angle)


def force_on(run: pc.Run, contact: str) -> Array:
    """Force on E of a contact in the axes of E at all samples, N."""
    return np.asarray(run.trajectory.pairing(contact).force)
