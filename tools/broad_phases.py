"""Which broad phase is the quickest: time to list the near pairs of balls, by their number.

    python tools/broad_phases.py [--bodies 10 100 1000] [--repeats 5]

Balls of one size: "sparse" ones touch next to nothing, those of a "heap" lie on a plate and touch about six others, a
"line" is strung along y, where a sweep along x sees all at once. Every ball may touch every other one. All move a
little from call to call. Printed: CPU time (µs) of kinematics and broad phase together, less that of kinematics alone,
and how many pairs are near; whether all broad phases list the same pairs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.dynamics.right_hand_side import move
from polycontact.multibody.evaluation_memory import make_memory

BROAD_PHASES = (pc.multibody.SWEEP_AND_PRUNE, pc.multibody.UNIFORM_GRID, pc.multibody.ALL_PAIRS)
RADIUS = 0.05
"""m."""
STEPS = 20
"""States of one measurement."""


@pc.multibody.broad_phase("none")
def none(boxes: object, pairs: object, near: object, memory: object) -> int:
    """List nothing: what is left is kinematics."""
    return 0


def scene(kind: str, n: int) -> pc.MultibodySystem:
    """N balls that may all touch each other, and a plate below a heap."""
    system = pc.MultibodySystem(kind)
    ball = pc.convex.Sphere(RADIUS)
    for i, place in enumerate(_places(kind, n)):
        system.add_body(f"ball {i}", surface=ball, mass=1.0, position=place)
    if kind == "heap":
        system.add_body("plate", surface=pc.convex.Box((50.0, 50.0, 0.1)), fixed=True, position=(0, 0, -0.05))
    system.find_contacts(method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e4))
    return system


def _places(kind: str, n: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    if kind == "line":
        return np.column_stack([np.zeros(n), 2.0 * RADIUS * np.arange(n), np.zeros(n)])
    side = round(n ** (1 / 3) + 0.499)
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:n]
    spacing = 2.0 * RADIUS if kind == "heap" else 8.0 * RADIUS
    return np.asarray(spacing * (grid + 0.1 * rng.normal(size=(n, 3))) + [0, 0, RADIUS])


def measure(
    system: pc.MultibodySystem, broad_phase: pc.multibody.BroadPhase, repeats: int
) -> tuple[float, list[bytes]]:
    """CPU time (µs) of a call, the least of several means; the pairs listed at each state."""
    system.broad_phase = broad_phase
    compiled = system.compile()
    memory = make_memory(compiled.setup)
    memory.contacts.pairing[:] = 1  # never called here
    rng = np.random.default_rng(2)
    states = [compiled.start_state()]
    for _ in range(STEPS - 1):
        y = states[-1].copy()
        y[: compiled.n_coordinates] += 1e-3 * RADIUS * rng.normal(size=compiled.n_coordinates)
        states.append(y)
    found = []
    for y in states:
        move(memory.row, 0.0, y)
        found.append(memory.contacts.near[: memory.contacts.n_near].tobytes())
    means = []
    for _ in range(repeats):
        calls = 0
        begin = time.process_time_ns()
        while calls == 0 or time.process_time_ns() - begin < 20_000_000:
            for y in states:
                move(memory.row, 0.0, y)
            calls += STEPS
        means.append((time.process_time_ns() - begin) / 1e3 / calls)
    return min(means), found


def main() -> None:
    """A line for each scene and number of balls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    names = "".join(f"{each.name:>18}" for each in BROAD_PHASES)
    print(f"{'scene':8}{'balls':>7}{'pairs':>9}{'near':>7}{'kinematics':>12}{names}{'same':>6}")
    for kind in ("sparse", "heap", "line"):
        for n in given.bodies:
            print(f"\r{kind} {n} …", end="", file=sys.stderr, flush=True)
            system = scene(kind, n)
            empty, _ = measure(system, none, given.repeats)
            times, lists = zip(*[measure(system, each, given.repeats) for each in BROAD_PHASES], strict=True)
            near = statistics.mean(len(each) // 4 for each in lists[0])
            costs = "".join(f"{max(each - empty, 0.0):18.2f}" for each in times)
            same = "yes" if all(each == lists[0] for each in lists) else "NO"
            print(f"\r{kind:8}{n:7}{len(system.contacts):9}{near:7.0f}{empty:12.2f}{costs}{same:>6}", flush=True)


if __name__ == "__main__":
    main()
