"""A bit of a run file that has changed is noticed, whichever it is: an error, or the numbers that were recorded."""

from __future__ import annotations

import shutil
import sys
import warnings
from collections import Counter
from pathlib import Path

import h5py
import numpy as np
import pytest
from recorded_runs import assert_samples, description, make_third_format, record, sample, times
from recording_processes import killed_run

from polycontact.errors import SimulationError, SimulationWarning
from polycontact.simulation.recording import row_sums, trial_opening
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.trajectory import Trajectory

N = 60
FLIPS = 300
REMEDIES = ("copy it once more from where it was written, or run the simulation again", "give the .h5 file that a")
"""The second where the signature of HDF5 is gone."""


@pytest.fixture(scope="module")
def run_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run that ended and one that was killed, of small blocks: many checksums."""
    folder = tmp_path_factory.mktemp("runs")
    files = {"ended": folder / "ended.h5"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_sums, "BLOCK_BYTES", 1 << 10)
        record(Hdf5Recorder(files["ended"]), description(), N, elements=True)
    if sys.platform != "win32":  # no SIGKILL
        files["killed"] = folder / "killed.h5"
        killed_run(files["killed"], N)
    return files


def flip(path: Path, byte: int, bit: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(byte)
        was = stream.read(1)[0]
        stream.seek(byte)
        stream.write(bytes([was ^ 1 << bit]))


def read_all(path: Path) -> None:
    """Read what a file has, and compare it with what was recorded."""
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, description(), times(N), elements=True)
    assert trajectory.description.bodies[0].name == "ball 0"
    assert len(trajectory.events) in (1, 2)


def outcome_of(path: Path) -> str:
    """What reading a file comes to; the words of an error."""
    message = ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            read_all(path)
        except SimulationError as error:
            message = str(error)
    if not message:
        return "told" if told else "no difference"
    assert str(path) in message
    assert any(remedy in message for remedy in REMEDIES)
    return "refused"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ended", "killed"])
def test_flipped_bits_are_an_error_or_make_no_difference(run_files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    if kind not in run_files:
        pytest.skip("no SIGKILL")
    path, rng = tmp_path / "run.h5", np.random.default_rng(20)
    size = run_files[kind].stat().st_size
    outcomes: Counter[str] = Counter()
    for byte, bit in zip(rng.integers(size, size=FLIPS).tolist(), rng.integers(8, size=FLIPS).tolist(), strict=True):
        shutil.copy(run_files[kind], path)
        flip(path, byte, bit)
        outcomes[outcome_of(path)] += 1
    assert outcomes.total() == FLIPS
    if kind == "ended":  # nearly all of it counts; the rest of the outcome's room does not
        assert outcomes["refused"] > 0.6 * FLIPS, outcomes


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("samples/positions", "the checksum of rows .* of samples/positions differs"),
        ("elements", "the checksum of rows .* of elements differs"),
        ("contacts", "the checksum of rows .* of contacts differs"),
        ("checksums", "the checksum of rows"),
        ("outcome", "the checksum of rows .* of outcome differs"),
        ("committed", "the checksum of the numbers of rows differs"),
    ],
)
def test_damaged_rows_are_named(run_files: dict[str, Path], tmp_path: Path, name: str, said: str) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(run_files["ended"], path)
    with h5py.File(path) as file:
        place = file[name].id.get_offset()
    flip(path, place + 5, 3)
    with pytest.raises(SimulationError, match=rf"run\.h5: the run file is damaged \({said}"):
        read_all(path)


def test_a_few_rows_are_compared_too(run_files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(run_files["ended"], path)
    with h5py.File(path) as file:
        array = file["samples/positions"]
        last_row = array.id.get_offset() + (N - 1) * array.dtype.itemsize * 6
    flip(path, last_row, 6)
    source = Hdf5Source(path)
    assert len(source.rows("positions", [0, 3])) == 2  # of another block
    with pytest.raises(SimulationError, match=rf"rows .* to {N - 1} of samples/positions differs"):
        source.rows("positions", [0, N - 1])


def test_damaged_structure_is_refused_before_hdf5_reads_it(
    run_files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(run_files["ended"], path)
    place = path.read_bytes().index(b"ball 0")
    flip(path, place, 0)
    monkeypatch.setattr(h5py, "File", lambda *_, **__: pytest.fail("HDF5 has read it"))
    with pytest.raises(SimulationError, match="the checksum of its structure differs"):
        Trajectory.open(path)


def test_damage_is_not_carried_over_into_a_continued_run(run_files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(run_files["ended"], path)
    with h5py.File(path) as file:
        flip(path, file["samples/velocities"].id.get_offset(), 0)
    recorder = Hdf5Recorder.resume(path)
    with pytest.raises(SimulationError, match="of samples/velocities differs"):
        recorder.begin(description())


def test_rows_that_change_on_the_disk_while_a_run_goes_on_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read back when they move to a file with more room: not with a fresh checksum."""
    monkeypatch.setattr("polycontact.simulation.recording.run_writer.FLUSH_SECONDS", 0.0)
    path, about = tmp_path / "run.h5", description()
    recorder = Hdf5Recorder(path)
    recorder.begin(about, n_samples=8)
    for t in times(8):
        recorder.add(sample(about, t))
    with h5py.File(path) as file:
        flip(path, file["samples/velocities"].id.get_offset(), 0)
    with pytest.raises(SimulationError, match="what was read back is not what was written"):
        recorder.add(sample(about, 0.8))


