"""A body lies still on another with every contact method, and bears its weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rigid_scenes import G, friction

import polycontact as pc

BOX = pc.shapes.box((0.3, 0.2, 0.1), (3, 2, 1))
PLATE = pc.shapes.box((1.0, 1.0, 0.2), (5, 5, 1))
LAYER = pc.LayerLaw(stiffness=1e7)
POINT = pc.laws.SpringDamperLaw(stiffness=1e5)
FAMILIES = [pc.ImpulseResponse(), pc.MultiplierResponse()]

CASES: dict[str, tuple[Any, Any, float, dict[str, Any]]] = {
    **{
        f"polygonal, {depth}": (BOX, PLATE, 0.05, {"depth": depth, "law": LAYER})
        for depth in ("distance", "base_normal", "target_normal")
    },
    "polygonal, base F": (BOX, PLATE, 0.05, {"base": "F", "law": LAYER}),
    "polygonal, both": (BOX, PLATE, 0.05, {"base": "both", "law": LAYER}),
    "lines": (BOX, PLATE, 0.05, {"method": pc.contact.PenetrationLines(max_penetration=0.05), "law": LAYER}),
    "node blocks": (BOX, PLATE, 0.05, {"method": pc.contact.NodeBlockMethod(block_size=0.1), "law": LAYER}),
    "convex": (pc.convex.Box((0.3, 0.2, 0.1)), PLATE, 0.05, {"method": pc.contact.ConvexMethod(), "law": POINT}),
    "parametric": (
        pc.parametric.Ellipsoid((0.1, 0.12, 0.06)),
        pc.parametric.Plane((2.0, 2.0)),
        0.06,
        {"method": pc.contact.ParametricMethod(), "law": POINT},
    ),
    "implicit": (
        pc.implicit.Sphere(0.05),
        pc.implicit.HalfSpace(size=2.0),
        0.05,
        {"method": pc.contact.ImplicitMethod(), "law": POINT},
    ),
}


@pytest.mark.parametrize("response", FAMILIES, ids=["impulses", "multipliers"])
@pytest.mark.parametrize("case", CASES)
def test_a_body_rests(case: str, response: Any) -> None:
    upper, lower, height, options = CASES[case]
    system = pc.MultibodySystem()
    system.add_body("body", surface=upper, mass=1.0, inertia=(2e-3, 4e-3, 5e-3), position=(0.0, 0.0, height + 1e-3))
    below = -0.1 if lower is PLATE else 0.0
    system.add_body("ground", surface=lower, fixed=True, position=(0.0, 0.0, below))
    system.add_contact("body", "ground", name="touch", friction=friction(0.3), **options)
    run = pc.simulate(system, end_time=0.3, output_step=0.02, response=response)
    body = run.trajectory.body("body")
    np.testing.assert_allclose(body.position[-1], (0.0, 0.0, height), atol=1e-4)
    np.testing.assert_allclose(body.position[-1], body.position[-5], atol=1e-5)
    assert np.abs(body.velocity[-1]).max() < 1e-4
    np.testing.assert_allclose(run.trajectory.pairing("touch").force[-1], (0.0, 0.0, G), atol=0.02)
    torque = run.trajectory.pairing("touch").torque[-1]
    assert np.isfinite(torque).all()
