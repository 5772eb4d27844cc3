"""What bodies at rest cost: ``python -m tools.at_rest [--starts 10] [--only WORD] [--end-time 10]``.

Systems that come to rest are simulated for ten seconds from starts that differ a little. Printed for each: evaluations
a second in the last half of the run (mean and worst), the greatest speed at its end, and how far any body has crept in
its last second.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import polycontact as pc

LAW = pc.LayerLaw(stiffness=1e9, damping=1e6, transition_depth=1e-6)
"""Bodies of a kilogram press themselves in by a micrometre, from which on damping acts fully."""
STICKS = pc.laws.StickFriction(coefficient=0.5)


def _named(name: str, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """A scenario that comes with the package, with its gravity varied by half a per cent."""
    scenario = pc.load_scenario(name)
    system = scenario.build()
    system.gravity = np.asarray(system.gravity) * (1.0 + 0.005 * rng.normal())
    return system, dict(scenario.settings)


def stack(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """Ten boxes on top of each other, each shifted by up to a millimetre."""
    box = pc.shapes.box((0.1, 0.1, 0.1))
    system = pc.MultibodySystem("stack")
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    for i in range(10):
        x, y = 1e-3 * rng.uniform(-1.0, 1.0, 2)
        system.add_body(f"box {i}", surface=box, density=1000.0, position=(x, y, 0.05 + 0.1 * i))
    system.find_contacts(law=LAW, friction=STICKS)
    return system, {}


def table(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """A table that falls on its four legs from a millimetre, tilted by a few thousandths."""
    system = pc.MultibodySystem("table")
    system.add_body("floor", surface=pc.shapes.box((2.0, 2.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    shape = pc.shapes.table()
    low = float(shape.vertices[:, 2].min())
    a, b = 2e-3 * rng.normal(size=2)
    turn = np.array([[1.0, 0.0, b], [0.0, 1.0, -a], [-b, a, 1.0]])
    turn = np.linalg.qr(turn)[0]
    turn *= np.sign(np.diag(turn))
    system.add_body("table", surface=shape, density=700.0, position=(0.0, 0.0, 3e-3 - low), rotation=turn)
    system.find_contacts(law=LAW, friction=STICKS)
    return system, {}


def ball_in_cup(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """A ball that rolls in a cup until it lies at its bottom."""
    system = pc.MultibodySystem("ball in a cup")
    cup = pc.shapes.spherical_cup(0.1, 0.12)
    system.add_body("cup", surface=cup, fixed=True)
    at = np.array([0.02, 0.0, -0.055]) + 2e-3 * rng.normal(size=3)
    system.add_body("ball", surface=pc.shapes.sphere(0.03, 3), density=1000.0, position=at)
    law = pc.LayerLaw(stiffness=1e8, damping=1e6, transition_depth=1e-4)
    system.find_contacts(law=law, friction=STICKS)
    return system, {}


SCENES: dict[str, Callable[[np.random.Generator], tuple[Any, dict[str, Any]]]] = {
    "pedestrian": lambda rng: _named("pedestrian_road", rng),
    "stack of ten boxes": stack,
    "table on four legs": table,
    "ball in a cup": ball_in_cup,
    "hand that holds": lambda rng: _named("gripper", rng),
}
"""Systems that come to rest, made from random numbers."""


def measure(name: str, start: int, end_time: float) -> tuple[float, float, float]:
    """Evaluations a second in the last half, greatest speed at the end (m/s), way in the last tenth (m)."""
    system, settings = SCENES[name](np.random.default_rng(start))
    run = pc.simulate(system, **{**settings, "end_time": end_time, "output_step": 0.02 * end_time})
    trajectory = run.trajectory
    time, evaluations = trajectory.time, trajectory.array("evaluations")
    half, last = np.searchsorted(time, 0.5 * end_time), np.searchsorted(time, 0.9 * end_time)
    bodies = [trajectory.body(body) for body in trajectory.bodies]
    speed = max(float(np.linalg.norm(body.velocity[-1])) for body in bodies)
    way = max(float(np.linalg.norm(body.position[-1] - body.position[last])) for body in bodies)
    return float(evaluations[-1] - evaluations[half]) / (time[-1] - time[half]), speed, way


def main() -> None:
    """Print a row for each system."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--only", default="", help="systems whose name has this in it")
    parser.add_argument("--end-time", type=float, default=10.0, help="s")
    words = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':22}{'evaluations/s, mean':>20}{'worst':>8}{'speed, mm/s':>14}{'way, mm':>10}")
    for name in SCENES:
        if words.only in name:
            found = np.array([measure(name, start, words.end_time) for start in range(words.starts)])
            mean, worst = found[:, 0].mean(), found[:, 0].max()
            speed, way = 1e3 * found[:, 1].max(), 1e3 * found[:, 2].max()
            print(f"{name:22}{mean:20.0f}{worst:8.0f}{speed:14.4f}{way:10.4f}", flush=True)


if __name__ == "__main__":
    main()
