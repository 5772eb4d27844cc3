"""One run of a study: values in, a row of the table out, whatever happens on the way.

The same on every worker: what all runs share is made once, and nothing of a run depends on the runs before it.
"""

from __future__ import annotations

import errno
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from polycontact.errors import IntegrationError, PolycontactError
from polycontact.scenario.build import build_system
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.scenario.shape_surfaces import GeometryStore
from polycontact.simulation.run_result import Progress, Run
from polycontact.simulation.simulate import simulate
from polycontact.studies.results import Result
from polycontact.version import __version__

STATUSES: Final = ("missing", "finished", "ended", "failed", "timeout", "lost", "no space")
"""How a run of a study may stand, by number: not run yet; to its end; ended by a condition of the scenario; could not
go on; took longer than allowed; its worker died each time; the disk was full (such a row is never stored)."""

WELL: Final = ("finished", "ended")
"""Statuses of runs that have results."""

MOST_GEOMETRIES: Final = 200
"""Geometries that a worker keeps for the next run; a study that varies shapes makes new ones with each."""

NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class StudyWork:
    """What all runs of a study share: the scenario's text, what to read off a run, which runs are recorded where."""

    source: str
    folder: str
    file: str
    results: tuple[Result, ...]
    keep: str | int = "none"
    runs_folder: str = ""
    version: str = __version__

    def scenario(self) -> Scenario:
        """The scenario that values are changed in."""
        return parse_scenario(self.source, self.folder, file=self.file)

    def begin(self) -> Callable[[RunTask, Callable[[], None]], RunRow]:
        """Called in a worker: the function that makes a run of a task."""
        return Runner(self).row


class RunTask(NamedTuple):
    """A run that is to be made: its number and the values by key."""

    number: int
    values: dict[str, Any]


class RunRow(NamedTuple):
    """What became of a run: a row of the study's table; times in s of the whole run, its building included."""

    number: int
    status: str
    message: str
    results: tuple[float, ...]
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    attempts: int = 1


class Runner:
    """Makes the runs of a study in this process."""

    def __init__(self, work: StudyWork) -> None:
        self._work = work
        self._base = work.scenario()
        self._store = GeometryStore(self._base.folder)

    def row(self, task: RunTask, stepping: Callable[[], None] | None = None) -> RunRow:
        """Make a run and say what came out; ``stepping`` is called after its steps."""
        begin, cpu = time.perf_counter(), time.process_time()
        try:
            run, message, status = self._run(task, stepping)
        except Exception as error:  # whatever a run does wrong is a row of the table
            status = "no space" if _disk_is_full(error) else "failed"
            message, numbers = _told(error), self._nothing()
        else:
            numbers, complaint = self._numbers(run)
            if complaint:
                status, message = "failed", complaint
        self._remove_if_not_kept(task.number, status)
        return RunRow(task.number, status, message, numbers, time.perf_counter() - begin, time.process_time() - cpu)

    def run(self, task: RunTask, stepping: Callable[[], None] | None = None) -> Run:
        """Make the run of a task again; its results are the same bits as in the study."""
        return self._simulated(task, stepping, record=None)

    def _run(self, task: RunTask, stepping: Callable[[], None] | None) -> tuple[Run, str, str]:
        run = self._simulated(task, stepping, record=self.file_of(task.number))
        return run, run.energy_warning if run.status == "finished" else run.message, run.status

    def _simulated(self, task: RunTask, stepping: Callable[[], None] | None, record: Path | None) -> Run:
        scenario = self._base.with_values(task.values)
        if len(self._store) > MOST_GEOMETRIES:
            self._store = GeometryStore(self._base.folder)

        def report(_: Progress) -> None:
            if stepping is not None:
                stepping()

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what deserves a second look is in the row
            return simulate(
                build_system(scenario, self._store),
                **(scenario.settings | {"workers": 1}),
                record=record,
                progress=report,
                scenario=scenario.source,
                scenario_folder=str(scenario.folder),
            )

    def _numbers(self, run: Run) -> tuple[tuple[float, ...], str]:
        """The results of a run, and what went wrong with the first that is no finite number though it should be."""
        numbers, complaint = [], ""
        for result in self._work.results:
            try:
                numbers.append(result.value(run))
            except Exception as error:
                numbers.append(math.nan)
                complaint = complaint or f"result {result.name!r}: {_told(error)}"
            if not math.isfinite(numbers[-1]) and not result.may_be_missing:
                complaint = complaint or (
                    f"result {result.name!r} is {numbers[-1]}; a function must give a finite number for every run"
                )
        return tuple(numbers), complaint

    def _nothing(self) -> tuple[float, ...]:
        return (math.nan,) * len(self._work.results)

    def file_of(self, index: int) -> Path | None:
        """File in which a run is recorded; None where this run is not kept."""
        keep = self._work.keep
        if keep == "none" or (isinstance(keep, int) and index % keep):
            return None
        return run_file(self._work.runs_folder, index)

    def _remove_if_not_kept(self, index: int, status: str) -> None:
        """Remove the file of a successful run if only failed runs are kept."""
        if self._work.keep == "failed" and status in WELL:
            run_file(self._work.runs_folder, index).unlink(missing_ok=True)


def run_file(folder: str | Path, index: int) -> Path:
    """The file of a run that is kept."""
    return Path(folder) / f"run_{index:06d}.h5"


def _told(error: BaseException) -> str:
    """The error's message in one line, with its type where it is no error of polycontact's own."""
    text = " ".join(str(error).split())
    known = isinstance(error, PolycontactError | IntegrationError)
    return text if known and text else f"{type(error).__name__}: {text}"


def _disk_is_full(error: BaseException | None) -> bool:
    """Whether the error comes from a full disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_SPACE:
            return True
        error = error.__cause__ or error.__context__
    return False
