"""Runs in worker processes: the same numbers, and runs that hang, fail or kill their worker."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_study import MARK, RESULTS, dies_once, dies_when_fast, drop, hangs_when_fast, speeds, systems_in_memory

import polycontact as pc
from polycontact.errors import StudyError
from polycontact.studies import pool
from polycontact.studies.one_run import RunRow, RunTask, StudyWork
from polycontact.studies.pool import LocalPool
from polycontact.workers import worker_process
from polycontact.workers.worker_process import TimeUpError, WorkerLostError

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


@pytest.fixture(scope="module")
def one_worker(tmp_path_factory: pytest.TempPathFactory) -> pc.studies.StudyTable:
    """A study by one worker process, to which a lambda is sent too."""
    results = {**RESULTS, "own": lambda run: 7.0, "held": systems_in_memory}
    return pc.study(drop(), speeds(8), results, output=tmp_path_factory.mktemp("one") / "study.h5", workers=1)


@pytest.mark.slow
def test_results_do_not_depend_on_the_workers(one_worker: pc.studies.StudyTable, tmp_path: Path) -> None:
    here = pc.study(drop(), speeds(8), RESULTS, output=tmp_path / "0.h5", workers=0)
    two = pc.study(drop(), speeds(8), RESULTS, output=tmp_path / "2.h5", workers=2, time_limit="2 min")
    for table in (one_worker, two):
        assert table.counts == {"finished": 8}
        for name in RESULTS:
            assert np.array_equal(table[name], here[name])


@pytest.mark.slow
def test_a_lambda_reaches_the_workers(one_worker: pc.studies.StudyTable) -> None:
    assert one_worker["own"].tolist() == [7.0] * 8


@pytest.mark.slow
def test_a_worker_keeps_nothing_of_its_runs(one_worker: pc.studies.StudyTable) -> None:
    """The parts of a system refer to each other, so that nothing but a collection frees them."""
    assert one_worker["held"].max() <= 1


@pytest.mark.slow
def test_a_run_that_hangs_is_killed_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "LOADING_SECONDS", 4.0)  # nothing is compiled here
    results = {**RESULTS, "own": hangs_when_fast}
    table = pc.study(drop(), speeds(6), results, output=tmp_path / "study.h5", workers=1, time_limit=2.0)
    fast = table["speed"] > 1.0
    assert fast.sum() == 1
    assert table.status[fast].tolist() == ["timeout"]
    assert table.message(int(np.flatnonzero(fast)[0])) == "took longer than 2 s and was killed"
    assert (table.status[~fast] == "finished").all()


@pytest.mark.slow
@POSIX
def test_a_worker_that_dies_costs_its_run_a_retry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, str(tmp_path / "mark"))
    table = pc.study(drop(), speeds(6), {"own": dies_once}, output=tmp_path / "study.h5", workers=1)
    assert table.counts == {"finished": 6}
    assert sorted(table.attempts.tolist()) == [1, 1, 1, 1, 1, 2]
    assert table.attempts[table["speed"] > 1.0].tolist() == [2]


@pytest.mark.slow
@POSIX
def test_a_run_that_always_kills_its_worker_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    table = pc.study(drop(), speeds(6), {"own": dies_when_fast}, output=path, workers=1, retries=0)
    assert table.counts == {"finished": 5, "lost": 1}
    assert "was killed by signal 9" in table.failures[0].message
    again = pc.study(drop(), speeds(6), {"own": dies_when_fast}, output=path, workers=1, retries=0, retry_failed=True)
    assert again.counts == {"finished": 5, "lost": 1}


class Replies:
    """A worker process that is none: a run ends as the list for its number says, one reply for each attempt."""

    def __init__(self, work: StudyWork, replies: dict[int, list[RunRow | Exception]]) -> None:
        self.work = work
        self.closed = False
        self._replies = replies

    def answer(self, task: RunTask, time_limit: float | None, stepping: Callable[[], None] | None = None) -> RunRow:
        given = self._replies.get(task.number, [])
        reply = given.pop(0) if given else RunRow(task.number, "finished", "", (float(task.number),))
        if isinstance(reply, Exception):
            raise reply
        return reply

    def close(self) -> None:
        self.closed = True


def pool_of(
    monkeypatch: pytest.MonkeyPatch, replies: dict[int, list[RunRow | Exception]], workers: int, retries: int
) -> LocalPool:
    monkeypatch.setattr(pool, "WorkerProcess", lambda work, failure: Replies(work, replies))
    work = StudyWork("", "", "", (object(),))  # type: ignore[arg-type]  # one result
    return LocalPool(work, workers, 2.5, retries)


TASKS = [RunTask(n, {}) for n in range(40)]


@pytest.mark.parametrize("workers", [1, 3])
def test_every_run_has_one_row_whatever_becomes_of_others(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    replies: dict[int, list[RunRow | Exception]] = {
        3: [WorkerLostError("it fell over")],
        5: [WorkerLostError("it fell over"), WorkerLostError("it was shot")],
        7: [TimeUpError()],
        9: [RunRow(9, "failed", "no solution", (math.nan,))],
        11: [WorkerLostError("it fell over"), TimeUpError()],
    }
    made = pool_of(monkeypatch, replies, workers, retries=1)
    rows = {row.number: row for row in made.rows(TASKS)}
    assert sorted(rows) == list(range(40))
    assert {n for n, row in rows.items() if row.status != "finished"} == {5, 7, 9, 11}
    assert rows[12].results == (12.0,)
    assert (rows[3].status, rows[3].attempts) == ("finished", 2)
    assert (rows[5].status, rows[5].message, rows[5].attempts) == ("lost", "it was shot, 2 times", 2)
    late = "took longer than 2.5 s and was killed"
    assert (rows[7].status, rows[7].message, rows[7].seconds, rows[7].attempts) == ("timeout", late, 2.5, 1)
    assert (rows[9].status, rows[9].message, rows[9].attempts) == ("failed", "no solution", 1)
    assert (rows[11].status, rows[11].attempts) == ("timeout", 2)
    assert all(math.isnan(rows[n].results[0]) for n in (5, 7, 9, 11))
    assert all(process.closed for process in made._processes)  # type: ignore[attr-defined]


def test_a_full_disk_and_a_worker_that_cannot_start_end_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    for reply, told in (
        (RunRow(2, "no space", "the disk is full", (math.nan,)), "run 2: the disk is full; make room"),
        (StudyError("no worker can be started"), "no worker can be started"),
    ):
        made = pool_of(monkeypatch, {2: [reply]}, 2, retries=0)
        with pytest.raises(StudyError, match=told):
            list(made.rows(TASKS))
        assert all(process.closed for process in made._processes)  # type: ignore[attr-defined]


def test_whoever_stops_early_leaves_no_worker_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    made = pool_of(monkeypatch, {}, 3, retries=0)
    rows = made.rows(TASKS)
    assert next(rows).status == "finished"
    rows.close()  # type: ignore[attr-defined]
    assert all(process.closed for process in made._processes)  # type: ignore[attr-defined]


def test_a_worker_that_cannot_start_ends_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(pc.errors.StudyError, match="a worker process could not be started"):
        pc.study(drop(), speeds(2), RESULTS, output=tmp_path / "study.h5", workers=1)


INTERRUPTED = """
import sys
sys.path.insert(0, {here!r})
import polycontact as pc
from small_study import drop, slow, speeds
if __name__ == "__main__":
    pc.study(drop(), speeds(200), {{"pid": slow}}, output={path!r}, workers=2)
"""


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_study(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "study.h5"
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED.format(here=str(Path(__file__).parent), path=str(path)))
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
    try:
        while not path.exists() or len(set(pc.studies.StudyTable(path)["pid"][pc.studies.StudyTable(path).well])) < 2:
            assert process.poll() is None
            time.sleep(0.2)
        workers = {int(pid) for pid in pc.studies.StudyTable(path)["pid"][pc.studies.StudyTable(path).well]}
    finally:
        os.kill(process.pid, number)
        process.wait()
    done = int(pc.studies.StudyTable(path).well.sum())
    while any(_is_alive(pid) for pid in workers):  # they end by themselves, at the latest after their run
        time.sleep(0.1)
    assert 0 < done < 200
    assert not path.with_name("study.h5.lock").exists() or number == signal.SIGKILL


def _is_alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"  # a zombie waits for its parent, which may be init
