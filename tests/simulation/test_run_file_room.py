"""Room for rows in a run file: any number fits, and none is left in the end."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest
from recorded_runs import EVENTS, assert_samples, description, record, sample, times

from polycontact.simulation.recording import run_layout
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory


@pytest.mark.parametrize("expected", [3, 7, 20])
def test_any_number_of_samples_may_be_expected(tmp_path: Path, expected: int) -> None:
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about, n_samples=expected)
    for t in times(7):
        recorder.add(sample(about, t))
    recorder.finish("finished", "", {})
    assert_samples(Trajectory.open(path), about, times(7), elements=False)
    with h5py.File(path) as file:
        assert len(file["samples/time"]) == 7


def test_other_programs_find_as_many_rows_as_there_are_samples(tmp_path: Path) -> None:
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 7, elements=True)
    with h5py.File(tmp_path / "run.h5") as file:
        assert {len(array) for array in file["samples"].values()} == {7}
        assert len(file["elements"]) == file["element_ends"][-1]
        assert len(file["contacts"]) == file["contact_ends"][-1] == 7
        assert len(file["events"]) == len(EVENTS)


def test_long_outcome(tmp_path: Path) -> None:
    """It has room for more than is set aside at first."""
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(description())
    recorder.add(sample(description(), 0.0))
    recorder.finish("failed", "very " * run_layout.OUTCOME_BYTES, {})
    assert Trajectory.open(tmp_path / "run.h5").message == "very " * run_layout.OUTCOME_BYTES


def test_file_is_as_large_as_its_contents(tmp_path: Path) -> None:
    about, path = description(4, 6), tmp_path / "run.h5"
    record(Hdf5Recorder(path), about, 300, elements=True)
    with h5py.File(path) as file:
        tables = ("contacts", "contact_ends", "elements", "element_ends", "events")
        rows = [*file["samples"].values(), *(file[name] for name in tables)]
        contents = sum(array.id.get_storage_size() for array in rows)
    assert path.stat().st_size < contents + 40000  # names, attributes, meshes
