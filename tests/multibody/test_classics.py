"""Mechanisms whose motion is known: pendulums, tops and throws against closed forms or textbook equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import polycontact as pc
from polycontact.multibody.rotations import to_quaternion
from scenes import rotation

Array = NDArray[np.float64]
G = 9.81
TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 2.5, 3.1])
def test_period_of_a_pendulum(amplitude: float) -> None:
    """T = 4 √(J/mgc) K(sin²(θ₀/2)), compound pendulum: back where it was after T, upright after T/4."""
    system = pc.MultibodySystem("pendulum")
    mass, c, J = 2.0, 0.6, 0.05
    system.add_body("bob", mass=mass, centre=(0.0, 0.0, -c), inertia=(J, J, J))
    system.add_joint("hinge", "revolute", "world", "bob", axis=(0.0, 1.0, 0.0), coordinates=amplitude)
    T = 4.0 * math.sqrt((J + mass * c**2) / (mass * G * c)) * float(ellipk(math.sin(amplitude / 2) ** 2))
    run = pc.simulate(system, end_time=T, output_times=[T / 4, T / 2], **TIGHT)
    angle = run.trajectory.joint("hinge").coordinates[:, 0]
    # Errors of 1e-10 a step; near the top (3.1 rad) they grow by exp(√(g/l) T/4), about 100.
    np.testing.assert_allclose(angle, [amplitude, 0.0, -amplitude, amplitude], atol=2e-7)
    assert abs(run.trajectory.joint("hinge").speeds[-1, 0]) < 2e-7 * math.sqrt(G / c)


def test_double_pendulum() -> None:
    """Lagrange's equations in absolute angles, with distributed masses, integrated by SciPy."""
    m1, m2, l1, c1, c2, J1, J2 = 1.0, 0.7, 0.5, 0.3, 0.25, 0.02, 0.01
    system = pc.MultibodySystem("double pendulum")
    system.add_body("upper", mass=m1, centre=(0.0, 0.0, -c1), inertia=(J1, J1, J1))
    system.add_body("lower", mass=m2, centre=(0.0, 0.0, -c2), inertia=(J2, J2, J2))
    axis = (0.0, -1.0, 0.0)  # a positive angle moves the bob towards +x
    system.add_joint("first", "revolute", "world", "upper", axis=axis, coordinates=1.2)
    system.add_joint("second", "revolute", "upper", "lower", at=(0.0, 0.0, -l1), axis=axis, coordinates=-0.5)
    run = pc.simulate(system, end_time=2.0, **TIGHT)

    def textbook(_: float, y: Array) -> Array:
        a, b, u, v = y
        coupling = m2 * l1 * c2
        M = [
            [J1 + m1 * c1**2 + m2 * l1**2, coupling * math.cos(a - b)],
            [coupling * math.cos(a - b), J2 + m2 * c2**2],
        ]
        right = [
            -coupling * v * v * math.sin(a - b) - (m1 * c1 + m2 * l1) * G * math.sin(a),
            coupling * u * u * math.sin(a - b) - m2 * c2 * G * math.sin(b),
        ]
        return np.array([u, v, *np.linalg.solve(M, right)])

    reference = solve_ivp(
        textbook, (0.0, 2.0), [1.2, 0.7, 0.0, 0.0], "DOP853", run.trajectory.time, rtol=1e-12, atol=1e-12
    )
    first, second = (run.trajectory.joint(name) for name in ("first", "second"))
    absolute = first.coordinates[:, 0] + second.coordinates[:, 0]
    # Chaotic, but within 2 s errors of 1e-10 grow by less than a thousand.
    np.testing.assert_allclose(first.coordinates[:, 0], reference.y[0], atol=1e-7)
    np.testing.assert_allclose(absolute, reference.y[1], atol=1e-7)


@pytest.mark.parametrize("kind", ["spherical", "universal"])
def test_conical_pendulum(kind: str) -> None:
    """A bob on a thread goes round at ω² = g / (l cos α); as a thread it does not turn about itself."""
    mass, length, tilt, small = 1.0, 0.8, 0.7, 1e-9
    system = pc.MultibodySystem("conical")
    system.add_body("bob", mass=mass, centre=(0.0, 0.0, -length), inertia=(small, small, small))
    speed = math.sqrt(G / (length * math.cos(tilt)))
    R = rotation((0.0, 1.0, 0.0), -tilt)
    thread = -R[:, 2]
    if kind == "spherical":
        w = speed * (np.array([0.0, 0.0, 1.0]) - thread[2] * thread)
        system.add_joint("joint", kind, "world", "bob", coordinates=to_quaternion(R), speeds=w)
    else:
        system.add_joint(
            "joint",
            kind,
            "world",
            "bob",
            axis=(1.0, 0.0, 0.0),
            second_axis=(0.0, 1.0, 0.0),
            coordinates=(0.0, -tilt),
            speeds=(-speed * thread[0] / thread[2], 0.0),
        )
    turn = 2.0 * math.pi / speed
    run = pc.simulate(system, end_time=turn, output_step=turn / 8, **TIGHT)
    bob = -length * run.trajectory.body("bob").rotation[:, :, 2]
    angle = np.unwrap(np.arctan2(bob[:, 1], bob[:, 0]))
    np.testing.assert_allclose(bob[:, 2], -length * math.cos(tilt), atol=1e-7)  # tolerance of the run
    np.testing.assert_allclose(angle - angle[0], speed * run.trajectory.time, atol=1e-7)


