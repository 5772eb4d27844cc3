"""Systems whose whole runs are measured: a chain, a bearing, a pile, and scenarios that come with the package.

They are built by what the public interface has had since version 0.2, so that two versions can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import polycontact as pc


@dataclass(frozen=True)
class WholeRun:
    """A system and how it is simulated."""

    system: Any
    settings: dict[str, Any]


def chain(n_links: int = 10) -> WholeRun:
    """Links of a chain, rings that hang in each other; the first is fixed, and it swings from the horizontal."""
    ring = pc.shapes.torus(0.03, 0.006, segments=32, tube_segments=12)
    system = pc.MultibodySystem("chain")
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    for i in range(n_links):
        moving: dict[str, Any] = {"density": 7800.0} if i else {"fixed": True}
        turned = across if i % 2 else np.eye(3)
        # Tubes meet at half the distance of the centres: they touch by 0.1 mm.
        system.add_body(f"link {i}", surface=ring, position=(0.0481 * i, 0.0, 0.0), rotation=turned, **moving)
    law = pc.LayerLaw(stiffness=1e10, damping=1e6, transition_depth=1e-5)
    friction = pc.RegularisedCoulomb(coefficient=0.2, velocity=0.01)
    for i in range(n_links - 1):
        system.add_contact(f"link {i}", f"link {i + 1}", base=pc.Base.E, law=law, friction=friction)
    return WholeRun(system, {"end_time": 0.3, "output_step": 0.002, "atol": 1e-6, "rtol": 1e-4})


def _ring(section: list[tuple[float, float]]) -> Any:
    """A ring with a section of points (radius, height), m."""
    return pc.shapes.revolve([(height, radius) for radius, height in [*section, section[0]]], 72)


def bearing(n_balls: int = 8) -> WholeRun:
    """A ball bearing whose shaft turns at 50 rad/s under its weight of 196 N; the outer race is fixed."""
    ball, pitch, groove = 0.006, 0.03, 0.0063
    angle = np.linspace(-0.7, 0.7, 9)
    inner = [(pitch - groove * np.cos(a), groove * np.sin(a)) for a in angle]
    outer = [(pitch + groove * np.cos(a), groove * np.sin(a)) for a in angle[::-1]]
    inner = [(0.02, inner[0][1]), *inner, (0.02, inner[-1][1])]
    outer = [(0.04, outer[0][1]), *outer, (0.04, outer[-1][1])]
    system = pc.MultibodySystem("bearing", gravity=(0.0, -9.81, 0.0))
    system.add_body("outer", surface=_ring(outer), fixed=True)
    system.add_body("inner", surface=_ring(inner), mass=20.0, inertia=np.diag([0.01, 0.01, 0.01]))
    system.add_joint("shaft", "planar", "world", "inner", speeds=(0.0, 0.0, 50.0))
    law = pc.LayerLaw(stiffness=1e11, damping=1e7, transition_depth=1e-5)
    friction = pc.RegularisedCoulomb(coefficient=0.1, velocity=0.01)
    sphere = pc.shapes.sphere(ball, 3)
    for i in range(n_balls):
        turn = 2.0 * np.pi * i / n_balls
        at = pitch * np.array([np.cos(turn), np.sin(turn), 0.0])
        system.add_body(f"ball {i}", surface=sphere, density=7800.0, position=at)
        for race in ("inner", "outer"):
            system.add_contact(f"ball {i}", race, base=pc.Base.E, law=law, friction=friction)
    return WholeRun(system, {"end_time": 0.02, "output_step": 2e-4, "atol": 1e-6, "rtol": 1e-4})


def scenario(name: str, end_time: float, **options: Any) -> WholeRun:
    """A scenario that comes with the package."""
    loaded = pc.load_scenario(name)
    settings = dict(loaded.settings)
    if options.get("response") == "multipliers":  # which refuse what only integrators use
        settings = {key: value for key, value in settings.items() if key not in ("rtol", "atol")}
    return WholeRun(loaded.build(), {**settings, "end_time": end_time, **options})


def pile_of_20() -> WholeRun:
    """Twenty bubbles that fall into a box."""
    from tools.piles import pile

    return WholeRun(pile(20), {"end_time": 0.5, "output_step": 0.01})


RUNS: dict[str, Callable[[], WholeRun]] = {
    "bubbles": lambda: scenario("bubbles", 3.0),
    "pedestrian": lambda: scenario("pedestrian", 1.5),
    "hexapod, multipliers": lambda: scenario("hexapod", 1.0, response="multipliers"),
    "hexapod, compliant": lambda: scenario("hexapod", 1.5, response="compliant"),
    "chain": chain,
    "bearing": bearing,
    "pile of 20": pile_of_20,
}
"""What is measured, by name."""
