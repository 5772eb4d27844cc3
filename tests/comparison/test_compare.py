"""Comparisons of any bodies: scenarios, runs, single contacts; equivalent stiffness, pages, bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.comparison.cases import sphere_on_plate
from polycontact.comparison.compared_body import Side
from polycontact.comparison.comparison_page import comparison_page
from polycontact.comparison.subjects import Subject
from polycontact.verification.placing import relative_to_body, rotation

BALL_IN_PLATE = """
[scenario]
name = "ball <in> plate"
description = "A ball that has sunk into a plate."

[simulation]
end_time = 0.01
output_step = 0.005

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.1, subdivisions = 4 }
density = 500.0
position = [0.02, 0.01, 0.14]

[[bodies]]
name = "plate"
shape = { kind = "box", size = [0.5, 0.5, 0.1], divisions = [20, 20, 4] }
fixed = true

[[bodies]]
name = "far"
shape = { kind = "sphere", radius = 0.1 }
position = [0.0, 0.0, 1.0]
fixed = true

[contact]
stiffness = 1e6
"""
NO_CONTACT = BALL_IN_PLATE.replace("[contact]\nstiffness = 1e6\n", "")
PAIRS = """
[[contact.pairs]]
bodies = ["ball", "plate"]

[[contact.pairs]]
bodies = ["ball", "far"]
"""


@pytest.fixture(scope="module")
def scenario() -> pc.comparison.Comparison:
    from polycontact.scenario.parsing import parse_scenario

    return pc.compare(parse_scenario(BALL_IN_PLATE + PAIRS), rounds=1)


def test_a_scenario_in_its_start_pose(scenario: pc.comparison.Comparison) -> None:
    pair = scenario.pair("ball–plate")
    assert [each.name for each in scenario.apart] == ["ball–far"]
    assert scenario.apart[0].distance is not None
    gap = scenario.apart[0].distance.distance  # 0.86 m less two radii; meshes lie inside
    assert gap == pytest.approx(0.66, abs=1e-3)
    labels = {row.label for row in pair.rows}
    assert {"convex", "parametric", "implicit", "nodes, base normals, base E"} <= labels
    assert len([label for label in labels if label.startswith("polygonal")]) == 18
    assert all("box cannot be parametric" in each.reason for each in pair.misfits)
    assert {each.forms for each in pair.misfits} == {("parametric", "parametric"), ("implicit", "parametric")}
    own = next(row for row in pair.rows if row.label == "polygonal, distance, clipped, base E")
    assert own.difference(pair.reference) == 0.0
    assert all(row.time > 0.0 for row in pair.rows)


def test_points_carry_what_the_reference_carries(scenario: pc.comparison.Comparison) -> None:
    pair = scenario.pair()
    assert pair.scale.c == 1e6
    assert pair.scale.k * pair.scale.depth == pytest.approx(float(np.linalg.norm(pair.reference)), rel=1e-12)
    for row in pair.rows:
        if row.trial.is_point:  # the depth of the mesh is off by its sagitta, 0.1 mm of 10 mm, and less
            assert row.difference(pair.reference) < 0.012, row.label
            assert np.isnan(row.area)


def test_forms_in_frames_of_their_own_agree_on_torque_and_centre() -> None:
    subject = sphere_on_plate(subdivisions=4, plate_divisions=40)
    R, r, *_ = subject.pose.arrays()
    aside = replace(subject, pose=pc.RelativeKinematics(rotation=R, position=r + R @ np.array([0.05, -0.02, 0.0])))
    pair = pc.compare(aside, rounds=0).pair()
    points = [row for row in pair.rows if row.trial.is_point and "mesh" not in row.trial.forms[0]]
    assert len({row.trial.f.origin for row in points}) == 2  # a block about its middle, a plane about its face
    for row in points:
        np.testing.assert_allclose(row.centre, points[0].centre, atol=2e-6)  # tolerance of the search, 1e-6 of the size
        np.testing.assert_allclose(row.torque, points[0].torque, atol=2e-6 * row.magnitude)
        np.testing.assert_allclose(row.torque, np.cross(row.centre - aside.pose.arrays()[1], row.force), atol=1e-9)
    areal = next(row for row in pair.rows if row.label == "polygonal, distance, clipped, base E")
    np.testing.assert_allclose(
        areal.torque / areal.magnitude, points[0].torque / points[0].magnitude, atol=1e-3
    )  # the mesh is not quite round


def test_a_contact_of_points_gives_areas_their_stiffness() -> None:
    e, f = pc.convex.Sphere(0.1), pc.convex.Box((0.5, 0.5, 0.1))
    sides = Side("ball", e, "sphere", {"radius": 0.1}), Side("plate", f, "box", {"size": (0.5, 0.5, 0.1)})
    law = pc.laws.SpringDamperLaw(stiffness=2e4, damping=10.0)
    description = pc.ContactDescription(method=pc.contact.ConvexMethod(), law=law)
    pose = pc.RelativeKinematics(position=(0.0, 0.0, -0.14))
    pair = pc.compare(Subject("ball on plate", *sides, pose, description), rounds=0).pair()
    assert {"convex", "convex mesh", "implicit"} <= {row.trial.forms[0] for row in pair.rows}
    assert pair.scale.k == pytest.approx(2e4, rel=1e-6)
    assert np.linalg.norm(pair.reference) == pytest.approx(200.0, rel=1e-6)
    row = next(row for row in pair.rows if row.label == "polygonal, distance, clipped, base E")
    assert row.magnitude == pytest.approx(200.0, rel=1e-6)


def test_a_contact_of_points_too_shallow_for_meshes() -> None:
    e, f = pc.convex.Sphere(0.1), pc.convex.Box((0.5, 0.5, 0.1))
    sides = Side("ball", e, "sphere", {"radius": 0.1}), Side("plate", f, "box", {"size": (0.5, 0.5, 0.1)})
    description = pc.ContactDescription(method=pc.contact.ConvexMethod(), law=pc.laws.SpringDamperLaw(stiffness=1e7))
    pose = relative_to_body(rotation((0.3, 0.2, 0.1)), (0.0, 0.0, 0.149999))  # no vertex of the ball below
    pair = pc.compare(Subject("ball on plate", *sides, pose, description), rounds=0).pair()
    assert np.linalg.norm(pair.reference) == pytest.approx(10.0, rel=1e-2)  # 1 µm deep
    assert pair.scale.reference_words == "the contact itself"
    forces = {row.trial.forms[0]: row.magnitude for row in pair.rows}
    assert forces["mesh"] == 0.0
    assert forces["implicit"] == pytest.approx(10.0, rel=1e-2)


def test_a_result_is_compared_in_its_pose() -> None:
    pairing = pc.ContactPairing(
        pc.shapes.box(size=0.1), pc.shapes.box(size=(0.5, 0.5, 0.1)), law=pc.LayerLaw(stiffness=1e8)
    )
    result = pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.0999)))
    pair = pc.compare(result, rounds=0).pair()
    np.testing.assert_allclose(pair.reference, result.force)
    assert pair.scale.k == pytest.approx(1e8 * 0.01, rel=1e-3)  # c A; the depth of meshes is known to a thousandth
    assert {each.label for each in pair.misfits} == {"convex", "parametric", "implicit"}


def test_flush_boxes_are_as_deep_as_their_faces() -> None:
    """Boxes of a stack have their walls in common planes: no vertex of one is inside the other."""
    found = pc.compare("stack_of_boxes", bodies=("box 8", "box 7"), rounds=0).pair()
    area = 0.2 * 0.2
    # Along the rim the depth falls off: less by twice the depth over the width, 3e-5.
    assert found.scale.k == pytest.approx(found.scale.c * area, rel=1e-4)


def test_laws_differ_in_stiffness_only() -> None:
    pair = pc.compare(sphere_on_plate(subdivisions=4, plate_divisions=40), rounds=0).pair()
    found = {(each.label, each.on): each for each in pair.laws}
    linear, cubed = found["spring–damper", "convex"], found["Hertz", "convex"]
    assert linear.force == pytest.approx(cubed.force, rel=1e-9)
    assert linear.stiffness == pytest.approx(linear.force / 0.01, rel=1e-5)
    assert cubed.stiffness == pytest.approx(1.5 * linear.stiffness, rel=1e-5)  # exponent 3/2
    areal = found["layer", "polygonal, distance, clipped, base E"]
    exact = 1e7 * np.pi * (0.1**2 - 0.09**2)  # c times the area at the plane
    assert areal.stiffness == pytest.approx(exact, rel=0.02)  # the mesh reaches 0.1 mm less far
    assert "law of one point" in found["Hertz", "polygonal, distance, clipped, base E"].reason


def test_a_method_with_other_options_has_a_row_of_its_own() -> None:
    subject = sphere_on_plate(subdivisions=3, plate_divisions=20)
    own = replace(subject.description, method=pc.contact.PolygonalMethod(base=pc.Base.E, tolerance=0.05))
    pair = pc.compare(replace(subject, description=own, exact=None), rounds=0).pair()
    assert pair.rows[0].trial.method == own.method
    assert pair.rows[0].difference(pair.reference) == 0.0  # it is the reference, too


@pytest.mark.slow
def test_a_run_by_its_samples(tmp_path: Path) -> None:
    from polycontact.scenario.parsing import parse_scenario

    parsed = parse_scenario(BALL_IN_PLATE + PAIRS)
    file = tmp_path / "run.h5"
    for source in (parsed.source, None):
        run = pc.simulate(
            parsed.build(), record=file, scenario=source, scenario_folder=str(tmp_path), **parsed.settings
        )
        at_end = pc.compare(file, rounds=0).pair()
        at_start = pc.compare(run.trajectory, time=0.0, rounds=0).pair()
        recorded = run.trajectory.pairing("ball–plate").force
        for pair, sample in ((at_start, 0), (at_end, -1)):
            own = next(row for row in pair.rows if row.label == "polygonal, distance, clipped, base E")
            assert own.magnitude == pytest.approx(float(np.linalg.norm(recorded[sample])), rel=1e-9)  # no damping
        assert any(row.label == "implicit" for row in at_end.rows) == (source is not None)
    with pytest.raises(pc.SimulationError, match=r"time is 1 s, but the run goes from 0 to 0\.01 s"):
        pc.compare(file, time=1.0)
    at_time = pc.compare(parsed, time=0.01, rounds=0).pair()
    np.testing.assert_allclose(at_time.reference, at_end.reference, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (BALL_IN_PLATE.replace("0.14]", "0.40]") + PAIRS, {}, r"no contact in this pose.*ball–plate, 250.* mm apart"),
        (NO_CONTACT, {}, "there are no contacts; there is nothing to compare"),
        (BALL_IN_PLATE + PAIRS, {"bodies": ("ball", "plat")}, "no body 'plat'.*did you mean \"plate\""),
        (BALL_IN_PLATE + PAIRS, {"bodies": ("far", "plate")}, "no contacts between far and plate"),
        (BALL_IN_PLATE + PAIRS, {"time": 1.0}, r"time is 1 s, but the run ends at 0\.01 s"),
        (BALL_IN_PLATE + PAIRS, {"time": -1.0}, "time is -1.0 s"),
        (BALL_IN_PLATE + PAIRS, {"time": float("nan")}, "time is nan s"),
        (BALL_IN_PLATE + PAIRS, {"rounds": 1.5}, "rounds is 1.5"),
        (BALL_IN_PLATE + PAIRS, {"rounds": float("nan")}, "rounds is nan"),
        (BALL_IN_PLATE + PAIRS, {"rounds": -1}, "rounds is -1"),
        (BALL_IN_PLATE + PAIRS, {"bodies": ("ball",)}, "give the names of two bodies"),
    ],
)
def test_bad_input(text: str, options: dict[str, object], words: str) -> None:
    from polycontact.scenario.parsing import parse_scenario

    with pytest.raises(pc.PolycontactError, match=words):
        pc.compare(parse_scenario(text), **options)  # type: ignore[arg-type]


def test_other_bad_input() -> None:
    with pytest.raises(pc.ContactError, match="42 cannot be compared"):
        pc.compare(42)  # type: ignore[arg-type]
    with pytest.raises(pc.ContactError, match="leave out time"):
        pc.compare("sphere_on_plate", time=1.0)
    with pytest.raises(pc.ContactError, match="did you mean"):
        pc.compare("sphere_on_plat")


def test_page_and_text(scenario: pc.comparison.Comparison, tmp_path: Path) -> None:
    page = comparison_page(scenario)
    assert "ball &lt;in&gt; plate" in page
    assert "<in>" not in page
    assert page.count("<circle") == len(scenario.pair().rows)
    assert "box cannot be parametric" in page
    assert "ball–far" in page
    scenario.save_page(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    with pytest.raises(pc.ContactError, match="cannot be written"):
        scenario.save_page(tmp_path)
    text = str(scenario)
    assert "ball–far: no contact in this pose" in text
    assert "does not fit: parametric" in text
    with pytest.raises(pc.ContactError, match="no pair 'x' was compared; there are 'ball–plate'"):
        scenario.pair("x")


@pytest.mark.slow
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["compare", "box_on_plate", "--rounds", "0", "--json", "-o", str(page)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ok"] is True
    rows = record["pairs"][0]["rows"]
    assert len(rows) == 28
    assert all(row["within"] for row in rows)
    assert page.stat().st_size > 20_000
    assert main(["compare", "box_on_plate", "--rounds", "0"]) == 0
    assert "All 28 forces are within their bounds." in capsys.readouterr().out
    assert main(["compare"]) == 2
    assert main(["compare", "box_on_plate", "-o", str(tmp_path / "page.txt")]) == 2
    assert main(["compare", "ball_on_table", "--json"]) == 2
    assert "no contact in this pose" in json.loads(capsys.readouterr().out)["error"]


def test_command_of_a_single_contact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pose.toml"
    file.write_text(
        '[e]\nkind = "sphere"\nradius = 0.1\n[f]\nkind = "box"\nsize = [0.5, 0.5, 0.1]\n[contact]\nstiffness = 1e6\n'
        "[kinematics]\nposition = [0.0, 0.0, -0.14]\n"
    )
    assert main(["compare", "--pose", str(file), "--rounds", "0"]) == 0
    out = capsys.readouterr().out
    assert "convex mesh" in out
    assert "is known by its mesh only" in out
