"""Write the small golden file anew, with the JIT on: ``python tests/plain/record_small.py``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from small_cases import evaluate, labels

FILE = Path(__file__).with_name("small.npz")

if __name__ == "__main__":
    content = {}
    for i, label in enumerate(labels()):
        numbers, counts = evaluate(*label)
        content[f"numbers {i}"], content[f"counts {i}"] = numbers, np.array(counts, dtype=np.int32)
    np.savez_compressed(FILE, **content)
