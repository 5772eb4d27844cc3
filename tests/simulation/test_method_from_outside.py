"""A method and geometries from outside: pairing, simulation, recording, viewer, report and export take them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.report.export.export_folder import export_run
from polycontact.report.view.run_pairings import remake_pairings
from polycontact.report.view.showing import make_scene
from sphere_method import Ball, BallOnGround, Ground

RADIUS, MASS, SPRING, GRAVITY = 0.1, 1.5, 2e4, 9.81
"""m, kg, N/m, m/s²."""


def ball_over_ground(height: float, *, friction: object = None, **law: float) -> pc.MultibodySystem:
    system = pc.MultibodySystem("ball over ground")
    system.add_body("ground", surface=Ground(), fixed=True)
    system.add_body("ball", surface=Ball(RADIUS), mass=MASS, position=(0.1, 0.0, RADIUS + height))
    options = {"method": BallOnGround(), "law": pc.LayerLaw(stiffness=SPRING, **law), "friction": friction}
    system.add_contact("ground", "ball", name="bounce", **options)
    return system


def test_pairing_of_one_point() -> None:
    law = pc.LayerLaw(stiffness=SPRING, damping=30.0)
    friction = pc.RegularisedCoulomb(coefficient=0.5, velocity=0.01)
    pairing = pc.ContactPairing(Ground(), Ball(RADIUS), method=BallOnGround(), law=law, friction=friction)
    at = pc.RelativeKinematics(position=(0.3, 0.2, 0.095), velocity=(1.0, 0.0, -0.1))
    result = pairing.evaluate(at)
    load = SPRING * 0.005 + 30.0 * 0.1
    np.testing.assert_allclose(result.force, [0.5 * load, 0.0, -load])
    # Friction acts in the middle of the depth, 97.5 mm - 2.5 mm below the marker of the ball.
    np.testing.assert_allclose(result.torque, [0.0, -0.5 * load * 0.0975, 0.0], atol=1e-12)
    assert result.in_contact
    elements = result.elements
    assert len(elements) == 1
    np.testing.assert_allclose(elements.base_point, [[0.3, 0.2, 0.0]])
    np.testing.assert_allclose(elements.target_point, [[0.3, 0.2, -0.005]])
    assert elements.pressure[0] == pytest.approx(load), "of a point, the force"
    assert (result.patches, result.polygons, result.outlines) == ((), (), ((),))
    assert not pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 0.2))).in_contact
    derivative = pairing.wrench_derivative(np.eye(3), (0.3, 0.2, 0.095))
    assert derivative[2, 2] == pytest.approx(SPRING, rel=1e-6)
    assert derivative[2, 8] == pytest.approx(30.0, rel=1e-6)


def test_bounce_as_the_closed_form_has_it() -> None:
    """A mass on a linear spring that only pushes, see `bounce_times`; the rebound reaches the height again."""
    height = 0.2
    run = pc.simulate(ball_over_ground(height), end_time=0.6, contact_events=True, rtol=1e-8, atol=1e-10)
    speed, omega = math.sqrt(2.0 * GRAVITY * height), math.sqrt(SPRING / MASS)
    start = speed / GRAVITY
    end = start + (2.0 * math.pi - 2.0 * math.atan(speed * omega / GRAVITY)) / omega
    assert [event.kind for event in run.events] == ["start", "end"]
    np.testing.assert_allclose([event.time for event in run.events], [start, end], atol=1e-6)
    z = run.trajectory.body("ball").position[:, 2]
    again = run.trajectory.time > 0.35
    assert z[again].max() == pytest.approx(RADIUS + height, abs=1e-4)
    assert run.ledger.worst_balance < 1e-4 * run.ledger.turnover
    assert run.trajectory.body("ball").record.inertia[0, 0] == pytest.approx(0.4 * MASS * RADIUS**2)


def test_recording_viewer_report_and_export(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    system = ball_over_ground(0.05, damping=20.0, friction=pc.RegularisedCoulomb(coefficient=0.3))
    pc.simulate(system, end_time=0.4, record=path, elements=True, output_step=0.005)
    pc.simulate(system, end_time=0.5, continue_from=path, elements=True, output_step=0.005)
    trajectory = pc.Trajectory.open(path)
    shapes = [shape for body in trajectory.description.bodies for shape in body.shapes]
    assert [shape.geometry["kind"] for shape in shapes if shape.geometry] == ["test: ground", "test: ball"]
    assert trajectory.pairing("bounce").in_contact.any()

    (again,), notes = remake_pairings(trajectory.description)
    assert notes == ()
    assert again.pairing is not None
    assert again.pairing.f == Ball(RADIUS)

    scene = make_scene(path)
    marks = [mark for frame in scene.frames for mark in frame.contacts]
    assert {part.name for part in scene.parts} == {"ball", "ground"}
    greatest = max(float(np.linalg.norm(mark.force)) for mark in marks)
    assert greatest == pytest.approx(np.linalg.norm(trajectory.pairing("bounce").force, axis=1).max(), rel=1e-9)
    assert min(abs(float(mark.point[2])) for mark in marks) > 0.9 * RADIUS, "drawn where the ball touches"
    assert pc.save_page(path, tmp_path / "run.html").stat().st_size > 10_000
    export_run(trajectory, tmp_path / "export")
    assert list((tmp_path / "export").iterdir())


def test_result_on_a_page(tmp_path: Path) -> None:
    pairing = pc.ContactPairing(Ground(), Ball(RADIUS), method=BallOnGround(), law=pc.LayerLaw(stiffness=SPRING))
    result = pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 0.09)))
    assert "1 contact elements" in make_scene(result).subtitle
    assert result.save_page(tmp_path / "contact.html").stat().st_size > 10_000


def test_mistakes_are_named() -> None:
    ball = pc.shapes.sphere(RADIUS, 1)
    with pytest.raises(pc.ContactError, match="expected a Surface"):
        pc.ContactPairing(Ground(), ball, law=pc.LayerLaw(stiffness=1e6))
    with pytest.raises(pc.ContactError, match="give a Ground and a Ball"):
        pc.ContactPairing(Ground(), ball, method=BallOnGround(), law=pc.LayerLaw(stiffness=1e6))
    system = pc.MultibodySystem("mistakes")
    with pytest.raises(pc.MultibodyError, match="it has no name, bounds, thickness, picture, mass_properties"):
        system.add_body("stone", surface=3, mass=1.0)  # type: ignore[arg-type]
    with pytest.raises(pc.MultibodyError, match="give two finite corners"):
        system.add_body("all", surface=Ground(reach=math.inf), fixed=True)
    with pytest.raises(pc.MultibodyError, match="a half-space has no mass; fix its body"):
        system.add_body("earth", surface=Ground(), density=5500.0)


def test_surfaces_are_geometries() -> None:
    surface = pc.shapes.box((0.1, 0.2, 0.05))
    assert isinstance(surface, pc.surfaces.Geometry)
    assert surface.picture is surface
    # Four volumes over the area: 4 · 1e-3 / 0.07 m.
    assert surface.thickness == pytest.approx(0.05)
    assert pc.shapes.plane(1.0).thickness == math.inf
