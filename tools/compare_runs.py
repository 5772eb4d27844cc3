"""Whole runs beside those of the last release: ``python3 dev.py runs [--against REVISION] [--rounds N] [--only WORD]``.

One process for each tree makes the same runs in turn with the other, from starts that differ a little, because motions
with contacts are chaotic and one run proves nothing. Counted are the instructions of the process where the machine lets
us count them, else its CPU time. Exit status 1 where a run costs more than 5 % over the release, in the median.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
MORE_ALLOWED = 1.05
"""Cost over that of the release from which on a run counts as slower: medians of CPU times vary by some per cent."""
VARIED = 1e-4
"""By this part gravity differs from round to round."""


def main() -> int:
    """Ask both processes in turn, print a line for each run and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", help="a revision of git; the last release if not given")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="runs whose name has this in it")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds is {given.rounds}; at least one is needed")
    from tools.whole_runs import RUNS

    names = [name for name in RUNS if given.only in name]
    if not names:
        parser.error(f"no run has {given.only!r} in its name; there are {', '.join(RUNS)}")
    slower = []
    with tempfile.TemporaryDirectory(prefix="polycontact-") as folder:
        revision = given.against or last_release()
        extract(revision, Path(folder))
        workers = [start(tree) for tree in (Path(folder) / "src", ROOT / "src")]
        unit = ask(workers[1], "unit")[0]
        what = "instructions" if unit == "1" else "CPU time"
        print(f"{what} of whole runs, over those of {revision[:12]}; medians of {given.rounds} rounds")
        print(f"{'run':24}{'then':>12}{'now':>12}{'ratio':>8}{'evaluations then':>18}{'now':>8}")
        for name in names:
            found = [[ask(worker, f"{k} {name}") for worker in workers] for k in range(given.rounds)]
            if any(answer[0] == "nan" for answer in found[0]):
                print(f"{name:24}cannot be run by both", flush=True)
                continue
            costs = [[float(answer[0]) for answer in each] for each in found]
            calls = [statistics.median(float(each[k][1]) for each in found) for k in (0, 1)]
            then, now = (statistics.median(each) for each in zip(*costs, strict=True))
            ratio = statistics.median(each[1] / each[0] for each in costs)
            print(f"{name:24}{then:12.4g}{now:12.4g}{ratio:8.3f}{calls[0]:18.0f}{calls[1]:8.0f}", flush=True)
            if ratio > MORE_ALLOWED:
                slower.append(name)
        for worker in workers:
            worker.terminate()
    if slower:
        print(f"more than {100 * (MORE_ALLOWED - 1):.0f} % over the release: {', '.join(slower)}")
    return 1 if slower else 0


def last_release() -> str:
    """The revision before the version that stands in the tree was begun."""
    begun = _git("log", "-1", "--format=%H", "--", "src/polycontact/version.py").decode().strip()
    if not begun:
        sys.exit("the history of git does not tell where this version began; say --against REVISION")
    return _git("rev-parse", f"{begun}^").decode().strip()


def extract(revision: str, folder: Path) -> None:
    """The package as it was at a revision, into a folder."""
    with tarfile.open(fileobj=io.BytesIO(_git("archive", revision, "src"))) as archive:
        archive.extractall(folder, filter="data")


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"git {' '.join(words)}: {done.stderr.decode().strip()}")
    return done.stdout


def start(source: Path) -> subprocess.Popen[str]:
    """A process that simulates with the package of a tree."""
    return subprocess.Popen(
        [sys.executable, "-m", "tools.compare_runs", "--worker"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ask(worker: subprocess.Popen[str], question: str) -> list[str]:
    """The answer of a process to a line."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(question, file=worker.stdin, flush=True)
    answer = worker.stdout.readline().split()
    if not answer:
        sys.exit(f"the process for {question!r} ended; see above")
    return answer


# In the process of one tree ----------------------------------------------------------------------------------


def work(questions: IO[str]) -> None:
    """Answer "round name" with cost and evaluations of a run, nan where it fails; "unit" with 1 for instructions."""
    warnings.simplefilter("ignore")
    import polycontact as pc
    from tools.whole_runs import RUNS

    cost, counts_instructions = cost_counter()
    ready: dict[str, Any] = {}
    for line in questions:
        first, _, name = line.strip().partition(" ")
        if first == "unit":
            print(int(counts_instructions), flush=True)
            continue
        try:
            if name not in ready:
                ready[name] = RUNS[name]()
                pc.simulate(ready[name].system, **{**ready[name].settings, "end_time": _beginning(ready[name])})
            system = RUNS[name]().system
            system.gravity = (1.0 + VARIED * int(first)) * system.gravity
            before = cost()
            evaluations = pc.simulate(system, **ready[name].settings).statistics.evaluations
            print(cost() - before, evaluations, flush=True)
        except (pc.PolycontactError, AttributeError, TypeError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            print("nan 0", flush=True)


def _beginning(run: Any) -> float:
    """An end time (s) that reaches all kernels of a run."""
    return 0.3 * float(run.settings["end_time"])


class _Event(ctypes.Structure):
    """``perf_event_attr`` of Linux, version 0: what is counted."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("config", ctypes.c_uint64),
        ("sample", ctypes.c_uint64),
        ("sample_type", ctypes.c_uint64),
        ("read_format", ctypes.c_uint64),
        ("flags", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 2),
    )


def cost_counter() -> tuple[Callable[[], float], bool]:
    """What a process has cost so far: its instructions in user mode, and True, or its CPU time in s."""
    if sys.platform == "linux" and os.uname().machine in ("x86_64", "aarch64"):
        number = 298 if os.uname().machine == "x86_64" else 241
        hardware_instructions, inherit, not_the_kernel, nor_above = 1, 1 << 1, 1 << 5, 1 << 6
        event = _Event(type=0, size=ctypes.sizeof(_Event), config=hardware_instructions)
        event.flags = inherit | not_the_kernel | nor_above
        file = ctypes.CDLL(None, use_errno=True).syscall(number, ctypes.byref(event), 0, -1, -1, 0)
        if file >= 0:
            return lambda: float(int.from_bytes(os.read(file, 8), sys.byteorder)), True
    return time.process_time, False


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.stdin)
    else:
        sys.exit(main())
