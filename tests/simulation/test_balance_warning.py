"""A run whose energy balance does not close says so."""

from __future__ import annotations

import warnings

import pytest

import polycontact as pc
from polycontact.errors import SimulationWarning


def rolling_ball() -> pc.MultibodySystem:
    """A ball bounces along a floor by one point with friction: stiff in contact, nothing at all in flight."""
    system = pc.MultibodySystem("rolling")
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.1)), fixed=True, position=(0, 0, -0.05))
    ball = pc.convex.Sphere(0.1)
    system.add_body("ball", surface=ball, density=500.0, position=(-1.0, 0, 0.3), velocity=(1.0, 0, 0))
    friction = pc.RegularisedCoulomb(coefficient=0.3)
    system.add_contact("floor", "ball", law=pc.SpringDamperLaw(stiffness=1e4, damping=5.0), friction=friction)
    return system


def test_a_balance_that_is_off_is_told() -> None:
    with pytest.warns(SimulationWarning, match=r"energy balance is off by .* J .* finer tolerance \(rtol is 0\.001\)"):
        run = pc.simulate(rolling_ball(), end_time=2.0, rtol=1e-3, atol=1e-3)
    assert run.ledger.worst_balance > 0.05 * run.ledger.turnover


def test_one_that_closes_is_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        run = pc.simulate(rolling_ball(), end_time=2.0, rtol=1e-6)
    assert run.ledger.worst_balance < 0.01 * run.ledger.turnover  # 0.4 % here
