"""Contacts that another simulator steps: trial states leave no trace, accepted steps do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polycontact as pc

UPRIGHT = np.eye(3)
DEPTH, NORMAL = 1e-3, 1000.0
"""Of the block in the floor (m), and c A u = 1e8 · 0.01 · 1e-3 (N)."""


def pairing(**options: object) -> pc.ContactPairing:
    block, floor = pc.shapes.box((0.1, 0.1, 0.04)), pc.shapes.plane(1.0)
    law = pc.LayerLaw(stiffness=1e8)
    chosen = {"law": law, "base": pc.Base.F, "depth": "target_normal", **options}
    return pc.ContactPairing(floor, block, **chosen)  # type: ignore[arg-type]


def place(x: float = 0.0, depth: float = DEPTH) -> tuple[float, float, float]:
    return (x, 0.0, 0.02 - depth)


def test_sticking_friction_reaches_its_limit() -> None:
    """The spring of 1e8 N/m³ · 0.01 m² carries 0.5 · 1000 N at 0.5 mm; beyond, the anchor follows."""
    friction = pc.StickFriction(coefficient=0.5, stiffness=1e8, damping=0.0)
    contact = pairing(friction=friction).stepped()
    contact.accept(0.0, UPRIGHT, place())
    for k in range(1, 21):
        x = 5e-5 * k
        tried = contact.wrench(0.01 * k - 0.005, UPRIGHT, place(x + 1e-3))  # a stage that goes too far
        again = contact.accept(0.01 * k, UPRIGHT, place(x))
        assert again[0] == pytest.approx(min(1e6 * x, 0.5 * NORMAL), rel=1e-9)
        assert tried[0] == pytest.approx(0.5 * NORMAL, rel=1e-9)
    assert contact.time == 0.2
    # Back by 0.2 mm: the spring is 0.3 mm long.
    assert contact.accept(0.21, UPRIGHT, place(1e-3 - 2e-4))[0] == pytest.approx(300.0, rel=1e-9)


def test_a_single_call_remembers_nothing() -> None:
    """What the plain call gives: every evaluation is the first one, so that no spring is drawn out."""
    alone = pairing(friction=pc.StickFriction(coefficient=0.5, stiffness=1e8, damping=0.0))
    alone.wrench(UPRIGHT, place())
    assert abs(alone.wrench(UPRIGHT, place(1e-3))[0]) < 1e-9 * NORMAL


def test_snapshots_go_back() -> None:
    friction = pc.StickFriction(coefficient=0.5, stiffness=1e8, damping=0.0)
    contact = pairing(friction=friction).stepped(time=2.0)
    contact.accept(2.0, UPRIGHT, place())
    contact.accept(2.1, UPRIGHT, place(2e-4))
    kept = contact.snapshot()
    first = contact.accept(2.2, UPRIGHT, place(9e-4))
    contact.restore(kept)
    assert contact.time == 2.1
    assert contact.accept(2.2, UPRIGHT, place(9e-4)).tobytes() == first.tobytes()
    with pytest.raises(pc.ContactError, match=r"before the last accepted step at 2\.2 s; restore a snapshot"):
        contact.wrench(2.15, UPRIGHT, place())
    with pytest.raises(pc.ContactError, match="time is nan; give a finite number"):
        contact.wrench(math.nan, UPRIGHT, place())
    with pytest.raises(pc.ContactError, match="restore needs what snapshot"):
        contact.restore(None)  # type: ignore[arg-type]


def test_layers_that_relax_feel_the_time() -> None:
    """A Maxwell layer held at 1 mm: e^(−t/τ) of the force at once."""
    pad = pc.RheologicalLayer.maxwell(1e6, 0.0, 0.01, relaxation_time=0.1)
    contact = pairing(law=pc.LayerLaw(), layers=(pad, pc.ElasticLayer.rigid())).stepped()
    contact.accept(0.0, UPRIGHT, place(depth=-1e-3))
    contact.accept(1e-9, UPRIGHT, place())
    start = contact.accept(2e-9, UPRIGHT, place())[2]
    assert start == pytest.approx(-1e8 * 0.01 * DEPTH, rel=1e-6)
    for k in range(1, 11):
        held = contact.accept(0.02 * k, UPRIGHT, place())[2]
    assert held / start == pytest.approx(math.exp(-2.0), rel=1e-6)


def test_restitution_of_a_ball_in_an_own_integrator() -> None:
    """Semi-implicit Euler, 4,000 steps in contact: an error of first order, below 1e-3."""
    ball, plate = pc.convex.Sphere(0.02), pc.convex.Box((1.0, 1.0, 0.1))
    law = pc.laws.RestitutionLaw(stiffness=1e5, restitution=0.6)
    contact = pc.ContactPairing(plate, ball, method=pc.contact.ConvexMethod(), law=law).stepped()
    mass, height, speed, step = 0.1, 0.07 + 1e-4, -1.0, 1e-6
    for k in range(6000):
        wrench = contact.accept(k * step, UPRIGHT, (0.0, 0.0, height), (0.0, 0.0, speed))
        speed += step * -wrench[2] / mass
        height += step * speed
    assert height > 0.07
    assert speed == pytest.approx(0.6, abs=2e-3)


def test_rotations_of_stages_are_put_right() -> None:
    """A matrix off by 1e-5 gives the wrench of the nearest rotation; one that is off by more is refused."""
    angle = 0.3
    exact = np.array([[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0], [0, 0, 1.0]])
    contact = pairing().stepped()
    right = contact.wrench(0.0, exact, place())
    assert contact.wrench(0.0, exact * (1.0 + 1e-5), place()) == pytest.approx(right, abs=1e-9 * NORMAL)
    with pytest.raises(pc.ContactError, match="rotation is not a proper rotation matrix"):
        contact.wrench(0.0, exact * 1.01, place())
    with pytest.raises(pc.ContactError, match="not a proper rotation matrix"):
        contact.wrench(0.0, -exact, place())
