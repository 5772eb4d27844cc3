"""A run file has one writer at a time, whatever becomes of the first."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from recorded_runs import description, record, sample, times
from recording_processes import KILLED, child, killed_run

from polycontact.errors import SimulationError
from polycontact.simulation.recording import run_lock
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory

BUSY = r"run\.h5: another run is being written to it by process {}; let that end, or give another name"


def test_a_second_run_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    path, about = tmp_path / "run.h5", description()
    first = Hdf5Recorder(path)
    first.begin(about)
    for time in times(2):  # before its file is there, and while it is written
        with pytest.raises(SimulationError, match=BUSY.format(os.getpid())):
            Hdf5Recorder(path).begin(about)
        first.add(sample(about, time))
    with pytest.raises(SimulationError, match=BUSY.format(os.getpid())):
        Hdf5Recorder.resume(path).begin(about)
    first.finish("finished", "", {})
    assert len(Trajectory.open(path)) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]
    record(Hdf5Recorder(path), about, 5)
    assert len(Trajectory.open(path)) == 5


@pytest.mark.skipif(os.name == "nt", reason="needs a signal that kills")
def test_another_process_is_refused_until_it_dies(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    process = child(KILLED, path, 3, "stays")
    assert process.stdout is not None
    while process.stdout.readline() not in ("ready\n", ""):
        pass
    with pytest.raises(SimulationError, match=BUSY.format(process.pid)):
        Hdf5Recorder(path).begin(description())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (tmp_path / "run.h5.lock").exists()  # what is left of it is in nobody's way
    record(Hdf5Recorder(path), description(), 2)
    assert len(Trajectory.open(path)) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a signal that kills")
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    killed_run(path, 3)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(description())
    recorder.add(sample(description(), 9.0, elements=True))
    recorder.finish("finished", "", {})
    assert len(Trajectory.open(path)) == 4


def test_a_run_that_is_refused_holds_nothing(tmp_path: Path) -> None:
    """Neither one that does not fit its file, nor one that another has written to meanwhile."""
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 3)
    other, late = Hdf5Recorder.resume(path), Hdf5Recorder.resume(path)
    with pytest.raises(SimulationError, match="cannot be continued"):
        other.begin(description(3, 2))
    record(Hdf5Recorder(path), description(), 4)
    with pytest.raises(SimulationError, match="written anew since it was opened"):
        late.begin(description())
    record(Hdf5Recorder(path), description(), 5)
    assert len(Trajectory.open(path)) == 5


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are recorded there as ever."""

    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    module, name = ("msvcrt", "locking") if os.name == "nt" else ("fcntl", "flock")
    monkeypatch.setattr(getattr(run_lock, module), name, refuse)
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 3)
    assert len(Trajectory.open(tmp_path / "run.h5")) == len(times(3))
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]
