"""Run files are read while the run goes on, by this process and by others."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from recorded_runs import assert_elements, assert_samples, description, sample, times
from recording_processes import KILLED, child

from polycontact.errors import SimulationError
from polycontact.simulation.recording import run_layout, run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.records import ContactEvent
from polycontact.simulation.recording.trajectory import Trajectory


@pytest.mark.slow
def test_another_process_reads_while_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    process = child(KILLED + "\nrecorder.finish('finished', '', {})", path, 300, "wait")
    assert process.stdout is not None
    while process.stdout.readline() != "ready\n":
        assert process.poll() is None
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, description(), times(300), elements=True)
    assert trajectory.status == "running"
    _, err = process.communicate("", timeout=600)
    assert process.returncode == 0, err
    assert Trajectory.open(path).status == "finished"
    assert trajectory.body("ball 0").velocity.shape == (300, 3)  # the old one is as it was


@pytest.mark.slow
def test_readers_follow_a_writer_in_full_swing(tmp_path: Path) -> None:
    """Whatever the moment, a reader sees a whole run so far."""
    path = tmp_path / "run.h5"
    program = """
import sys
from polycontact.simulation.recording import hdf5_recorder, run_layout, run_writer
run_layout.FIRST_BYTES, run_layout.FEWEST_ROWS, run_writer.FLUSH_SECONDS = 20000, 64, 0.0
recorder = hdf5_recorder.Hdf5Recorder(sys.argv[1])
about = description()
recorder.begin(about)
for t in times(200):
    recorder.add(sample(about, t, elements=True))
recorder.finish("finished", "", {})
"""
    process = child(program, path)
    lengths = []
    while not lengths or process.poll() is None:
        try:
            trajectory = Trajectory.open(path)
        except SimulationError as error:
            if lengths:  # only before its first sample
                raise AssertionError("a file that could be read cannot any more") from error
            time.sleep(0.01)
            continue
        n = len(trajectory)
        if n == 0:  # the file is there, its first sample not yet
            continue
        lengths.append(n)
        np.testing.assert_array_equal(trajectory.time, times(n))
        last = sample(description(), times(n)[-1], elements=True)
        np.testing.assert_array_equal(trajectory.array("contact")[-1], last.contact)
        assert_elements(trajectory.elements(-1), last.elements or ())
    assert process.returncode == 0, process.communicate()[1]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 3
    assert_samples(Trajectory.open(path), description(), times(200), elements=True)


@pytest.mark.parametrize("elements", [False, True])
def test_the_same_process_reads_while_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elements: bool
) -> None:
    """Also while the room for rows grows."""
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(run_layout, "FIRST_BYTES", 5000)
    monkeypatch.setattr(run_writer, "FEWEST_ROWS", 8)
    monkeypatch.setattr(run_layout, "FEWEST_ROWS", 8)
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    first = None
    for i, t in enumerate(times(200)):
        recorder.add(sample(about, t, elements=elements))
        recorder.add_event(ContactEvent(t, "ball 1–ball 0", "start"))
        trajectory = Trajectory.open(path)
        assert trajectory.time[-1] == t
        if i % 50 == 0:
            assert_samples(trajectory, about, times(i + 1), elements=elements)
        first = first or trajectory
    assert trajectory.status == "running"
    assert first is not None
    assert len(first.array("state")) == 1
    recorder.finish("finished", "", {})
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, about, times(200), elements=elements)
    assert [event.time for event in trajectory.events] == times(200)


def test_a_source_that_looks_again_has_the_contacts_and_events_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    source = None
    for i, t in enumerate(times(5)):
        recorder.add(sample(about, t))
        recorder.add_event(ContactEvent(t, "ball 1–ball 0", "start"))
        source = source or Hdf5Source(path)
        source.refresh()
        assert source.contacts.n_samples == i + 1
        assert [event.time for event in source.events] == times(i + 1)
        assert source.contacts is source.contacts  # not read again without need
        assert source.events is source.events
    recorder.finish("finished", "", {})
