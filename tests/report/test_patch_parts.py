"""Patches of a contact as pages show them: each with its own force and width, and together the whole contact."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from view_subjects import array_of, content_of, standing_run

import polycontact as pc
from polycontact.report.view.evaluation_scene import evaluation_scene
from polycontact.report.view.patch_parts import borders, patch_forces, patch_numbers
from polycontact.report.view.run_scene import run_scene
from polycontact.report.view.viewer_page import make_page

PLATE = pc.shapes.box(size=(0.5, 0.5, 0.05))


def two_feet(base: pc.Base = pc.Base.E) -> pc.ContactResult:
    """A horseshoe that stands on a plate with both ends, and slides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairing = pc.ContactPairing(
            pc.shapes.horseshoe(),
            PLATE,
            base=base,
            law=pc.LayerLaw(stiffness=1e6),
            friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01),
        )
        kinematics = pc.RelativeKinematics(position=(0.013, 0.021, -0.02), velocity=(0.3, 0.1, 0.0))
        return pairing.evaluate(kinematics)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_patches_of_both_sides_have_one_number(base: pc.Base) -> None:
    result = two_feet(base)
    number = patch_numbers(result)
    assert set(number.tolist()) == {0, 1}
    for k in (0, 1):  # what lies together has one number, on both surfaces
        middle = result.elements.position[number == k].mean(axis=0)
        other = result.elements.position[number != k].mean(axis=0)
        apart = np.linalg.norm(result.elements.position[number == k] - middle, axis=1)
        assert (apart < np.linalg.norm(result.elements.position[number == k] - other, axis=1)).all()


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_forces_of_patches_add_up_to_what_was_recorded(base: pc.Base) -> None:
    """Also where the record differs from the evaluation, as with laws that remember."""
    result = two_feet(base)
    number = patch_numbers(result)
    parts = patch_forces(result, number, result.force)
    for k, part in enumerate(parts):
        np.testing.assert_allclose(part.force, result.elements.force[number == k].sum(axis=0), rtol=1e-9)
    recorded = result.force + np.array((7.0, -3.0, 2.0))
    other = patch_forces(result, number, recorded)
    np.testing.assert_allclose(sum(part.force for part in other), recorded, rtol=1e-12)


def test_width_of_a_strip() -> None:
    """A box of 200 mm by 4 mm on a plate: its border encloses a patch whose mean width is nearly 4 mm."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairing = pc.ContactPairing(pc.shapes.box(size=(0.2, 0.004, 0.05)), PLATE, law=pc.LayerLaw(stiffness=1e6))
        result = pairing.evaluate(pc.RelativeKinematics(position=(0.01, 0.003, -0.05 + 1e-6)))
    (border,) = borders(result, patch_numbers(result), 0)
    assert border.width == pytest.approx(2 * 0.2 * 0.004 / (2 * 0.204), rel=1e-2)  # with 1 µm of its sides


def test_width_of_a_ring() -> None:
    """A torus touches in a ring: the width is that between its two circles, not that of what they enclose."""
    torus = pc.shapes.torus(major_radius=0.1, minor_radius=0.03)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairing = pc.ContactPairing(torus, PLATE, law=pc.LayerLaw(stiffness=1e6))
        result = pairing.evaluate(pc.RelativeKinematics(position=(0.013, 0.021, -0.054)))
    assert len(result.polygons) == 2
    (border,) = borders(result, patch_numbers(result), 0)
    circles = [np.linalg.norm((p.points - (0.0, 0.0, 0.0))[:, :2], axis=1).mean() for p in result.polygons]
    assert border.width == pytest.approx(abs(circles[1] - circles[0]), rel=0.2)  # of a polygon, not of a ring


def test_pages_have_an_arrow_for_each_patch() -> None:
    scene = evaluation_scene(two_feet())
    content, data = content_of(make_page(scene))
    arrows = array_of(content["arrows"]["data"], data).reshape(-1, 9)
    assert content["arrows"]["frames"] == [[0, 2]]
    np.testing.assert_allclose(arrows[:, 5:8].sum(axis=0), content["contacts"][0][0][5:8], rtol=1e-5)
    assert {row[4] for row in content["patches"]["frames"][0]} == {0, 1}
    assert all(width > 0 for _, _, _, width in content["polygons"]["frames"][0])


def test_run_shows_forces_of_patches_on_the_body_that_moves() -> None:
    """Two feet on the ground: the arrows of both push upwards, on the body that fell, at its feet."""
    run = standing_run()
    marks = [mark for frame in run_scene(run.trajectory).frames for mark in frame.contacts]
    assert marks
    for mark in marks:
        assert run.trajectory.bodies[mark.body] == "feet"
        assert all(part.force[2] >= 0.0 for part in mark.patches)
        np.testing.assert_allclose(sum(part.force for part in mark.patches), mark.force, atol=1e-9)
