"""A disk without space: a study stops and says so, what was recorded stays, and the same call goes on."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_study import RESULTS, drop, height, speeds

import polycontact as pc
from polycontact.simulation.recording import run_writer
from polycontact.studies import study_store


def full() -> OSError:
    return OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("array", ["rows", "committed"])
def test_no_space_for_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, array: str) -> None:
    path = tmp_path / "study.h5"
    monkeypatch.setattr(study_store, "FLUSH_SECONDS", 0.0)  # each row is written when it comes
    put, n_put = study_store.StudyStore._put, 0

    def put_most(self: study_store.StudyStore, name: str, start: int, rows: Any) -> None:
        nonlocal n_put
        n_put += name == array
        if name == array and n_put > 3:
            raise full()
        put(self, name, start, rows)

    with monkeypatch.context() as patch:
        patch.setattr(study_store.StudyStore, "_put", put_most)
        with pytest.raises(
            pc.errors.StudyError, match="cannot be written: No space left on device; make room and start"
        ):
            pc.study(drop(), speeds(), RESULTS, output=path, workers=0)
    assert_goes_on(path, kept=3)


def test_no_space_for_a_run_that_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no failed run: the row is left out, and the run is made again when there is room."""
    path, begun = tmp_path / "study.h5", 0
    put = run_writer.RunFileWriter._put

    def put_most(self: run_writer.RunFileWriter, name: str, start: int, rows: Any) -> None:
        nonlocal begun
        begun += name == "samples/time" and start == 0
        if begun > 2:
            raise full()
        put(self, name, start, rows)

    with monkeypatch.context() as patch:
        patch.setattr(run_writer.RunFileWriter, "_put", put_most)
        with pytest.raises(
            pc.errors.StudyError, match=r"run 2: .*No space left on device.*; make room and start the study"
        ):
            pc.study(drop(), speeds(), RESULTS, output=path, workers=0, keep_runs="all")
    assert_goes_on(path, kept=2, keep_runs="all")
    assert pc.studies.StudyTable(path).run_file(2) is not None


def test_no_space_for_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise full()

    with monkeypatch.context() as patch:
        patch.setattr(study_store, "make_file", refuse)
        with pytest.raises(pc.errors.StudyError, match="cannot be written: No space left on device"):
            pc.study(drop(), speeds(), RESULTS, output=tmp_path / "study.h5", workers=0)
    assert not [each.name for each in tmp_path.iterdir()]


def assert_goes_on(path: Path, kept: int, **options: Any) -> None:
    """``kept`` rows are there, and the same call makes the others."""
    table = pc.studies.StudyTable(path)
    assert table.counts == {"missing": 6 - kept, "finished": kept}
    before = table["height"][:kept]
    made: list[int] = []
    table = pc.study(
        drop(), speeds(), RESULTS, output=path, workers=0, progress=lambda now: made.append(now.done), **options
    )
    assert made == list(range(kept + 1, 7))
    assert table.counts == {"finished": 6}
    assert np.array_equal(table["height"][:kept], before)
    np.testing.assert_allclose(table["height"], height(table["speed"]), rtol=1e-6)  # of the run: 1e-8
