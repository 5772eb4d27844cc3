"""Runs that are asked for a few at a time: made once, kept in a record, on workers as in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_study import RESULTS, drop, hangs_when_fast, height

from polycontact.errors import StudyError
from polycontact.studies.run_series import RunSeries, RunSettings
from polycontact.studies.study_plan import parse_results
from polycontact.studies.study_progress import StudyProgress

KEY = "bodies.ball.velocity[2]"


def test_each_run_is_made_once_and_kept(tmp_path: Path) -> None:
    told: list[StudyProgress] = []
    settings = RunSettings(workers=0, record=tmp_path / "a.runs", progress=told.append)
    results = parse_results(RESULTS, drop())
    with RunSeries(drop(), results, settings) as series:
        series.expected = 5
        rows = series.rows([{KEY: 1.0}, {KEY: -1.0}, {KEY: 1.0}])
        assert [row.results[0] for row in rows] == pytest.approx([height(1.0), height(-1.0), height(1.0)], rel=1e-6)
        assert (series.n_runs, series.recorded) == (2, 0)
        series.rows([{KEY: 1.0}, {KEY: 0.5}])
        assert series.n_runs == 3
    assert (told[-1].done, told[-1].total) == (3, 5)
    with (tmp_path / "a.runs").open("ab") as stream:
        stream.write(b"0123abcd {half a li")  # as a kill leaves it
    with RunSeries(drop(), results, settings) as series:
        again = series.rows([{KEY: 1.0}, {KEY: 2.0}])
        assert again[0].results == rows[0].results
        assert (series.n_runs, series.recorded) == (2, 1)
    other = parse_results({"speed": "final velocity of ball.z"}, drop())
    with pytest.raises(StudyError, match="it has runs of another scenario or other results"):
        RunSeries(drop(), other, settings).__enter__()


def test_a_run_that_fails_is_kept_too(tmp_path: Path) -> None:
    settings = RunSettings(workers=0, record=tmp_path / "a.runs")
    for known in (0, 1):
        with RunSeries(drop(), parse_results(RESULTS, drop()), settings) as series:
            row = series.rows([{"bodies.ball.density": -1.0}])[0]
            assert (row.status, series.recorded) == ("failed", known)
            assert "density" in row.message


@pytest.mark.slow
def test_workers_give_the_same_bits_over_several_calls() -> None:
    results = parse_results(RESULTS, drop())
    points = [{KEY: 0.1 * i} for i in range(6)]
    with RunSeries(drop(), results, RunSettings(workers=0)) as here:
        own = [row.results for row in here.rows(points)]
    with RunSeries(drop(), results, RunSettings(workers=2)) as there:
        found = [row.results for part in (points[:1], points[1:4], points[4:]) for row in there.rows(part)]
    assert found == own


@pytest.mark.slow
def test_a_run_that_takes_too_long_is_not_kept(tmp_path: Path) -> None:
    results = parse_results({"x": hangs_when_fast}, drop())
    settings = RunSettings(workers=1, time_limit=1.0, record=tmp_path / "a.runs")
    with RunSeries(drop(), results, settings) as series:
        slow, quick = series.rows([{KEY: 1.5}, {KEY: 0.5}])
    assert (slow.status, quick.status) == ("timeout", "finished")
    assert (tmp_path / "a.runs").read_bytes().count(b"\n") == 2


def test_settings_that_cannot_be_are_refused() -> None:
    for settings, told in (
        (RunSettings(workers=-1), "workers is -1"),
        (RunSettings(workers=0, time_limit=1.0), "a time limit needs worker processes"),
        (RunSettings(progress=3), "progress is 3"),  # type: ignore[arg-type]
    ):
        with pytest.raises(StudyError, match=told):
            RunSeries(drop(), (), settings)
