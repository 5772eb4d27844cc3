"""Twenty collisions without damping and friction.

    python tools/lossless_collisions.py [--rtol 1e-6] [--tolerance 5e-3]

A line for each pair of bodies: the share of the kinetic energy that is lost, the greatest elastic energy on the way,
and the evaluations it took. With the depth as a distance nothing should be lost but what both tolerances allow.
"""

from __future__ import annotations

import argparse

from proof.properties.lossless_collisions import PAIRS, collide


def main() -> None:
    """Let all of them collide."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rtol", type=float, default=1e-6, help="of the integrator")
    parser.add_argument("--tolerance", type=float, default=5e-3, help="of the depth")
    given = parser.parse_args()
    print(f"{'bodies':26}{'lost':>10}{'elastic, J':>12}{'evaluations':>13}")
    found = []
    for number in range(len(PAIRS)):
        one = collide(number, rtol=given.rtol, tolerance=given.tolerance)
        found.append(one)
        print(
            f"{one.name:26}{one.loss:10.2%}{one.elastic:12.3f}{one.evaluations:13}{'' if one.parted else '  together'}",
            flush=True,
        )
    worst = max(found, key=lambda each: abs(each.loss))
    within = sum(abs(each.loss) <= 1e-2 for each in found)
    print(f"{within} of {len(found)} within 1 %; worst {worst.name}: {worst.loss:.2%}")


if __name__ == "__main__":
    main()
