"""Runs of a scenario that are asked for a few at a time, because which come next hangs on what came out so far.

values of keys ─► record: known already? ─► pool or cluster, as of a study ─► rows, in the order of the values
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, NamedTuple

from polycontact.errors import StudyError
from polycontact.scenario.parsing import Scenario
from polycontact.studies.carried_functions import carried
from polycontact.studies.one_run import WELL, RunRow, RunTask, StudyWork
from polycontact.studies.results import Result
from polycontact.studies.study import Pool, check_counts, checked_limit, pool_of
from polycontact.studies.study_progress import ProgressClock, StudyProgress
from polycontact.version import __version__
from polycontact.workers.answer_record import AnswerRecord, RecordKind

RUNS: Final = RecordKind("polycontact runs", "search", "runs", "another scenario or other results", StudyError)

TRANSIENT: Final = ("lost", "timeout")
"""Statuses of runs that may go well another time, so that they are not recorded."""


class RunSettings(NamedTuple):
    """How runs are made: see `study`, which has the same; ``record``: text file in which they are kept."""

    workers: int | None = None
    cluster: str | None = None
    tls: Mapping[str, str] | None = None
    time_limit: float | str | None = None
    retries: int = 1
    record: str | os.PathLike[str] | None = None
    progress: Callable[[StudyProgress], None] | None = None


class RunRecord(AnswerRecord):
    """Runs that were made, by the values of their keys."""

    def __init__(self, path: str | os.PathLike[str], of: str) -> None:
        super().__init__(path, RUNS, of)
        self._known: dict[str, RunRow] = {}

    def take(self, content: dict[str, Any]) -> None:
        """Take over a run that the file has."""
        results = tuple(math.nan if each is None else float.fromhex(each) for each in content["results"])
        row = RunRow(0, content["status"], content["message"], results, content["seconds"], content["cpu_seconds"])
        self._known[_key(content["values"])] = row

    def find(self, values: Mapping[str, Any]) -> RunRow | None:
        """The run with exactly these values, if it was made."""
        return self._known.get(_key(values))

    def add(self, values: Mapping[str, Any], row: RunRow) -> None:
        """Write a run: its values, status, message, results and times (s)."""
        results = [each.hex() if math.isfinite(each) else None for each in row.results]
        content = {"values": dict(values), "status": row.status, "message": row.message, "results": results}
        self.write(content | {"seconds": row.seconds, "cpu_seconds": row.cpu_seconds})


class RunSeries:
    """Makes runs of a ``scenario`` with other values, and keeps each; as a context manager it lets its workers go.

    The same values are run once, here or earlier where there is a record.
    """

    def __init__(self, scenario: Scenario, results: Sequence[Result], settings: RunSettings) -> None:
        limit = checked_limit(settings.time_limit)
        check_counts(settings.workers, settings.retries, settings.cluster, limit)
        if settings.progress is not None and not callable(settings.progress):
            raise StudyError(f"progress is {settings.progress!r}; give a function that takes a StudyProgress, or None")
        self.expected = 0
        """Runs that are expected in all, for the time left."""
        self.recorded = 0
        """Runs that were not made, but taken from the record."""
        self._made: dict[str, RunRow] = {}
        self._settings = settings
        self._limit = limit
        self._scenario = scenario
        self._results = tuple(results)
        self._pool: Pool | None = None
        self._record: RunRecord | None = None
        self._clock = ProgressClock(0, 0, 0)
        self._open = ExitStack()

    def __enter__(self) -> RunSeries:
        if self._settings.record is not None:
            record = RunRecord(self._settings.record, _subject(self._scenario, self._results))
            self._record = self._open.enter_context(record)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._pool is not None:
                self._pool.close()
        finally:
            self._open.close()

    @property
    def n_runs(self) -> int:
        """Different runs that were asked for so far."""
        return len(self._made)

    def rows(self, points: Sequence[Mapping[str, Any]]) -> list[RunRow]:
        """A row for each point, in their order; the number of a row says nothing."""
        self._look_up(points)
        wanted = {_key(point): dict(point) for point in points if _key(point) not in self._made}
        if wanted:
            self._make(list(wanted.items()))
        self._tell()
        return [self._made[_key(point)] for point in points]

    def _look_up(self, points: Sequence[Mapping[str, Any]]) -> None:
        """Take what the record has."""
        for point in points:
            known = None if self._record is None else self._record.find(point)
            if known is not None and _key(point) not in self._made:
                self._made[_key(point)] = known
                self.recorded += 1
                self._clock.done += 1
                self._clock.failed += known.status not in WELL

    def _make(self, wanted: Sequence[tuple[str, dict[str, Any]]]) -> None:
        if self._pool is None:
            self._pool = self._new_pool()
        rows = iter(self._pool.rows([RunTask(i, values) for i, (_, values) in enumerate(wanted)], last=False))
        try:
            for row in rows:
                if row is not None:
                    key, values = wanted[row.number]
                    self._made[key] = row
                    if self._record is not None and row.status not in TRANSIENT:
                        self._record.add(values, row)
                    self._clock.count(well=row.status in WELL)
                self._tell()
        finally:
            getattr(rows, "close", lambda: None)()

    def _new_pool(self) -> Pool:
        settings, chosen = self._settings, self._scenario
        results = self._results if settings.workers == 0 else tuple(map(carried, self._results))
        work = StudyWork(chosen.source, str(chosen.folder.resolve()), chosen.file, results)
        return pool_of(work, settings.workers, settings.cluster, settings.tls, self._limit, settings.retries)

    def _tell(self) -> None:
        if self._settings.progress is not None:
            self._clock.total = max(self.expected, self._clock.done)
            self._settings.progress(self._clock.now(1 if self._pool is None else self._pool.n_workers))


def _key(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True)


def _subject(scenario: Scenario, results: Sequence[Result]) -> str:
    """What runs are of, so that others give another text: the scenario with its meshes, the results, the version."""
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    digest.update(repr((scenario.source, [each.to_plain() for each in results])).encode())
    for each in results:
        code = getattr(each.function, "__code__", None)
        digest.update(b"" if code is None else code.co_code)
    for name in scenario.mesh_files:
        file = scenario.folder / name
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()
