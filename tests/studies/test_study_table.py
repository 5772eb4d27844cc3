"""The table of a study: rows against closed forms, going on after a kill, refusals, failed and kept runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from small_study import RESULTS, drop, height, nan_when_fast, raises_when_fast, speeds

import polycontact as pc
from polycontact.errors import StudyError
from polycontact.simulation.recording.run_lock import RunLock


def test_rows_are_what_runs_give(tmp_path: Path) -> None:
    table = pc.study(drop(), speeds(), RESULTS, output=tmp_path / "study.h5", workers=0)
    assert table.counts == {"finished": 6}
    np.testing.assert_allclose(table["height"], height(table["speed"]), rtol=1e-6)  # of the run: 1e-8
    assert table.unit("height") == "m"
    again = table.run(3)
    assert again.trajectory.body("ball").position[-1, 2] == table["height"][3]
    assert again.trajectory.scenario == table.scenario(3).source
    assert table.values(3) == {"bodies.ball.velocity[2]": table["speed"][3]}


def test_the_same_call_makes_no_run_twice(tmp_path: Path) -> None:
    calls: list[float] = []

    def counted(run: pc.Run) -> float:
        calls.append(run.statistics.steps)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return float(run.statistics.steps)

    path = tmp_path / "study.h5"
    with pytest.raises(KeyboardInterrupt):
        pc.study(drop(), speeds(), {"steps": counted}, output=path, workers=0)
    assert pc.studies.StudyTable(path).counts == {"missing": 3, "finished": 3}
    table = pc.study(drop(), speeds(), {"steps": counted}, output=path, workers=0)
    assert len(calls) == 7  # three, the one that was interrupted, and the other three
    assert table.counts == {"finished": 6}
    pc.study(drop(), speeds(), {"steps": counted}, output=path, workers=0)
    assert len(calls) == 7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"design": speeds(7)}, "another design"),
        ({"design": speeds(6, seed=2)}, "another design"),
        ({"results": {"height": "max position of ball.z"}}, "other results"),
        ({"values": {"simulation.rtol": 1e-5}}, "another scenario"),
    ],
)
def test_another_study_in_the_same_place_is_refused(tmp_path: Path, change: dict[str, object], told: str) -> None:
    path = tmp_path / "study.h5"
    given = {"design": speeds(), "results": RESULTS, "values": None}
    pc.study(drop(), **given, output=path, workers=0)
    before = path.read_bytes()
    with pytest.raises(StudyError, match=told):
        pc.study(drop(), **(given | change), output=path, workers=0)
    assert path.read_bytes() == before
    pc.study(drop(), **(given | change), output=path, workers=0, replace=True)


def test_a_file_of_something_else_and_bad_places_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.h5"
    other.write_text("mine")
    for place, told in (
        (other, "cannot be read as the file of a study"),
        (tmp_path / "no folder" / "a.h5", "does not exist"),
        (tmp_path, "folder"),
        (tmp_path / "a.csv", "HDF5"),
    ):
        for replace in (False, True):
            with pytest.raises(StudyError, match=told):
                pc.study(drop(), speeds(), RESULTS, output=place, workers=0, replace=replace)
    assert other.read_text() == "mine"


def test_a_study_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    table = pc.study(drop(), speeds(1), "final kinetic energy", output=path, workers=0)
    assert repr(table).endswith("study.h5', 1 run: 1 finished)")
    before = path.read_bytes()
    for write in (table.to_csv, lambda place: pc.studies.save_study_page(table, place)):
        with pytest.raises(StudyError, match="this is the study itself"):
            write(path)
    assert path.read_bytes() == before
    with pytest.raises(StudyError, match=r"no column 'z'; there are 'speed', 'final kinetic energy'"):
        table.unit("z")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"design": None}, "design is None; give a StudyDesign"),
        ({"results": [3]}, "it is 3; give a text"),
        ({"progress": 3}, "progress is 3; give a function"),
        ({"scenario": None}, "give the path of a file"),
        ({"time_limit": "2 kg"}, "the time limit is '2 kg'"),
    ],
)
def test_what_is_no_study_is_told(tmp_path: Path, change: dict[str, object], told: str) -> None:
    given = {"scenario": drop(), "design": speeds(), "results": RESULTS, "output": tmp_path / "study.h5", "workers": 0}
    with pytest.raises(pc.PolycontactError, match=told):
        pc.study(**given | change)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StudyError, match="'x' is no parameter"):
        pc.studies.StudyDesign(("x",), number=2)  # type: ignore[arg-type]


def test_two_writers_are_one_too_many(tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    lock = RunLock(path, "study")
    lock.take()
    try:
        with pytest.raises(StudyError, match="another study is being written"):
            pc.study(drop(), speeds(), RESULTS, output=path, workers=0)
    finally:
        lock.release()


def test_failed_runs_stay_with_their_reason(tmp_path: Path) -> None:
    results = {**RESULTS, "own": raises_when_fast}
    table = pc.study(drop(), speeds(), results, output=tmp_path / "study.h5", workers=0)
    fast = table["speed"] > 0
    assert table.counts == {"finished": int((~fast).sum()), "failed": int(fast.sum())}
    assert [each.number for each in table.failures] == np.flatnonzero(fast).tolist()
    assert "too fast for me" in table.failures[0].message
    assert np.isnan(table["own"][fast]).all()
    assert np.isfinite(table["height"]).all()


def test_a_run_that_cannot_go_on_is_a_row(tmp_path: Path) -> None:
    shapes = [{"kind": "torus", "major_radius": 0.1, "minor_radius": tube} for tube in (0.02, 0.2)]  # thicker than wide
    design = pc.studies.StudyDesign.points([{"bodies.ball.shape": each} for each in shapes])
    table = pc.study(drop(), design, RESULTS, output=tmp_path / "study.h5", workers=0)
    assert table.status.tolist() == ["finished", "failed"]
    assert "minor" in table.message(1) or "radius" in table.message(1)


def test_runs_are_kept_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    table = pc.study(drop(), speeds(), RESULTS, output=path, workers=0, keep_runs=3)
    assert [i for i in range(6) if table.run_file(i)] == [0, 3]
    kept = table.run_file(3)
    assert kept is not None
    assert pc.Trajectory.open(kept).body("ball").position[-1, 2] == table["height"][3]
    failed = tmp_path / "failed.h5"
    table = pc.study(drop(), speeds(), {"own": raises_when_fast}, output=failed, workers=0, keep_runs="failed")
    assert [i for i in range(6) if table.run_file(i)] == [each.number for each in table.failures]


def test_a_table_as_csv_and_data_frame(tmp_path: Path) -> None:
    table = pc.study(drop(), speeds(3), RESULTS, output=tmp_path / "study.h5", workers=0)
    table.to_csv(tmp_path / "study.csv")
    lines = (tmp_path / "study.csv").read_text().splitlines()
    assert lines[0] == "run,status,speed,height,energy,seconds,cpu_seconds,attempts,message"
    assert float(lines[2].split(",")[3]) == table["height"][1]
    assert table.to_pandas()["height"].tolist() == table["height"].tolist()
    with pytest.raises(StudyError, match='did you mean "height"'):
        table["heigt"]
    with pytest.raises(StudyError, match="there is no run 3"):
        table.run(3)


KILLED = """
import sys, time
sys.path.insert(0, {here!r})
import polycontact as pc
from small_study import RESULTS, drop, speeds
def slow(run):
    time.sleep(0.03)
    return 1.0
