"""A small run, made up of random numbers, that the tests of recorders and trajectories share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import LayerLaw
from polycontact.simulation.recording.description_file import read_text, write_text
from polycontact.simulation.recording.records import (
    BodyRecord,
    ContactEvent,
    ElementRecord,
    JointRecord,
    PairingRecord,
    Recorder,
    RunDescription,
    Sample,
    ShapeRecord,
)
from polycontact.simulation.recording.row_sums import pack_record
from polycontact.simulation.recording.sample_quantities import PAIRING_QUANTITIES, QUANTITIES
from polycontact.simulation.recording.trajectory import Trajectory

TETRAHEDRON = (
    np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], np.int32),
)
STATISTICS = {"integrator": "cvode-bdf", "steps": 12, "cpu_seconds": 0.25, "profile": {"contact": 0.1}}
EVENTS = (ContactEvent(0.05, "ball 1–ball 0", "start"), ContactEvent(0.25, "ball 1–ball 0", "end"))

CONTACT = ContactDescription(law=LayerLaw(stiffness=1e7)).to_plain()
"""How two bodies touch, as run files have it."""


def body(i: int) -> BodyRecord:
    shapes = tuple(
        ShapeRecord(f"shape {k}", *TETRAHEDRON, np.full(3, 0.1 * k), np.eye(3), contact=k == 0, colour="#00ff7f")
        for k in range(2)
    )
    return BodyRecord(f"ball {i}", 1.0 + i, np.array([0.0, 0.1, 0.2]), np.diag([1.0, 2.0, 3.0]), shapes)


def description(n_bodies: int = 2, n_pairings: int = 1, **changes: Any) -> RunDescription:
    pairs = [(i, j) for i in range(n_bodies) for j in range(i)][:n_pairings]
    content: dict[str, Any] = {
        "name": "test",
        "bodies": tuple(body(i) for i in range(n_bodies)),
        "joints": (
            JointRecord("knee", "revolute", "world", "ball 0", ("angle",), ("angular_speed",)),
            JointRecord("rail", "planar", "ball 0", "ball 1", ("x", "y", "angle"), ("vx", "vy", "angular_speed")),
        ),
        "pairings": tuple(
            PairingRecord(f"ball {i}–ball {j}", f"ball {i}", f"ball {j}", 0, 0, CONTACT) for i, j in pairs
        ),
        "state_names": tuple(f"s{i}" for i in range(8)),
        "settings": {"end_time": 1.0, "path": Path("a/b"), "tolerances": np.array([1e-4, 1e-5])},
        "scenario": 'name = "Größe"\n',
        "scenario_folder": "scenes",
        "energies": ("kinetic", "potential"),
    }
    return RunDescription(**{**content, **changes})


def sample(about: RunDescription, time: float, *, elements: bool = False, n_discrete: int = 2) -> Sample:
    """Random numbers that depend on the time only."""
    random = np.random.default_rng(round(time * 1000))
    n, m = len(about.bodies), len(about.pairings)
    quaternions = random.normal(size=(n, 4))
    return Sample(
        time=time,
        state=random.normal(size=len(about.state_names)),
        discrete=random.normal(size=n_discrete),
        positions=random.normal(size=(n, 3)),
        quaternions=quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True),
        velocities=random.normal(size=(n, 3)),
        angular_velocities=random.normal(size=(n, 3)),
        coordinates=random.normal(size=sum(len(joint.coordinates) for joint in about.joints)),
        speeds=random.normal(size=sum(len(joint.speeds) for joint in about.joints)),
        wrenches=random.normal(size=(m, 6)),
        contact=random.uniform(size=(m, 6)),
        energies=random.normal(size=len(about.energies)),
        evaluations=round(time * 1000),
        steps=round(time * 100),
        elements=tuple(element_record(random, i) for i in range(m)) if elements else None,
    )


def element_record(random: np.random.Generator, pairing: int) -> ElementRecord:
    n = int(random.integers(0, 6))
    return ElementRecord(
        pairing,
        random.normal(size=(n, 3)),
        random.normal(size=(n, 3)),
        random.uniform(size=n),
        random.uniform(size=n),
        random.uniform(size=n),
        random.normal(size=(n, 3)),
        random.integers(0, 100, n, dtype=np.int32),
        random.integers(0, 2, n, dtype=np.int8),
    )


def times(n: int) -> list[float]:
    return [round(0.1 * i, 10) for i in range(n)]


def record(recorder: Recorder, about: RunDescription, n: int, *, elements: bool = False) -> None:
    """A run of n samples, 0.1 s apart, from start to end."""
    recorder.begin(about)
    for time in times(n):
        recorder.add(sample(about, time, elements=elements))
    for event in EVENTS if about.pairings and n else ():
        recorder.add_event(event)
    recorder.finish("finished", "all is well: ü", STATISTICS)


def make_third_format(path: Path) -> None:
    """Turn a new run file into one of format 3, without checksums; HDF5 takes the seal away."""
    with h5py.File(path, "r+") as file:
        if file.attrs["format_version"] == 3:
            return
        file.attrs["format_version"] = 3
        *counts, _, when = file["committed"][:8].tolist()  # without the maps
        del file["committed"], file["checksums"]
        file["committed"] = np.array([*counts, when])


def make_fourth_format(path: Path) -> None:
    """Turn a new run file into one of format 4, without a number of rows of maps; HDF5 takes the seal away."""
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 4
        *counts, _, when = file["committed"][:8].tolist()
        tails = file["committed"][8:-1].tolist()
        del file["committed"]
        file["committed"] = pack_record([*counts, when], tails)


def make_second_format(path: Path) -> None:
    """Turn a new run file into one of format 2: arrays for all pairings, and a whole contact for each of them."""
    make_third_format(path)
    run = Trajectory.open(path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 2
        for name in json.loads(file["samples"].attrs["shapes"]):
            if name in PAIRING_QUANTITIES and run.pairings:
                file["samples"].create_dataset(name, data=run.array(name))
        content = json.loads(read_text(file["description"]))
        content["pairings"] = [vars(pairing) for pairing in run.description.pairings]
        *counts, _, when = file["committed"][()]  # without the contacts
        for name in ("contacts", "contact_ends", "description", "committed"):
            if name in file:
                del file[name]
        del content["contacts"]
        write_text(file, "description", json.dumps(content))
        file["committed"] = np.array([*counts, when])


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
