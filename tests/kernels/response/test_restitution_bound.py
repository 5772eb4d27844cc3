"""Restitution that would give back too much energy: the shares by which it is held back, and what is reported."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.kernels.response.codes import Hypothesis, Solver, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import response_memory, solver_settings
from polycontact.kernels.response.simultaneous_impact import _form_of_scaled, _largest_share
from tests.kernels.response.problems import random_problem


def test_the_energy_of_scaled_compression_is_its_quadratic_form() -> None:
    """Of x = e c, contact by contact: xᵀv, xᵀW x and xᵀW r, also where a contact has no restitution."""
    rng = np.random.default_rng(2)
    for n in (1, 2, 4):
        problem = random_problem(rng, n, 12, 0.5)
        v, c, r = (rng.normal(size=3 * n) for _ in range(3))
        c[::3] = rng.uniform(0.1, 1.0, n)
        e = rng.uniform(0.1, 1.0, n)
        e[1:2] = 0.0
        x = np.repeat(e, 3) * c
        found = _form_of_scaled(problem.W, v, c, e * c[::3], r)
        np.testing.assert_allclose(found, (x @ v, x @ problem.W @ x, x @ problem.W @ r), rtol=1e-12)


@pytest.mark.parametrize("b", [-1.5, -0.2, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("a", [0.0, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("allowed", [0.0, 0.05, 0.5, 4.0])
def test_the_largest_share_is_the_largest(a: float, b: float, allowed: float) -> None:
    """Of x between 0 and 1 with a x² + b x ≤ allowed."""
    share = _largest_share(a, b, allowed)
    fits = [x for x in np.linspace(0.0, 1.0, 2001) if a * x * x + b * x <= allowed]
    assert a * share * share + b * share <= allowed + 1e-14
    assert max(fits) <= share + 1e-12 <= max(fits) + 6e-4


def test_the_residual_that_is_reported_is_the_greatest() -> None:
    """A solver that may make one sweep only leaves a residual, whatever the problems after it leave."""
    problem = random_problem(np.random.default_rng(5), 4, 8, 0.6)
    b = problem.b.copy()
    b[::3] = -np.abs(b[::3]) - 0.5
    residuals = []
    for sweeps in (1, 2000):
        memory = response_memory(4)
        p = np.zeros(12)
        settings = solver_settings(tolerance=1e-12, sweeps=sweeps, solver=Solver.SWEEPS)
        hypothesis, update = int(Hypothesis.POISSON), int(Update.SIMULTANEOUS)
        resolve_impacts(problem.W, b, problem.mu, np.full(4, 0.5), hypothesis, update, p, 0.0, settings, memory)
        residuals.append(memory.report.residual)
    assert residuals[0] > 1e-6
    assert residuals[1] < 1e-9
