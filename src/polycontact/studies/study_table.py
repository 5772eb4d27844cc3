"""The table of a study: what was varied and what came out of each run, read from its file, also while it goes on."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError
from polycontact.replacing import is_same_file, write_whole
from polycontact.scenario.file_problems import listed, shown, suggestion
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.simulation.run_result import Run
from polycontact.studies.designs import values_of
from polycontact.studies.index_estimates import SobolIndices
from polycontact.studies.one_run import STATUSES, WELL, Runner, RunTask, StudyWork, run_file
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.study_file_format import open_study_file, read_json, read_rows, read_text, row_type
from polycontact.studies.study_sensitivities import sensitivity_of
from polycontact.studies.tornado_bars import Tornado
from polycontact.wording import counted


class FailedRun(NamedTuple):
    """A run without results, and why."""

    number: int
    status: str
    message: str


class StudyTable:
    """A study in the file ``path``: a row for each run of its design, in the order of the design, numbered from 0.

    ``table["height"]``: the values of a parameter or result, one for each run; not a number where a run has none.
    ``table.status``: "finished", "ended", "failed", "timeout", "lost", or "missing" where a run is still to come.
    ``table.run(17)`` makes run 17 again, the same bits.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with open_study_file(self.path) as file:
            study = read_json(file, "study")
            self.source: str = read_text(file, "scenario")
            self.folder = Path(str(file.attrs["scenario_folder"]))
            self.file = str(file.attrs["scenario_file"])
            self.created = str(file.attrs["created"])
            self.version = str(file.attrs["polycontact_version"])
            self.points: NDArray[np.float64] = file["points"][()]
            rows = read_rows(file)
        self.design: dict[str, Any] = study["design"]
        self.parameters = tuple(StudyParameter.from_plain(each) for each in self.design["parameters"])
        self.asked: list[dict[str, str]] = study["results"]
        self._rows = _ordered(rows, len(self.points), len(self.asked))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> StudyTable:
        """The study in the HDF5 file ``path``."""
        return cls(path)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {status}" for status, n in self.counts.items())
        return f"StudyTable({str(self.path)!r}, {counted(len(self), 'run')}: {counts})"

    @property
    def results(self) -> tuple[str, ...]:
        """Names of the results, in the order of the study file."""
        return tuple(each["name"] for each in self.asked)

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """Status of each run, (n,): "missing" where it has not been made."""
        words: NDArray[np.str_] = np.array(STATUSES)[self._rows["status"]]
        return words

    @property
    def counts(self) -> dict[str, int]:
        """Number of runs by status; statuses that no run has are left out."""
        return {status: int(n) for status in STATUSES if (n := int(np.sum(self.status == status)))}

    @property
    def well(self) -> NDArray[np.bool_]:
        """Whether each run, (n,), has results."""
        return np.isin(self.status, WELL)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Real time of each run, s."""
        return self._rows["seconds"].copy()

    @property
    def cpu_seconds(self) -> NDArray[np.float64]:
        """CPU time of each run, s."""
        return self._rows["cpu_seconds"].copy()

    @property
    def attempts(self) -> NDArray[np.int32]:
        """Number of times that each run was begun."""
        return self._rows["attempts"].copy()

    @property
    def failures(self) -> list[FailedRun]:
        """Runs that were made and have no results."""
        bad = np.flatnonzero(~self.well & (self.status != "missing"))
        return [FailedRun(int(i), str(self.status[i]), self.message(int(i))) for i in bad]

    def message(self, index: int) -> str:
        """Why a run has no results, or what deserves a second look; mostly empty."""
        return bytes(self._rows["message"][self._checked(index)]).decode("utf-8", "replace")

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Values of a parameter or of a result by name, one for each run."""
        for i, parameter in enumerate(self.parameters):
            if name == parameter.name:
                values = [parameter.value(level) for level in self.points[:, i].tolist()]
                return np.array(values, float) if parameter.is_numeric else np.array(list(map(str, values)))
        if name in self.results:
            column: NDArray[Any] = self._rows["results"][:, self.results.index(name)].copy()
            return column
        known = [*(each.name for each in self.parameters), *self.results]
        raise StudyError(
            f"{self.path.name}: there is no column {shown(name)}{suggestion(name, known)}; there are {listed(known)}"
        )

    def sensitivity(self, result: str) -> SobolIndices | Tornado:
        """How much each parameter matters for a result, in a study whose design is "sensitivity" or "tornado"."""
        return sensitivity_of(self, result)

    def unit(self, name: str) -> str:
        """Unit of a column; empty where it has none."""
        units = {each.name: each.unit for each in self.parameters} | {each["name"]: each["unit"] for each in self.asked}
        if name not in units:
            raise StudyError(f"{self.path}: there is no column {name!r}; there are {', '.join(map(repr, units))}")
        return units[name]

    def values(self, index: int) -> dict[str, Any]:
        """Values of the scenario's keys in a run."""
        return values_of(self.parameters, self.points[self._checked(index)])

    def scenario(self, index: int) -> Scenario:
        """The scenario of the run ``index`` with the run's values in it."""
        return parse_scenario(self.source, self.folder, file=self.file).with_values(self.values(index))

    def run(self, index: int) -> Run:
        """Make a run again: the same bits as in the study, where machine and version are the same."""
        work = StudyWork(self.source, str(self.folder), self.file, ())
        return Runner(work).run(RunTask(index, self.values(index)))

    @property
    def runs_folder(self) -> Path:
        """Folder of the recorded runs."""
        return runs_folder_of(self.path)

    def run_file(self, index: int) -> Path | None:
        """The recorded run, where it was kept."""
        file = run_file(self.runs_folder, self._checked(index))
        return file if file.exists() else None

    def table(self) -> Iterator[dict[str, Any]]:
        """The rows one by one: run, status, parameters, results, times, message."""
        columns = {each.name: self[each.name] for each in self.parameters} | {name: self[name] for name in self.results}
        for i in range(len(self)):
            yield {
                "run": i,
                "status": str(self.status[i]),
                **{name: values[i] for name, values in columns.items()},
                "seconds": self._rows["seconds"][i],
                "cpu_seconds": self._rows["cpu_seconds"][i],
                "attempts": self._rows["attempts"][i],
                "message": self.message(i),
            }

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table as comma separated values; never over the study itself."""
        if is_same_file(path, self.path):
            raise StudyError(f"{self.path}: this is the study itself; write its table to another file")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for i, row in enumerate(self.table()):
            if i == 0:
                writer.writerow(row)
            writer.writerow(row.values())
        write_whole(path, text.getvalue())

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        try:
            import pandas
        except ImportError as error:
            raise StudyError("pandas is not installed; get it with 'pip install pandas', or use to_csv") from error
        return pandas.DataFrame(list(self.table())).set_index("run")

    def _checked(self, index: int) -> int:
        if not 0 <= index < len(self):
            raise StudyError(f"{self.path.name}: there is no run {index}; there are {len(self)}, counted from 0")
        return index


def runs_folder_of(path: Path) -> Path:
    """The folder beside the file of a study in which runs are kept."""
    return path.with_name(f"{path.stem}_runs")


def _ordered(rows: NDArray[Any], n_runs: int, n_results: int) -> NDArray[Any]:
    """A row for each run; empty ones for those that are missing."""
    table = np.zeros(n_runs, row_type(n_results))
    table["run"] = np.arange(n_runs)
    table["results"] = np.nan
    table[rows["run"]] = rows  # of several rows of a run the last counts
    return table