pc.study(drop(), speeds(150), {{**RESULTS, "slow": slow}}, output={path!r}, workers=0)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_kill_loses_no_row_that_was_written(tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    text = KILLED.format(here=str(Path(__file__).parent), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", text])
    try:
        seen = 0
        while seen < 20:  # rows can be read while they are written
            assert process.poll() is None
            time.sleep(0.1)
            if path.exists():
                seen = pc.studies.StudyTable(path).counts.get("finished", 0)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    table = pc.studies.StudyTable(path)
    done = table.well
    assert done.sum() >= seen
    np.testing.assert_allclose(table["height"][done], height(table["speed"][done]), rtol=1e-6)

    def fast(run: pc.Run) -> float:
        return 2.0

    # A function is told by its name; here the same name in the same module does another thing, to see who made a row.
    fast.__module__, fast.__qualname__ = "__main__", "slow"
    whole = pc.study(drop(), speeds(150), {**RESULTS, "slow": fast}, output=path, workers=0)
    assert whole.counts == {"finished": 150}
    assert (whole["slow"] == 1.0).tolist() == done.tolist()


def test_a_result_that_is_no_number_is_a_failed_run(tmp_path: Path) -> None:
    """The other results of its row are kept."""
    table = pc.study(drop(), speeds(), {**RESULTS, "own": nan_when_fast}, output=tmp_path / "study.h5", workers=0)
    fast = table["speed"] > 0
    assert fast.any()
    assert table.counts == {"finished": int((~fast).sum()), "failed": int(fast.sum())}
    assert np.isfinite(table["height"]).all()
    row = int(np.flatnonzero(fast)[0])
    assert "result 'own' is nan; a function must give a finite number for every run" in table.message(row)
