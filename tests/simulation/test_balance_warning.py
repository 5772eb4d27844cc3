"""A run whose energy balance does not close says so; bodies that friction lets go do not go astray."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import SimulationWarning
from polycontact.simulation.ledger import COLUMNS, EnergyLedger
from polycontact.simulation.residual_warning import told_balance
from polycontact.simulation.run_options import RunOptions


def bouncing_ball() -> pc.MultibodySystem:
    """A ball bounces along a floor by one point with friction: stiff in contact, nothing at all in flight."""
    system = pc.MultibodySystem("bouncing")
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.1)), fixed=True, position=(0, 0, -0.05))
    ball = pc.convex.Sphere(0.1)
    system.add_body("ball", surface=ball, density=500.0, position=(-1.0, 0, 0.3), velocity=(1.0, 0, 0))
    friction = pc.RegularisedCoulomb(coefficient=0.3)
    system.add_contact("floor", "ball", law=pc.laws.SpringDamperLaw(stiffness=1e4, damping=5.0), friction=friction)
    return system


@pytest.mark.parametrize("integrator", ["cvode-bdf", "ida"])
def test_a_ball_that_friction_lets_go_flies_as_its_equations_say(integrator: str) -> None:
    """An integrator with an old Jacobian turned it around in flight, with four times the energy it had."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        runs = [pc.simulate(bouncing_ball(), end_time=2.0, rtol=rtol, integrator=integrator) for rtol in (1e-4, 1e-6)]
    for run in runs:
        assert run.ledger.worst_balance < 0.05 * run.ledger.turnover  # 1 % with CVODE, 3.5 % with IDA, at 1e-4
    ways = [run.trajectory.body("ball").position[-1, 0] + 1.0 for run in runs]
    assert ways[0] == pytest.approx(ways[1], rel=0.02)  # m; after some seven bounces


def test_a_balance_that_is_off_is_told() -> None:
    def ledger(off: float) -> EnergyLedger:
        rows = np.zeros((3, len(COLUMNS)))
        rows[:, 0] = (0.0, 2.0, 4.0)  # J
        rows[1, COLUMNS.index("balance")] = off
        return EnergyLedger(np.array([0.0, 0.5, 1.0]), rows)

    settings = RunOptions(end_time=1.0, rtol=1e-3)
    told = told_balance(ledger(-0.5), 1e-3, settings)
    assert "off by 0.5 J at t = 0.5 s, 12 % of the turnover of 4 J" in told
    assert "rtol is 0.001" in told
    assert told_balance(ledger(0.1), 1e-3, settings) == ""  # less than a twentieth
    assert told_balance(ledger(0.5), 1.0, settings) == ""  # less than the integrator is asked for
