"""How deep a contact is under a load, estimated without a pose: compared with forces that contacts have there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.load_depth import depth_under_load

PLATE = pc.shapes.box((1.0, 1.0, 0.2))


def force_at(body: Any, on: Any, lowest: float, depth: float, **options: Any) -> float:
    """Normal force (N) of a body whose lowest point is ``lowest`` (m) below its origin, on the top of the plate."""
    pairing = pc.ContactPairing(body, on, **options)
    place = np.array([0.0, 0.0, -(0.1 + lowest - depth)])
    return float(abs(pairing.evaluate(pc.RelativeKinematics(rotation=np.eye(3), position=place)).force[2]))


def estimate(body: Any, on: Any, load: float, **options: Any) -> float:
    description = pc.ContactPairing(body, on, **options).description
    found = depth_under_load(description, body, on, load)
    assert found is not None
    assert found == depth_under_load(description, on, body, load), "it does not depend on the order"
    return found


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_a_box_on_its_face_is_as_deep_as_estimated(exponent: float) -> None:
    """A smaller face is within the larger one: only it carries; the law itself is F = k A uⁿ, so rounding remains."""
    box = pc.shapes.box((0.1, 0.1, 0.1))
    law = pc.laws.HuntCrossley(coefficient=1e9, exponent=exponent)
    depth = estimate(box, PLATE, 250.0, law=law)
    assert force_at(box, PLATE, 0.05, depth, law=law) == pytest.approx(250.0, rel=1e-6)
    assert depth == pytest.approx((250.0 / (1e9 * 0.01)) ** (1.0 / exponent), rel=1e-12)


def test_a_fine_ball_is_as_deep_as_a_round_one() -> None:
    """F = π R c u²; the mesh lacks what is above its facets, 0.2 mm of 2 mm, and the plate is not quite flat.

    Its edges count as those of a ball of 0.3 m radius, a tenth of the curvature here.
    """
    ball = pc.shapes.sphere(0.05, 5)
    law = pc.LayerLaw(stiffness=1e8)
    load = math.pi * 0.05 * 1e8 * 0.002**2
    depth = estimate(ball, PLATE, load, law=law)
    assert depth == pytest.approx(0.002, rel=0.12)
    assert force_at(ball, PLATE, 0.05, depth, law=law) == pytest.approx(load, rel=0.25)


def test_a_coarse_ball_lies_on_a_facet() -> None:
    ball = pc.shapes.sphere(0.05, 2)
    found = estimate(ball, PLATE, 1.0, law=pc.LayerLaw(stiffness=1e12))
    assert found == pytest.approx(1.0 / (1e12 * float(ball.areas.max())), rel=1e-9)


def test_points_have_no_area() -> None:
    ball = pc.convex.Sphere(0.05)
    law = pc.laws.HertzPoint(modulus=1e9, radius=0.05)
    description = pc.ContactDescription(method=pc.contact.ConvexMethod(), law=law)
    found = depth_under_load(description, ball, ball, 10.0)
    assert found == pytest.approx((10.0 / (4.0 / 3.0 * 1e9 * math.sqrt(0.05))) ** (2.0 / 3.0), rel=1e-12)


def test_nothing_is_said_of_what_is_not_known() -> None:
    description = pc.ContactDescription(law=pc.LayerLaw(stiffness=1e9))
    assert depth_under_load(description, PLATE, PLATE, 0.0) is None
    assert depth_under_load(description, object(), PLATE, 1.0) is None
    assert depth_under_load(pc.ContactDescription(law=OwnLaw()), PLATE, PLATE, 1.0) is None


class OwnLaw:
    """A law of which nothing is known."""

    def prepare(self, stiffness: float | None) -> Any:
        raise NotImplementedError


def test_the_largest_face_of_surfaces() -> None:
    """A face is what is flat, however it is divided; a round body has facets only, a plate both of its sides apart."""
    assert pc.shapes.box((0.3, 0.2, 0.1)).bluntness.face == pytest.approx(0.06, rel=1e-12)
    fine = pc.shapes.box((0.3, 0.2, 0.1), divisions=7)
    assert fine.bluntness.face == pytest.approx(0.06, rel=1e-9)
    ball = pc.shapes.sphere(1.0, 3)
    assert ball.bluntness.face == pytest.approx(float(ball.areas.max()), rel=1e-12)
    turned = pc.Surface(fine.vertices.astype(np.float32).astype(float) @ turn(), fine.triangles)
    assert turned.bluntness.face == pytest.approx(0.06, rel=1e-6)  # as single precision has it


def turn() -> np.ndarray[Any, np.dtype[np.float64]]:
    q = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    return np.asarray(q * np.sign(np.linalg.det(q)))
