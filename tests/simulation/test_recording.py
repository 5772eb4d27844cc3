"""Recorders: nothing is lost, nothing is overwritten by mistake, and a killed process leaves a file that opens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import h5py
import numpy as np
import pytest
from recorded_runs import EVENTS, STATISTICS, description, record, sample, times

from polycontact.errors import SimulationError
from polycontact.simulation.recording import hdf5_source, run_file, run_layout, run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import ContactEvent, ElementRecord, RunDescription, Sample
from polycontact.simulation.recording.sample_quantities import QUANTITIES
from polycontact.simulation.recording.trajectory import Trajectory

ROOT = Path(__file__).resolve().parents[2]


def child(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process that runs ``program`` with the names of `recorded_runs` in reach."""
    path = os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", "from recorded_runs import *\n" + program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def assert_samples(trajectory: Trajectory, about: RunDescription, expected: list[float], *, elements: bool) -> None:
    """The trajectory holds the samples of these times, bit by bit."""
    np.testing.assert_array_equal(trajectory.time, expected)
    samples = [sample(about, t, elements=elements) for t in expected]
    for quantity in QUANTITIES:
        values = np.array([getattr(each, quantity.name) for each in samples])
        found = trajectory.array(quantity.name)
        np.testing.assert_array_equal(found.reshape(values.shape), values, err_msg=quantity.name)
    for i, each in enumerate(samples if elements else []):
        assert_elements(trajectory.elements(i), each.elements or ())


def assert_elements(found: tuple[ElementRecord, ...], expected: tuple[ElementRecord, ...]) -> None:
    expected = tuple(each for each in expected if len(each))
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        for name in ElementRecord.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


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


def test_what_may_be_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 3)
    record(Hdf5Recorder(path), description(), 5)
    assert len(Trajectory.open(path)) == 5
    path.write_bytes(b"")
    record(Hdf5Recorder(path), description(), 2)
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = 1
    (tmp_path / "thesis.txt").write_text("years of work")
    for name in ("foreign.h5", "thesis.txt"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(SimulationError, match="not overwritten; give another name or delete it"):
            Hdf5Recorder(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


def test_a_link_is_followed(tmp_path: Path) -> None:
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 3)
    link = tmp_path / "link.h5"
    try:
        link.symlink_to(tmp_path / "run.h5")
    except OSError:
        pytest.skip("no symbolic links here")
    record(Hdf5Recorder(link), description(), 4)
    assert link.is_symlink()
    assert len(Trajectory.open(tmp_path / "run.h5")) == 4


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SimulationError, match="folder"):
        Hdf5Recorder(tmp_path)
    with pytest.raises(SimulationError, match="does not exist; make it"):
        Hdf5Recorder(tmp_path / "nowhere" / "run.h5")
    if Path("/dev/null").exists():
        with pytest.raises(SimulationError, match="ordinary file"):
            Hdf5Recorder("/dev/null")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SimulationError, match="may not be written"):
        Hdf5Recorder(tmp_path / "run.h5")
    monkeypatch.undo()
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(description())
    (tmp_path / "run.h5").mkdir()  # in the way at the last moment
    with pytest.raises(SimulationError, match=r"run\.h5: cannot be written"):
        recorder.add(sample(description(), 0.0))


FULL_DISK = """
import resource, sys
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.errors import SimulationError
recorder = Hdf5Recorder(sys.argv[1])
about = description(8, 28)
recorder.begin(about)
try:
    for i, t in enumerate(times(40000)):
        if i == int(sys.argv[2]):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
        recorder.add(sample(about, t))
except SimulationError as error:
    print(error)
recorder.finish("failed", "", {})
print(len(Trajectory.open(sys.argv[1], eager=True)) if Path(sys.argv[1]).exists() else 0)
"""


def full_disk(path: Path, written: int, limit: int) -> int:
    """A run whose file cannot be longer than ``limit`` bytes after ``written`` samples; samples that it kept."""
    process = child(FULL_DISK, path, written, limit)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert f"{path}: cannot be written: File too large; check the folder" in out
    assert [file.name for file in path.parent.iterdir()] == ([path.name] if path.exists() else [])
    return int(out.splitlines()[-1])


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file size")
def test_no_space_for_more_room(tmp_path: Path) -> None:
    """The error says why, the process goes on, and what was written before can be read."""
    path = tmp_path / "run.h5"
    kept = full_disk(path, 100, 5 << 20)
    assert kept > 100
    assert_failed_run(path, kept, "File too large")


@pytest.mark.parametrize("quantity", ["time", "wrenches"])
def test_disk_that_is_full_in_the_middle_of_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quantity: str
) -> None:
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    put = run_writer.RunFileWriter._put

    def put_most(self: run_writer.RunFileWriter, name: str, start: int, rows: np.ndarray) -> None:
        if (name, start) == (f"samples/{quantity}", 7):
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


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file size")
@pytest.mark.parametrize("limit", [0, 100, 5000, 20000])
def test_disk_that_is_full_from_the_start(tmp_path: Path, limit: int) -> None:
    """HDF5 itself would crash the process."""
    assert full_disk(tmp_path / "run.h5", 0, limit) == 0
    assert not list(tmp_path.iterdir())


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


