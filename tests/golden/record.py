"""Write the golden file anew: ``python tests/golden/record.py``.

Only where a change means to change bits; its commit then says which, and why.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from golden_cases import RUNS, cases, evaluate_case, run_scenario

FILE = Path(__file__).with_name("golden.npz")


def main() -> None:
    """Evaluate every case and write what came out."""
    labels, outcomes = [], []
    for seed, (label, scene, options) in enumerate(cases()):
        labels.append(label)
        outcomes.append(evaluate_case(scene, options, seed))
    touching = sum(int((outcome.counters[:, 5] > 0).sum()) for outcome in outcomes)
    print(f"{len(outcomes)} cases, {sum(len(o.wrenches) for o in outcomes)} poses, {touching} of them in contact")
    content = {
        "machine": np.array(platform.machine()),
        "labels": np.array(labels),
        "wrenches": np.array([outcome.wrenches for outcome in outcomes]),
        "counters": np.array([outcome.counters for outcome in outcomes], dtype=np.int32),
        "digests": np.array([outcome.digest.hex() for outcome in outcomes]),
    }
    for name in RUNS:
        for key, values in run_scenario(name).items():
            content[f"{name} {key}"] = np.array(values)
    np.savez_compressed(FILE, **content)


if __name__ == "__main__":
    main()
