"""The derivative of a wrench: against a contact whose law gives it by hand, and from methods that know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.methods import PolygonalMethod
from scenes import rotation

STIFFNESS, DAMPING, FRICTION, SLOW = 1e6, 3e4, 0.4, 0.05
SIDE, HEIGHT, DEPTH = 0.2, 0.1, 1e-3
AREA = SIDE**2


def flat_punch() -> pc.ContactPairing:
    """A flat box (F, the base) on a plane (E): a linear spring with damper, and Coulomb friction below v_ε."""
    return pc.ContactPairing(
        pc.shapes.plane((1.0, 1.0)),
        pc.shapes.box((SIDE, SIDE, HEIGHT), (8, 8, 1)),
        base=pc.Base.F,
        depth="target_normal",
        law=pc.LayerLaw(stiffness=STIFFNESS, damping=DAMPING),
        friction=pc.RegularisedCoulomb(coefficient=FRICTION, velocity=SLOW),
    )


POSITION = np.array([0.03, -0.02, 0.5 * HEIGHT - DEPTH])


def test_derivative_of_a_flat_punch() -> None:
    speed = 0.02
    pairing = flat_punch()
    found = pairing.wrench_derivative(np.eye(3), POSITION, (speed, 0.0, 0.0))
    load = STIFFNESS * AREA * DEPTH
    s = speed / SLOW
    slope, share = FRICTION * 2.0 * (1.0 - s) / SLOW, FRICTION * s * (2.0 - s)
    np.testing.assert_allclose(found[:3, 2], [-share * STIFFNESS * AREA, 0.0, STIFFNESS * AREA], atol=1.0, rtol=1e-3)
    np.testing.assert_allclose(found[:3, 8], [-share * DAMPING * AREA, 0.0, DAMPING * AREA], rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(found[:3, 6], [slope * load, 0.0, 0.0], rtol=1e-6, atol=1e-6)
    # Across the motion friction turns with the slip: its size over its speed.
    np.testing.assert_allclose(found[:3, 7], [0.0, share * load / speed, 0.0], rtol=1e-6, atol=1e-6)
    assert np.abs(found[:2, :2]).max() < 1e-3 * STIFFNESS * AREA, "the plane is the same everywhere"


def test_derivative_by_rotation() -> None:
    """Turned about x by θ, the punch lifts where y > 0: c ∫ y² dA, and its forces turn along with it."""
    pairing = flat_punch()
    found = pairing.wrench_derivative(np.eye(3), POSITION)
    elements = pairing.evaluate(pc.RelativeKinematics(position=POSITION)).elements
    bottom = np.abs(elements.normal[:, 2]) > 0.9
    moment = (elements.area * (elements.position[:, 1] - POSITION[1]) ** 2)[bottom].sum()
    assert found[3, 3] == pytest.approx(STIFFNESS * moment, rel=0.02)  # and a little of the flanks
    assert found[1, 3] == pytest.approx(STIFFNESS * AREA * DEPTH, rel=0.02)


def test_derivative_predicts_nearby_wrenches() -> None:
    """A ball on a ball, in a general pose: wrenches after small steps in all twelve directions at once."""
    pairing = pc.ContactPairing(
        pc.shapes.sphere(0.1, 3),
        pc.shapes.sphere(0.1, 3),
        law=pc.LayerLaw(stiffness=1e7, damping=2e4),
        friction=pc.RegularisedCoulomb(coefficient=FRICTION, velocity=SLOW),
    )
    R, r = rotation((1.0, 2.0, 3.0), 0.4), np.array([0.05, 0.1, 0.15])
    v, w = np.array([0.1, -0.2, 0.05]), np.array([0.5, 1.0, -0.3])
    derivative = pairing.wrench_derivative(R, r, v, w, differences=True)
    before = pairing.wrench(R, r, v, w)
    rng = np.random.default_rng(1)
    for _ in range(5):
        step = 1e-7 * rng.normal(size=(4, 3))
        turned = rotation(step[1], float(np.linalg.norm(step[1]))) @ R
        change = pairing.wrench(turned, r + step[0], v + step[2], w + step[3]) - before
        # First order: what is left is of the square of the steps, relative to the curvature of the patch.
        np.testing.assert_allclose(derivative @ step.ravel(), change, atol=1e-4 * np.abs(change).max())


@dataclass(frozen=True)
class _KnownPair:
    """A set-up that knows the derivative of its wrench."""

    made: Any

    @property
    def entry(self) -> int:
        return int(self.made.entry)

    def make_memory(self) -> Any:
        return self.made.make_memory()

    def wrench_derivative(self, R: Any, r: Any, v: Any, w: Any) -> Any:
        return np.full((6, 12), r[2])


@dataclass(frozen=True)
class Known:
    """The polygonal method with a derivative of its own."""

    def prepare(self, e: Any, f: Any, description: Any, name: str) -> Any:
        return _KnownPair(PolygonalMethod().prepare(e, f, description, name))

    def margin(self, e: Any, f: Any) -> float:
        return 0.0


def test_derivative_from_the_method() -> None:
    pairing = pc.ContactPairing(
        pc.shapes.plane(1.0), pc.shapes.sphere(0.1, 2), method=Known(), law=pc.LayerLaw(stiffness=1e6)
    )
    np.testing.assert_array_equal(pairing.wrench_derivative(np.eye(3), (0.0, 0.0, 0.25)), np.full((6, 12), 0.25))


def test_bad_kinematics_are_refused() -> None:
    with pytest.raises(pc.ContactError, match="position has shape"):
        flat_punch().wrench_derivative(np.eye(3), (0.0, 0.0))
