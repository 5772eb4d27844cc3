"""How often 95 % intervals of identified parameters hold the truth.

    python tools/identification_coverage.py [--repetitions 100] [--case "sliding block"]

Noise is added to curves of runs with known parameters, which are then identified; a line for each parameter. Of 100
repetitions 95 are expected to hold the truth, and at least 90 with a probability of 98 %. "bias" is the mean error in
standard errors, expected within ± 0.2.
"""

from __future__ import annotations

import argparse
import sys

from proof.properties.known_parameters import CASES, measure_coverage


def main() -> int:
    """Repeat the identifications of all cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--case", choices=[each.name for each in CASES])
    given = parser.parse_args()
    print(f"{'case':20}{'parameter':32}{'truth':>10}{'inside':>8}{'of':>6}{'bias':>8}")
    enough = True
    for case in CASES:
        if given.case not in (None, case.name):
            continue
        found = measure_coverage(case, given.repetitions)
        for key, inside in found.inside.items():
            enough &= inside >= 0.9 * found.n
            print(
                f"{case.name:20}{key:32}{case.truth[key]:>10.4g}{inside:>8}{found.n:>6}{found.biases[key]:>8.2f}",
                flush=True,
            )
    print("at least 90 of 100 everywhere" if enough else "fewer than 90 of 100 somewhere")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
