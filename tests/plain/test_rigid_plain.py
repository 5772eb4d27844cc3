"""Rigid contact of small systems, compiled and, with NUMBA_DISABLE_JIT=1, in plain Python: closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc

G = 9.81
LAW = pc.laws.SpringDamperLaw(stiffness=1e5)
SLIDING = pc.RegularisedCoulomb(coefficient=0.5, velocity=1e-3)


def over_floor(shape: object, height: float, **body: object) -> pc.MultibodySystem:
    system = pc.MultibodySystem()
    system.add_body("body", surface=shape, mass=1.0, position=(0.0, 0.0, height), **body)
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.add_contact("body", "floor", name="touch", method=pc.contact.ConvexMethod(), law=LAW, friction=SLIDING)
    return system


def test_a_ball_rebounds() -> None:
    response = pc.ImpulseResponse(restitution=0.5)
    system = over_floor(pc.convex.Sphere(0.05), 0.055, velocity=(0.0, 0.0, -1.0))
    run = pc.simulate(system, end_time=0.01, output_step=0.01, response=response, rtol=1e-8, atol=1e-9)
    assert run.statistics.response["impacts"] == 1
    fall = (np.sqrt(1.0 + 2.0 * G * 0.005) - 1.0) / G
    expected = 0.5 * (1.0 + G * fall) - G * (0.01 - fall)
    assert run.trajectory.body("body").velocity[-1, 2] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("response", [pc.ImpulseResponse(step=2e-3), pc.MultiplierResponse(step=2e-3)])
def test_a_box_slides_on_its_face(response: pc.ImpulseResponse | pc.MultiplierResponse) -> None:
    system = over_floor(pc.convex.Box((0.2, 0.2, 0.1)), 0.05, velocity=(1.0, 0.0, 0.0))
    run = pc.simulate(system, end_time=0.02, output_step=0.01, response=response)
    # Two steps may pass until the box has sunk to the slop.
    assert run.trajectory.body("body").velocity[-1, 0] == pytest.approx(1.0 - 0.5 * G * 0.02, abs=0.5 * G * 4e-3)
    assert run.trajectory.pairing("touch").force[-1, 2] == pytest.approx(G, rel=1e-2)


def test_a_box_of_meshes_lies_still() -> None:
    system = pc.MultibodySystem()
    system.add_body("box", surface=pc.shapes.box((0.2, 0.2, 0.1), 1), mass=1.0, position=(0.0, 0.0, 0.05 - 1e-5))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0), 1), fixed=True)
    system.add_contact("box", "floor", name="touch", law=pc.LayerLaw(stiffness=1e6), friction=SLIDING)
    run = pc.simulate(system, end_time=6e-3, output_step=6e-3, response=pc.MultiplierResponse(step=2e-3))
    assert run.trajectory.pairing("touch").force[-1, 2] == pytest.approx(G, rel=1e-2)
