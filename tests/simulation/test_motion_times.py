"""Steps stop where prescribed motions and motors' targets begin or bend, however long the rest before was."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.simulation.integrators import INTEGRATORS
from polycontact.simulation.motion_times import MotionTimes


def piston() -> pc.MultibodySystem:
    """A ball at rest before a piston that pushes it after 5 s."""
    system = pc.MultibodySystem("piston", gravity=(0.0, 0.0, 0.0))
    system.add_body("ball", surface=pc.shapes.sphere(0.05, 2), mass=1.0, position=(0.2, 0.0, 0.0))
    system.add_body("piston", surface=pc.shapes.box((0.1, 0.1, 0.1)), density=1000.0)
    push = pc.multibody.SplineMotion([5.0, 5.05, 5.1], [0.0, 0.4, 0.0])
    system.add_joint("rail", "prismatic", "world", "piston", axis=(1.0, 0.0, 0.0), motion=push)
    system.add_contact("ball", "piston", law=pc.LayerLaw(stiffness=1e8, damping=1e4, transition_depth=1e-4))
    return system


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_pulse_after_a_long_rest_is_not_jumped_over(integrator: str) -> None:
    run = pc.simulate(piston(), end_time=6.0, integrator=integrator)
    assert run.trajectory.body("ball").velocity[-1, 0] > 1.0


@pytest.mark.parametrize("integrator", ["cvode-bdf", "dopri5"])
def test_a_motor_follows_a_target_that_begins_late(integrator: str) -> None:
    system = pc.MultibodySystem("motor", gravity=(0.0, 0.0, 0.0))
    system.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint("j", "revolute", "world", "arm")
    system.add_force(
        pc.multibody.Motor("m", "j", pc.multibody.SplineMotion([5.0, 5.2, 5.4], [0.0, 1.0, 1.0]), 100.0, 10.0)
    )
    run = pc.simulate(system, end_time=7.0, integrator=integrator)
    # Settled: the time constant of the PD control is d/k = 0.1 s.
    assert run.trajectory.joint("j").coordinates[-1, 0] == pytest.approx(1.0, abs=1e-3)


def test_breaks_and_quarter_periods() -> None:
    system = pc.MultibodySystem("two")
    for name, motion in (
        ("a", pc.multibody.TableMotion([1.0, 2.0], [0.0, 1.0])),
        ("b", pc.multibody.Harmonic(0.1, 0.5, phase=0.3)),
    ):
        system.add_body(name, mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.add_joint(f"j{name}", "revolute", "world", name, motion=motion)
    times = MotionTimes(system.compile().setup)
    zero = -0.3 / math.pi  # where the sine passes zero; a quarter of its period is 0.5 s
    t, met = 0.0, []
    while t < 2.5:
        t = times.next_break(t)
        met.append(t)
    expected = sorted([1.0, 2.0, *(zero + 0.5 * k for k in range(1, 7))])
    np.testing.assert_allclose(met[: len(expected)], expected, rtol=0, atol=1e-12)
    still = pc.MultibodySystem("still")
    still.add_body("c", mass=1.0, inertia=(1.0, 1.0, 1.0))
    assert MotionTimes(still.compile().setup).next_break(3.0) == math.inf


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        (pc.multibody.ExpressionMotion("0.1 * sin(1e12 * t) + cos(3 * t)"), r"the formula '0.1 \* sin.* 1e\+12 rad/s"),
        (pc.multibody.Harmonic(0.1, 1e11), r"a harmonic motion swings with 6.28e\+11 rad/s"),
    ],
)
def test_oscillations_that_no_run_can_follow_are_refused(motion: Any, said: str) -> None:
    """Each quarter period bounds a step: a run of 1 s would make 6e11 of them, and seem to hang."""
    system = pc.MultibodySystem("fast")
    system.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("j", "revolute", "world", "a", motion=motion)
    with pytest.raises(pc.SimulationError, match=rf"joint 'j': {said}, .* quarter periods in the run of 1 s"):
        pc.simulate(system, end_time=1.0)
    assert pc.simulate(system, end_time=1e-10).status == "finished"


def test_a_force_that_no_run_can_follow_is_refused() -> None:
    system = pc.MultibodySystem("fast")
    system.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_force(pc.multibody.AppliedForce("push", "a", ("sin(1e12*t)", 0.0, 0.0)))
    with pytest.raises(pc.SimulationError, match=r"the formula 'sin\(1e12\*t\)' swings with 1e\+12 rad/s"):
        pc.simulate(system, end_time=1.0)


def test_only_jumps_of_the_acceleration_bend() -> None:
    """A spline has none between its ends, a table has one at every point, and what stands still has none at all."""
    points = ([1.0, 1.5, 2.0, 3.0], [0.0, 0.4, 0.3, 1.0])
    for motion, bends in (
        (pc.multibody.SplineMotion(*points), [1.0, 3.0]),
        (pc.multibody.TableMotion(*points), [1.0, 1.5, 2.0, 3.0]),
        (pc.multibody.SplineMotion([1.0, 2.0], [0.3, 0.3]), []),
    ):
        system = pc.MultibodySystem("one")
        system.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.add_joint("j", "revolute", "world", "a", motion=motion)
        times = MotionTimes(system.compile().setup)
        assert [t for t in points[0] if times.bends_at(t)] == bends
        assert times.next_break(0.0) == 1.0
