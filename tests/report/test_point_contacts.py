"""Points have no area and no pressure: pages show neither, and per point what laws count per point."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import polycontact as pc
from polycontact.report.areal_pairings import areal_pairings
from polycontact.report.document.contact_cards import contact_cards
from polycontact.report.document.contact_section import contact_panel, find_loads, load_table
from polycontact.report.document.named_runs import ReportRun
from polycontact.report.run_table import peak_table
from polycontact.report.view.frame_packing import Scales
from polycontact.report.view.run_scene import run_scene
from polycontact.report.view.viewer_scene import Scene
from polycontact.simulation.recording.trajectory_table import columns


def scene_facts(scene: Scene) -> dict[str, Any]:
    """What a page gets beside its frames."""
    scales = Scales(scene.quantities)
    scales.take(scene.frames, scene.greatest)
    return scales.facts()


@pytest.fixture(scope="module")
def run() -> pc.Run:
    """A ball falls on a plate by one point, another one beside it by an area."""
    system = pc.MultibodySystem("two balls")
    system.add_body("plate", surface=pc.convex.Box((1.0, 1.0, 0.1)), fixed=True)
    system.add_body("floor", surface=pc.shapes.plane(1.0), fixed=True, position=(0, 0, 0.05))
    system.add_body("hard", surface=pc.convex.Sphere(0.1), mass=1.0, position=(-0.2, 0, 0.16))
    system.add_body("soft", surface=pc.shapes.sphere(0.1, 2), mass=1.0, position=(0.2, 0, 0.16))
    system.add_contact("plate", "hard", law=pc.laws.SpringDamperLaw(stiffness=2e4, damping=10.0))
    system.add_contact("floor", "soft", law=pc.LayerLaw(stiffness=1e8))
    return pc.simulate(system, end_time=0.1, output_step=0.005)


def test_tables_and_plots_leave_out_what_points_have_not(run: pc.Run) -> None:
    runs = [ReportRun("run", run.trajectory)]
    loads = find_loads(runs)
    by_name = {load.name: load for load in loads}
    assert by_name["plate–hard"].area == by_name["plate–hard"].pressure == 0.0
    assert by_name["plate–hard"].force > 60.0  # N: √(k m) v = 62.6 N at 0.44 m/s, sampled
    assert 0.0 < by_name["floor–soft"].area < 0.01  # m²; the point's 1 would hide it
    assert load_table(runs, loads).count("point</td>") == 1
    panel = contact_panel(runs, loads)
    assert panel is not None
    rows = [[curve.row for curve in panel.views[0].curves if curve.item == k] for k in range(2)]
    assert sorted(map(len, rows)) == [2, 4]  # force and depth; area and pressure besides


def test_cards_tell_units_per_point(run: pc.Run) -> None:
    records = {each.name: each for each in run.trajectory.description.pairings}
    hard, soft = contact_cards([records["plate–hard"]]), contact_cards([records["floor–soft"]])
    assert " N/m<" in hard
    assert " N s/m<" in hard
    assert "m³" not in hard
    assert " N/m³<" in soft


def test_scenes_scale_colours_to_patches(run: pc.Run) -> None:
    np.testing.assert_array_equal(areal_pairings(run.trajectory.description), [False, True])
    scene = run_scene(run.trajectory)
    soft = run.trajectory.pairing("floor–soft")
    assert scene.greatest["pressure"] == pytest.approx(soft.pressure.max())
    marks = [mark for frame in scene.frames for mark in frame.contacts]
    points = [mark for mark in marks if mark.pairing == 0]
    assert points
    assert all(mark.area == mark.pressure == 0.0 and np.linalg.norm(mark.force) > 0.0 for mark in points)


@pytest.fixture(scope="module")
def points() -> pc.Run:
    """The hard ball alone."""
    system = pc.MultibodySystem("a ball")
    system.add_body("plate", surface=pc.convex.Box((1.0, 1.0, 0.1)), fixed=True)
    system.add_body("hard", surface=pc.convex.Sphere(0.1), mass=1.0, position=(-0.2, 0, 0.16))
    system.add_contact("plate", "hard", law=pc.laws.SpringDamperLaw(stiffness=2e4, damping=10.0))
    return pc.simulate(system, end_time=0.1, output_step=0.005)


def test_where_there_are_points_alone_nothing_names_areas_or_pressures(points: pc.Run) -> None:
    trajectory = points.trajectory
    runs = [ReportRun("run", trajectory)]
    panel = contact_panel(runs, loads := find_loads(runs))
    assert panel is not None
    view = panel.views[0]
    assert view.name == "Force, depth"
    assert [row.partition(",")[0] for row in view.rows] == ["force", "greatest depth"]
    assert {curve.row for curve in view.curves} == {0, 1}
    shown = io.StringIO()
    Console(file=shown, width=200).print(peak_table(trajectory))
    scene = run_scene(trajectory)
    facts = scene_facts(scene)
    assert facts["hasAreas"] is False
    assert scene_facts(run_scene(trajectory))["units"]["force"]["unit"] == "N"
    titles = [title for title, _ in columns(trajectory)]
    labels = [curve.label for curve in scene.curves]
    for text in (load_table(runs, loads), shown.getvalue(), *titles, *labels):
        assert "area" not in text
        assert "pressure" not in text.replace("centre of pressure", "")  # where the point is
    assert any("greatest depth" in label for label in labels)
    (peaks,) = points.peaks.contacts.values()
    assert peaks.force.value > 0.0
    assert peaks.pressure.value == 0.0


def test_both_kinds_have_areas(run: pc.Run) -> None:
    assert scene_facts(run_scene(run.trajectory))["hasAreas"] is True
    titles = [title for title, _ in columns(run.trajectory)]
    assert any(title.startswith("floor–soft area") for title in titles)
    assert not any(title.startswith("plate–hard area") for title in titles)