def test_a_reader_in_the_way_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to replace a file that another program has open."""
    replace, refusals = Path.replace, [1, 2]

    def once_in_a_while(self: Path, target: Path) -> Path:
        if refusals:
            refusals.pop()
            raise PermissionError(13, "Access is denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", once_in_a_while)
    monkeypatch.setattr(run_layout, "PAUSES", (0.0, 0.0))
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 3)
    assert not refusals
    refusals.extend([1, 2, 3])
    with pytest.raises(SimulationError, match=r"Access is denied; check .* no other program has the file open"):
        record(Hdf5Recorder(tmp_path / "run.h5"), description(), 4)
    assert len(Trajectory.open(tmp_path / "run.h5")) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


KILLED = """
import os, sys
from polycontact.simulation.recording import run_layout, run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
run_layout.FIRST_BYTES, run_layout.FEWEST_ROWS, run_writer.FLUSH_SECONDS = 20000, 64, 0.0
recorder = Hdf5Recorder(sys.argv[1])
about = description()
recorder.begin(about)
for t in times(int(sys.argv[2])):
    recorder.add(sample(about, t, elements=True))
    print(t, flush=True)
recorder.add_event(EVENTS[0])
print("ready", flush=True)
sys.stdin.read() if sys.argv[3:] else os.kill(os.getpid(), 9)
"""


def killed_run(path: Path, n: int = 100) -> None:
    process = child(KILLED, path, n)
    out, err = process.communicate(timeout=60)
    assert out.endswith("ready\n"), err
    assert process.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("n", [1, 300])
def test_killed_process_leaves_what_was_flushed(tmp_path: Path, n: int) -> None:
    path = tmp_path / "run.h5"
    killed_run(path, n)
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, description(), times(n), elements=True)
    assert (trajectory.status, trajectory.statistics) == ("running", {})
    assert "or it was killed" in trajectory.message
    assert trajectory.events == EVENTS[:1]
    record(Hdf5Recorder(path), description(), 2)  # it is ours: may be replaced
    assert Trajectory.open(path).status == "finished"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_moment(tmp_path: Path, seed: int) -> None:
    """What a run has flushed and told of is in its file, wherever it was killed."""
    path = tmp_path / "run.h5"
    process = child(KILLED, path, 100000)
    assert process.stdout is not None
    assert process.stdout.readline() == "0.0\n"
    time.sleep(np.random.default_rng(seed).uniform(0.0, 0.3))
    process.kill()
    told = 1 + len(process.communicate(timeout=60)[0].splitlines()[:-1])  # its last line may be half a one
    trajectory = Trajectory.open(path)
    assert len(trajectory) >= told
    assert_samples(trajectory, description(), times(len(trajectory)), elements=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_run_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    killed_run(path)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(description())
    for t in times(200)[100:]:
        recorder.add(sample(description(), t, elements=True))
    recorder.finish("finished", "", {})
    assert_samples(Trajectory.open(path), description(), times(200), elements=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    about, rng = description(), np.random.default_rng(1)
    killed_run(tmp_path / "killed.h5")
    record(Hdf5Recorder(tmp_path / "closed.h5"), about, 300, elements=True)
    cut = tmp_path / "cut.h5"
    outcomes: Counter[str] = Counter()
    for name in ("killed.h5", "closed.h5"):
        content = (tmp_path / name).read_bytes()
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


def test_another_process_reads_while_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    process = child(KILLED + "\nrecorder.finish('finished', '', {})", path, 300, "wait")
    assert process.stdout is not None
    while process.stdout.readline() != "ready\n":
        assert process.poll() is None
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, description(), times(300), elements=True)
    assert trajectory.status == "running"
    _, err = process.communicate("", timeout=60)
    assert process.returncode == 0, err
    assert Trajectory.open(path).status == "finished"
    assert trajectory.body("ball 0").velocity.shape == (300, 3)  # the old one is as it was


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
        assert len(file["events"]) == len(EVENTS)


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


def test_missing_h5py_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(SimulationError, match="pip install h5py"):
        Hdf5Recorder(tmp_path / "run.h5")
    (tmp_path / "run.h5").write_bytes(b"x")
    with pytest.raises(SimulationError, match="pip install h5py"):
        hdf5_source.Hdf5Source(tmp_path / "run.h5")


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted")
def test_file_deleted_under_the_run(tmp_path: Path) -> None:
    """Noticed when it needs more room."""
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(description(), n_samples=1)
    recorder.add(sample(description(), 0.0))
    (tmp_path / "run.h5").unlink()
    recorder.add(sample(description(), 0.1))
    with pytest.raises(SimulationError, match="cannot be written: No such file"):
        recorder.flush()
    recorder.finish("failed", "", {})
    assert not list(tmp_path.iterdir())


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
        rows = [*file["samples"].values(), file["elements"], file["element_ends"], file["events"]]
        contents = sum(array.id.get_storage_size() for array in rows)
    assert path.stat().st_size < contents + 40000  # names, attributes, meshes
