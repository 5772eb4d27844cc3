"""Which solver answers, that redundant contacts share as springs do, and that answers do not depend on the solver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.kernels.response.codes import Solver
from polycontact.kernels.response.response_views import response_memory, solver_settings
from polycontact.kernels.response.solve_contacts import solve_contacts
from tests.kernels.response.problems import Problem, coulomb_violation, random_problem

Array = NDArray[np.float64]
TOLERANCE = 1e-12
"""Residual (m/s) asked for."""


def solved(problem: Problem, **options: float) -> tuple[Array, float, int]:
    p = np.zeros(3 * problem.n)
    settings = solver_settings(**{"tolerance": TOLERANCE, **options})  # type: ignore[arg-type]
    _, residual, used = solve_contacts(problem.W, problem.b, problem.mu, p, settings, response_memory(problem.n))
    return p, residual, used


def table(offset: tuple[float, float], mu: float) -> Problem:
    """A table of 4 kg on four legs at (±1, ±1) m; velocities of 10 ms of gravity on a load at ``offset``."""
    J = []
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        for axis in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
            J.append([*axis, *np.cross((x, y, -0.5), axis)])
    inverse_mass = np.diag([1 / 4, 1 / 4, 1 / 4, 1.0, 1.0, 1.0])
    impulse = 0.0981 * 4 * np.array([0, 0, -1, -offset[1], offset[0], 0])
    velocity = inverse_mass @ impulse
    return Problem(np.array(J) @ inverse_mass @ np.array(J).T, np.array(J) @ velocity, np.full(4, mu))


@pytest.mark.parametrize(("n", "freedoms", "mu"), [(3, 12, 0.7), (8, 12, 0.7), (10, 30, 1.0), (6, 20, 0.0)])
def test_random_contacts_are_solved(n: int, freedoms: int, mu: float) -> None:
    rng = np.random.default_rng(n)
    for _ in range(60):
        problem = random_problem(rng, n, freedoms, mu)
        p, residual, _ = solved(problem)
        assert residual <= TOLERANCE
        # Impulses of a residual of 1e-12 m/s at blocks of about 1/kg, times velocities of some m/s.
        assert coulomb_violation(problem, p) <= 1e-9


def stack(slabs: int, tilt: float, masses: Array, mu: float) -> Problem:
    """Slabs of 1 m by 1 m by 0.1 m, a little askew, each on its four corners; 10 ms of gravity on a slope."""
    rng = np.random.default_rng(slabs)
    centres = np.column_stack([0.05 * rng.normal(size=(slabs, 2)), 0.05 + 0.1 * np.arange(slabs)])
    J = np.zeros((12 * slabs, 6 * slabs))
    row = 0
    for i, centre in enumerate(centres):
        for corner in ((-0.5, -0.5, -0.05), (-0.5, 0.5, -0.05), (0.5, -0.5, -0.05), (0.5, 0.5, -0.05)):
            for axis in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
                J[row, 6 * i : 6 * i + 6] = [*axis, *np.cross(corner, axis)]
                if i > 0:
                    arm = centre + corner - centres[i - 1]
                    J[row, 6 * i - 6 : 6 * i] = [-x for x in (*axis, *np.cross(arm, axis))]
                row += 1
    inverse_mass = np.concatenate([[1 / m] * 3 + [12 / m, 12 / m, 6 / m] for m in masses])
    velocity = np.tile([0.0981 * math.sin(tilt), 0, -0.0981 * math.cos(tilt), 0, 0, 0], slabs)
    return Problem(J * inverse_mass @ J.T, J @ velocity, np.full(4 * slabs, mu))


@pytest.mark.parametrize(("tilt", "tolerance"), [(0.0, 1e-10), (0.3, 1e-6), (0.6, 2e-4)])
@pytest.mark.parametrize("heaviest", [1.0, 20.0])
@pytest.mark.parametrize("compliance", [0.0, 1e-6])
def test_stacks_stand_or_slide(tilt: float, tolerance: float, heaviest: float, compliance: float) -> None:
    """Ten slabs, the heaviest on top, stand below the angle of friction and slide as one body above.

    One that slides is degenerate: between slabs friction is at its limit, and nothing slips. It is not solved to the
    tolerance that is asked for, but far better than by sweeps, which leave some mm/s.
    """
    problem = stack(10, tilt, np.linspace(1.0, heaviest, 10), 0.5)
    p, residual, _ = solved(problem, compliance=compliance, tolerance=1e-10)
    assert residual <= tolerance
    u = (problem.W @ p + problem.b).reshape(-1, 3)
    expected = max(0.0981 * (math.sin(tilt) - 0.5 * math.cos(tilt)), 0.0)
    # Residuals of forty contacts; a compliance gives way by its share of the impulses, 10 N s or so.
    np.testing.assert_allclose(u[:4, 1], expected, atol=10 * tolerance + 50 * compliance)
    assert u[:, 0].min() >= -tolerance - 50 * compliance


def test_solvers_agree_on_velocities() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        problem = random_problem(rng, 3, 15, 0.4)
        answers = [solved(problem, solver=solver, sweeps=20000)[0] for solver in (0, 1, 2)]
        for p in answers[1:]:
            np.testing.assert_allclose(problem.W @ p, problem.W @ answers[0], atol=1e-9)


def test_small_problems_that_sweeps_leave_are_given_to_pivots() -> None:
    rng = np.random.default_rng(3)
    problem = random_problem(rng, 4, 20, 0.0)
    p, residual, used = solved(problem, solver=Solver.LEMKE)
    assert used == Solver.LEMKE
    assert residual <= TOLERANCE
    _, residual, used = solved(problem, sweeps=1, solver=Solver.SWEEPS)
    assert used == Solver.SWEEPS
    assert residual > TOLERANCE
    np.testing.assert_allclose(solved(problem)[0], p, atol=1e-11)


@pytest.mark.parametrize("mu", [0.0, 0.5])
@pytest.mark.parametrize("solver", [Solver.AUTO, Solver.LEMKE])
def test_four_legs_share_as_equal_springs(mu: float, solver: Solver) -> None:
    """Legs of a table under a load at (x, y): each carries a quarter of it, times 1 ± x ± y."""
    x, y = 0.2, -0.1
    problem = table((x, y), mu)
    p, residual, _ = solved(problem, compliance=1e-6, solver=solver)
    assert residual <= TOLERANCE
    load = 0.0981 * 4 / 4
    expected = [load * (1 + x + y), load * (1 + x - y), load * (1 - x + y), load * (1 - x - y)]
    # A compliance of 1e-6 of that of the table moves loads by some of its share.
    np.testing.assert_allclose(p[::3], expected, atol=1e-6)


def test_no_leg_pulls() -> None:
    p, residual, _ = solved(table((0.8, 0.8), 0.0), compliance=1e-6)
    assert residual <= TOLERANCE
    assert p[9] == 0.0
    assert p[::3].sum() == pytest.approx(0.0981 * 4, abs=1e-6)


def test_what_has_no_solution_is_told_by_the_residual() -> None:
    wall = np.zeros((6, 6))
    wall[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]  # a body between walls that come nearer
    p, residual, _ = solved(Problem(wall, np.array([-1.0, 0, 0, -1.0, 0, 0]), np.zeros(2)))
    assert residual > 0.1
    assert np.isfinite(p).all()


@pytest.mark.parametrize("solver", list(Solver)[:3])
@pytest.mark.parametrize("where", ["W", "b", "mu"])
def test_bad_numbers_end_in_an_infinite_residual(solver: Solver, where: str) -> None:
    problem = random_problem(np.random.default_rng(7), 3, 12, 0.5)
    getattr(problem, where)[1] = math.nan
    _, residual, _ = solved(problem, solver=solver)
    assert residual == math.inf


def test_same_bits_whatever_was_solved_before() -> None:
    rng = np.random.default_rng(8)
    first, other = random_problem(rng, 5, 12, 0.9), random_problem(rng, 5, 12, 0.9)
    memory, settings = response_memory(5), solver_settings()
    answers = []
    for problem in (first, other, first):
        p = np.zeros(15)
        solve_contacts(problem.W, problem.b, problem.mu, p, settings, memory)
        answers.append(p)
    np.testing.assert_array_equal(answers[0], answers[2])


def test_larger_problems_than_the_memory_has_room_for_are_swept() -> None:
    problem = random_problem(np.random.default_rng(9), 6, 30, 0.5)
    p = np.zeros(18)
    memory = response_memory(6, pivoted=0, factored=0)
    _, residual, used = solve_contacts(problem.W, problem.b, problem.mu, p, solver_settings(sweeps=5000), memory)
    assert used == Solver.SWEEPS
    assert residual <= 1e-10


def test_the_room_of_the_memory_changes_nothing_but_the_way() -> None:
    problem = random_problem(np.random.default_rng(10), 4, 10, 0.9)
    answers = []
    for room in (4, 9, 2):  # as large as needed, larger, too small: sweeps alone
        p = np.zeros(12)
        settings = solver_settings(sweeps=20000, tolerance=TOLERANCE)
        _, residual, _ = solve_contacts(problem.W, problem.b, problem.mu, p, settings, response_memory(room))
        assert residual <= TOLERANCE
        answers.append(p)
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_allclose(problem.W @ answers[2], problem.W @ answers[0], atol=1e-9)
