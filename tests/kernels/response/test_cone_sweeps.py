"""Sweeps over cones against Coulomb's law itself, an interior-point method and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polycontact.kernels.response.cone_sweeps import sweep_cones
from polycontact.kernels.response.local_contact import solve_contact
from tests.kernels.response.problems import (
    Problem,
    clarabel_bounded,
    coulomb_violation,
    de_saxce_velocity,
    random_problem,
)

TOLERANCE = 1e-12
"""Residual (m/s) asked for: a hundredth of what the tests allow beside it."""


def as_rows(W: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in W.tolist())


@pytest.mark.parametrize("freedoms", [3, 6])
def test_one_contact_obeys_coulomb_exactly(freedoms: int) -> None:
    rng = np.random.default_rng(freedoms)
    for _ in range(2000):
        problem = random_problem(rng, 1, freedoms, 2.0)
        p = np.array(solve_contact(as_rows(problem.W), tuple(problem.b.tolist()), float(problem.mu[0]), 0.0))
        # Rounding of impulses that a badly conditioned block makes large.
        assert coulomb_violation(problem, p) <= 1e-13 * (1.0 + np.abs(p).max() ** 2) * (1.0 + np.abs(problem.W).max())


def test_one_contact_above_a_floor() -> None:
    """u_n ≥ 0 ⟂ p_n - floor ≥ 0, and friction under what presses."""
    rng = np.random.default_rng(5)
    for _ in range(500):
        problem = random_problem(rng, 1, 6, 0.8)
        floor = rng.uniform(0.01, 1.0)
        p = np.array(solve_contact(as_rows(problem.W), tuple(problem.b.tolist()), float(problem.mu[0]), floor))
        u = problem.W @ p + problem.b
        assert p[0] >= floor
        assert u[0] >= -1e-12
        assert (p[0] - floor) * u[0] <= 1e-12
        grip, slip = math.hypot(p[1], p[2]), math.hypot(u[1], u[2])
        assert grip <= problem.mu[0] * p[0] * (1 + 1e-12)
        assert p[1] * u[1] + p[2] * u[2] == pytest.approx(-problem.mu[0] * p[0] * slip, abs=1e-11)


@pytest.mark.parametrize(("n", "freedoms"), [(1, 6), (3, 12), (6, 24), (4, 6)])
def test_random_contacts_obey_coulomb(n: int, freedoms: int) -> None:
    rng = np.random.default_rng(10 * n + freedoms)
    for _ in range(100):
        problem = random_problem(rng, n, freedoms, 0.6)
        p = np.zeros(3 * n)
        sweeps, residual = sweep_cones(problem.W, problem.b, problem.mu, p, 20000, TOLERANCE)
        assert residual <= TOLERANCE
        assert sweeps <= 20000
        # The residual's impulses are divided by blocks of W of about 1/kg; products with impulses of some N s.
        assert coulomb_violation(problem, p) <= 1e-9


def test_velocities_are_those_of_the_fixed_point_of_de_saxce() -> None:
    rng = np.random.default_rng(3)
    settled = 0
    for _ in range(20):
        problem = random_problem(rng, 4, 9, 0.5)  # redundant: velocities are unique, impulses are not
        expected = de_saxce_velocity(problem)
        if expected is not None:
            settled += 1
            p = np.zeros(12)
            sweep_cones(problem.W, problem.b, problem.mu, p, 20000, TOLERANCE)
            # An interior point with a gap of 1e-12 leaves velocities to its root.
            np.testing.assert_allclose(problem.W @ p + problem.b, expected, atol=1e-6)
    assert settled >= 15


def test_without_friction_it_is_a_quadratic_programme() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        problem = random_problem(rng, 5, 20, 0.0)
        p = np.zeros(15)
        sweep_cones(problem.W, problem.b, problem.mu, p, 20000, TOLERANCE)
        np.testing.assert_allclose(p[::3], clarabel_bounded(problem.W[::3, ::3], problem.b[::3]), atol=1e-7)
        assert not p.reshape(-1, 3)[:, 1:].any()


def test_start_at_the_solution_takes_no_sweep() -> None:
    problem = random_problem(np.random.default_rng(6), 4, 20, 0.5)
    p = np.zeros(12)
    sweep_cones(problem.W, problem.b, problem.mu, p, 20000, TOLERANCE)
    solution = p.copy()
    assert sweep_cones(problem.W, problem.b, problem.mu, p, 100, 2 * TOLERANCE)[0] == 0
    np.testing.assert_array_equal(p, solution)


def test_contact_between_fixed_bodies_stays_without_impulse() -> None:
    W = np.zeros((6, 6))
    W[:3, :3] = np.diag([1.0, 3.5, 3.5])
    b = np.array([-1.0, 0.1, 0.0, -1.0, 1.0, 0.0])
    for compliance in (0.0, 1e-6):
        p = np.ones(6)
        _, residual = sweep_cones(W, b, np.full(2, 0.5), p, 50, TOLERANCE, compliance)
        assert residual <= TOLERANCE
        np.testing.assert_array_equal(p[3:], 0.0)
        np.testing.assert_allclose(p[:3], [1.0, -0.1 / 3.5, 0.0], atol=1e-5)


def test_a_rod_that_leans_against_friction_jams_or_slides() -> None:
    """One freedom along a: W = a aᵀ, sliding back only where tan of the angle exceeds μ."""
    for angle, jams in ((0.3, True), (0.8, False)):
        a = np.array([math.cos(angle), math.sin(angle), 0.0])
        problem = Problem(np.outer(a, a), -0.7 * a, np.array([math.tan(0.5)]))
        p = np.zeros(3)
        _, residual = sweep_cones(problem.W, problem.b, problem.mu, p, 100, TOLERANCE)
        assert residual <= TOLERANCE
        assert np.isfinite(p).all()
        np.testing.assert_allclose(problem.W @ p + problem.b, 0.0, atol=1e-12)
        assert jams or math.hypot(p[1], p[2]) <= problem.mu[0] * p[0] * (1 + 1e-12)


@pytest.mark.parametrize("where", ["W", "b", "mu", "p"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_bad_numbers_end_in_an_infinite_residual(where: str, bad: float) -> None:
    problem = random_problem(np.random.default_rng(7), 3, 12, 0.5)
    arrays = {"W": problem.W, "b": problem.b, "mu": problem.mu, "p": np.zeros(9)}
    arrays[where][1] = bad
    _, residual = sweep_cones(arrays["W"], arrays["b"], arrays["mu"], arrays["p"], 10**9, TOLERANCE)
    assert residual == math.inf


def test_no_contact_is_no_problem() -> None:
    nothing = np.zeros(0)
    assert sweep_cones(np.zeros((0, 0)), nothing, nothing, np.zeros(0), 10, TOLERANCE) == (0, 0.0)
