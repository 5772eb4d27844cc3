"""What a study costs besides its runs: CPU time of all processes beside that of the runs, bytes, and time per task.

    python tools/study_overhead.py [--runs 500] [--workers 2] [--scenario bubbles] [--end-time 0.5] [--cluster]

Starts of the scenario are perturbed. "runs" is the CPU time of the runs, from changing values to results; "integration"
the part of it that the simulation counts itself; "besides" is what the workers and the study spent beyond the runs:
starting, loading kernels, messages, writing the table. With --cluster the same on a Dask cluster in this process: bytes
of a task and of its result, and time of the scheduler for each, with tasks that do nothing.
"""

from __future__ import annotations

import argparse
import importlib
import pickle
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import polycontact as pc
from polycontact.studies.one_run import RunRow, RunTask, StudyWork
from polycontact.studies.study_plan import plan_study

RESULTS = {"force": "peak force", "kinetic": "final kinetic energy", "cpu": "cpu seconds"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scenario", default="bubbles")
    parser.add_argument("--end-time", type=float, default=0.5)
    parser.add_argument("--cluster", action="store_true")
    given = parser.parse_args()
    scenario = pc.load_scenario(given.scenario).with_values({"simulation.end_time": given.end_time})
    key = "bodies[0].position[0]"
    design = pc.studies.StudyDesign((pc.StudyParameter(key, range=(-1e-3, 1e-3)),), "latin_hypercube", given.runs)
    if given.cluster:
        scheduler_load(scenario, design, given.runs)
    else:
        pool_overhead(scenario, design, given.workers)


def pool_overhead(scenario: object, design: pc.studies.StudyDesign, workers: int) -> None:
    """CPU time of a study on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.h5"
        begin, own = time.perf_counter(), time.process_time()
        table = pc.study(scenario, design, RESULTS, output=path, workers=workers)  # type: ignore[arg-type]
        wall, own = time.perf_counter() - begin, time.process_time() - own
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = own + children.ru_utime + children.ru_stime
        runs, integration = float(table.cpu_seconds.sum()), float(table["cpu"].sum())
        used = path.stat().st_blocks * 512
        n = len(table)
        print(f"{n} runs, {workers} workers, {wall:.1f} s; {table.counts}")
        print(f"CPU: runs {runs:.2f} s ({1e3 * runs / n:.1f} ms each), of it integration {integration:.2f} s")
        besides = spent - runs
        print(f"besides: {besides:.2f} s, {100 * besides / runs:.1f} % of the runs; the study itself {own:.2f} s")
        print(f"largest worker: {children.ru_maxrss / 1024:.0f} MiB; table: {used / n:.0f} bytes a run on the disk")


def scheduler_load(scenario: object, design: pc.studies.StudyDesign, n: int) -> None:
    """Bytes of a task, and what the scheduler and the client need for one."""
    distributed: Any = importlib.import_module("distributed")
    plan = plan_study(scenario, design, RESULTS)  # type: ignore[arg-type]
    chosen = plan.scenario
    work = StudyWork(chosen.source, str(chosen.folder), chosen.file, plan.results)
    task, row = plan.task(0), RunRow(0, "finished", "", (1.0,) * len(RESULTS))
    print(
        f"a task: {len(pickle.dumps((work, task, 60.0, 1)))} bytes; its result: {len(pickle.dumps(tuple(row)))} bytes"
    )
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=4, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        begin, cpu = time.perf_counter(), time.process_time()
        for start in range(0, n, 16):
            sent = [client.submit(nothing, work, task, i, pure=False) for i in range(start, min(start + 16, n))]
            client.gather(sent)
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    print(f"scheduler, worker and client together: {1e3 * cpu / n:.2f} ms CPU a task, {1e3 * wall / n:.2f} ms wall")


def nothing(work: StudyWork, task: RunTask, number: int) -> tuple[object, ...]:
    """A task without a run."""
    return tuple(RunRow(number, "finished", "", (1.0,) * len(work.results)))


if __name__ == "__main__":
    main()
