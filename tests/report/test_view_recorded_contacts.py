"""Contacts of a run are drawn as they were simulated: the right shapes, the whole description, however many."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.report.view.run_pairings import Motion, relative_kinematics, remake_pairings
from polycontact.report.view.run_scene import run_scene

LAW = pc.LayerLaw(stiffness=1e7, damping=1e4, transition_depth=1e-4)
PLATE = pc.shapes.box(size=(0.5, 0.5, 0.05))


def recorded(system: pc.MultibodySystem, path: Path, end_time: float = 2e-3) -> pc.Trajectory:
    """A short run of a system, read from its file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        pc.simulate(system, end_time=end_time, output_step=end_time / 2, record=path, integrator="dopri5")
    return pc.Trajectory.open(path)


def assert_redrawn_as_recorded(run: pc.Trajectory) -> int:
    """Area and greatest depth of every contact of every sample are found again; returns how many there were."""
    pairings, notes = remake_pairings(run.description)
    assert notes == ()
    seen = 0
    for sample in range(len(run)):
        motion = Motion.at(run, sample)
        for pair in pairings:
            area, depth = run.array("contact")[sample, pair.number, :2]
            assert pair.pairing is not None
            found = pair.pairing.evaluate(relative_kinematics(pair, motion))
            # Poses are recorded in full precision; the rest is rounding of quaternions.
            assert found.area == pytest.approx(area, rel=1e-9, abs=1e-15)
            assert max(found.elements.peak_depth, default=0.0) == pytest.approx(depth, rel=1e-9, abs=1e-12)
            seen += area > 0.0
    return seen


def test_shapes_are_recorded_by_number(tmp_path: Path) -> None:
    """The upper body is E, though the lower one was added first: shapes counted by order would be other ones."""
    system = pc.MultibodySystem("clumps", gravity=(0.0, 0.0, 0.0))
    box, ball = pc.shapes.box(size=(0.05, 0.05, 0.05)), pc.shapes.sphere(radius=0.05, subdivisions=2)
    far = pc.Shape(box, position=(0.3, 0.0, 0.3))
    picture = pc.Shape(box, position=(0.0, 0.0, 0.1), contact=False)
    system.add_body("lower", shapes=[pc.Shape(PLATE), pc.Shape(box, position=(-0.4, 0.0, 0.0))], fixed=True)
    system.add_body("upper", shapes=[far, picture, pc.Shape(ball)], mass=1.0, position=(0.01, 0.02, 0.072))
    system.add_contact("upper", "lower", law=LAW)
    run = recorded(system, tmp_path / "run.h5")
    records = run.description.pairings
    touching = [records[i] for i in np.flatnonzero(run.array("contact")[0, :, 0])]
    assert [(record.shape_e, record.shape_f) for record in touching] == [(2, 0)], "the ball and the plate"
    assert {(record.shape_e, record.shape_f) for record in records} == {(0, 0), (0, 1), (2, 0), (2, 1)}
    assert assert_redrawn_as_recorded(run) == len(run)
    for frame in run_scene(run).frames:
        (patch,) = frame.patches
        assert len(patch.triangles) > 20, "on the ball"


def test_the_length_of_lines_is_recorded(tmp_path: Path) -> None:
    """Lines of 2 mm see 2 mm of a ball that is 10 mm deep; of the usual length they would see all of it."""
    system = pc.MultibodySystem("lines", gravity=(0.0, 0.0, 0.0))
    system.add_body("ball", surface=pc.shapes.sphere(0.05, 3), mass=10.0, position=(0.01, 0.02, 0.065))
    system.add_body("plate", surface=PLATE, fixed=True)
    system.add_contact("ball", "plate", law=LAW, method=pc.contact.PenetrationLines(max_penetration=2e-3))
    run = recorded(system, tmp_path / "run.h5", 1e-4)
    (record,) = run.description.pairings
    assert record.contact["method"] == {
        "kind": "penetration_lines",
        "base": "E",
        "depth": "base_normal",
        "max_penetration": 2e-3,
    }
    assert 0.0 < run.array("contact")[:, 0, 1].max() <= 2e-3
    assert assert_redrawn_as_recorded(run) == len(run)
    shown = [mark.depth for frame in run_scene(run).frames for mark in frame.contacts]
    drawn = [piece.values[:, 1].max() for frame in run_scene(run).frames for piece in frame.patches]
    assert drawn == pytest.approx(shown, rel=1e-9)


@pytest.mark.slow
def test_more_than_two_hundred_contacts_are_shown(tmp_path: Path) -> None:
    """210 balls fall on a plate: the contact of each is described before it begins, and has its patch on the page."""
    n = 210
    system = pc.MultibodySystem("many")
    ball = pc.shapes.sphere(radius=0.01, subdivisions=1)
    system.add_body("plate", surface=pc.shapes.box(size=(1.0, 1.0, 0.05)), fixed=True)
    for i in range(n):
        place = (0.06 * (i % 15) - 0.42, 0.06 * (i // 15) - 0.39, 0.025 + 0.0105)
        system.add_body(f"ball {i}", surface=ball, mass=0.01, position=place, velocity=(0.0, 0.0, -2.0))
        system.add_contact(f"ball {i}", "plate", law=LAW)
    run = recorded(system, tmp_path / "run.h5", 1e-3)
    assert [record.contact["law"]["stiffness"] for record in run.description.pairings] == n * [1e7]
    touching = np.count_nonzero(run.array("contact")[:, :, 0], axis=1)
    assert (touching[0], touching[-1]) == (0, n)
    assert assert_redrawn_as_recorded(run) == touching.sum()
    scene = run_scene(run)
    assert {piece.pairing for piece in scene.frames[-1].patches} == set(range(n))
