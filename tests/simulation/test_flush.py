"""When samples are written, and what becomes of them where a write is broken off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recorded_runs import description, sample, times

from polycontact.simulation.recording import run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory


def test_samples_are_flushed_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, about, now = tmp_path / "run.h5", description(), [100.0]
    monkeypatch.setattr(run_writer.time, "monotonic", lambda: now[0])
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    for t in times(10):
        recorder.add(sample(about, t))
    assert len(Trajectory.open(path)) == 1  # the first at once
    now[0] += 1.1
    recorder.add(sample(about, 1.0))
    assert len(Trajectory.open(path)) == 11
    recorder.add(sample(about, 1.1))
    recorder.flush()
    assert len(Trajectory.open(path)) == 12


def test_many_samples_are_not_gathered_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, about = tmp_path / "run.h5", description(8, 28)
    monkeypatch.setattr(run_writer.time, "monotonic", lambda: 100.0)
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    for t in times(200):
        recorder.add(sample(about, t))
    sample_bytes = sum(
        np.asarray(value).nbytes for name, value in vars(sample(about, 0.0)).items() if name != "elements"
    )
    assert 0 < 200 - len(Trajectory.open(path)) <= run_writer.BLOCK / sample_bytes + 1
