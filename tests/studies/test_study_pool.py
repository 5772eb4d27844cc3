"""Runs in worker processes: the same numbers, and runs that hang, fail or kill their worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from small_study import MARK, RESULTS, dies_once, dies_when_fast, drop, hangs_when_fast, speeds, systems_in_memory

import polycontact as pc
from polycontact.studies import worker_process

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


def test_results_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    limits = {0: None, 1: None, 3: "2 min"}
    tables = [
        pc.study(drop(), speeds(8), RESULTS, output=tmp_path / f"{n}.h5", workers=n, time_limit=limit)
        for n, limit in limits.items()
    ]
    for table in tables[1:]:
        assert table.counts == {"finished": 8}
        for name in RESULTS:
            assert np.array_equal(table[name], tables[0][name])


def test_a_run_that_hangs_is_killed_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "LOADING_SECONDS", 10.0)  # nothing is compiled here
    results = {**RESULTS, "own": hangs_when_fast}
    table = pc.study(drop(), speeds(6), results, output=tmp_path / "study.h5", workers=1, time_limit=2.0)
    fast = table["speed"] > 1.0
    assert fast.sum() == 1
    assert table.status[fast].tolist() == ["timeout"]
    assert table.message(int(np.flatnonzero(fast)[0])) == "took longer than 2 s and was killed"
    assert (table.status[~fast] == "finished").all()


@POSIX
def test_a_worker_that_dies_costs_its_run_a_retry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, str(tmp_path / "mark"))
    table = pc.study(drop(), speeds(6), {"own": dies_once}, output=tmp_path / "study.h5", workers=1)
    assert table.counts == {"finished": 6}
    assert sorted(table.attempts.tolist()) == [1, 1, 1, 1, 1, 2]
    assert table.attempts[table["speed"] > 1.0].tolist() == [2]


@POSIX
def test_a_run_that_always_kills_its_worker_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    table = pc.study(drop(), speeds(6), {"own": dies_when_fast}, output=path, workers=1, retries=0)
    assert table.counts == {"finished": 5, "lost": 1}
    assert "was killed by signal 9" in table.failures[0].message
    again = pc.study(drop(), speeds(6), {"own": dies_when_fast}, output=path, workers=1, retries=0, retry_failed=True)
    assert again.counts == {"finished": 5, "lost": 1}


def test_a_lambda_reaches_the_workers(tmp_path: Path) -> None:
    table = pc.study(drop(), speeds(2), {"own": lambda run: 7.0}, output=tmp_path / "study.h5", workers=1)
    assert table["own"].tolist() == [7.0, 7.0]


def test_a_worker_keeps_nothing_of_its_runs(tmp_path: Path) -> None:
    """The parts of a system refer to each other, so that nothing but a collection frees them."""
    table = pc.study(drop(), speeds(8), {"held": systems_in_memory}, output=tmp_path / "study.h5", workers=1)
    assert table["held"].max() <= 1


def test_a_worker_that_cannot_start_ends_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(pc.StudyError, match="a worker process could not be started"):
        pc.study(drop(), speeds(2), RESULTS, output=tmp_path / "study.h5", workers=1)


INTERRUPTED = """
import sys
sys.path.insert(0, {here!r})
import polycontact as pc
from small_study import drop, slow, speeds
if __name__ == "__main__":
    pc.study(drop(), speeds(200), {{"pid": slow}}, output={path!r}, workers=2)
"""


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_study(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "study.h5"
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED.format(here=str(Path(__file__).parent), path=str(path)))
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
    try:
        while not path.exists() or len(set(pc.StudyTable(path)["pid"][pc.StudyTable(path).well])) < 2:
            assert process.poll() is None
            time.sleep(0.2)
        workers = {int(pid) for pid in pc.StudyTable(path)["pid"][pc.StudyTable(path).well]}
    finally:
        os.kill(process.pid, number)
        process.wait()
    done = int(pc.StudyTable(path).well.sum())
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
