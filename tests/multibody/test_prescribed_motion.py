"""Prescribed motions: their values, what they do to the rest of the system, and the work they put in.

Inverse dynamics of whole trees with prescribed joints is compared with Pinocchio in test_against_pinocchio.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline, CubicSpline

import polycontact as pc
from polycontact.multibody.motion_functions import Motion

Array = NDArray[np.float64]
G = 9.81
TIMES = np.array([0.0, 0.3, 0.7, 1.5, 2.0])
VALUES = np.array([0.2, 0.9, -0.4, 0.1, 0.6])


def held(spline: CubicSpline | CubicHermiteSpline, t: float) -> tuple[float, float, float]:
    """A spline and its derivatives, held beyond its ends."""
    inside = TIMES[0] <= t <= TIMES[-1]
    value = float(spline(np.clip(t, TIMES[0], TIMES[-1])))
    return (value, float(spline(t, 1)), float(spline(t, 2))) if inside else (value, 0.0, 0.0)


def harmonic(t: float) -> tuple[float, float, float]:
    w = 2.0 * math.pi * 1.5
    return (
        0.1 + 0.4 * math.sin(w * t + 0.3),
        0.4 * w * math.cos(w * t + 0.3),
        -0.4 * w * w * math.sin(w * t + 0.3),
    )


def table(t: float) -> tuple[float, float, float]:
    """Cubic pieces at rest at the ends and turning points; at 1.5 s the slope of Fritsch and Carlson.

    Their weighted harmonic mean of the slopes 0.625 (over 0.8 s) and 1.0 (over 0.5 s): 3.9/(1.8/0.625 + 2.1/1.0).
    """
    slopes = [0.0, 0.0, 0.0, 3.9 / (1.8 / 0.625 + 2.1 / 1.0), 0.0]
    return held(CubicHermiteSpline(TIMES, VALUES, slopes), t)


MOTIONS: dict[str, tuple[Motion, Callable[[float], tuple[float, float, float]]]] = {
    "constant velocity": (pc.multibody.ConstantVelocity(-0.7, start=0.4), lambda t: (0.4 - 0.7 * t, -0.7, 0.0)),
    "harmonic": (pc.multibody.Harmonic(0.4, 1.5, phase=0.3, offset=0.1), harmonic),
    "table": (pc.multibody.TableMotion(TIMES, VALUES), table),
    "spline": (
        pc.multibody.SplineMotion(TIMES, VALUES),
        lambda t: held(CubicSpline(TIMES, VALUES, bc_type="clamped"), t),
    ),
}


def driven(kind: str, motion: Motion) -> pc.MultibodySystem:
    """A body of 2 kg on a prescribed joint about or along z, its centre 0.5 m away from the axis."""
    system = pc.MultibodySystem("driven")
    system.add_body("arm", mass=2.0, centre=(0.5, 0.0, 0.0), inertia=(0.1, 0.2, 0.25))
    axis = (0.0, 0.0, 1.0) if kind == "prismatic" else (0.0, 1.0, 0.0)
    system.add_joint("drive", kind, "world", "arm", axis=axis, motion=motion)
    return system


@pytest.mark.parametrize("name", MOTIONS)
@pytest.mark.parametrize("t", [-0.5, 0.0, 0.1, 0.3, 0.65, 1.0, 1.9999, 2.0, 2.5])
def test_a_joint_follows_its_motion(name: str, t: float) -> None:
    motion, expected = MOTIONS[name]
    compiled = driven("prismatic", motion).compile()
    found = compiled.evaluate(t, compiled.start_state(t))
    q, v = found.bodies.joint_values("drive")
    acceleration = found.joint_accelerations[0]
    np.testing.assert_allclose([q[0], v[0], acceleration], expected(t), rtol=1e-12, atol=1e-12)  # rounding
    assert found.bodies.pose("arm")[1][2] == pytest.approx(q[0], abs=1e-15)


@pytest.mark.parametrize("name", ["harmonic", "spline", "constant velocity"])
def test_power_of_a_driven_arm(name: str) -> None:
    """About a horizontal axis: torque = J θ'' - m g c cos θ, θ from the horizontal downwards."""
    motion, expected = MOTIONS[name]
    compiled = driven("revolute", motion).compile()
    J = 0.2 + 2.0 * 0.5**2
    for t in (0.1, 0.8, 1.7):
        found = compiled.evaluate(t, compiled.start_state(t))
        angle, speed, acceleration = expected(t)
        torque = J * acceleration - 2.0 * G * 0.5 * math.cos(angle)
        # Rounding of values around 10 W.
        assert found.powers.input == found.rates[-1] == pytest.approx(torque * speed, rel=1e-12, abs=1e-12)


def test_work_of_a_drive_from_rest_to_rest() -> None:
    """The spline is at rest at both ends, so all work is in the height and in the spring at the joint."""
    system = driven("revolute", pc.multibody.SplineMotion([0.0, 1.0], [0.0, -math.pi / 2]))
    system.add_force(pc.multibody.JointSpring("spring", "drive", stiffness=3.0))
    run = pc.simulate(system, end_time=1.0, rtol=1e-9, atol=1e-9)
    lifted = 2.0 * G * 0.5
    wound = 0.5 * 3.0 * (math.pi / 2) ** 2
    # Local errors of 1e-9 of the turnover add up over some hundred steps.
    assert run.ledger["input"][-1] == pytest.approx(lifted + wound, rel=1e-6)
    assert run.ledger.worst_balance < 1e-6 * run.ledger.turnover


def swinging(motion: Motion) -> pc.MultibodySystem:
    """A pendulum (1.5 kg, centre 0.4 m below) on a carriage that moves along x as prescribed."""
    system = pc.MultibodySystem("driven pendulum")
    system.add_body("carriage", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_body("pendulum", mass=1.5, centre=(0.0, 0.0, -0.4), inertia=(0.02, 0.03, 0.02))
    system.add_joint("rail", "prismatic", "world", "carriage", axis=(1.0, 0.0, 0.0), motion=motion)
    system.add_joint("hinge", "revolute", "carriage", "pendulum", axis=(0.0, -1.0, 0.0), coordinates=0.3)
    return system


def test_driven_pendulum() -> None:
    """J θ'' = -m c (g sin θ + x'' cos θ)."""
    motion, expected = MOTIONS["harmonic"]
    run = pc.simulate(swinging(motion), end_time=2.0, integrator="dopri5", rtol=1e-10, atol=1e-10)
    J, mc = 0.03 + 1.5 * 0.4**2, 1.5 * 0.4

    def textbook(t: float, y: Array) -> list[float]:
        return [y[1], -mc / J * (G * math.sin(y[0]) + expected(t)[2] * math.cos(y[0]))]

    time = run.trajectory.time
    reference = solve_ivp(textbook, (0.0, 2.0), [0.3, 0.0], "DOP853", time, rtol=1e-12, atol=1e-12)
    hinge = run.trajectory.joint("hinge")
    # Local errors of 1e-10 add up over about a hundred steps.
    np.testing.assert_allclose(hinge.coordinates[:, 0], reference.y[0], atol=1e-7)
    np.testing.assert_allclose(hinge.speeds[:, 0], reference.y[1], atol=1e-6)
    assert run.ledger.worst_balance < 1e-7 * run.ledger.turnover


def test_nothing_but_prescribed_motions() -> None:
    """Without any degree of freedom only the ledger is integrated."""
    system = driven("revolute", pc.multibody.ConstantVelocity(2.0))
    assert system.degrees_of_freedom == 0
    run = pc.simulate(system, end_time=math.pi / 4, output_step=math.pi / 40)
    assert run.status == "finished"
    angle = run.trajectory.joint("drive").coordinates[:, 0]
    np.testing.assert_allclose(angle, 2.0 * run.trajectory.time, rtol=1e-14)
    # A quarter turn downwards at constant speed: the drive holds the weight back. Steps are few at the default
    # tolerance of 1e-4, which is one for each step.
    assert run.ledger["input"][-1] == pytest.approx(-2.0 * G * 0.5, rel=1e-2)


def test_several_prescribed_coordinates() -> None:
    """A universal joint with two motions: the body's angular velocity is that of the two axes."""
    system = pc.MultibodySystem("universal")
    system.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint(
        "joint",
        "universal",
        "world",
        "body",
        axis=(1.0, 0.0, 0.0),
        second_axis=(0.0, 1.0, 0.0),
        motion=(pc.multibody.ConstantVelocity(2.0), pc.multibody.ConstantVelocity(3.0, start=0.2)),
    )
    compiled = system.compile()
    found = compiled.evaluate(0.4, compiled.start_state(0.4))
    second = np.array([0.0, math.cos(0.8), math.sin(0.8)])
    np.testing.assert_allclose(found.bodies.twist("body")[0], [2.0, *(3.0 * second[1:])], rtol=1e-14)
    np.testing.assert_allclose(found.bodies.joint_values("joint")[0], [0.8, 1.4], rtol=1e-14)
