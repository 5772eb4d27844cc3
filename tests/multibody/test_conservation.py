"""Free motion: energy, momentum and moment of momentum stay, and a tumbling body moves as elliptic functions say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from random_trees import KINDS, Link, build_system, random_link
from scipy.special import ellipj

import polycontact as pc
from scenes import random_rotation

Array = NDArray[np.float64]
TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}


def momenta(system: pc.MultibodySystem, run: pc.Run) -> Array:
    """Momentum and moment of momentum at every sample, (n, 6)."""
    compiled = system.compile()
    rows = []
    for t, y in zip(run.trajectory.time, run.trajectory.array("state"), strict=True):
        rows.append(compiled.evaluate(float(t), y).momentum)
    return np.array(rows)


def test_asymmetric_top() -> None:
    """Torque-free: angular velocity in body axes by Jacobi's elliptic functions (Landau and Lifshitz I, § 37)."""
    I1, I2, I3 = 0.1, 0.2, 0.25
    w1, w3 = 0.9, 2.0
    system = pc.MultibodySystem("top", gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(3)
    R = random_rotation(rng)
    system.add_body(
        "top",
        mass=1.3,
        inertia=(I1, I2, I3),
        rotation=R,
        angular_velocity=R @ [w1, 0.0, w3],
        velocity=(0.1, 0.2, 0.3),
    )
    run = pc.simulate(system, end_time=20.0, **TIGHT)
    body, t = run.trajectory.body("top"), run.trajectory.time
    found = np.einsum("nji,nj->ni", body.rotation, body.angular_velocity)
    energy2 = I1 * w1**2 + I3 * w3**2
    L2 = (I1 * w1) ** 2 + (I3 * w3) ** 2
    assert energy2 * I2 < L2
    m = (I2 - I1) * (energy2 * I3 - L2) / ((I3 - I2) * (L2 - energy2 * I1))
    sn, cn, dn, _ = ellipj(t * math.sqrt((I3 - I2) * (L2 - energy2 * I1) / (I1 * I2 * I3)), m)
    first = math.sqrt((energy2 * I3 - L2) / (I1 * (I3 - I1)))
    second = math.sqrt((energy2 * I3 - L2) / (I2 * (I3 - I2)))
    third = math.sqrt((L2 - energy2 * I1) / (I3 * (I3 - I1)))
    expected = np.column_stack([first * cn, second * sn, third * dn])
    # Local errors of 1e-10 a step, some hundred steps, and a phase error that grows with time.
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(body.position, np.outer(t, [0.1, 0.2, 0.3]), atol=1e-9)
    moments = np.einsum("nij,nj->ni", body.rotation, found * [I1, I2, I3])
    np.testing.assert_allclose(moments, np.tile(moments[0], (len(t), 1)), atol=1e-7)


def test_symmetric_top_precesses() -> None:
    """A disc thrown with a wobble: its axis goes round the moment of momentum at L/A (Feynman's plate)."""
    A, C, tilt, spin = 0.1, 0.2, 0.1, 5.0
    system = pc.MultibodySystem("plate", gravity=(0.0, 0.0, 0.0))
    w = np.array([spin * math.sin(tilt), 0.0, spin * math.cos(tilt)])
    system.add_body("plate", mass=1.0, inertia=(A, A, C), angular_velocity=w)
    L = np.array([A, A, C]) * w
    period = 2.0 * math.pi * A / float(np.linalg.norm(L))
    run = pc.simulate(system, end_time=period, output_step=period / 4, **TIGHT)
    axis = run.trajectory.body("plate").rotation[:, :, 2]
    direction = L / np.linalg.norm(L)
    opposite = 2.0 * (direction @ axis[0]) * direction - axis[0]
    np.testing.assert_allclose(axis[2], opposite, atol=1e-8)  # tolerance of the run times its length
    np.testing.assert_allclose(axis[4], axis[0], atol=1e-8)


def floating_tree(rng: np.random.Generator) -> list[Link]:
    """One free body that carries a tree of joints of every kind, without loads."""
    links = [random_link(rng, "b0", "free", "world")]
    others = [kind for kind in KINDS if kind != "free"]
    for i, kind in enumerate(rng.permutation(others), start=1):
        links.append(random_link(rng, f"b{i}", str(kind), str(rng.choice([link.name for link in links]))))
    for link in links:
        link.force[:], link.torque[:], link.efforts[:] = 0.0, 0.0, 0.0
    return links


@pytest.mark.parametrize("seed", range(3))
def test_floating_tree(seed: int) -> None:
    system = build_system(floating_tree(np.random.default_rng(seed)), np.zeros(3))
    del system.forces["loads"]
    run = pc.simulate(system, end_time=2.0, output_step=0.2, **TIGHT)
    kinetic, values = run.ledger["kinetic"], momenta(system, run)
    # A few hundred steps with local errors of 1e-10 relative to each state.
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-7)
    scale = np.abs(values).max()
    np.testing.assert_allclose(values, np.tile(values[0], (len(values), 1)), atol=1e-7 * scale)
    speeds = run.trajectory.array("speeds")
    assert np.abs(speeds - speeds[0]).max() > 0.1, "the tree must move for this to say anything"


