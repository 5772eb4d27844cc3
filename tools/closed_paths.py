"""Work around closed paths of random pairs of bodies, over the energy that the contact stores.

    python tools/closed_paths.py [--pairs 100] [--tolerance 5e-3 …] [--seed 1] [--points 800]

A line for each pair: bodies, base, work over energy at each tolerance, what every other point of the path would change,
the energy and the share of the path in contact. At the end quantiles. Needs manifold3d and trimesh.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from polycontact.errors import ContactWarning
from proof.properties.closed_paths import Loop, draw_cases, walk


def main() -> None:
    """Walk around the paths, with progress on stderr."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--tolerance", type=float, nargs="+", default=[5e-3])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=800, help="on each path; even")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ContactWarning)
    found: dict[float, list[Loop]] = {tolerance: [] for tolerance in given.tolerance}
    titles = "".join(f"{f'W/U, {tolerance:g}':>14}" for tolerance in found)
    print(f"{'E, F':26}{'base':6}{titles}{'path':>10}{'U, J':>11}{'touching':>10}")
    done = 0
    for case in draw_cases(given.seed):
        if done == given.pairs:
            break
        print(f"\r{done}/{given.pairs} {case.name:40}\r", end="", file=sys.stderr, flush=True)
        loops = [walk(case, tolerance, given.points) for tolerance in found]
        kept = [loop for loop in loops if loop is not None]
        if len(kept) < len(found):
            continue
        done += 1
        for loop, rows in zip(kept, found.values(), strict=True):
            rows.append(loop)
        defects = "".join(f"{loop.around.work / loop.energy:14.2e}" for loop in kept)
        first = kept[0]
        print(
            f"{case.name:26}{case.base.value:6}{defects}{first.doubt:10.1e}{first.energy:11.3g}{first.around.touching:10.0%}",
            flush=True,
        )
    for tolerance, rows in found.items():
        defect = np.array([loop.defect for loop in rows])
        levels = ", ".join(f"{share:.0%} {np.quantile(defect, share):.1e}" for share in (0.75, 0.9, 0.95))
        print(f"tolerance {tolerance:g}: median {np.median(defect):.2e}, {levels}, worst {defect.max():.2e}")
        print(f"    {np.count_nonzero(defect > 1e-2)} of {len(rows)} above 1e-2")


if __name__ == "__main__":
    main()
