"""Trajectories: every number under its name, and a clear word for every file that is not one."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from recorded_runs import CONTACT, EVENTS, STATISTICS, description, make_third_format, record, sample, times

from polycontact.errors import SimulationError
from polycontact.multibody.rotations import from_quaternion
from polycontact.simulation.recording.body_poses import slerp
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.histories import PairingNames
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import PairingRecord
from polycontact.simulation.recording.trajectory import Trajectory
from scenes import examples

N = 7
ABOUT = description(3, 2)


@pytest.fixture(params=["memory", "file"])
def trajectory(request: pytest.FixtureRequest, tmp_path: Path) -> Trajectory:
    if request.param == "memory":
        recorder = MemoryRecorder()
        record(recorder, ABOUT, N, elements=True)
        return Trajectory.from_memory(recorder)
    record(Hdf5Recorder(tmp_path / "run.h5"), ABOUT, N, elements=True)
    return Trajectory.open(tmp_path / "run.h5")


def turned(*quaternions: tuple[float, float, float, float]) -> Trajectory:
    """A body that moves 1 m along x in each second, with these orientations."""
    about = description(1, 0)
    recorder = MemoryRecorder()
    recorder.begin(about)
    for i, quaternion in enumerate(quaternions):
        changes = {"positions": np.array([[float(i), 0, 0]]), "quaternions": np.array([quaternion])}
        recorder.add(type(sample(about, 0.0))(**{**vars(sample(about, float(i))), **changes}))
    return Trajectory.from_memory(recorder)


def test_bodies_by_name(trajectory: Trajectory) -> None:
    assert trajectory.bodies == ("ball 0", "ball 1", "ball 2")
    samples = [sample(ABOUT, t, elements=True) for t in times(N)]
    body = trajectory.body("ball 1")
    np.testing.assert_array_equal(trajectory.time, times(N))
    np.testing.assert_array_equal(body.position, [s.positions[1] for s in samples])
    np.testing.assert_array_equal(body.quaternion, [s.quaternions[1] for s in samples])
    np.testing.assert_array_equal(body.velocity, [s.velocities[1] for s in samples])
    np.testing.assert_array_equal(body.angular_velocity, [s.angular_velocities[1] for s in samples])
    assert body.rotation.shape == (N, 3, 3)
    for i in range(N):
        centre = body.position[i] + body.rotation[i] @ ABOUT.bodies[1].centre
        np.testing.assert_allclose(body.centre_of_mass[i], centre, rtol=1e-14)
    assert body.record.mass == 2.0
    assert "ball 1" in repr(body)


def test_pairings_joints_and_energies_by_name(trajectory: Trajectory) -> None:
    assert trajectory.pairings == ("ball 1–ball 0", "ball 2–ball 0")
    assert trajectory.joints == ("knee", "rail")
    samples = [sample(ABOUT, t, elements=True) for t in times(N)]
    pairing = trajectory.pairing("ball 2–ball 0")
    np.testing.assert_array_equal(pairing.force, [s.wrenches[1, :3] for s in samples])
    np.testing.assert_array_equal(pairing.torque, [s.wrenches[1, 3:] for s in samples])
    names = ("area", "depth", "pressure", "elastic_energy", "damping_power", "friction_power")
    for i, name in enumerate(names):
        np.testing.assert_array_equal(getattr(pairing, name), [s.contact[1, i] for s in samples])
    assert pairing.in_contact.all()
    assert "100%" in repr(pairing)
    joint = trajectory.joint("rail")
    np.testing.assert_array_equal(joint.coordinates, [s.coordinates[1:] for s in samples])
    np.testing.assert_array_equal(joint.speeds, [s.speeds[1:] for s in samples])
    assert joint.record.coordinates == ("x", "y", "angle")
    assert "planar" in repr(joint)
    np.testing.assert_array_equal(trajectory.energies["potential"], [s.energies[1] for s in samples])


def test_elements_of_a_pairing(trajectory: Trajectory) -> None:
    pairing = trajectory.pairing("ball 2–ball 0")
    with trajectory:
        for i in range(-N, N):
            expected = (sample(ABOUT, times(N)[i], elements=True).elements or ())[1]
            found = pairing.elements(i)
            assert found.pairing == 1
            np.testing.assert_array_equal(found.slip, expected.slip)
            np.testing.assert_array_equal(found.base_triangle, expected.base_triangle)
    for i in (N, -N - 1):
        with pytest.raises(SimulationError, match=f"no sample {i}; there are {N}"):
            trajectory.elements(i)


def test_how_the_run_went(trajectory: Trajectory) -> None:
    assert trajectory.events == EVENTS
    assert trajectory.statistics == STATISTICS
    assert trajectory.settings["end_time"] == 1.0
    assert trajectory.scenario == 'name = "Größe"\n'
    end = trajectory.state_at_end()
    last = sample(ABOUT, times(N)[-1], elements=True)
    assert end.time == last.time
    np.testing.assert_array_equal(end.state, last.state)
    np.testing.assert_array_equal(end.discrete, last.discrete)
    assert "finished, 7 samples, 0 to 0.6 s, 3 bodies, 2 joints, 2 pairings" in repr(trajectory)
    assert "<td" in trajectory._repr_html_()


def test_arrays_cannot_be_changed(trajectory: Trajectory) -> None:
    with pytest.raises(ValueError, match="read-only"):
        trajectory.body("ball 0").position[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        trajectory.time[0] = 1.0


def test_names_that_do_not_exist(trajectory: Trajectory) -> None:
    with pytest.raises(SimulationError, match=r"no body 'Bal 1'; did you mean 'ball 1'.*There are: 'ball 0', 'ball 1'"):
        trajectory.body("Bal 1")
    with pytest.raises(SimulationError, match="did you mean 'ball 1–ball 0'"):
        trajectory.pairing("ball 1-bal 0")
    for name in ("ball 7", 5, -9, 1.0, None):
        with pytest.raises(SimulationError, match=r"no pairing .*[Tt]here are: 'ball 1–ball 0'"):
            trajectory.pairing(name)  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="no joint 'hip'; there are: 'knee', 'rail'"):
        trajectory.joint("hip")
    with pytest.raises(SimulationError, match="did you mean 'wrenches'"):
        trajectory.array("wrench")


def test_long_lists_of_names_are_cut() -> None:
    recorder = MemoryRecorder()
    record(recorder, description(30, 0), 1)
    with pytest.raises(SimulationError, match="and 10 more"):
        Trajectory.from_memory(recorder).body("x")


def test_memory_trajectory_is_a_snapshot() -> None:
    recorder = MemoryRecorder()
    with pytest.raises(SimulationError, match="nothing recorded yet"):
        Trajectory.from_memory(recorder)
    recorder.begin(ABOUT)
    assert len(Trajectory.from_memory(recorder)) == 0
    for t in times(70):
        recorder.add(sample(ABOUT, t))
        if t == 0.5:
            early = Trajectory.from_memory(recorder)
    assert (len(early), early.status) == (6, "running")
    np.testing.assert_array_equal(early.time, times(6))
    with pytest.raises(SimulationError, match="elements=True"):
        early.elements(0)


def test_poses_between_samples() -> None:
    half = np.sqrt(0.5)
    run = turned((1, 0, 0, 0), (half, 0, 0, half), (-half, 0, 0, -half))  # a quarter about z, then at rest
    pose = run.at(0.5)
    assert pose.position.shape == (1, 3)
    np.testing.assert_allclose(pose.position[0], [0.5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(pose.rotation[0] @ [1, 0, 0], [half, half, 0], atol=1e-15)
    many = run.at([[0.0, 1.0], [1.5, 2.0]])
    assert many.quaternion.shape == (2, 2, 1, 4)
    np.testing.assert_allclose(many.rotation[1, 0, 0] @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(many.rotation[0, 0, 0], np.eye(3), atol=1e-15)
    for t in (-0.1, 2.1, float("nan"), [0.5, 3.0]):
        with pytest.raises(SimulationError, match=r"not within the run, 0 s to 2 s"):
            run.at(t)
    np.testing.assert_array_equal(turned((1, 0, 0, 0)).at(0.0).quaternion, [[1, 0, 0, 0]])


unit = arrays(np.float64, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-3)


@settings(max_examples=examples(60), deadline=None)
@given(unit, unit, st.floats(0, 1))
def test_slerp_turns_at_constant_speed(a: np.ndarray, b: np.ndarray, share: float) -> None:
    def angle(p: np.ndarray, q: np.ndarray) -> float:
        return 2 * np.arccos(min(1.0, abs(p @ q) / np.linalg.norm(p) / np.linalg.norm(q)))

    between = slerp(a, b, np.array([share]))
    assert np.linalg.norm(between) == pytest.approx(1.0)
    assert angle(a, between) == pytest.approx(share * angle(a, b), abs=1e-6)
    rotation = from_quaternion(between)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)


def test_table_for_pandas_and_csv(trajectory: Trajectory, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = trajectory.to_pandas()
    assert frame.index.name == "time [s]"
    assert frame.columns.is_unique
    position = trajectory.body("ball 1").position
    np.testing.assert_array_equal(frame["ball 1 position y [m]"], position[:, 1])
    for title in (
        "ball 0 quaternion w [1]",
        "ball 0 angular velocity z [rad/s]",
        "knee angle [rad]",
        "knee angular_speed [rad/s]",
        "rail x [m]",
        "rail vx [m/s]",
        "ball 1–ball 0 torque x [N m]",
        "ball 1–ball 0 elastic energy [J]",
        "kinetic energy [J]",
        "steps [1]",
    ):
        assert title in frame.columns
    trajectory.to_csv(tmp_path / "run.csv")
    back = pd.read_csv(tmp_path / "run.csv", index_col=0)
    pd.testing.assert_frame_equal(back, frame, rtol=1e-14)


def test_csv_without_pandas(monkeypatch: pytest.MonkeyPatch, trajectory: Trajectory, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SimulationError, match=r"pip install pandas.*to_csv"):
        trajectory.to_pandas()
    trajectory.to_csv(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == N + 1
    assert [float(row[0]) for row in rows[1:]] == times(N)
    with pytest.raises(SimulationError, match="cannot be written"):
        trajectory.to_csv(tmp_path)


def test_files_that_are_no_run(tmp_path: Path) -> None:
    (tmp_path / "empty.h5").touch()
    (tmp_path / "text.h5").write_text("time,x\n0,1\n")
    (tmp_path / "short.h5").write_bytes(b"\x89HD")
    for name, options in (
        ("foreign.h5", {}),
        ("new foreign.h5", {"libver": "latest"}),
        ("block.h5", {"userblock_size": 512}),
    ):
        with h5py.File(tmp_path / name, "w", **options) as file:
            file["x"] = 1.0
    for name, text in (
        ("missing.h5", "no such file; check the name"),
        ("", "this is a folder"),
        ("empty.h5", "the file is empty"),
        ("text.h5", "not an HDF5 file"),
        ("short.h5", "not an HDF5 file"),
        ("foreign.h5", "not of a polycontact run"),
        ("new foreign.h5", "not of a polycontact run"),
        ("block.h5", "not of a polycontact run"),
    ):
        with pytest.raises(SimulationError, match=text) as caught:
            Trajectory.open(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (99, "format 99, written by polycontact .*: update polycontact"),
        (0, "format 0, .*: read it with polycontact"),
    ],
)
def test_other_versions_of_the_format(tmp_path: Path, version: int, text: str) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), ABOUT, N)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = version
    with pytest.raises(SimulationError, match=text):
        Trajectory.open(path)
    record(Hdf5Recorder(path), ABOUT, N)  # ours all the same: may be replaced


def test_file_without_read_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), ABOUT, N)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(h5py, "File", refuse)
    with pytest.raises(SimulationError, match="cannot be read: Permission denied"):
        Trajectory.open(path)


def shorten(file: h5py.File, name: str) -> None:
    rows = file[name][:3]
    del file[name]
    file[name] = rows


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.__delitem__("description"),
        lambda file: file.__delitem__("samples/positions"),
        lambda file: file.__delitem__("committed"),
        lambda file: file["committed"].__setitem__(0, 1000),
        lambda file: file["committed"].__setitem__(1, -1),
        lambda file: file["committed"].__setitem__(3, 5),
        lambda file: shorten(file, "samples/energies"),
        lambda file: shorten(file, "contacts"),
        lambda file: shorten(file, "contact_ends"),
        lambda file: file["meshes"].__delitem__("0"),
        lambda file: file.attrs.__delitem__("run_id"),
    ],
)
def test_damaged_contents(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), ABOUT, N, elements=True)
    make_third_format(path)  # without checksums, which would be first to notice
    with h5py.File(path, "r+") as file:
        damage(file)  # type: ignore[operator]
    with pytest.raises(SimulationError, match=r"run\.h5: the run file is damaged"):
        Trajectory.open(path)


def test_file_replaced_after_opening(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), ABOUT, N, elements=True)
    lazy, eager = Trajectory.open(path), Trajectory.open(path, eager=True)
    record(Hdf5Recorder(path), ABOUT, 3)
    with pytest.raises(SimulationError, match="written anew since it was opened"):
        lazy.body("ball 0").position  # noqa: B018
    assert eager.body("ball 0").position.shape == (N, 3)
    path.unlink()
    with pytest.raises(SimulationError, match="no such file"):
        lazy.elements(0)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted")
def test_kept_open_it_survives_deletion(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), ABOUT, N, elements=True)
    with Trajectory.open(path) as trajectory:
        path.unlink()
        assert trajectory.body("ball 0").position.shape == (N, 3)


def test_no_samples(tmp_path: Path) -> None:
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(ABOUT)
    with pytest.raises(SimulationError, match="no such file"):
        Trajectory.open(tmp_path / "run.h5")
    recorder.finish("failed", "the start state is not finite", {})
    trajectory = Trajectory.open(tmp_path / "run.h5", eager=True)
    assert len(trajectory) == 0
    assert trajectory.body("ball 0").rotation.shape == (0, 3, 3)
    assert "failed, 0 samples" in repr(trajectory)
    assert "0%" in repr(trajectory.pairing("ball 1–ball 0"))
    for read in (trajectory.state_at_end, lambda: trajectory.at(0.0)):
        with pytest.raises(SimulationError, match=r"no samples .*the start state is not finite"):
            read()
    trajectory.to_csv(tmp_path / "run.csv")
    assert len((tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()) == 1


def test_pairings_by_their_bodies_or_number(trajectory: Trajectory) -> None:
    """Nobody has a dash on the keyboard, or remembers which body came first."""
    meant = trajectory.pairing("ball 1–ball 0")
    for words in (
        ("ball 1-ball 0",),
        ("ball 0-ball 1",),
        ("ball 0 – ball 1",),
        ("ball 0\N{EM DASH}ball 1",),
        ("ball 1", "ball 0"),
        ("ball 0", "ball 1"),
        (0,),
        (-2,),
    ):
        found = trajectory.pairing(*words)  # type: ignore[arg-type]
        assert found.name == meant.name
        np.testing.assert_array_equal(found.force, meant.force)
    assert trajectory.body(1).name == "ball 1"
    assert trajectory.joint(-1).name == "rail"


def test_bodies_with_dashes_and_several_contacts() -> None:
    names = PairingNames(
        [
            PairingRecord("left-arm–right-arm", "left-arm", "right-arm", 0, 0, CONTACT),
            PairingRecord("first", "a", "b", 0, 0, CONTACT),
            PairingRecord("second", "b", "a", 1, 0, CONTACT),
        ],
        "run",
    )
    assert names.find_pair("right-arm-left-arm") == 0
    assert names.find_pair("first") == 1
    with pytest.raises(SimulationError, match="'a-b' may be any of 'first', 'second'"):
        names.find_pair("a-b")


def test_names_are_listed_once(trajectory: Trajectory) -> None:
    """With 20,000 pairings it would take minutes to list them at every question."""
    for name in ("bodies", "joints", "pairings"):
        assert getattr(trajectory, name) is getattr(trajectory, name)
