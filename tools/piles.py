"""What piles of bubbles cost: many bodies that fall into a box and come to rest on each other.

``python -m tools.piles 20 50 100`` simulates piles of so many bubbles (950 triangles each) for a second and prints, for
each: evaluations, Jacobians, pairs that touch, CPU time for each touching pair and evaluation, and memory.
``--dense`` adds runs in which the matrix of the integrator is dense, for comparison.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Iterator

import numpy as np

import polycontact as pc

SPACING = 0.42
"""Distance of neighbours at the start, m: bubbles are 0.4 m long, and do not touch."""

STIFFNESS, DAMPING = 1e6, 1e3
"""Of the layers, N/m³ and N s/m³, and a coefficient of friction: a bubble sinks in by a few millimetres."""


def pile(n_bodies: int) -> pc.MultibodySystem:
    """Bubbles in layers over the floor of an open box, as wide as the pile is high, each layer shifted a little."""
    bubble = pc.shapes.bubble()
    width = max(2, round(n_bodies ** (1.0 / 3.0)))
    side = (width + 0.5) * SPACING
    system = pc.MultibodySystem(f"pile of {n_bodies}")
    height = 2.0 * SPACING * (n_bodies / width**2 + 1)
    wall = pc.shapes.box((0.3, side + 0.6, height))
    system.add_body("floor", surface=pc.shapes.box((side + 0.6, side + 0.6, 0.3)), fixed=True, position=(0, 0, -0.15))
    for name, angle in (("east", 0.0), ("north", 0.5 * np.pi), ("west", np.pi), ("south", 1.5 * np.pi)):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        at = turn @ np.array([0.5 * side + 0.15, 0.0, 0.5 * height])
        system.add_body(name, surface=wall, fixed=True, position=at, rotation=turn)
    random = np.random.default_rng(1)
    for i, (x, y, z) in enumerate(_places(n_bodies, width)):
        at = SPACING * np.array([x - 0.5 * (width - 1), y - 0.5 * (width - 1), z + 0.55]) + 0.005 * random.normal(
            size=3
        )
        system.add_body(f"bubble {i}", surface=bubble, mass=1.0, position=at)
    system.find_contacts(
        law=pc.LayerLaw(stiffness=STIFFNESS, damping=DAMPING),
        friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01),
    )
    return system


def _places(n_bodies: int, width: int) -> Iterator[tuple[int, int, int]]:
    """Columns, rows and layers of the bodies, from the floor up."""
    for i in range(n_bodies):
        layer, place = divmod(i, width * width)
        yield (*divmod(place, width), layer)


def measure(n_bodies: int, end_time: float) -> dict[str, float]:
    """Counts of a run, and its CPU time for each touching pair and evaluation."""
    run = pc.simulate(pile(n_bodies), end_time=end_time, output_step=0.01, progress=False)
    statistics = run.statistics
    ends = np.asarray(run.trajectory.contacts.ends)
    touching = float(np.mean(np.diff(ends, prepend=0)))
    return {
        "bodies": n_bodies,
        "evaluations": statistics.evaluations / end_time,
        "jacobians": statistics.jacobians,
        "touching": touching,
        "cpu_seconds": statistics.cpu_seconds,
        "microseconds": 1e6 * statistics.cpu_seconds / (statistics.evaluations * max(touching, 1.0)),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def main() -> None:
    """Print a row for each pile."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bodies", type=int, nargs="+")
    parser.add_argument("--end-time", type=float, default=1.0, help="s")
    parser.add_argument("--dense", action="store_true", help="also with a dense matrix")
    words = parser.parse_args()
    from polycontact.simulation import slope_jacobian

    print("bodies  matrix  evaluations/s  Jacobians  touching  CPU s  µs/(pair·evaluation)  MB so far", flush=True)
    for n_bodies in words.bodies:
        for dense in (False, True) if words.dense else (False,):
            slope_jacobian.FEWEST_STATES = sys.maxsize if dense else 0
            row = measure(n_bodies, words.end_time)
            matrix = "dense" if dense else "blocks"
            print(
                f"{n_bodies:6d}  {matrix:6}  {row['evaluations']:13.0f}  {row['jacobians']:9.0f}  "
                f"{row['touching']:8.1f}  {row['cpu_seconds']:5.2f}  {row['microseconds']:20.1f}  "
                f"{row['megabytes']:9.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
