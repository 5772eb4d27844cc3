"""`study`: one scenario with many values for some of its keys; every run leaves a row in a table.

plan ─► file ─► runs that are missing, on a pool or a cluster ─► rows ─► table
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError, UnitError
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario
from polycontact.studies.carried_functions import carried
from polycontact.studies.designs import StudyDesign
from polycontact.studies.one_run import STATUSES, WELL, Runner, RunRow, RunTask, StudyWork
from polycontact.studies.pool import LocalPool
from polycontact.studies.study_plan import Asked, StudyPlan, plan_study
from polycontact.studies.study_progress import ProgressClock, StudyProgress
from polycontact.studies.study_store import StudyStore, check_place
from polycontact.studies.study_table import StudyTable, runs_folder_of
from polycontact.units import quantity

KEEP: Final = ("none", "failed", "all")

MOST_WORKERS: Final = 1024


class Pool(Protocol):
    """Workers that make the runs of a study."""

    @property
    def n_workers(self) -> int:
        """Number of runs that may go side by side now."""

    def rows(self, tasks: Iterable[RunTask], *, last: bool = True) -> Iterator[RunRow | None]:
        """A row for each task, in the order in which they are done; None now and then, where nothing is done.

        ``last``: no other tasks follow, and workers are let go at the end.
        """

    def close(self) -> None:
        """Let the workers go; where they are gone already nothing happens."""


def study(
    scenario: Scenario | str | os.PathLike[str],
    design: StudyDesign,
    results: Asked,
    *,
    output: str | os.PathLike[str],
    values: Mapping[str, Any] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    tls: Mapping[str, str] | None = None,
    time_limit: float | str | None = None,
    retries: int = 1,
    keep_runs: str | int = "none",
    retry_failed: bool = False,
    replace: bool = False,
    progress: Callable[[StudyProgress], None] | None = None,
) -> StudyTable:
    """Run a scenario at every point of a design, and return the table of the results.

    - ``design``: parameters and how they are combined, see `StudyDesign`.
    - ``results``: what is kept of each run, by name: texts such as "peak force of ball-table", or functions of a `Run`.
    - ``output``: HDF5 file of the table. The same call again goes on where an earlier one stopped, whatever stopped it;
      a file of another study is refused, unless ``replace``. ``retry_failed``: make runs again that failed.
    - ``values``: other values for keys of the scenario, the same in all runs.
    - ``workers``: processes on this machine, by default one for each core; 0: in this process. Results do not depend on
      it. ``cluster``: "local", or the address of a Dask scheduler (tcp://…, tls://…), with ``tls`` {"ca": …, "cert": …,
      "key": …}.
    - ``time_limit``: longest time of a run (s, or "2 min"); one that takes longer is killed and its row says so.
      ``retries``: how often a run is made again whose worker died.
    - ``keep_runs``: "none", "failed", "all", or every n-th run is recorded in a folder beside ``output``.
    - ``progress``: called after each run with a `StudyProgress`.

    Ctrl-C stops the study; nothing that is done is lost. Raises a `StudyError` before the first run where something
    cannot be.
    """
    path = Path(os.fsdecode(output))
    check_place(path)
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    plan = plan_study(chosen.with_values(values) if values else chosen, design, results)
    keep = _checked_keep(keep_runs)
    limit = checked_limit(time_limit)
    check_counts(workers, retries, cluster, limit)
    if progress is not None and not callable(progress):
        raise StudyError(f"progress is {progress!r}; give a function that takes a StudyProgress, or None")
    store = StudyStore(path, plan)
    store.open(replace=replace)
    try:
        wanted = _wanted(store.status, retry_failed=retry_failed)
        if wanted.any():
            work = _work(plan, keep, path, in_processes=workers != 0)
            _make_runs(plan, store, wanted, pool_of(work, workers, cluster, tls, limit, retries), progress)
    finally:
        store.close()
    return StudyTable(path)


def _make_runs(
    plan: StudyPlan,
    store: StudyStore,
    wanted: NDArray[np.bool_],
    pool: Pool,
    progress: Callable[[StudyProgress], None] | None,
) -> None:
    """Make the runs that are wanted; each is stored when it is done."""
    done = ~wanted
    clock = ProgressClock(len(wanted), int(done.sum()), int((done & ~_well(store.status)).sum()))
    rows = iter(pool.rows(plan.tasks(wanted)))
    try:
        for row in rows:
            if row is not None:
                store.add(row)
                clock.count(well=row.status in WELL)
            if progress is not None:
                progress(clock.now(pool.n_workers))
    finally:
        getattr(rows, "close", lambda: None)()


def pool_of(
    work: StudyWork,
    workers: int | None,
    cluster: str | None,
    tls: Mapping[str, str] | None,
    limit: float | None,
    retries: int,
) -> Pool:
    """The workers that a study asks for: of a cluster, of this machine, or this process itself."""
    if cluster is not None:
        from polycontact.studies.cluster import ClusterPool

        return ClusterPool(work, cluster, workers or n_cores(), tls, limit, retries)
    if workers == 0:
        return _InThisProcess(work)
    return LocalPool(work, workers or n_cores(), limit, retries)


class _InThisProcess:
    """Makes runs one by one, here."""

    n_workers = 1

    def __init__(self, work: StudyWork) -> None:
        self._runner = Runner(work)

    def rows(self, tasks: Iterable[RunTask], *, last: bool = True) -> Iterator[RunRow]:
        """A row for each task, made one after another in this process; a full disk raises an error."""
        for task in tasks:
            row = self._runner.row(task)
            if row.status == "no space":
                raise StudyError(f"run {row.number}: {row.message}; make room and start the study again: it goes on")
            yield row

    def close(self) -> None:
        """There are no workers to let go."""


def n_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work(plan: StudyPlan, keep: str | int, path: Path, *, in_processes: bool) -> StudyWork:
    folder = runs_folder_of(path).resolve()
    if keep != "none":
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StudyError(f"{folder}: runs cannot be kept there: {error.strerror}") from error
    results = tuple(map(carried, plan.results)) if in_processes else plan.results
    chosen = plan.scenario
    return StudyWork(chosen.source, str(chosen.folder.resolve()), chosen.file, results, keep, str(folder))


def _well(status: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.isin(status, [STATUSES.index(each) for each in WELL])


def _wanted(status: NDArray[np.int32], *, retry_failed: bool) -> NDArray[np.bool_]:
    """Whether each run is still to be made; ``retry_failed``: failed ones too."""
    return ~_well(status) if retry_failed else status == STATUSES.index("missing")


def _checked_keep(keep: str | int) -> str | int:
    every = isinstance(keep, int) and not isinstance(keep, bool) and keep >= 1
    if not every and keep not in KEEP:
        raise StudyError(f"keep_runs is {keep!r}; give {', '.join(map(repr, KEEP))}, or n for every n-th run")
    return keep


def checked_limit(limit: float | str | None) -> float | None:
    """The longest time of a run, s, of a number or a text such as "2 min"; None for none."""
    if limit is None:
        return None
    try:
        seconds = quantity(limit, "s") if isinstance(limit, str) else limit
    except UnitError as error:
        raise StudyError(f"the time limit is {limit!r}; {error}") from error
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1e9:
        raise StudyError(f"the time limit is {limit!r} s; give a number of seconds greater than 0")
    return float(seconds)


def check_counts(workers: int | None, retries: int, cluster: str | None, limit: float | None) -> None:
    """Refuse numbers of workers and retries that cannot be, and what contradicts them."""
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 0):
        raise StudyError(f"workers is {workers!r}; give a whole number from 0")
    if workers is not None and workers > MOST_WORKERS:
        raise StudyError(f"workers is {workers}; allowed are {MOST_WORKERS} on one machine: take a cluster")
    if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 100:
        raise StudyError(f"retries is {retries!r}; give a whole number from 0 to 100")
    if workers == 0 and cluster is not None:
        raise StudyError("workers=0 is for runs in this process; leave it out with a cluster")
    if workers == 0 and limit is not None:
        raise StudyError("a time limit needs worker processes; leave workers=0 or the limit out")