def test_free_bodies_with_springs_between_them() -> None:
    """Forces of springs are opposite and on one line, whatever their points: nothing gets lost."""
    rng = np.random.default_rng(5)
    system = pc.MultibodySystem("springs", gravity=(0.0, 0.0, 0.0))
    for i in range(3):
        system.add_body(
            f"b{i}",
            mass=1.0 + i,
            inertia=(0.1, 0.15, 0.2),
            centre=0.1 * rng.normal(size=3),
            position=rng.normal(size=3),
            rotation=random_rotation(rng),
            velocity=rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
        )
    for i in range(3):
        points = 0.3 * rng.normal(size=(2, 3))
        system.add_force(
            pc.multibody.SpringDamper(f"s{i}", f"b{i}", points[0], f"b{(i + 1) % 3}", points[1], 40.0, length=0.5)
        )
    run = pc.simulate(system, end_time=3.0, output_step=0.1, **TIGHT)
    total = run.ledger["kinetic"] + run.ledger["springs"]
    values = momenta(system, run)
    np.testing.assert_allclose(total, total[0], rtol=1e-7)  # as above
    np.testing.assert_allclose(values, np.tile(values[0], (len(values), 1)), atol=1e-7 * np.abs(values).max())
    assert np.ptp(run.ledger["springs"]) > 0.1 * total[0]


def test_energy_of_a_tree_under_gravity() -> None:
    """A tree that hangs from the world: kinetic energy and height balance, and so does the ledger."""
    rng = np.random.default_rng(8)
    links = floating_tree(rng)
    links[0] = random_link(rng, "b0", "revolute", "world")
    system = build_system(links, np.array([0.0, 0.0, -9.81]))
    del system.forces["loads"]
    run = pc.simulate(system, end_time=1.0, output_step=0.05, **TIGHT)
    total = run.ledger["kinetic"] + run.ledger["gravity"]
    turnover = run.ledger.turnover
    np.testing.assert_allclose(total, total[0], atol=1e-7 * turnover)  # as above
    assert run.ledger.worst_balance < 1e-7 * turnover


@pytest.mark.parametrize("integrator", ["cvode-bdf", "cvode-adams", "ida", "lsoda", "dopri5"])
def test_every_integrator_conserves(integrator: str) -> None:
    system = build_system(floating_tree(np.random.default_rng(1)), np.zeros(3))
    del system.forces["loads"]
    run = pc.simulate(system, end_time=1.0, output_step=0.1, integrator=integrator, rtol=1e-8, atol=1e-8)
    kinetic = run.ledger["kinetic"]
    # Multistep methods let local errors of 1e-8 add up over some hundred steps.
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-5)


@pytest.mark.parametrize("integrator", ["cvode-bdf", "ida", "lsoda", "dopri5"])
def test_a_long_spin_keeps_its_rate_and_its_quaternion(integrator: str) -> None:
    """Errors change the length of a quaternion with each turn; far from one, its tolerance would lose its meaning."""
    system = pc.MultibodySystem("spinning", gravity=(0.0, 0.0, 0.0))
    system.add_body("top", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 100.0))
    times = [19.999 + 1e-4 * k for k in range(11)]
    run = pc.simulate(system, end_time=20.0, integrator=integrator, rtol=1e-3, atol=1e-3, output_times=times)
    lengths = np.linalg.norm(run.trajectory.array("state")[:, 3:7], axis=1)
    # 300 turns at a coarse tolerance: without the pull to unit length it is off by tens of per cent.
    np.testing.assert_allclose(lengths, 1.0, atol=0.05)
    q = run.trajectory.body("top").quaternion[1:]
    angles = np.unwrap(2.0 * np.arctan2(q[:, 3], q[:, 0]))
    rate = np.diff(angles) / np.diff(run.trajectory.time[1:])
    np.testing.assert_allclose(rate, 100.0, rtol=0.03)
