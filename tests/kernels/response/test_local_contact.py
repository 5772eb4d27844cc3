"""One contact against Coulomb's law itself, and what sweeps are for: friction that goes round in circles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polycontact.kernels.response.local_contact import solve_contact
from tests.kernels.response.problems import coulomb_violation, random_problem


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
