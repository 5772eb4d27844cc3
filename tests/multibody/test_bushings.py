"""Bushings against closed forms, their potential by differences, scipy's rotation vectors, and bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation
from scenes import random_rotation

TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}
MASS, J = 2.0, (0.1, 0.2, 0.25)


def held(bushing: pc.multibody.Bushing, **start: object) -> pc.MultibodySystem:
    system = pc.MultibodySystem("held", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=MASS, inertia=J, **start)
    system.add_force(bushing)
    return system


def evaluated(system: pc.MultibodySystem) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(0.0, compiled.start_state())


def random_matrix(rng: np.random.Generator) -> np.ndarray:
    A = rng.normal(size=(6, 6))
    return A @ A.T


def test_damped_oscillator_in_six_directions() -> None:
    """Small motion of a body in a bushing with full matrices: x(t) by the matrix exponential of the linear system."""
    rng = np.random.default_rng(5)
    K, D = 40.0 * random_matrix(rng), 0.3 * random_matrix(rng)
    v, w = 1e-6 * rng.normal(size=3), 1e-6 * rng.normal(size=3)
    run = pc.simulate(
        held(pc.multibody.Bushing("k", "world", "b", K, D), velocity=v, angular_velocity=w),
        end_time=1.0,
        integrator="dopri5",
        rtol=1e-10,
        atol=1e-16,
    )
    M = np.diag([MASS] * 3 + list(J))
    system = np.block([[np.zeros((6, 6)), np.eye(6)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    end = expm(system) @ np.concatenate([np.zeros(6), v, w])
    body = run.trajectory.body("b")
    theta = Rotation.from_matrix(body.rotation[-1]).as_rotvec()
    np.testing.assert_allclose(np.concatenate([body.position[-1], theta]), end[:6], atol=1e-5 * np.abs(end[:6]).max())
    speeds = np.concatenate([body.velocity[-1], body.angular_velocity[-1]])
    np.testing.assert_allclose(speeds, end[6:], atol=1e-5 * np.abs(end[6:]).max())  # second order in the angle


def test_torsion_is_linear_over_large_angles() -> None:
    """About one axis the bushing is a torsion spring up to half a turn: an undamped oscillator from 3 rad."""
    k = 5.0
    system = held(
        pc.multibody.Bushing("k", "world", "b", (0, 0, 0, 0, 0, k)),
        rotation=Rotation.from_rotvec((0, 0, 3.0)).as_matrix(),
    )
    run = pc.simulate(system, end_time=1.0, **TIGHT)
    angle = 3.0 * np.cos(math.sqrt(k / J[2]) * run.trajectory.time)
    R = run.trajectory.body("b").rotation
    np.testing.assert_allclose(np.arctan2(R[:, 1, 0], R[:, 0, 0]), angle, atol=1e-7)
    np.testing.assert_allclose(run.trajectory.force("k")[:, 5], -k * angle, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_wrench_is_the_gradient_of_the_potential(seed: int) -> None:
    """Between two bodies in any pose, frames off their origins: power of the elastic wrench = -dU/dt along random
    motions, by differences; U by scipy's rotation vector; the loss is ẋᵀDẋ; momentum stays."""
    rng = np.random.default_rng(seed)
    K, D, preload = random_matrix(rng), random_matrix(rng), rng.normal(size=6)
    frames = [(rng.normal(size=3), random_rotation(rng)) for _ in range(2)]
    bodies = [(rng.normal(size=3), random_rotation(rng), rng.normal(size=3), rng.normal(size=3)) for _ in range(2)]

    def x_at(t: float) -> np.ndarray:
        placed = []
        for (r, R, v, w), (p, F) in zip(bodies, frames, strict=True):
            turned = Rotation.from_rotvec(t * w).as_matrix() @ R
            placed.append((r + t * v + turned @ p, turned @ F))
        (p_a, A), (p_b, B) = placed
        return np.concatenate([A.T @ (p_b - p_a), Rotation.from_matrix(A.T @ B).as_rotvec()])

    def energy(t: float) -> float:
        x = x_at(t)
        return float(0.5 * x @ K @ x - preload @ x)

    def found(damping: np.ndarray) -> Evaluation:
        system = pc.MultibodySystem("two", gravity=(0.0, 0.0, 0.0))
        for name, (r, R, v, w) in zip("ab", bodies, strict=True):
            system.add_body(name, mass=MASS, inertia=J, position=r, rotation=R, velocity=v, angular_velocity=w)
        (p_a, A), (p_b, B) = frames
        system.add_marker("on a", "a", p_a, A)
        bushing = pc.multibody.Bushing("k", "on a", "b", K, damping, preload, point_b=p_b, rotation_b=B)
        system.add_force(bushing)
        return evaluated(system)

    h = 1e-6
    elastic = found(np.zeros(6))
    forces = [MASS * elastic.acceleration[i, 3:] for i in (1, 2)]
    np.testing.assert_allclose(forces[0] + forces[1], 0.0, atol=1e-12)
    power = sum(f @ v for f, (_, _, v, _) in zip(forces, bodies, strict=True))
    for i, (_, R, _, w) in enumerate(bodies, start=1):
        spin = R @ np.diag(J) @ R.T
        power += w @ (spin @ elastic.acceleration[i, :3] + np.cross(w, spin @ w))
    assert elastic.energies.springs == pytest.approx(energy(0.0), rel=1e-12)
    assert power == pytest.approx(-(energy(h) - energy(-h)) / (2.0 * h), rel=1e-6, abs=1e-6)  # differences
    x_dot = (x_at(h) - x_at(-h)) / (2.0 * h)
    assert found(D).powers.damping == pytest.approx(x_dot @ D @ x_dot, rel=1e-6)


