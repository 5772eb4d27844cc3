"""Only pairings in contact are stored, in files and in memory, and every pairing is read back as if all were."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray
from recorded_runs import (
    CONTACT,
    assert_samples,
    description,
    make_second_format,
    make_third_format,
    record,
    sample,
    times,
)

from polycontact.errors import SimulationError
from polycontact.simulation.recording import contact_table
from polycontact.simulation.recording.description_file import pairings_from_json, pairings_to_json
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import PairingRecord, Recorder, RunDescription, Sample
from polycontact.simulation.recording.run_file import FORMAT_VERSION
from polycontact.simulation.recording.trajectory import Trajectory

OLD = Path(__file__).parent / "old_runs" / "second_format.h5"
"""Three balls over a plate, recorded with reactions by the last version that wrote format 2."""

N_BODIES, N_PAIRINGS, N_SAMPLES = 8, 28, 40

TOUCHING = {
    "no contact at all": np.zeros((N_SAMPLES, N_PAIRINGS), bool),
    "all in contact": np.ones((N_SAMPLES, N_PAIRINGS), bool),
    "contact appears late": np.arange(N_SAMPLES)[:, None] >= np.where(np.arange(N_PAIRINGS) == 5, 37, N_SAMPLES),
    "only in the first sample": np.arange(N_SAMPLES)[:, None] + np.arange(N_PAIRINGS) == 0,
    "the last pairing": np.arange(N_SAMPLES)[:, None] * (np.arange(N_PAIRINGS) == N_PAIRINGS - 1) > 0,
    "now and then": np.random.default_rng(1).uniform(size=(N_SAMPLES, N_PAIRINGS)) < 0.1,
}
"""Which pairings touch, (samples, pairings)."""


def about(*, reactions: bool = False) -> RunDescription:
    return description(N_BODIES, N_PAIRINGS, reactions=reactions)


def samples_of(touching: NDArray[np.bool_], *, reactions: bool = False) -> list[Sample]:
    """Samples of random numbers with zeros, and without a centre of pressure, where nothing touches."""
    made = []
    for t, row in zip(times(len(touching)), touching, strict=True):
        full = sample(about(), t)
        changes = {"wrenches": full.wrenches * row[:, None], "contact": full.contact * row[:, None]}
        if reactions:
            centres = np.where(row[:, None], full.contact[:, :3], np.nan)
            speeds = np.zeros(len(full.speeds))
            changes |= {"accelerations": full.velocities, "angular_accelerations": full.velocities}
            changes |= {"joint_accelerations": speeds, "drives": speeds, "centres_of_pressure": centres}
            changes |= {"reactions": np.ones((2, 6)), "loop_reactions": np.zeros((0, 6)), "element_forces": np.zeros(0)}
        made.append(replace(full, **changes))  # type: ignore[arg-type]
    return made


def recorded(recorder: Recorder, samples: list[Sample], *, reactions: bool = False) -> None:
    recorder.begin(about(reactions=reactions))
    for each in samples:
        recorder.add(each)
    recorder.finish("finished", "", {})


def assert_same(
    trajectory: Trajectory, samples: list[Sample], names: tuple[str, ...] = ("wrenches", "contact")
) -> None:
    """Whole arrays, and the histories of single pairings, as the samples had them."""
    assert len(trajectory) == len(samples)
    for name in names:
        expected = np.array([getattr(each, name) for each in samples])
        np.testing.assert_array_equal(trajectory.array(name), expected, err_msg=name)
        for pairing in range(N_PAIRINGS):
            np.testing.assert_array_equal(trajectory.contacts.history(name, pairing), expected[:, pairing])
    wrenches = np.array([each.wrenches for each in samples])
    np.testing.assert_array_equal(trajectory.pairing(5).force, wrenches[:, 5, :3])
    np.testing.assert_array_equal(trajectory.pairing(5).torque, wrenches[:, 5, 3:])
    area = np.array([each.contact[:, 0] for each in samples])
    np.testing.assert_array_equal(trajectory.pairing(5).in_contact, area[:, 5] > 0.0)
    touched = [trajectory.pairings[i] for i in np.flatnonzero((area > 0.0).any(axis=0))]
    assert list(trajectory.touched) == touched
    assert list(trajectory.peaks.contacts) == touched


@pytest.mark.parametrize("reactions", [False, True])
@pytest.mark.parametrize("case", TOUCHING)
def test_what_touches_comes_back_and_nothing_else_is_stored(tmp_path: Path, case: str, reactions: bool) -> None:
    samples = samples_of(TOUCHING[case], reactions=reactions)
    names = ("wrenches", "contact", *(("centres_of_pressure",) if reactions else ()))
    memory, path = MemoryRecorder(), tmp_path / "run.h5"
    for recorder in (memory, Hdf5Recorder(path)):
        recorded(recorder, samples, reactions=reactions)
    for trajectory in (Trajectory.from_memory(memory), Trajectory.open(path), Trajectory.open(path, eager=True)):
        assert_same(trajectory, samples, names)
        assert len(trajectory.contacts.rows) == np.count_nonzero(TOUCHING[case])
    with h5py.File(path) as file:
        assert len(file["contacts"]) == np.count_nonzero(TOUCHING[case])
        assert not {"wrenches", "contact", "centres_of_pressure"} & set(file["samples"])


def test_sums_over_the_contacts_of_a_sample() -> None:
    memory, samples = MemoryRecorder(), samples_of(TOUCHING["now and then"])
    recorded(memory, samples)
    table = Trajectory.from_memory(memory).contacts
    wrenches = np.array([each.wrenches for each in samples])
    np.testing.assert_allclose(table.total(table.forces), np.linalg.norm(wrenches[:, :, :3], axis=2).sum(axis=1))
    for i in (0, 7, N_SAMPLES - 1):
        np.testing.assert_array_equal(table.at(i)["pairing"], np.flatnonzero(TOUCHING["now and then"][i]))


def test_size_follows_the_contacts_not_the_pairs(tmp_path: Path) -> None:
    """One contact at each sample: 28 times as many pairings add less than the state of a body to a sample."""
    one = np.zeros((300, N_PAIRINGS), bool)
    one[:, 3] = True
    recorded(Hdf5Recorder(tmp_path / "few.h5"), samples_of(one))
    with h5py.File(tmp_path / "few.h5") as file:
        stored = file["contacts"].id.get_storage_size() + file["contact_ends"].id.get_storage_size()
    assert stored == 300 * (4 + 12 * 8 + 8)


def test_continued_run(tmp_path: Path) -> None:
    samples, path = samples_of(TOUCHING["now and then"]), tmp_path / "run.h5"
    recorded(Hdf5Recorder(path), samples[:15])
    again = Hdf5Recorder.resume(path)
    recorded(again, samples[14:])  # the sample where it goes on is there already
    assert_same(Trajectory.open(path), samples)


def test_read_while_it_is_written(tmp_path: Path) -> None:
    samples, path = samples_of(TOUCHING["now and then"]), tmp_path / "run.h5"
    recorder = Hdf5Recorder(path)
    recorder.begin(about())
    for i, each in enumerate(samples, 1):
        recorder.add(each)
        if i % 10 == 0:
            recorder.flush()
            assert_same(Trajectory.open(path), samples[:i])
    early = Trajectory.open(path)
    recorder.finish("finished", "", {})  # gives back room, in a new file
    assert_same(early, samples)
    assert_same(Trajectory.open(path), samples)


def test_room_for_contacts_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.simulation.recording.run_layout.FIRST_BYTES", 1000)
    monkeypatch.setattr("polycontact.simulation.recording.run_layout.FEWEST_ROWS", 2)
    monkeypatch.setattr("polycontact.simulation.recording.run_writer.FLUSH_SECONDS", 0.0)
    samples = samples_of(TOUCHING["all in contact"])
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorded(recorder, samples)
    assert_same(Trajectory.open(tmp_path / "run.h5"), samples)


# Older files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slab", [1, contact_table.SLAB])
def test_file_of_the_second_format_is_read_and_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slab: int
) -> None:
    monkeypatch.setattr(contact_table, "SLAB", slab)
    samples, path = samples_of(TOUCHING["now and then"]), tmp_path / "run.h5"
    recorded(Hdf5Recorder(path), samples[:15])
    make_second_format(path)
    assert_same(Trajectory.open(path), samples[:15])
    recorded(Hdf5Recorder.resume(path), samples[14:])
    assert_same(Trajectory.open(path), samples)
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == FORMAT_VERSION
        assert "wrenches" not in file["samples"]


def test_file_that_an_older_version_wrote(tmp_path: Path) -> None:
    trajectory = Trajectory.open(OLD)
    with h5py.File(OLD) as file:
        assert file.attrs["format_version"] == 2
        for name in ("wrenches", "contact", "centres_of_pressure"):
            np.testing.assert_array_equal(trajectory.array(name), file["samples"][name][:], err_msg=name)
        area = file["samples/contact"][:, :, 0]
    assert trajectory.touched == ("plate–ball 0", "ball 0–ball 1")
    np.testing.assert_array_equal(trajectory.pairing("plate–ball 0").area, area[:, 0])
    assert {each.contact["law"]["stiffness"] for each in trajectory.description.pairings} == {1e8}
    shutil.copy(OLD, tmp_path / "run.h5")
    end = Hdf5Recorder.resume(tmp_path / "run.h5")
    end.begin(trajectory.description)
    end.finish("finished", "", {})
    copied = Trajectory.open(tmp_path / "run.h5")
    for name in ("state", "wrenches", "contact", "centres_of_pressure", "reactions"):
        np.testing.assert_array_equal(copied.array(name), trajectory.array(name), err_msg=name)
    assert copied.description.pairings == trajectory.description.pairings


def test_without_pairings(tmp_path: Path) -> None:
    path, bare = tmp_path / "run.h5", description(2, 0)
    record(Hdf5Recorder(path), bare, 5)
    assert_samples(Trajectory.open(path), bare, times(5), elements=False)
    assert Trajectory.open(path).touched == ()
    make_second_format(path)
    assert_samples(Trajectory.open(path), bare, times(5), elements=False)


@pytest.mark.parametrize(
    ("table", "value", "said"),
    [("contacts", 28, "a contact of a pairing that is none of the 28"), ("contact_ends", 10**6, "do not fit to")],
)
def test_damaged_table_is_refused(tmp_path: Path, table: str, value: int, said: str) -> None:
    path = tmp_path / "run.h5"
    recorded(Hdf5Recorder(path), samples_of(TOUCHING["now and then"]))
    make_third_format(path)  # without checksums, which would be first to notice
    with h5py.File(path, "r+") as file:
        rows = file[table][:]
        (rows["pairing"] if table == "contacts" else rows)[7] = value
        file[table][:] = rows
    with pytest.raises(SimulationError, match=f"the run file is damaged .*{said}"):
        Trajectory.open(path).pairing(0).force  # noqa: B018


# Pairings in the description -------------------------------------------------------------------------------------


def test_each_distinct_contact_is_stored_once() -> None:
    soft = {"law": {"stiffness": 1.0}}
    pairings = (
        PairingRecord("a–b", "a", "b", 0, 1, CONTACT),
        PairingRecord("other name", "b", "c", 2, 0, dict(CONTACT)),
        PairingRecord("a–c", "a", "c", 0, 0, soft),
    )
    content = pairings_to_json(pairings)
    assert len(content["contacts"]) == 2
    assert content["pairings"]["name"] == [None, "other name", None]
    back = pairings_from_json(content)
    assert back == pairings
    assert back[0].contact is back[1].contact
