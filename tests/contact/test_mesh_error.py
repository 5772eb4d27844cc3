"""How far facets may put a force off: where nothing is told, the force is that of the smooth bodies to a tenth."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli.scenario_check import check_scenario
from polycontact.surfaces.facet_lift import facet_lift
from polycontact.tolerances import MESH_ERROR_LIMIT
from proof.properties.mesh_errors import measure

PLATE = pc.shapes.box((0.1, 0.1, 0.02), 2)


def test_lift_of_facets_is_what_they_cut_off() -> None:
    """The volume between a mesh and its smooth body is the height times the area: to the fourth order of the edges."""
    for surface, volume in (
        (pc.shapes.sphere(0.1, 3), 4.0 / 3.0 * math.pi * 1e-3),
        (pc.shapes.cylinder(0.1, 0.3, segments=48), math.pi * 3e-3),
    ):
        cut_off = float(facet_lift(surface).height @ surface.areas)
        assert cut_off == pytest.approx(volume - surface.volume, rel=0.02)
    flat = facet_lift(pc.shapes.box((0.1, 0.2, 0.3), 3))
    assert not flat.height.any()
    assert not flat.spread.any()
    balanced = facet_lift(pc.shapes.sphere(0.1, 3).balanced())
    assert not balanced.height.any()
    assert balanced.spread.all()


@pytest.mark.parametrize("depth", [1e-3, 1e-4, 1e-5])
def test_what_is_told_of_a_ball_on_a_plate(depth: float) -> None:
    """Of the smooth force a share is missing: of the force that is there it is share / (1 - share)."""
    ball = pc.shapes.sphere(0.01, 4)
    found = pc.ContactPairing(ball, PLATE, law=pc.LayerLaw(stiffness=1e9)).evaluate(
        pc.RelativeKinematics(position=(0.0, 0.0, depth - 0.02))
    )
    error = found.mesh_error
    assert error is not None
    assert error.coarser == "E"
    smooth = 1e9 * math.pi * depth**2 * (0.01 - depth / 3.0)
    missing = smooth / float(found.force[2]) - 1.0
    # Where the depth is no greater than the height, more is missing than facets alone explain.
    assert error.share == pytest.approx(missing, rel=0.5) if missing < 0.5 else error.share > 0.5
    assert error.matters == (missing > MESH_ERROR_LIMIT)


@pytest.mark.slow
def test_what_is_quiet_is_right() -> None:
    """At most 1 % of the contacts that are off by more than a tenth are not told, and these are off by 13 % at most."""
    measured = measure()
    quiet = [abs(each.error) for each in measured if each.told <= MESH_ERROR_LIMIT]
    wrong = [each for each in measured if abs(each.error) > MESH_ERROR_LIMIT]
    good = [each for each in measured if abs(each.error) <= MESH_ERROR_LIMIT]
    assert len(quiet) > 450
    assert sum(each.told <= MESH_ERROR_LIMIT for each in wrong) <= 0.01 * len(wrong)
    assert max(quiet) < 0.13
    assert sum(each.told > MESH_ERROR_LIMIT for each in good) <= 0.1 * len(good)


def test_no_meshes_no_error() -> None:
    ball, plane = pc.parametric.Ellipsoid(0.1), pc.parametric.Plane(1.0)
    pair = pc.ContactPairing(plane, ball, method=pc.contact.ParametricMethod(), law=pc.LayerLaw(stiffness=1e5))
    assert pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 0.099))).mesh_error is None
    meshes = pc.ContactPairing(PLATE, PLATE, law=pc.LayerLaw(stiffness=1e5))
    assert meshes.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 0.03))).mesh_error is None


def resting_ball(subdivisions: int) -> pc.MultibodySystem:
    system = pc.MultibodySystem()
    ball = pc.shapes.sphere(0.01, subdivisions)
    system.add_body("ball", surface=ball, density=7800.0, position=(0.0, 0.0, 0.0205))
    system.add_body("plate", surface=PLATE, fixed=True)
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e9, damping=1e6))
    return system


def test_a_run_warns_once_and_keeps_the_errors() -> None:
    """Not at the first touch, which no mesh is fine enough for, but when a load has passed its peak."""
    message = r"'ball–plate' at t = .* too coarse .* refine the mesh of 'ball'"
    with pytest.warns(pc.ContactWarning, match=message) as told:
        run = pc.simulate(resting_ball(2), end_time=0.05)
    assert len([each for each in told if "too coarse" in str(each.message)]) == 1
    kept = run.mesh_errors["ball–plate"]
    assert kept.error.matters
    assert kept.load > 1.0
    assert 0.0 < kept.time < 0.05
    with warnings.catch_warnings():
        warnings.simplefilter("error", pc.ContactWarning)
        fine = pc.simulate(resting_ball(5), end_time=0.05)
    assert not fine.mesh_errors["ball–plate"].error.matters


def test_rigid_contacts_have_no_depth_to_judge() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pc.ContactWarning)
        run = pc.simulate(resting_ball(2), end_time=0.05, response=pc.MultiplierResponse())
    assert not run.mesh_errors


def test_a_run_that_goes_on_keeps_the_greater_load(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with pytest.warns(pc.ContactWarning, match="too coarse"):
        first = pc.simulate(resting_ball(2), end_time=0.05, record=path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        longer = pc.simulate(resting_ball(2), end_time=0.1, continue_from=path)
    assert longer.mesh_errors["ball–plate"] == first.mesh_errors["ball–plate"]


def test_report_has_a_table_of_meshes(tmp_path: Path) -> None:
    with pytest.warns(pc.ContactWarning, match="too coarse"):
        run = pc.simulate(resting_ball(2), end_time=0.05, record=tmp_path / "run.h5")
    pc.save_report(tmp_path / "run.h5", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "height above facets, mm" in text
    assert "too coarse" in text
    assert run.mesh_errors.keys() == {"ball–plate"}


SCENARIO = """
[scenario]
name = "resting"
[simulation]
end_time = 0.1
[[bodies]]
name = "ball"
shape = {{ kind = "sphere", radius = 0.01, subdivisions = {0} }}
density = 7800.0
position = [0.0, 0.0, 0.02]
[[bodies]]
name = "plate"
shape = {{ kind = "box", size = [0.1, 0.1, 0.02] }}
fixed = true
[contact.law]
stiffness = 1e9
[[contact.pairs]]
bodies = ["ball", "plate"]
"""


@pytest.mark.parametrize(("subdivisions", "is_told"), [(2, True), (5, False)])
def test_check_tells_before_the_run(
    subdivisions: int, is_told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "resting.toml"
    path.write_text(SCENARIO.format(subdivisions))
    assert check_scenario(path, json=False) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (" N: the meshes are too coarse for this depth" in told) == is_told


def test_a_balanced_mesh_is_not_told_to_be_balanced() -> None:
    pair = pc.ContactPairing(pc.shapes.sphere(0.01, 2).balanced(), PLATE, law=pc.LayerLaw(stiffness=1e9))
    error = pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 2e-5 - 0.02))).mesh_error
    assert error is None or error.balanced
    assert np.isfinite(0.0 if error is None else error.share)
