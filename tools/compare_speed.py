"""Compare the speed of two source trees: ``python tools/compare_speed.py OTHER/src [--rounds N] [--only WORD]``.

One process for each tree does the same work in turn with the other, so that whatever else the machine does meets both
alike: `wrench` of bubbles in given poses, `evaluate`, short runs of built-in scenarios, frames of their films, and,
with ``--compile``, the compilation of all kernels into an empty cache. Printed: CPU time in the other tree and in this,
and the median of the ratios of one round.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1] / "src"
SIZES = (950, 10_000, 100_000)
CASES = (
    "far 950",
    "evaluate 950",
    *(f"{kind} {n}" for kind in ("coherent", "cold", "conforming", "multi-patch") for n in SIZES),
    "run bubbles",
    "run pedestrian",
    "film bubbles",
    "film pedestrian",
)
RUNS = {"bubbles": 2.0, "pedestrian": 0.12}
"""Until when the scenarios run, s."""
FILMED = {"bubbles": 1.2, "pedestrian": 0.6}
"""Until when those run that are filmed, s."""
POSES = 50
"""Cold poses of one round; several hundred close ones where calls are coherent."""

_COMPILE = """
import polycontact as pc
scenario = pc.load_scenario("bubbles")
pc.simulate(scenario.build(), **{**scenario.settings, "end_time": 1e-3})
"""


def main() -> None:
    """Ask both trees in turn and print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="src folder of another checkout")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--depths", nargs=2, default=("base_normal", "base_normal"), help="depth in the other, in this")
    parser.add_argument("--tolerance", default="", help="of the depth as a distance, in this; the usual one if empty")
    parser.add_argument("--compile", action="store_true", help="compile all kernels of both, too")
    given = parser.parse_args()
    trees = [given.other.resolve(), HERE]
    for tree in trees:
        if not (tree / "polycontact").is_dir():
            sys.exit(f"{tree} has no polycontact; give the src folder of another checkout")
    tolerances = ("", given.tolerance)
    workers = [_start(*each) for each in zip(trees, given.depths, tolerances, strict=True)]
    print(f"{'case':22}{'other, µs':>14}{'this, µs':>14}{'ratio':>8}")
    for case in CASES:
        if given.only in case:
            _compare(case, [partial(_ask, worker, case) for worker in workers], given.rounds)
    if given.compile:
        _compare("compilation", [partial(_compile, tree) for tree in trees], min(given.rounds, 3))


def _compare(case: str, measures: list[Callable[[], float]], rounds: int) -> None:
    times = [[measure() for measure in measures] for _ in range(rounds)]
    other, this = (statistics.median(each) for each in zip(*times, strict=True))
    ratio = statistics.median(new / old for old, new in times)
    print(f"{case:22}{other:14.2f}{this:14.2f}{ratio:8.3f}", flush=True)


def _start(source: Path, depth: str, tolerance: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, "--worker", depth, tolerance],
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


def _compile(source: Path) -> float:
    """CPU time, µs, of a short run in a process that finds no compiled code."""
    with tempfile.TemporaryDirectory(prefix="polycontact-") as folder:
        before = os.times()
        subprocess.run(
            [sys.executable, "-c", _COMPILE],
            env={**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": folder},
            stderr=subprocess.DEVNULL,
            check=True,
        )
        after = os.times()
    return 1e6 * (after.children_user - before.children_user + after.children_system - before.children_system)


# In the process of one tree ----------------------------------------------------------------------------------


def work(depth: Any, tolerance: str) -> None:
    """Answer cases on stdin with the mean CPU time of a call, µs; with the polycontact that is found first."""
    options: dict[str, Any] = {"depth": depth}
    if tolerance:
        from polycontact.contact.methods import PolygonalMethod

        options = {"method": PolygonalMethod(depth=depth, tolerance=float(tolerance))}
    ready: dict[str, list[Callable[[], object]]] = {}
    for line in sys.stdin:
        case = line.strip()
        if case not in ready:
            kind, what = case.split()
            if kind == "film":
                ready = {case: _prepare_film(what)}
            else:
                ready = {case: [_prepare_run(what)] if kind == "run" else _prepare_calls(kind, int(what), options)}
            for call in ready[case][:20]:
                call()
        begin = time.process_time_ns()
        for call in ready[case]:
            call()
        print((time.process_time_ns() - begin) / 1e3 / len(ready[case]), flush=True)


def _prepare_run(name: str) -> Callable[[], object]:
    import polycontact as pc

    scenario = pc.load_scenario(name)
    system = scenario.build()
    return lambda: pc.simulate(system, **{**scenario.settings, "end_time": RUNS[name]})


def _prepare_film(name: str) -> list[Callable[[], object]]:
    """A film of 24 frames; it is counted 24 times, so that the time is that of a frame."""
    import polycontact as pc
    from polycontact.report.picture import write_film

    scenario = pc.load_scenario(name)
    end = FILMED[name]
    run = pc.simulate(scenario.build(), **{**scenario.settings, "end_time": end}).trajectory
    folder = tempfile.mkdtemp(prefix="polycontact-")

    def film() -> None:
        assert write_film(run, Path(folder) / "film.gif", fps=23.0, speed=end) == 24

    return [film, *23 * [lambda: None]]


def _prepare_calls(kind: str, n: int, options: dict[str, Any]) -> list[Callable[[], object]]:
    import polycontact as pc

    families = _pose_families()
    family = {"conforming": families.Family.CONFORMING, "multi-patch": families.Family.MULTIPATCH}.get(
        kind, families.Family.SLIGHT
    )
    e, f = families.surfaces_for(family, n)
    law = pc.LayerLaw(stiffness=1e7, damping=1e4, transition_depth=1e-3)
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)
    pairing = pc.ContactPairing(e, f, law=law, friction=friction, **options)
    if kind == "coherent":
        poses = families.coherent_poses(e, 3)
    elif kind == "evaluate":
        poses = families.cold_poses(family, e, 1, 3) * 200
    else:
        poses = families.cold_poses(family, e, POSES, 3)
    far = 50.0 if kind == "far" else 0.0
    states = [(p.rotation, p.position + far, p.velocity, p.angular_velocity) for p in poses]
    if kind == "evaluate":
        kinematics = [
            pc.RelativeKinematics(rotation=R, position=r, velocity=v, angular_velocity=w) for R, r, v, w in states
        ]
        return [partial(pairing.evaluate, each) for each in kinematics]
    return [partial(pairing.wrench, *state) for state in states]


def _pose_families() -> Any:
    """The poses of this tree's benchmark, for both."""
    spec = importlib.util.spec_from_file_location("families", HERE.parent / "proof/bench/pose_families.py")
    assert spec is not None
    assert spec.loader is not None
    families = importlib.util.module_from_spec(spec)
    sys.modules["families"] = families
    spec.loader.exec_module(families)
    return families


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(*sys.argv[2:])
    else:
        main()
