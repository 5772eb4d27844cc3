"""What the integration of the depth misses of the force: random pairs of bodies, against a far smaller tolerance.

    python tools/integration_error.py [--pairs 60] [--poses 4] [--tolerance 5e-3] [--seed 1]

A line for each pair with its worst pose: error of the force and of the load (∫ φ dA) over the load, what the result
itself says is missed at most, elements, and CPU time. At the end quantiles of the error over the tolerance, and how
often the result's own bound was too small. Needs manifold3d and trimesh.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from time import process_time

import numpy as np

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.errors import ContactWarning
from proof.properties.closed_paths import STIFFNESS, draw_cases

REFERENCE = 1e-5
"""Tolerance of what counts as exact."""


def main() -> None:
    """Compare poses of random pairs, with progress on stderr."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--poses", type=int, default=4, help="of each pair, along a closed path")
    parser.add_argument("--tolerance", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore", ContactWarning)
    print(f"{'E, F':26}{'base':6}{'force':>9}{'load':>10}{'told':>9}{'elements':>9}{'CPU, µs':>9}")
    errors, told = [], []
    done = 0
    for case in draw_cases(given.seed):
        if done == given.pairs:
            break
        print(f"\r{done}/{given.pairs} {case.name:40}\r", end="", file=sys.stderr, flush=True)
        usual, exact = case.pairing(given.tolerance), case.pairing(REFERENCE)
        rows = []
        for s in np.linspace(0.0, 1.0, given.poses, endpoint=False):
            R, r = case.path.pose(float(s))
            pose = RelativeKinematics(rotation=R, position=r)
            found = usual.evaluate(pose)
            if not found.in_contact:
                continue
            begin = process_time()
            usual.wrench(R, r)
            taken = process_time() - begin
            best = exact.evaluate(pose)
            load = float((best.elements.area * best.elements.depth * best.elements.weight).sum())
            own = float((found.elements.area * found.elements.depth * found.elements.weight).sum())
            if not load > 0.0:
                continue
            missed = float(np.linalg.norm(found.force - best.force)) / (STIFFNESS * load)
            rows.append((missed, own / load - 1.0, found.integration_error, len(found.elements), 1e6 * taken))
        if not rows:
            continue
        done += 1
        errors += [max(row[0], abs(row[1])) for row in rows]
        told += [row[2] for row in rows]
        worst = max(rows)
        print(
            f"{case.name:26}{case.base.value:6}{worst[0]:9.1e}{worst[1]:+10.1e}{worst[2]:9.1e}{worst[3]:9d}{worst[4]:9.0f}",
            flush=True,
        )
    error, bound = np.array(errors), np.array(told)
    levels = ", ".join(f"{share:.0%} {np.quantile(error, share):.1e}" for share in (0.5, 0.75, 0.9, 0.95, 0.99))
    print(f"{len(error)} poses: {levels}, worst {error.max():.1e}; tolerance {given.tolerance:g}")
    above = np.count_nonzero(error > given.tolerance), np.count_nonzero(error > bound + REFERENCE)
    print(f"{above[0]} above the tolerance, {above[1]} above what was told")


if __name__ == "__main__":
    main()
