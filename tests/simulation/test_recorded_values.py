"""Recorders give back every bit of what they took, and refuse what is no sample."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from recorded_runs import EVENTS, STATISTICS, assert_samples, description, record, sample, times

from polycontact.errors import SimulationError
from polycontact.simulation.recording import run_file
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import ContactEvent, ElementRecord, Sample
from polycontact.simulation.recording.trajectory import Trajectory


@pytest.mark.parametrize("elements", [False, True])
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 300])
def test_memory_and_file_give_back_every_bit(tmp_path: Path, n: int, elements: bool) -> None:
    about = description()
    memory, file = MemoryRecorder(), Hdf5Recorder(tmp_path / "run.h5")
    for recorder in (memory, file):
        record(recorder, about, n, elements=elements)
    for trajectory in (Trajectory.from_memory(memory), Trajectory.open(tmp_path / "run.h5")):
        assert_samples(trajectory, about, times(n), elements=elements)
        assert trajectory.events == (EVENTS if n else ())
        assert (trajectory.status, trajectory.message) == ("finished", "all is well: ü")
        assert trajectory.statistics == STATISTICS
        assert trajectory.has_elements is (elements and n > 0)


@pytest.mark.parametrize(("n_bodies", "n_pairings"), [(0, 0), (1, 0), (3, 3)])
def test_nothing_of_a_kind(tmp_path: Path, n_bodies: int, n_pairings: int) -> None:
    about = description(n_bodies, n_pairings, joints=(), state_names=(), energies=())
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(about)
    for t in times(70):
        recorder.add(sample(about, t, n_discrete=0))
    recorder.finish("finished", "", {})
    trajectory = Trajectory.open(tmp_path / "run.h5", eager=True)
    assert trajectory.array("wrenches").shape == (70, n_pairings, 6)
    assert trajectory.array("positions").shape == (70, n_bodies, 3)
    assert trajectory.array("state").shape == (70, 0)
    assert trajectory.energies == {}


def test_description_comes_back(tmp_path: Path) -> None:
    about = description(3, 2)
    record(Hdf5Recorder(tmp_path / "run.h5"), about, 2)
    back = Trajectory.open(tmp_path / "run.h5").description
    assert back.settings == {"end_time": 1.0, "path": str(Path("a/b")), "tolerances": [1e-4, 1e-5]}
    for name in ("name", "joints", "pairings", "state_names", "scenario", "scenario_folder", "energies"):
        assert getattr(back, name) == getattr(about, name), name
    for new, old in zip(back.bodies, about.bodies, strict=True):
        assert (new.name, new.mass) == (old.name, old.mass)
        np.testing.assert_array_equal(new.centre, old.centre)
        np.testing.assert_array_equal(new.inertia, old.inertia)
        for a, b in zip(new.shapes, old.shapes, strict=True):
            assert (a.name, a.contact, a.colour) == (b.name, b.contact, b.colour)
            for name in ("vertices", "triangles", "position", "rotation"):
                np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_each_mesh_is_stored_once_and_the_layout_tells_units(tmp_path: Path) -> None:
    record(Hdf5Recorder(tmp_path / "run.h5"), description(3, 2), 2)
    with h5py.File(tmp_path / "run.h5") as file:
        assert len(file["meshes"]) == 1
        assert file.attrs["format_version"] == run_file.FORMAT_VERSION
        assert {"polycontact_version", "created", "run_id"} <= set(file.attrs)
        assert file["samples/positions"].attrs["unit"] == "m"
        assert [name.decode() for name in file["names/bodies"]] == ["ball 0", "ball 1", "ball 2"]
    shapes = [shape for body in Trajectory.open(tmp_path / "run.h5").description.bodies for shape in body.shapes]
    assert len({id(shape.vertices) for shape in shapes}) == 1


@pytest.mark.parametrize("make", [MemoryRecorder, lambda: Hdf5Recorder("run.h5")])
def test_bad_samples_are_refused_and_good_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: type[MemoryRecorder]
) -> None:
    monkeypatch.chdir(tmp_path)
    about = description()
    recorder = make()
    with pytest.raises(SimulationError, match="begin must be called"):
        recorder.add(sample(about, 0.0))
    recorder.begin(about)
    with pytest.raises(SimulationError, match="begun twice"):
        recorder.begin(about)
    recorder.add(sample(about, 0.1))
    for bad, text in (
        (sample(about, 0.1), "strictly increasing"),
        (_with(sample(about, 0.2), time=float("nan")), "finite"),
        (_with(sample(about, 0.2), time=float("inf")), "finite"),
        (_with(sample(about, 0.2), wrenches=np.zeros(6)), r"'wrenches' of shape \(6,\).*\(1, 6\)"),
        (sample(about, 0.2, n_discrete=3), "'discrete'"),
        (sample(about, 0.2, elements=True), "contact elements"),
    ):
        with pytest.raises(SimulationError, match=text):
            recorder.add(bad)
    recorder.add(sample(about, 0.3))
    recorder.finish("finished", "", {})
    with pytest.raises(SimulationError, match="already finished"):
        recorder.add(sample(about, 0.4))
    trajectory = Trajectory.from_memory(recorder) if isinstance(recorder, MemoryRecorder) else Trajectory.open("run.h5")
    assert_samples(trajectory, about, [0.1, 0.3], elements=False)


def _with(good: Sample, **changes: object) -> Sample:
    return Sample(**{**vars(good), **changes})  # type: ignore[arg-type]


def test_bad_elements_and_events_are_refused(tmp_path: Path) -> None:
    about = description()
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(about)
    with pytest.raises(SimulationError, match="before the first sample"):
        recorder.add_event(EVENTS[0])
    recorder.add(_with(sample(about, 0.0), elements=()))
    n = 2
    good = ElementRecord(
        0,
        np.zeros((n, 3)),
        np.zeros((n, 3)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros((n, 3)),
        np.zeros(n, np.int32),
        np.zeros(n, np.int8),
    )
    for changes, text in (
        ({"pairing": 1}, "pairing number 1, but the run has 1"),
        ({"slip": np.zeros(3)}, "'slip'"),
        ({"depth": np.zeros(1)}, "'depth'"),
    ):
        with pytest.raises(SimulationError, match=text):
            recorder.add(_with(sample(about, 0.1), elements=(ElementRecord(**{**vars(good), **changes}),)))
    for event in (
        ContactEvent(0.0, "ball 7–ball 8", "start"),
        ContactEvent(0.0, "ball 1–ball 0", "much too long a word"),
    ):
        with pytest.raises(SimulationError, match="event"):
            recorder.add_event(event)
    recorder.add(sample(about, 0.2))  # no elements: as if there were no contact
    recorder.finish("finished", "", {})
    assert Trajectory.open(tmp_path / "run.h5").elements(1) == ()
