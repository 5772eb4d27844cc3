"""Runs with SUNDIALS by address and through Python objects: ``python -m tools.steps_by_address [--rounds N]``.

One process for each does the same runs in turn with the other. Printed: evaluations and steps of both, CPU time of the
first, the median of the ratios of one round, and the share of the CPU time that is spent in compiled steps.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

RUNS = {
    "bubbles": ("cvode-bdf", 2.0),
    "pedestrian": ("cvode-bdf", 0.12),
    "bubbles, ida": ("ida", 2.0),
    "bubbles, cvode-adams": ("cvode-adams", 2.0),
}
"""Integrator and end time (s) of each run; its name begins with that of the scenario."""


def main() -> None:
    """Ask both processes in turn and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    workers = [_start(by_address) for by_address in ("yes", "no")]
    print(f"{'run':24}{'evaluations':>16}{'steps':>12}{'CPU, ms':>10}{'ratio':>8}{'compiled':>10}")
    for name in RUNS:
        found = [[_ask(worker, name) for worker in workers] for _ in range(rounds)]
        (mine, its), ratio = found[-1], statistics.median(each[0][2] / each[1][2] for each in found)
        cpu, share = statistics.median(each[0][2] for each in found), statistics.median(each[0][3] for each in found)
        counts = f"{mine[0]:.0f} {its[0]:.0f}", f"{mine[1]:.0f} {its[1]:.0f}"
        print(f"{name:24}{counts[0]:>16}{counts[1]:>12}{1e3 * cpu:10.1f}{ratio:8.3f}{100 * share:9.0f} %", flush=True)


def _start(by_address: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tools.steps_by_address", "--worker"],
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, "POLYCONTACT_SUNDIALS_BY_ADDRESS": by_address},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(worker: subprocess.Popen[str], name: str) -> list[float]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(name, file=worker.stdin, flush=True)
    return [float(each) for each in worker.stdout.readline().split()]


def work() -> None:
    """Answer names of runs on stdin with evaluations, steps, CPU time (s) and the share of compiled steps in it."""
    import polycontact as pc
    from polycontact.kernels.stepping.run_steps import run_steps
    from polycontact.simulation import step_sequence

    warnings.simplefilter("ignore")
    spent = 0.0

    def timed(row: Any) -> int:
        nonlocal spent
        begin = time.process_time()
        needs = int(run_steps(row))
        spent += time.process_time() - begin
        return needs

    vars(step_sequence)["run_steps"] = timed
    ready = {}
    for line in sys.stdin:
        name = line.strip()
        integrator, end = RUNS[name]
        if name not in ready:
            scenario = pc.load_scenario(name.partition(",")[0])
            ready[name] = scenario.build(), {**scenario.settings, "end_time": end, "integrator": integrator}
            pc.simulate(ready[name][0], **ready[name][1])
        system, settings = ready[name]
        spent, begin = 0.0, time.process_time()
        run = pc.simulate(system, **settings).statistics
        cpu = time.process_time() - begin
        print(run.evaluations, run.steps, cpu, spent / cpu, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work()
    else:
        main()
