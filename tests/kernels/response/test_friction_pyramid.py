"""Contacts on a friction pyramid: exact without friction and along a facet's axis, near the cone with many facets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polycontact.kernels.response.codes import LcpStatus
from polycontact.kernels.response.cone_sweeps import sweep_cones
from polycontact.kernels.response.friction_pyramid import solve_by_pivots, solve_by_pivots_above
from polycontact.kernels.response.response_views import response_memory
from tests.kernels.response.problems import Problem, clarabel_bounded, coulomb_violation, random_problem


def pivoted(problem: Problem, facets: int = 8, limit: int = 2000) -> tuple[int, np.ndarray]:
    p = np.full(3 * problem.n, 7.0)
    memory = response_memory(problem.n, facets)
    status = solve_by_pivots(problem.W, problem.b, problem.mu, facets, p, limit, memory.pivoting)
    return status, p


def test_without_friction_it_is_exact() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        problem = random_problem(rng, 6, 30, 0.0)
        status, p = pivoted(problem)
        assert status == LcpStatus.SOLVED
        assert coulomb_violation(problem, p) <= 1e-12
        # An interior point leaves the root of its gap, 1e-12.
        np.testing.assert_allclose(p[::3], clarabel_bounded(problem.W[::3, ::3], problem.b[::3]), atol=1e-6)


@pytest.mark.parametrize("facets", [4, 6, 8])
def test_the_pyramid_lies_within_the_cone_and_opposes_slip(facets: int) -> None:
    rng = np.random.default_rng(facets)
    for _ in range(30):
        problem = random_problem(rng, 3, 12, 0.8)
        status, p = pivoted(problem, facets)
        assert status == LcpStatus.SOLVED
        u, q = (problem.W @ p + problem.b).reshape(-1, 3), p.reshape(-1, 3)
        assert u[:, 0].min() >= -1e-10
        assert np.abs(u[:, 0] * q[:, 0]).max() <= 1e-10
        assert (np.hypot(q[:, 1], q[:, 2]) - problem.mu * q[:, 0]).max() <= 1e-10
        # Greatest dissipation over the pyramid: no corner of it would dissipate more.
        angles = 2 * np.pi * np.arange(facets) / facets
        corners = u[:, 1:] @ np.array([np.cos(angles), np.sin(angles)])
        best = problem.mu * q[:, 0] * corners.min(axis=1)
        np.testing.assert_allclose((q[:, 1:] * u[:, 1:]).sum(axis=1), best, atol=1e-9)


def test_more_facets_come_nearer_to_the_cone() -> None:
    """Velocities differ from the cone's by the gap between circle and polygon, 1 - cos(π/facets)."""
    rng = np.random.default_rng(4)
    errors = []
    problems = [random_problem(rng, 2, 12, 0.5) for _ in range(20)]
    for facets in (4, 8, 16, 32):
        total = 0.0
        for problem in problems:
            exact = np.zeros(6)
            sweep_cones(problem.W, problem.b, problem.mu, exact, 5000, 1e-12)
            total += np.abs(problem.W @ (pivoted(problem, facets)[1] - exact)).max()
        errors.append(total)
    # Between first order (directions snap to corners) and second (lengths).
    assert errors[3] < errors[2] < errors[1] < errors[0]
    assert errors[3] < errors[0] / 4


def test_a_sphere_slides_along_the_axis_of_a_facet() -> None:
    problem = Problem(np.diag([1.0, 3.5, 3.5]), np.array([-1.0, 10.0, 0.0]), np.array([0.3]))
    status, p = pivoted(problem)
    assert status == LcpStatus.SOLVED
    np.testing.assert_allclose(p, [1.0, -0.3, 0.0], atol=1e-14)


def test_impulses_above_a_floor() -> None:
    problem = Problem(np.diag([1.0, 3.5, 3.5]), np.array([-1.0, 10.0, 0.0]), np.array([0.3]))
    memory = response_memory(1)
    for floor, normal in ((0.5, 1.0), (2.0, 2.0)):
        p = np.zeros(3)
        floors = np.array([floor])
        status = solve_by_pivots_above(problem.W, problem.b, problem.mu, floors, 8, p, 100, memory.pivoting, 0.0)
        assert status == LcpStatus.SOLVED
        np.testing.assert_allclose(p, [normal, -0.3 * normal, 0.0], atol=1e-14)


def test_what_cannot_be_solved_is_told() -> None:
    wall = np.zeros((6, 6))
    wall[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]  # a body between walls that come nearer
    squeezed = Problem(wall, np.array([-1.0, 0, 0, -1.0, 0, 0]), np.zeros(2))
    status, p = pivoted(squeezed)
    assert status == LcpStatus.RAY
    assert not p.any()
    problem = random_problem(np.random.default_rng(1), 3, 12, 0.5)
    assert pivoted(problem, limit=1)[0] == LcpStatus.LIMIT
    assert pivoted(problem, facets=2)[0] == LcpStatus.LIMIT
    problem.W[0, 0] = math.nan
    assert pivoted(problem)[0] == LcpStatus.BAD_NUMBERS