def test_rotation_vector_near_half_a_turn_and_none() -> None:
    for angle in (0.0, 1e-300, 1e-9, 1e-3, 0.0999, 0.1001, 1.0, math.pi - 1e-9, math.pi):
        for axis in np.vstack([np.eye(3), random_rotation(np.random.default_rng(2))]):
            R = Rotation.from_rotvec(angle * axis).as_matrix()
            found = evaluated(held(pc.multibody.Bushing("k", "world", "b", (0, 0, 0, 2, 2, 2)), rotation=R))
            torque = found.reactions.force("k")[3:]
            assert np.linalg.norm(torque) == pytest.approx(2.0 * angle, rel=1e-7, abs=1e-15)
            assert found.energies.springs == pytest.approx(angle**2, rel=1e-7, abs=1e-15)


def test_energy_ledger_of_a_tumbling_pair() -> None:
    rng = np.random.default_rng(1)
    system = pc.MultibodySystem("pair", gravity=(0.0, 0.0, 0.0))
    for name in "ab":
        system.add_body(name, mass=MASS, inertia=J, velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3))
    system.add_force(pc.multibody.Bushing("k", "a", "b", (300, 200, 100, 20, 30, 40), damping=(1, 2, 3, 0.1, 0.2, 0.3)))
    run = pc.simulate(system, end_time=3.0, rtol=1e-8, atol=1e-9)
    assert run.ledger["damping"][-1] > 0.1 * run.ledger["kinetic"][0]
    assert (np.diff(run.ledger["damping"]) > 0.0).all()
    assert np.abs(run.ledger["balance"]).max() < 1e-5 * run.ledger["kinetic"][0]  # of the integrator


def test_preload_and_units() -> None:
    bushing = pc.multibody.Bushing(
        "k", "world", "b", ["1 N/mm", 0, 0, 0, 0, "2 N m/deg"], preload=["3 N", 0, 0, 0, 0, 0], point_a=("5 mm", 0, 0)
    )
    found = evaluated(held(bushing))
    np.testing.assert_allclose(found.reactions.force("k"), [3.0 + 1000.0 * 5e-3, 0, 0, 0, 0, 0], atol=1e-12)
    assert bushing.stiffness[5, 5] == pytest.approx(2.0 * 180.0 / math.pi)
    again = pickle.loads(pickle.dumps(bushing))
    np.testing.assert_array_equal(again.stiffness, bushing.stiffness)


LOWER = np.eye(6)
LOWER[1, 0] = 0.5
INDEFINITE = np.eye(6)
INDEFINITE[0, 4] = INDEFINITE[4, 0] = 2.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pc.multibody.Bushing("k", "a", "b", (1, 2, 3)), ("bushing 'k': stiffness has shape (3,)", "6×6")),
        (lambda: pc.multibody.Bushing("k", "a", "b", 5.0), ("stiffness has shape ()", "six numbers")),
        (lambda: pc.multibody.Bushing("k", "a", "b", [1] * 5 + [math.nan]), ("stiffness is not finite",)),
        (
            lambda: pc.multibody.Bushing("k", "a", "b", [1] * 5 + [-1]),
            ("stiffness is negative along (0, 0, 0, 0, 0, 1)",),
        ),
        (lambda: pc.multibody.Bushing("k", "a", "b", LOWER), ("stiffness is not symmetric", "0.5")),
        (
            lambda: pc.multibody.Bushing("k", "a", "b", [1] * 6, INDEFINITE),
            ("damping is negative along", "semidefinite"),
        ),
        (lambda: pc.multibody.Bushing("k", "a", "b", ["1 N m"] + [1] * 5), ("stiffness is '1 N m'", "stiffness")),
        (lambda: pc.multibody.Bushing("k", "a", "b", [1] * 6, preload=[1]), ("preload has shape (1,)",)),
        (lambda: pc.multibody.Bushing("k", "a", "b", [1] * 6, point_b=(0, 1)), ("point_b has shape (2,)",)),
        (
            lambda: pc.multibody.Bushing("k", "a", "b", [1] * 6, rotation_a=np.ones((3, 3))),
            ("rotation_a is not a rotation",),
        ),
        (lambda: held(pc.multibody.Bushing("k", "a", "b", [1] * 6)), ("there is no body or marker 'a'",)),
        (lambda: held(pc.multibody.Bushing("k", "b", "b", [1] * 6)), ("both ends are on 'b'",)),
    ],
)
def test_bad_bushings(make: object, words: tuple[str, ...]) -> None:
    with pytest.raises(pc.MultibodyError) as error:
        make()  # type: ignore[operator]
    for word in words:
        assert word in str(error.value)
