"""A recorder that continues a run file: the same run with more samples, or a refusal."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest
from recorded_runs import EVENTS, assert_samples, description, record, sample, times

from polycontact.errors import SimulationError
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.records import ContactEvent
from polycontact.simulation.recording.trajectory import Trajectory


@pytest.mark.parametrize("elements", [False, True])
@pytest.mark.parametrize("expected", [0, 70, 10])
def test_continuation(tmp_path: Path, elements: bool, expected: int) -> None:
    path, about = tmp_path / "run.h5", description()
    record(Hdf5Recorder(path), about, 128, elements=elements)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(description(settings={"end_time": 3.0}), n_samples=expected)
    recorder.add(sample(about, 12.7, elements=elements))  # where the continuation starts: not twice
    with pytest.raises(SimulationError, match="strictly increasing"):
        recorder.add(sample(about, 12.6, elements=elements))
    for t in times(197)[128:]:
        recorder.add(sample(about, t, elements=elements))
    recorder.add_event(ContactEvent(99.0, "ball 1–ball 0", "start"))
    recorder.finish("stopped", "by hand", {"steps": 7})
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, about, times(197), elements=elements)
    assert [event.time for event in trajectory.events] == [*(event.time for event in EVENTS), 99.0]
    assert (trajectory.status, trajectory.settings) == ("stopped", {"end_time": 3.0})
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]
    with h5py.File(path) as file:
        assert len(file["samples/time"]) == 197


def test_continuation_drops_events_after_its_start(tmp_path: Path) -> None:
    """A killed run may have told of contacts that come after its last flush; the continuation tells of them again."""
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    recorder.add(sample(about, 0.1))
    for event in EVENTS:
        recorder.add_event(event)
    recorder._lock.release()  # as a kill does
    again = Hdf5Recorder.resume(path)
    again.begin(about)
    again.finish("finished", "", {})
    assert Trajectory.open(path).events == EVENTS[:1]


def test_continuation_of_another_system_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 5)
    before = path.read_bytes()
    with pytest.raises(SimulationError, match=r"bodies are ball 0, ball 1 \(2\), .* ball 0, ball 1, ball 2 \(3\)"):
        Hdf5Recorder.resume(path).begin(description(3))
    with pytest.raises(SimulationError, match="states"):
        Hdf5Recorder.resume(path).begin(description(state_names=("a",)))
    with pytest.raises(SimulationError, match="no such file"):
        Hdf5Recorder.resume(tmp_path / "other.h5")
    assert path.read_bytes() == before


def test_continuation_begins_only_when_asked(tmp_path: Path) -> None:
    """A continuation that is given up before it begins leaves the file as it was."""
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 5)
    before = path.read_bytes()
    Hdf5Recorder.resume(path)
    assert path.read_bytes() == before
