"""Write the golden file of this kind of processor: ``python tests/golden/record.py``.

Anew only where a change means to change bits; its commit then says which, and why. Files of other processors have to be
recorded there again, or go.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from golden_cases import OWN_FILE, RUNS, cases, evaluate_case, run_scenario


def main() -> None:
    """Evaluate every case and write what came out."""
    labels, outcomes = [], []
    for seed, (label, scene, options) in enumerate(cases()):
        labels.append(label)
        outcomes.append(evaluate_case(scene, options, seed))
    touching = sum(int((outcome.counters[:, 5] > 0).sum()) for outcome in outcomes)
    print(f"{len(outcomes)} cases, {sum(len(o.wrenches) for o in outcomes)} poses, {touching} of them in contact")
    content = {
        "labels": np.array(labels),
        "wrenches": np.array([outcome.wrenches for outcome in outcomes]),
        "counters": np.array([outcome.counters for outcome in outcomes], dtype=np.int32),
        "digests": np.array([outcome.digest.hex() for outcome in outcomes]),
    }
    for name in RUNS:
        for key, values in run_scenario(name).items():
            content[f"{name} {key}"] = np.array(values)
    np.savez_compressed(OWN_FILE, **content)


if __name__ == "__main__":
    main()
