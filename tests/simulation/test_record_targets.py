"""Where a run is written: nothing is overwritten by mistake, and what is in the way is told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import h5py
import pytest
from recorded_runs import description, record, sample

from polycontact.errors import SimulationError
from polycontact.simulation.recording import hdf5_source
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory


def test_what_may_be_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 3)
    record(Hdf5Recorder(path), description(), 5)
    assert len(Trajectory.open(path)) == 5
    path.write_bytes(b"")
    record(Hdf5Recorder(path), description(), 2)
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = 1
    (tmp_path / "thesis.txt").write_text("years of work")
    for name in ("foreign.h5", "thesis.txt"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(SimulationError, match="not overwritten; give another name or delete it"):
            Hdf5Recorder(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


def test_a_link_is_followed(tmp_path: Path) -> None:
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 3)
    link = tmp_path / "link.h5"
    try:
        link.symlink_to(tmp_path / "run.h5")
    except OSError:
        pytest.skip("no symbolic links here")
    record(Hdf5Recorder(link), description(), 4)
    assert link.is_symlink()
    assert len(Trajectory.open(tmp_path / "run.h5")) == 4


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SimulationError, match="folder"):
        Hdf5Recorder(tmp_path)
    with pytest.raises(SimulationError, match="does not exist; make it"):
        Hdf5Recorder(tmp_path / "nowhere" / "run.h5")
    if Path("/dev/null").exists():
        with pytest.raises(SimulationError, match="ordinary file"):
            Hdf5Recorder("/dev/null")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SimulationError, match="may not be written"):
        Hdf5Recorder(tmp_path / "run.h5")
    monkeypatch.undo()
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(description())
    (tmp_path / "run.h5").mkdir()  # in the way at the last moment
    with pytest.raises(SimulationError, match=r"run\.h5: cannot be written"):
        recorder.add(sample(description(), 0.0))


def test_a_reader_in_the_way_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to replace a file that another program has open."""
    replace, refusals = Path.replace, [1, 2]

    def once_in_a_while(self: Path, target: Path) -> Path:
        if refusals:
            refusals.pop()
            raise PermissionError(13, "Access is denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", once_in_a_while)
    monkeypatch.setattr("polycontact.replacing.PAUSES", (0.0, 0.0))
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 3)
    assert not refusals
    refusals.extend([1, 2, 3])
    with pytest.raises(SimulationError, match=r"Access is denied; check .* no other program has the file open"):
        record(Hdf5Recorder(tmp_path / "run.h5"), description(), 4)
    assert len(Trajectory.open(tmp_path / "run.h5")) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted")
def test_file_deleted_under_the_run(tmp_path: Path) -> None:
    """Noticed when it needs more room."""
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(description(), n_samples=1)
    recorder.add(sample(description(), 0.0))
    (tmp_path / "run.h5").unlink()
    recorder.add(sample(description(), 0.1))
    with pytest.raises(SimulationError, match="cannot be written: No such file"):
        recorder.flush()
    recorder.finish("failed", "", {})
    assert not list(tmp_path.iterdir())


def test_missing_h5py_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(SimulationError, match="pip install h5py"):
        Hdf5Recorder(tmp_path / "run.h5")
    (tmp_path / "run.h5").write_bytes(b"x")
    with pytest.raises(SimulationError, match="pip install h5py"):
        hdf5_source.Hdf5Source(tmp_path / "run.h5")
