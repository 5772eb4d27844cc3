"""How much memory a process has after so and so many runs in it: `python -m tools.memory_of_runs`.

Prints the number of runs, resident memory (kB) and the number of objects that Python looks for cycles among. Linux.
"""

from __future__ import annotations

import argparse
import gc
import warnings
from pathlib import Path

import polycontact as pc


def ball_on_floor() -> pc.MultibodySystem:
    """A small system with a contact."""
    system = pc.MultibodySystem("ball on floor")
    system.add_body("ball", surface=pc.shapes.sphere(radius=0.1, subdivisions=1), mass=1.0, position=(0, 0, 0.0999))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)
    system.add_contact("ball", "floor", law=pc.LayerLaw(stiffness=1e8, damping=0.3), friction=friction)
    return system


def resident() -> int:
    """Resident memory, kB."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def main() -> None:
    """Make the runs and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("systems", nargs="?", choices=["one system", "new systems"], default="one system")
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--every", type=int, default=500)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    system = ball_on_floor()
    print(f"{'runs':>6} {'kB':>8} {'objects':>8}  {given.systems}")
    for i in range(1, given.runs + 1):
        if given.systems == "new systems":
            system = ball_on_floor()
        pc.simulate(system, end_time=0.002, output_step=0.001)
        if i % given.every == 0:
            print(f"{i:6} {resident():8} {len(gc.get_objects()):8}", flush=True)


if __name__ == "__main__":
    main()
