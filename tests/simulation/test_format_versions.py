"""Which formats of run files are read: the second to the fifth; others are refused with their writer and a remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import pytest
from recorded_runs import assert_samples, description, make_fourth_format, make_third_format, record, sample, times

from polycontact.errors import SimulationError
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory


def test_new_files_have_the_fifth_format(tmp_path: Path) -> None:
    """Older readers must refuse them: they know no maps among the numbers of rows."""
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 3)
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == 5


@pytest.mark.filterwarnings("ignore:.*has lost the checksums")
@pytest.mark.parametrize("make_older", [make_third_format, make_fourth_format])
def test_files_of_older_formats_are_read_and_continued(tmp_path: Path, make_older: Callable[[Path], None]) -> None:
    path, about = tmp_path / "run.h5", description()
    record(Hdf5Recorder(path), about, 5, elements=True)
    make_older(path)
    assert_samples(Trajectory.open(path), about, times(5), elements=True)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(about)
    for t in times(7)[5:]:
        recorder.add(sample(about, t, elements=True))
    recorder.finish("finished", "", {})
    assert_samples(Trajectory.open(path), about, times(7), elements=True)
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == 5


@pytest.mark.parametrize(
    ("version", "writer", "remedy"),
    [
        (1, "0.1.0", "read it with polycontact 0.1.0, or run the simulation again"),
        (6, "0.9", "update polycontact, or run the simulation again"),
    ],
)
def test_other_formats_are_refused_and_stay_as_they_are(tmp_path: Path, version: int, writer: str, remedy: str) -> None:
    """Whether they are to be read or to be continued."""
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 3)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"], file.attrs["polycontact_version"] = version, writer
    before = path.read_bytes()
    said = f"format {version}, written by polycontact {writer}; this version reads formats 2 to 5: {remedy}"
    for read in (Trajectory.open, Hdf5Recorder.resume):
        with pytest.raises(SimulationError) as caught:
            read(path)
        assert str(caught.value) == f"{path}: run file of {said}"
    assert path.read_bytes() == before
