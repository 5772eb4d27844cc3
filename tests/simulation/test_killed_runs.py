"""A killed process leaves a file that opens, with all that was flushed; a file that was cut is refused."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from recorded_runs import EVENTS, assert_samples, description, record, sample, times
from recording_processes import KILLED, child, killed_run

from polycontact.errors import SimulationError
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a run that was killed after 300 samples; who changes it takes a copy."""
    path = tmp_path_factory.mktemp("killed") / "run.h5"
    killed_run(path, 300)
    return path


@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.slow), 300])
def test_killed_process_leaves_what_was_flushed(request: pytest.FixtureRequest, tmp_path: Path, n: int) -> None:
    path = tmp_path / "run.h5"
    if n == 300:
        shutil.copy(request.getfixturevalue("killed"), path)
    else:
        killed_run(path, n)
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, description(), times(n), elements=True)
    assert (trajectory.status, trajectory.statistics) == ("running", {})
    assert "or it was killed" in trajectory.message
    assert trajectory.events == EVENTS[:1]
    record(Hdf5Recorder(path), description(), 2)  # it is ours: may be replaced
    assert Trajectory.open(path).status == "finished"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_moment(tmp_path: Path, seed: int) -> None:
    """What a run has flushed and told of is in its file, wherever it was killed."""
    path = tmp_path / "run.h5"
    process = child(KILLED, path, 100000)
    assert process.stdout is not None
    assert process.stdout.readline() == "0.0\n"
    time.sleep(np.random.default_rng(seed).uniform(0.0, 0.3))
    process.kill()
    told = 1 + len(process.communicate(timeout=600)[0].splitlines()[:-1])  # its last line may be half a one
    trajectory = Trajectory.open(path)
    assert len(trajectory) >= told
    assert_samples(trajectory, description(), times(len(trajectory)), elements=True)


def test_killed_run_is_continued(killed: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(killed, path)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(description())
    for t in times(400)[300:]:
        recorder.add(sample(description(), t, elements=True))
    recorder.finish("finished", "", {})
    assert_samples(Trajectory.open(path), description(), times(400), elements=True)


def test_file_cut_anywhere_is_refused(killed: Path, tmp_path: Path) -> None:
    about, rng = description(), np.random.default_rng(1)
    closed = tmp_path / "closed.h5"
    record(Hdf5Recorder(closed), about, 300, elements=True)
    cut = tmp_path / "cut.h5"
    outcomes: Counter[str] = Counter()
    for whole in (killed, closed):
        content = whole.read_bytes()
        end = len(content)
        for place in {*range(64), *rng.integers(64, end, 100).tolist(), *range(end - 8, end)}:
            cut.write_bytes(content[:place])
            with pytest.raises(SimulationError) as caught:
                Trajectory.open(cut, eager=True)
            outcomes[str(caught.value).partition(": ")[2].partition(",")[0].partition(";")[0]] += 1
    assert outcomes == {
        "the file is empty": 2,
        "not an HDF5 file": 14,  # the signature has eight bytes
        "the file is cut off or damaged": outcomes.total() - 16,
    }
