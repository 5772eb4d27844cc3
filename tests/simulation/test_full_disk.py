"""A disk without space: the error says why, and what was recorded before can be read."""

from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from recorded_runs import assert_samples, description, record, sample, times
from recording_processes import child

from polycontact.errors import SimulationError
from polycontact.simulation.recording import run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory

FULL_DISKS = """
import resource, sys
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.errors import SimulationError
about = description(8, 28)
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
for order in sys.argv[1:]:
    path, written, limit = order.split(",")
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    try:
        for i, t in enumerate(times(40000)):
            if i == int(written):
                resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), most))
            recorder.add(sample(about, t))
    except SimulationError as error:
        print(error)
    recorder.finish("failed", "", {})
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    print(len(Trajectory.open(path, eager=True)) if Path(path).exists() else 0)
"""
LIMITS = (0, 100, 5000, 20000)
"""Sizes of files, bytes, that are not enough for a run's first sample."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file size")
def test_files_that_cannot_grow(tmp_path: Path) -> None:
    """The error says why, the process goes on, and what was written before can be read; HDF5 itself would crash it."""
    orders = [(100, 5 << 20), *((0, limit) for limit in LIMITS)]
    paths = [tmp_path / str(limit) / "run.h5" for _, limit in orders]
    for path in paths:
        path.parent.mkdir()
    process = child(FULL_DISKS, *(f"{path},{n},{limit}" for path, (n, limit) in zip(paths, orders, strict=True)))
    out, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, "")
    told = out.splitlines()
    kept = [int(line) for line in told[1::2]]
    for path, line in zip(paths, told[::2], strict=True):
        assert line.startswith(f"{path}: cannot be written: File too large; check the folder")
    assert kept[0] > 100
    assert_failed_run(paths[0], kept[0], "File too large")
    assert [file.name for file in paths[0].parent.iterdir()] == ["run.h5"]
    assert kept[1:] == [0] * len(LIMITS)
    assert not any(list(path.parent.iterdir()) for path in paths[1:])


@pytest.mark.parametrize("quantity", ["samples/time", "samples/energies", "contacts", "contact_ends"])
def test_disk_that_is_full_in_the_middle_of_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quantity: str
) -> None:
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    put = run_writer.RunFileWriter._put

    def put_most(self: run_writer.RunFileWriter, name: str, start: int, rows: np.ndarray) -> None:
        if name == quantity and start == (7 * 28 if name == "contacts" else 7):
            raise OSError(28, "No space left on device")
        put(self, name, start, rows)

    monkeypatch.setattr(run_writer.RunFileWriter, "_put", put_most)
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    with pytest.raises(SimulationError, match="cannot be written: No space left on device; check the folder"):
        record(recorder, description(8, 28), 10)
    with pytest.raises(SimulationError, match="writing has failed before"):
        recorder.add(sample(description(8, 28), 9.0))
    recorder.finish("failed", "", {})
    assert_failed_run(tmp_path / "run.h5", 7, "No space left on device")


def assert_failed_run(path: Path, kept: int, words: str) -> None:
    trajectory = Trajectory.open(path, eager=True)
    assert trajectory.status == "failed"
    assert words in trajectory.message
    assert_samples(trajectory, description(8, 28), times(kept), elements=False)


def test_no_space_to_give_back_the_room_that_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy without room cannot be made: the run has ended well all the same."""
    path, about = tmp_path / "run.h5", description()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    for t in times(10):
        recorder.add(sample(about, t))
    monkeypatch.setattr("polycontact.simulation.recording.run_writer.lay_out_again", refuse)
    recorder.finish("finished", "", {})
    monkeypatch.undo()
    with h5py.File(path) as file:
        assert len(file["samples/time"]) > 10
    trajectory = Trajectory.open(path)
    assert trajectory.status == "finished"
    assert_samples(trajectory, about, times(10), elements=False)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(about)
    recorder.finish("finished", "", {})
    with h5py.File(path) as file:
        assert len(file["samples/time"]) == 10
