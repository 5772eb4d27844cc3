"""Compare the speed of two source trees: ``python tools/compare_speed.py OTHER/src [ROUNDS]``.

One process for each tree evaluates the same bubbles in the same poses, in turn, so that whatever else the machine does
meets both alike. Printed: CPU time of one `wrench`, µs, in the other tree and in this, and the median of the ratios.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1] / "src"
CASES = ("far 950", "coherent 950", "coherent 10000", "cold 950", "conforming 950")


def main(other: str, rounds: int = 9) -> None:
    """Ask both trees in turn and print a line for each case."""
    workers = [_start(Path(other).resolve()), _start(HERE)]
    print(f"{'case':16}{'other, µs':>12}{'this, µs':>12}{'ratio':>8}")
    for case in CASES:
        times = [[_ask(worker, case) for worker in workers] for _ in range(rounds)]
        middle = [statistics.median(each) for each in zip(*times, strict=True)]
        ratio = statistics.median(new / old for old, new in times)
        print(f"{case:16}{middle[0]:12.2f}{middle[1]:12.2f}{ratio:8.3f}", flush=True)


def _start(source: Path) -> subprocess.Popen[str]:
    if not (source / "polycontact").is_dir():
        sys.exit(f"{source} has no polycontact; give the src folder of another checkout")
    return subprocess.Popen(
        [sys.executable, __file__, "--worker"],
        env={**os.environ, "PYTHONPATH": str(source)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(worker: subprocess.Popen[str], case: str) -> float:
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(case, file=worker.stdin, flush=True)
    answer = worker.stdout.readline()
    if not answer:
        sys.exit(f"the process for {case!r} ended; see above")
    return float(answer)


def work() -> None:
    """Answer cases on stdin with the mean CPU time of a call, µs; with the polycontact that is found first."""
    ready: dict[str, Any] = {}
    for line in sys.stdin:
        case = line.strip()
        pairing, states = ready[case] = ready.get(case) or _prepare(case)
        for state in states[:20]:
            pairing.wrench(*state)
        begin = time.process_time_ns()
        for state in states:
            pairing.wrench(*state)
        print((time.process_time_ns() - begin) / 1e3 / len(states), flush=True)


def _prepare(case: str) -> tuple[Any, list[Any]]:
    import polycontact as pc

    spec = importlib.util.spec_from_file_location("families", HERE / "polycontact/benchmark/pose_families.py")
    assert spec is not None
    assert spec.loader is not None
    families = importlib.util.module_from_spec(spec)
    sys.modules["families"] = families
    spec.loader.exec_module(families)
    kind, n = case.split()
    family = families.Family.CONFORMING if kind == "conforming" else families.Family.SLIGHT
    e, f = families.surfaces_for(family, int(n))
    law = pc.LayerLaw(stiffness=1e7, damping=1e4, transition_depth=1e-3)
    pairing = pc.ContactPairing(e, f, law=law, friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01))
    poses = families.coherent_poses(e, 3) if kind == "coherent" else families.cold_poses(family, e, 200, 3)
    far = 50.0 if kind == "far" else 0.0
    return pairing, [(p.rotation, p.position + far, p.velocity, p.angular_velocity) for p in poses]


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        work()
    elif sys.argv[1:]:
        main(sys.argv[1], *map(int, sys.argv[2:3]))
    else:
        sys.exit(__doc__)
