"""Restitution that would give back too much energy: the shares by which it is held back, and what is reported."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.kernels.response.codes import Hypothesis, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import solver_settings
from polycontact.kernels.response.simultaneous_impact import _largest_share
from tests.kernels.response.problems import memory_for, random_problem, system_of


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
    """A solver that may make one step only leaves a residual, whatever the problems after it leave."""
    problem = random_problem(np.random.default_rng(5), 4, 8, 0.6)
    b = problem.b.copy()
    b[::3] = -np.abs(b[::3]) - 0.5
    residuals = []
    for steps in (1, 2000):
        system = system_of(problem.W)
        memory, p = memory_for(system), np.zeros(12)
        settings = solver_settings(tolerance=1e-10, steps=steps)
        hypothesis, update = int(Hypothesis.POISSON), int(Update.SIMULTANEOUS)
        resolve_impacts(system, b, problem.mu, np.full(4, 0.5), hypothesis, update, p, 0.0, settings, memory)
        residuals.append(memory.report.residual)
    assert residuals[0] > 1e-6
    assert residuals[1] < 1e-9