@pytest.mark.parametrize("fast", [False, True])
def test_steady_precession_of_a_heavy_top(fast: bool) -> None:
    """Both steady rates Ω of (C n - A Ω cos θ) Ω = m g c, with n the spin along the axis."""
    mass, c, A_cm, C, tilt, n = 0.8, 0.15, 0.004, 0.006, 0.6, 60.0
    A = A_cm + mass * c**2
    a, b = A * math.cos(tilt), -C * n
    root = math.sqrt(b * b - 4.0 * a * mass * G * c)
    precession = (-b + root) / (2.0 * a) if fast else (-b - root) / (2.0 * a)
    R = rotation((0.0, 1.0, 0.0), tilt)
    axis = R[:, 2]
    w = precession * np.array([0.0, 0.0, 1.0]) + (n - precession * math.cos(tilt)) * axis
    system = pc.MultibodySystem("top")
    system.add_body("top", mass=mass, centre=(0.0, 0.0, c), inertia=(A_cm, A_cm, C))
    system.add_joint("tip", "spherical", "world", "top", coordinates=to_quaternion(R), speeds=w)
    turn = 2.0 * math.pi / precession
    run = pc.simulate(system, end_time=turn, output_step=turn / 8, **TIGHT)
    found = run.trajectory.body("top").rotation[:, :, 2]
    angle = precession * run.trajectory.time
    expected = np.column_stack(
        [math.sin(tilt) * np.cos(angle), math.sin(tilt) * np.sin(angle), np.full_like(angle, math.cos(tilt))]
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)  # errors of 1e-10 over a thousand steps of the spin


def test_projectile_that_tumbles() -> None:
    """The centre of mass flies along the parabola, whatever point of the body is its origin."""
    centre = np.array([0.1, -0.2, 0.05])
    velocity, w = np.array([3.0, 1.0, 4.0]), np.array([2.0, -5.0, 1.0])
    system = pc.MultibodySystem("throw")
    system.add_body("stick", mass=1.0, centre=centre, inertia=(0.1, 0.12, 0.03), velocity=velocity, angular_velocity=w)
    run = pc.simulate(system, end_time=1.0, **TIGHT)
    t, body = run.trajectory.time, run.trajectory.body("stick")
    found = body.position + body.rotation @ centre
    start = velocity + np.cross(w, centre)
    expected = centre + np.outer(t, start) + np.outer(0.5 * t**2, [0.0, 0.0, -G])
    np.testing.assert_allclose(found, expected, atol=1e-8)  # errors of 1e-10 over a hundred steps


def test_spinning_disc_spins_up() -> None:
    """A constant torque about the axis of a disc that is hinged off its centre: ω = M t / J about the hinge."""
    system = pc.MultibodySystem("disc", gravity=(0.0, 0.0, 0.0))
    system.add_body("disc", mass=3.0, centre=(0.2, 0.0, 0.0), inertia=(0.05, 0.05, 0.1), position=(0.5, 0.0, 0.0))
    system.add_body("post", fixed=True, position=(1.0, 0.0, 0.0))
    system.add_joint("hinge", "revolute", "world", "disc")
    system.add_force(pc.multibody.PythonForce("torque", lambda view: view.add_torque("disc", (0.0, 0.0, 0.7))))
    run = pc.simulate(system, end_time=2.0, **TIGHT)
    J = 0.1 + 3.0 * 0.2**2
    speed = run.trajectory.joint("hinge").speeds[:, 0]
    np.testing.assert_allclose(speed, 0.7 / J * run.trajectory.time, atol=1e-9)
    assert run.ledger["input"][-1] == pytest.approx(0.5 * J * speed[-1] ** 2, rel=1e-8)


def test_steady_coriolis_force() -> None:
    """A bead on a rod that turns at a prescribed rate runs away as cosh, and the drive gives twice its energy."""
    rate, r0 = 2.0, 0.3
    system = pc.MultibodySystem("bead", gravity=(0.0, 0.0, 0.0))
    system.add_body("rod", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_body("bead", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    system.add_joint("drive", "revolute", "world", "rod", motion=pc.multibody.ConstantVelocity(rate))
    system.add_joint("slide", "prismatic", "rod", "bead", axis=(1.0, 0.0, 0.0), coordinates=r0)
    run = pc.simulate(system, end_time=1.0, **TIGHT)
    t = run.trajectory.time
    place = run.trajectory.joint("slide").coordinates[:, 0]
    np.testing.assert_allclose(place, r0 * np.cosh(rate * t), rtol=1e-8)  # errors of 1e-10 grow with the motion
    # The work of the drive is the gain of kinetic energy: ½ m (r'² + r² ω²).
    gain = 0.5 * 0.5 * (2.0 * (r0 * rate * np.sinh(rate * t)) ** 2)
    np.testing.assert_allclose(run.ledger["input"], gain, atol=1e-7)


def test_bodies_fixed_to_each_other_accelerate_as_one() -> None:
    system = pc.MultibodySystem("cart")
    system.add_body("cart", mass=2.0, inertia=(1.0, 1.0, 1.0))
    system.add_body("load", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("rail", "prismatic", "world", "cart", axis=(1.0, 0.0, 0.0))
    system.add_joint("mount", "fixed", "cart", "load", at=(0.0, 0.0, 0.2))
    system.add_force(
        pc.multibody.PythonForce("pull", lambda view: view.add_force("load", (G, 0.0, 0.0), (0.0, 0.0, 0.1)))
    )
    compiled = system.compile()
    y = compiled.start_state()
    out = np.zeros_like(y)
    compiled.rates(0.0, y, out)
    assert out[1] == pytest.approx(G / 3.0, rel=1e-14)
