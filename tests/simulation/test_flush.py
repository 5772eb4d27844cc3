"""When samples are written, and what becomes of them where a write is broken off."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from recorded_runs import assert_samples, description, sample, times
from small_systems import pendulum

import polycontact as pc
from polycontact.errors import SimulationError
from polycontact.simulation import sampler
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


def at_write(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], array: str, start: int | None = None) -> None:
    """Let ``act`` happen before rows of an array are written, those from row ``start`` on where it is given."""
    put = run_writer.RunFileWriter._put

    def act_first(self: run_writer.RunFileWriter, name: str, first: int, rows: np.ndarray[Any, Any]) -> None:
        if name == array and first == (first if start is None else start):
            act()
        put(self, name, first, rows)

    monkeypatch.setattr(run_writer.RunFileWriter, "_put", act_first)


def fail(error: BaseException) -> Callable[[], None]:
    def raise_it() -> None:
        raise error

    return raise_it


def interrupt_self() -> None:
    os.kill(os.getpid(), signal.SIGINT)


no_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that a process can send to itself")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=repr)
@pytest.mark.parametrize("array", ["samples/time", "samples/steps", "elements", "element_ends", "committed"])
def test_samples_are_kept_until_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, array: str, error: BaseException
) -> None:
    """A write that fails, wherever it does, leaves the file as it was; the next one writes everything."""
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    with monkeypatch.context() as patch:
        patch.setattr(run_writer, "FLUSH_SECONDS", 1e9)
        for t in times(20):
            recorder.add(sample(about, t, elements=True))
        at_write(patch, fail(error), array)
        assert recorder._writer is not None
        with pytest.raises(type(error)):
            recorder._writer.flush()
        assert_samples(Trajectory.open(path), about, times(1), elements=True)
    recorder.add(sample(about, 2.0, elements=True))
    recorder.flush()
    assert_samples(Trajectory.open(path), about, times(21), elements=True)


def test_samples_are_kept_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about, n_samples=1)
    with monkeypatch.context() as patch:
        patch.setattr(run_writer, "FLUSH_SECONDS", 1e9)
        for t in times(20):
            recorder.add(sample(about, t))
        patch.setattr(run_writer, "lay_out_again", lambda *_: fail(OSError(28, "No space left on device"))())
        assert recorder._writer is not None
        with pytest.raises(OSError, match="No space left"):
            recorder._writer.flush()
    recorder.flush()
    assert_samples(Trajectory.open(path), about, times(20), elements=False)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.h5", "run.h5.lock"]


@pytest.mark.parametrize("interrupt", [fail(KeyboardInterrupt()), pytest.param(interrupt_self, marks=no_signals)])
def test_a_sample_is_taken_though_its_write_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupt: Callable[[], None]
) -> None:
    """It is in the file once: not lost, and refused a second time."""
    path, about = tmp_path / "run.h5", description()
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    for t in times(5):
        recorder.add(sample(about, t))
    with monkeypatch.context() as patch:
        at_write(patch, interrupt, "contacts")
        with pytest.raises(KeyboardInterrupt):
            recorder.add(sample(about, 0.5))
    with pytest.raises(SimulationError, match="strictly increasing"):
        recorder.add(sample(about, 0.5))
    recorder.finish("stopped", "", {})
    assert_samples(Trajectory.open(path), about, times(6), elements=False)


@no_signals
def test_interrupt_while_the_last_sample_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends there, with each sample once in its file and in its ledger."""
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(sampler, "MOST_ROWS", 1)  # each sample is written by itself
    at_write(monkeypatch, interrupt_self, "samples/time", 10)
    run = pc.simulate(pendulum(), end_time=1.0, output_step=0.1, record=tmp_path / "run.h5")
    assert run.status == "stopped"
    np.testing.assert_allclose(run.trajectory.time, 0.1 * np.arange(11), atol=1e-12)
    np.testing.assert_array_equal(run.ledger.time, run.trajectory.time)
    assert run.statistics.samples == 11


@no_signals
def test_interrupt_at_the_end_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples that are left, the outcome, and no room for more rows: then the interrupt is heard."""
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 1e9)
    for t in times(5):
        recorder.add(sample(about, t))
    at_write(monkeypatch, interrupt_self, "samples/time", 1)
    with pytest.raises(KeyboardInterrupt):
        recorder.finish("finished", "", {})
    trajectory = Trajectory.open(path)
    assert trajectory.status == "finished"
    assert_samples(trajectory, about, times(5), elements=False)
    with h5py.File(path) as file:
        assert len(file["samples/time"]) == 5
