"""Time steps of rigid systems without contact: exact parabolas, order, stiff motors, the ledger."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from rigid_scenes import G, ball_over_floor

import polycontact as pc


def arm(*, stiffness: float = 0.0, damping: float = 0.0, limit: float = np.inf, off: float = 0.1) -> pc.MultibodySystem:
    """A double pendulum in a plane, maybe with motors that hold its joints at 0.4 and -0.7 rad, ``off`` from there."""
    system = pc.MultibodySystem("arm")
    places = (("upper", "world", (0.0, 0.0, 0.0), 0.4 + off), ("lower", "upper", (0.3, 0.0, 0.0), -0.7 - 2.0 * off))
    for name, parent, at, q in places:
        system.add_body(name, mass=1.0, centre=(0.15, 0.0, 0.0), inertia=(1e-3, 8e-3, 8e-3))
        system.add_joint(f"to {name}", "revolute", parent, name, at=at, axis=(0.0, 1.0, 0.0), coordinates=[q])
    if stiffness > 0.0:
        for name, target in (("upper", 0.4), ("lower", -0.7)):
            motion = pc.multibody.ConstantVelocity(speed=0.0, start=target)
            options = {"stiffness": stiffness, "damping": damping}
            options |= {"limit": limit} if np.isfinite(limit) else {}
            system.add_force(pc.multibody.Motor(f"motor {name}", f"to {name}", motion, **options))
    return system


def angles(run: pc.Run) -> np.ndarray:
    return np.array([run.trajectory.joint(f"to {name}").coordinates[-1, 0] for name in ("upper", "lower")])


def multipliers(system: pc.MultibodySystem, end_time: float, step: float, **options: float) -> pc.Run:
    return pc.simulate(system, end_time=end_time, response=pc.MultiplierResponse(step=step), **options)


def test_free_flight_is_a_parabola() -> None:
    system = ball_over_floor(height=2.0, velocity=(1.0, -0.5, 2.0))
    run = multipliers(system, 0.4, 2e-3, output_step=0.05)
    t, found = run.trajectory.time[:, None], run.trajectory.body("body")
    start = np.array([0.0, 0.0, 2.05])
    expected = start + t * (1.0, -0.5, 2.0) + 0.5 * t**2 * (0.0, 0.0, -G)
    np.testing.assert_allclose(found.position, expected, atol=1e-13)  # 200 roundings
    np.testing.assert_allclose(found.velocity, (1.0, -0.5, 2.0) + t * (0.0, 0.0, -G), atol=1e-13)


def test_order_without_contact() -> None:
    """Forces by the motion of the links are taken at the speeds half a step on: order two."""
    exact = angles(pc.simulate(arm(), end_time=0.5, rtol=1e-11, atol=1e-12, integrator="dopri5"))
    errors = [np.abs(angles(multipliers(arm(), 0.5, h)) - exact).max() for h in (4e-3, 2e-3, 1e-3)]
    assert errors[0] < 1e-3
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine > 3.8


@pytest.mark.parametrize(("stiffness", "damping"), [(1e5, 0.0), (1e5, 100.0), (1e3, 50.0)])
@pytest.mark.parametrize("off", [0.0, 0.1])
def test_stiff_motors_do_not_shake(stiffness: float, damping: float, off: float) -> None:
    """An explicit step of 2 ms is stable up to 1e5 N m/rad on 0.1 kg m² only, and not with such damping."""
    run = multipliers(arm(stiffness=stiffness, damping=damping, off=off), 1.0, 2e-3, output_step=2e-3)
    late = run.trajectory.time > 0.8
    for name, target in (("upper", 0.4), ("lower", -0.7)):
        joint = run.trajectory.joint(f"to {name}")
        sag = G * (0.15 + 0.45) / stiffness  # of the weight of both links
        assert np.abs(joint.coordinates[late, 0] - target).max() < 1.1 * sag
        assert np.abs(joint.speeds[late, 0]).max() < 1e-3
    if off == 0.0:
        assert run.ledger.worst_balance < 1e-3 * G * sag


def test_order_with_a_soft_motor() -> None:
    system = arm(stiffness=20.0, damping=0.5, off=0.3)
    exact = angles(pc.simulate(system, end_time=0.5, rtol=1e-11, atol=1e-12, integrator="dopri5"))
    errors = [np.abs(angles(multipliers(system, 0.5, h)) - exact).max() for h in (4e-3, 2e-3, 1e-3)]
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine > 1.8


def test_a_motor_at_its_limit_gives_way() -> None:
    run = multipliers(arm(stiffness=1e5, damping=10.0, limit=0.5), 0.5, 2e-3)
    # The weight of both links takes 2 N m and more at the upper joint.
    assert run.trajectory.joint("to upper").coordinates[-1, 0] > 0.8


@pytest.mark.parametrize("name", ["spring", "stop"])
def test_ledger_of_springs_and_stops(name: str) -> None:
    system = pc.MultibodySystem("slide", gravity=(0.0, 0.0, 0.0))
    system.add_body("mass", mass=2.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("slide", "prismatic", "world", "mass", coordinates=[0.1], speeds=[1.0])
    if name == "spring":
        system.add_force(pc.multibody.JointSpring("spring", "slide", stiffness=500.0, damping=5.0))
    else:
        system.add_force(pc.multibody.EndStop("stop", "slide", lower=-0.1, upper=0.2, stiffness=1e6, damping=50.0))
    run = multipliers(system, 1.0, 1e-3, output_step=0.01)
    assert run.ledger.worst_balance < 1e-9 * run.ledger.turnover
    assert run.ledger["damping"][-1] > 0.0
    assert (np.diff(run.ledger["damping"]) >= -1e-12).all()


def test_a_closed_loop_stays_closed_in_steps() -> None:
    system = pc.MultibodySystem("four-bar")
    for name, parent, at, length, q in (
        ("crank", "world", (0.0, 0.0, 0.0), 0.1, 1.2),
        ("rod", "crank", (0.1, 0.0, 0.0), 0.3, -1.0),
        ("rocker", "world", (0.3, 0.0, 0.0), 0.2, 1.6),
    ):
        system.add_body(name, mass=1.0, centre=(0.5 * length, 0.0, 0.0), inertia=(1e-3, 2e-3, 2e-3))
        axis = (0.0, -1.0, 0.0)
        system.add_joint(f"to {name}", "revolute", parent, name, at=at, axis=axis, coordinates=[q])
    y = (0.0, -1.0, 0.0)
    system.add_loop("pin", "revolute", "rod", "rocker", at_a=(0.3, 0.0, 0.0), at_b=(0.2, 0.0, 0.0), axis_a=y, axis_b=y)
    run = multipliers(system, 1.0, 1e-3, output_step=0.05)
    compiled = system.compile()
    states = zip(run.trajectory.time, run.trajectory.array("state"), strict=True)
    assert max(compiled.violation(float(t), state)[0] for t, state in states) < 2e-4
    assert run.ledger.worst_balance < 1e-4 * run.ledger.turnover