def test_a_file_that_another_program_has_changed_is_read_with_a_warning(
    run_files: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    shutil.copy(run_files["ended"], path)
    with h5py.File(path, "r+") as file:
        file.attrs["my note"] = "a good one"
    with pytest.warns(SimulationWarning, match="lost the checksums of its names"):
        read_all(path)


@pytest.mark.parametrize("program", ["import time; time.sleep(1e9)", "import os; os.abort()"])
def test_older_files_that_hdf5_cannot_read_do_not_stop_this_process(
    run_files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Formats without checksums are read by another process first; here it waits for ever, or crashes."""
    path = tmp_path / "run.h5"
    shutil.copy(run_files["ended"], path)
    make_third_format(path)
    monkeypatch.setattr(trial_opening, "TRIAL_SECONDS", 1.0)
    monkeypatch.setattr(trial_opening, "PROGRAM", program)
    said = "has not read its structure within 1 s" if "sleep" in program else "crashes when it reads it"
    with pytest.raises(SimulationError, match=rf"run\.h5: the file is cut off or damaged.*{said}.*; copy it once more"):
        Trajectory.open(path)


def test_bytes_and_rows_without_end_are_checked(tmp_path: Path) -> None:
    """Whole blocks, blocks begun, and rows that are larger than a block."""
    for row_bytes, block in ((8, 4), (24, 1), (1, 7)):
        sums, data = row_sums.ArraySums(row_bytes, block), np.random.default_rng(1).bytes(row_bytes * 50)
        whole: list[int] = []
        n = 0
        for step in (1, 3, 9, 2, 0, 20, 15):
            part = memoryview(data)[n * row_bytes : (n + step) * row_bytes]
            sums.add(n, part)  # of a write that was broken off
            first, new = sums.add(n, part)
            assert first == len(whole)
            whole += new
            n += step
            sums.commit(n)
            rows = np.frombuffer(data, "u1").reshape(-1, row_bytes)
            for start, end in ((0, n), (n - 1, n), (n // 2, n // 2 + 1)):
                table = np.array(whole[start // block :], "<u4")
                found, wrong = row_sums.checked_rows(lambda a, b: rows[a:b], (start, end), n, block, table, sums.tail)  # noqa: B023
                assert wrong is None
                np.testing.assert_array_equal(found, rows[start:end])
        assert sums.whole == whole
        assert len(whole) == 50 // block
