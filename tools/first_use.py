"""What a first use costs: ``python tools/first_use.py [NAME …]``.

Each use runs in processes of its own with an empty cache of compiled kernels. Printed: wall-clock and CPU time of all
its processes, and the CPU time of the same use again, when everything is in the cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONTACT = """
import numpy as np
import polycontact as pc
ring, floor = pc.shapes.torus(0.10, 0.02), pc.shapes.box(size=(1.0, 1.0, 0.1))
pairing = pc.ContactPairing(floor, ring, law=pc.LayerLaw(stiffness=1e8))
pairing.evaluate(pc.RelativeKinematics(rotation=np.eye(3), position=(0.0, 0.0, 0.069)))
"""
USES = {
    "contact": ["-c", CONTACT],
    "run": ["-m", "polycontact", "run", "bubbles"],
    "demo": ["-m", "polycontact", "demo"],
}


def main(names: list[str]) -> int:
    """Measure the uses named, or all."""
    unknown = sorted(set(names) - set(USES))
    if unknown:
        print(f"there is no use {unknown[0]!r}; there are {', '.join(USES)}", file=sys.stderr)
        return 2
    print(f"{'first use':12}{'wall, s':>10}{'CPU, s':>10}{'again, CPU, s':>16}")
    for name in names or list(USES):
        with tempfile.TemporaryDirectory() as cache:
            (wall, first), (_, again) = (_measure(USES[name], cache) for _ in range(2))
        print(f"{name:12}{wall:10.1f}{first:10.1f}{again:16.1f}", flush=True)
    return 0


def _measure(arguments: list[str], cache: str) -> tuple[float, float]:
    """Wall-clock and CPU time of a process and its children, s."""
    source = str(Path(__file__).resolve().parents[1] / "src")
    variables = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": source}
    before, started = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=variables, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, cpu


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
