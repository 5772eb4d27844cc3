"""Every law over a small contact, at first touch and with what it remembers: the same compiled and in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polycontact as pc
from scenes import rotation

BALL, PLATE = pc.shapes.sphere(0.1, 1), pc.shapes.box((0.5, 0.5, 0.1))
LAYER = pc.LayerLaw(stiffness=1e6)
LAWS: dict[str, tuple[Any, Any]] = {
    "compression": (pc.LayerLaw(stiffness=1e6, damping=1e4, damping_in="compression"), None),
    "spin": (LAYER, pc.laws.SpinFriction(coefficient=0.3, spin_length=0.01)),
    "restitution": (pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.5), None),
    "Hunt and Crossley": (pc.laws.HuntCrossley(coefficient=1e9, exponent=2.0, dissipation=0.1), None),
    "stick": (LAYER, pc.StickFriction(coefficient=0.3, damping=1e3)),
    "stick and spin": (LAYER, pc.StickFriction(coefficient=0.3, spin_radius=0.01)),
}


@pytest.mark.parametrize("name", LAWS)
def test_forces_of_two_steps(name: str) -> None:
    """Nothing is torn, friction stays within its limit, and what is evaluated again gives the same."""
    law, friction = LAWS[name]
    pair = pc.ContactPairing(BALL, PLATE, law=law, friction=friction, depth="base_normal")
    memory, wrench, again = pair.make_memory(), np.empty(6), np.empty(6)
    velocity, spin = np.array([0.2, 0.0, 0.1]), np.array([0.1, 0.0, 3.0])
    for k in range(2):
        R, r = rotation((0.0, 0.0, 1.0), 1e-3 * k), np.array([1e-5 * k, 0.0, -0.142])
        pair._run(memory, R, r, velocity, spin, wrench)
        memory.commit()
        table = memory.elements
        assert table.n > 4
        assert wrench[2] > 0.0
        normal = table.normal_force[: table.n]
        tangential = table.force[: table.n] - normal[:, None] * table.normal[: table.n]
        limit = 0.3 * normal if friction is not None else np.zeros(table.n)
        assert (np.linalg.norm(tangential, axis=1) <= limit * (1.0 + 1e-9) + 1e-12).all()
        pair._run(memory, R, r, velocity, spin, again)
        np.testing.assert_allclose(again, wrench, rtol=1e-9, atol=1e-9)
