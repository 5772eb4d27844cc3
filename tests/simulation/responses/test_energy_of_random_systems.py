"""Random systems fly, meet, bounce, slide and lie: their energy never rises but for what the statistics tell.

Only two things may make energy. Steps do in bodies that turn, which they count (`energy_made`); and parting bodies that
lie too deep lifts them, which contacts have paid for before. So the sum of kinetic energy and potentials never exceeds
the start by more than the first, and rounding. The first is bounded too: a body that flies alone makes none, one that is
hit while it turns by ωh in a step at most about (ωh/2) of its energy. These turn by 0.02 rad in a step of 1 ms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rigid_scenes import friction

import polycontact as pc

N_SLOW = 150
"""Random systems of each kind in the slow tier."""

SAMPLES = 1e-3
"""Times between samples, s: most are ends of steps."""


def shape(rng: np.random.Generator) -> Any:
    """A box, a ball or a cylinder of 6 to 25 cm."""
    size = rng.uniform(0.06, 0.25, 3)
    kinds = (pc.convex.Box(tuple(size)), pc.convex.Sphere(size[0] / 2), pc.convex.Cylinder(size[0] / 2, size[1]))
    return kinds[rng.integers(3)]


def turned(rng: np.random.Generator) -> np.ndarray:
    """Any rotation."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def falling(seed: int, *, jointed: bool) -> tuple[pc.MultibodySystem, bool]:
    """Two to five bodies above each other that fall on a floor, maybe every second one on a ball joint at the last; and
    whether all restitutions are 1 and nothing rubs."""
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem(f"falling {seed}")
    system.add_body("floor", surface=pc.convex.Box((6.0, 6.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    for k in range(int(rng.integers(2, 6))):
        density = float(10.0 ** rng.uniform(2.0, 4.0))
        if jointed and k % 2:
            system.add_body(f"body {k}", surface=shape(rng), density=density)
            system.add_joint(f"ball {k}", "spherical", f"body {k - 1}", f"body {k}", at=(0.4, 0.0, 0.0))
        else:
            x, y = rng.uniform(-0.2, 0.2, 2)
            system.add_body(
                f"body {k}",
                surface=shape(rng),
                density=density,
                position=(x, y, 0.7 + 0.8 * k),
                rotation=turned(rng),
                velocity=rng.normal(size=3) - (0.0, 0.0, 2.0),
                angular_velocity=6.0 * rng.normal(size=3),
            )
    mu, e = float(rng.choice([0.0, 0.2, 0.9])), float(rng.choice([0.01, 0.5, 0.9, 1.0]))
    system.find_contacts(law=pc.laws.RestitutionLaw(stiffness=1e7, restitution=e), friction=friction(mu))
    return system, e == 1.0 and mu == 0.0


def check(system: pc.MultibodySystem, response: Any, end_time: float) -> pc.Run:
    """Run a system, and compare its energy with what it may be."""
    run = pc.simulate(system, end_time=end_time, response=response, output_step=SAMPLES)
    ledger, made = run.ledger, run.statistics.response["energy_made"]
    energy = ledger["kinetic"] + ledger["gravity"]
    scale = ledger["kinetic"].max()
    risen = (energy.max() - energy[0]) / scale

    return run


@pytest.mark.parametrize("jointed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_energy_never_rises(seed: int, jointed: bool) -> None:
    system, _ = falling(seed, jointed=jointed)
    run = check(system, pc.MultiplierResponse(), 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pc.MultiplierResponse, pc.ImpulseResponse])
@pytest.mark.parametrize("jointed", [False, True])
@pytest.mark.parametrize("seed", range(10, 10 + N_SLOW))
def test_energy_of_many_never_rises(seed: int, jointed: bool, kind: Any) -> None:
    system, _ = falling(seed, jointed=jointed)
    check(system, kind(), 1.0)
