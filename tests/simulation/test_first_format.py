"""Run files of polycontact 0.1: pairings with loose parameters, and shapes told by their order alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from recorded_runs import EVENTS, assert_samples, description, make_second_format, record, sample, times

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.methods import PenetrationLines, PolygonalMethod
from polycontact.errors import SimulationError
from polycontact.simulation.recording.description_file import read_text, write_text
from polycontact.simulation.recording.first_format import pairings_of_any_format
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.records import BodyRecord, RunDescription, ShapeRecord
from polycontact.simulation.recording.trajectory import Trajectory

PARAMETERS: dict[str, Any] = {
    "stiffness": 1e7,
    "depth_share": 0.25,
    "damping": 20.0,
    "transition_depth": 1e-3,
    "friction": 0.3,
    "friction_velocity": 0.01,
    "elements": "whole",
    "depth": "base_normal",
    "generator": "intersection",
    "base": "both",
}


def body(name: str, *contact: bool) -> BodyRecord:
    vertices, triangles = np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32)
    shapes = tuple(
        ShapeRecord(f"{name} {i}", vertices, triangles, np.zeros(3), np.eye(3), each) for i, each in enumerate(contact)
    )
    return BodyRecord(name, 1.0, np.zeros(3), np.eye(3), shapes)


BODIES = (body("a", True, False, True), body("b", True, True))


def old(name: str, **parameters: Any) -> dict[str, Any]:
    return {"name": name, "e": "a", "f": "b", "parameters": parameters}


def test_parameters_become_a_description() -> None:
    (pairing,) = pairings_of_any_format([old("a–b", **PARAMETERS)], BODIES)
    description = ContactDescription.from_plain(pairing["contact"])
    assert description.stiffness == pytest.approx(1e7)
    assert description.depth_share == pytest.approx(0.25)
    assert (description.law.damping, description.law.transition_depth) == (20.0, 1e-3)  # type: ignore[attr-defined]
    assert description.friction is not None
    assert (description.method.base.value, description.method.elements) == ("both", "whole")  # type: ignore[attr-defined]


def test_shapes_follow_from_the_order() -> None:
    found = pairings_of_any_format([old(f"pair {i}", **PARAMETERS) for i in range(4)], BODIES)
    assert [(each["shape_e"], each["shape_f"]) for each in found] == [(0, 0), (0, 1), (2, 0), (2, 1)]


def test_what_is_missing_stays_empty() -> None:
    found = pairings_of_any_format([old("far apart"), old("odd", stiffness="soft")], BODIES)
    assert [each["contact"] for each in found] == [{}, {}]


def test_present_pairings_stay_as_they_are() -> None:
    pairing = {"name": "a–b", "e": "a", "f": "b", "shape_e": 2, "shape_f": 1, "contact": {"kind": "contact"}}
    assert pairings_of_any_format([pairing], BODIES) == [pairing]


# Whole files -------------------------------------------------------------------------------------------------

LAYERS = (
    ElasticLayer(youngs_modulus=3e5, poissons_ratio=0.3, thickness=0.02),
    ElasticLayer(youngs_modulus=1e5, poissons_ratio=0.1, thickness=0.03),
)
SAME = ContactDescription(
    method=PolygonalMethod(base="both", elements="whole", depth="base_normal"),
    law=LayerLaw(damping=20.0, transition_depth=1e-3),
    layers=LAYERS,
    friction=RegularisedCoulomb(coefficient=0.3, velocity=0.01),
)
"""The contact that `PARAMETERS` tell of, with the stiffness and the share of the depth of its layers."""


def touching(contact: ContactDescription) -> RunDescription:
    about = description()
    return replace(about, pairings=tuple(replace(each, contact=contact.to_plain()) for each in about.pairings))


def record_in_first_format(path: Path, n: int, **changes: Any) -> None:
    """A run of n samples as polycontact 0.1 described it; ``changes`` of the parameters."""
    record(Hdf5Recorder(path), touching(SAME), n, elements=True)
    make_second_format(path)
    told = PARAMETERS | {"stiffness": SAME.stiffness, "depth_share": SAME.depth_share, "base": "both"} | changes
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 1
        file.attrs["polycontact_version"] = "0.1.0"
        content = json.loads(read_text(file["description"]))
        content["pairings"] = [
            {name: pairing[name] for name in ("name", "e", "f")} | {"parameters": told}
            for pairing in content["pairings"]
        ]
        del content["remembered_width"], file["description"]
        write_text(file, "description", json.dumps(content))
        *counts, _, when = file["committed"][()]  # without the elements that laws remember
        del file["committed"]
        file["committed"] = np.array([*counts, when])


def version_of(path: Path) -> int:
    with h5py.File(path) as file:
        return int(file.attrs["format_version"])


def test_new_files_have_the_third_format(tmp_path: Path) -> None:
    """Older readers must refuse them: they know no table of contacts."""
    record(Hdf5Recorder(tmp_path / "run.h5"), description(), 3)
    assert version_of(tmp_path / "run.h5") == 3


def test_file_of_the_first_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    record_in_first_format(path, 20)
    assert version_of(path) == 1
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, description(), times(20), elements=True)
    assert (trajectory.events, trajectory.status) == (EVENTS, "finished")
    assert trajectory.state_at_end().remembered == ()
    (pairing,) = trajectory.description.pairings
    assert ContactDescription.from_plain(pairing.contact).stiffness == pytest.approx(SAME.stiffness)


@pytest.mark.parametrize(
    ("contact", "changes"),
    [
        (SAME, {}),
        (replace(SAME, layers=None, law=replace(SAME.law, stiffness=1e7)), {"stiffness": 1e7, "depth_share": 0.5}),
        (replace(SAME, friction=None), {"friction": 0.0}),
        (replace(SAME, friction=RegularisedCoulomb(coefficient=0.0)), {"friction": 0.0}),
        (replace(SAME, method=PenetrationLines(base="both", max_penetration=0.1)), {"generator": "penetration_lines"}),
        (SAME, {"stiffness": "of rubber"}),  # no stiffness is told: anything may go on
    ],
)
def test_file_of_the_first_format_is_continued(
    tmp_path: Path, contact: ContactDescription, changes: dict[str, Any]
) -> None:
    """It takes the present format then; the old one told of two layers only what they are together."""
    path, about = tmp_path / "run.h5", touching(contact)
    record_in_first_format(path, 20, **changes)
    recorder = Hdf5Recorder.resume(path)
    recorder.begin(about)
    for t in times(30)[20:]:
        recorder.add(sample(about, t, elements=True))
    recorder.finish("finished", "", {})
    assert version_of(path) == 3
    trajectory = Trajectory.open(path)
    assert_samples(trajectory, about, times(30), elements=True)
    assert trajectory.description.pairings == about.pairings


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"stiffness": 2e7}, r"has law\.stiffness = 20000000 N/m³, that of the continuation 2916666\.66667 N/m³;"),
        ({"depth_share": 0.1}, r"has depth_share = 0\.1, that of the continuation 0\.144444444444;"),
        ({"damping": 30.0}, r"has law\.damping = 30 N s/m³, that of the continuation 20 N s/m³"),
        ({"base": "E"}, r"has method\.base = 'E', that of the continuation 'both'"),
        ({"elements": "clipped"}, r"has method\.elements = 'clipped'"),
        ({"depth": "target_normal"}, r"has method\.depth = 'target_normal', that of the continuation 'base_normal'"),
        ({"friction": 0.0}, r"has friction = None"),
        ({"friction": 0.5}, r"has friction\.coefficient = 0\.5, that of the continuation 0\.3"),
    ],
)
def test_other_contact_than_in_the_first_format_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = tmp_path / "run.h5"
    record_in_first_format(path, 20, **changes)
    before = path.read_bytes()
    with pytest.raises(SimulationError, match=f"its contact 'ball 1–ball 0' {said}"):
        Hdf5Recorder.resume(path).begin(touching(SAME))
    assert path.read_bytes() == before


def test_later_format_is_refused(tmp_path: Path) -> None:
    """To read it, and to continue it."""
    path = tmp_path / "run.h5"
    record(Hdf5Recorder(path), description(), 3)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"], file.attrs["polycontact_version"] = 4, "0.9"
    said = r"run\.h5: run file of format 4, written by polycontact 0\.9; .* reads formats 1 to 3: update polycontact"
    for read in (Trajectory.open, Hdf5Recorder.resume):
        with pytest.raises(SimulationError, match=said):
            read(path)
