"""Contacts with friction: against Coulomb's law itself, another solver, statics; stacks, and what has no solution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.response_views import solver_settings
from polycontact.kernels.response.solve_contacts import solve_contacts
from tests.kernels.response.problems import (
    NO_FLOOR,
    Problem,
    clarabel_bounded,
    coulomb_violation,
    de_saxce_velocity,
    memory_for,
    random_problem,
    solved,
    system_of,
    system_of_rows,
)

Array = NDArray[np.float64]
TOLERANCE = 1e-10
"""Residual (m/s) asked for."""


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


# Random contacts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "freedoms", "mu"), [(1, 6, 0.6), (3, 12, 0.7), (8, 12, 0.7), (10, 30, 1.0), (6, 20, 0.0), (10, 12, 2.0)]
)
def test_random_contacts_are_solved(n: int, freedoms: int, mu: float) -> None:
    rng = np.random.default_rng(n)
    for _ in range(60):
        problem = random_problem(rng, n, freedoms, mu)
        p, residual, _ = solved(system_of(problem.W), problem.b, problem.mu)
        assert residual <= TOLERANCE
        # A residual of 1e-10 m/s at blocks of about 1/kg, times velocities of some m/s and impulses of some N s.
        assert coulomb_violation(problem, p) <= 1e-8


def test_velocities_are_those_of_the_fixed_point_of_de_saxce() -> None:
    rng = np.random.default_rng(3)
    settled = 0
    for _ in range(20):
        problem = random_problem(rng, 4, 9, 0.5)  # redundant: velocities are unique, impulses are not
        expected = de_saxce_velocity(problem)
        if expected is not None:
            settled += 1
            p, _, _ = solved(system_of(problem.W), problem.b, problem.mu)
            # An interior point with a gap of 1e-12 leaves velocities to its root.
            np.testing.assert_allclose(problem.W @ p + problem.b, expected, atol=1e-6)
    assert settled >= 15


def test_without_friction_it_is_a_quadratic_programme() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        problem = random_problem(rng, 5, 20, 0.0)
        p, _, _ = solved(system_of(problem.W), problem.b, problem.mu)
        np.testing.assert_allclose(p[::3], clarabel_bounded(problem.W[::3, ::3], problem.b[::3]), atol=1e-7)
        assert not p.reshape(-1, 3)[:, 1:].any()


def test_start_at_the_solution_takes_no_step() -> None:
    problem = random_problem(np.random.default_rng(6), 4, 20, 0.5)
    p, _, taken = solved(system_of(problem.W), problem.b, problem.mu)
    assert taken > 0
    again, _, taken = solved(system_of(problem.W), problem.b, problem.mu, tolerance=2 * TOLERANCE, start=p)
    assert taken == 0
    np.testing.assert_array_equal(again, p)


def test_the_last_impulses_lead_to_the_next_ones() -> None:
    """Contacts that are independent: a problem that has changed by a hundredth is solved in a few steps from there.

    From nothing the same problems take several times as many, and both answers obey Coulomb's law.
    """
    rng = np.random.default_rng(8)
    by_last = anew = 0
    for _ in range(40):
        problem = random_problem(rng, 4, 20, 0.5)
        system = system_of(problem.W)
        last, _, _ = solved(system, problem.b, problem.mu)
        later = Problem(problem.W, problem.b * (1.0 + 0.01 * rng.normal(size=12)), problem.mu)
        for start in (last, None):
            p, residual, taken = solved(system, later.b, later.mu, start=start)
            assert residual <= TOLERANCE
            assert coulomb_violation(later, p) < 1e-8  # products of impulses of 1 N s and residuals
            by_last += taken if start is not None else 0
            anew += taken if start is None else 0
    assert by_last < 40 * 5
    assert anew > 2 * by_last


# Stacks ---------------------------------------------------------------------------------------------------------


def stack(slabs: int, tilt: float, masses: Array) -> tuple[ContactSystem, Array]:
    """Slabs of 1 m by 1 m by 0.1 m, a little askew, each on its four corners; 10 ms of gravity on a slope."""
    rng = np.random.default_rng(slabs)
    centres = np.column_stack([0.05 * rng.normal(size=(slabs, 2)), 0.05 + 0.1 * np.arange(slabs)])
    J = np.zeros((12 * slabs, 6 * slabs))
    group = []
    row = 0
    for i, centre in enumerate(centres):
        for corner in ((-0.5, -0.5, -0.05), (-0.5, 0.5, -0.05), (0.5, -0.5, -0.05), (0.5, 0.5, -0.05)):
            group.append((i, i - 1))
            for axis in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
                J[row, 6 * i : 6 * i + 6] = [*axis, *np.cross(corner, axis)]
                if i > 0:
                    arm = centre + corner - centres[i - 1]
                    J[row, 6 * i - 6 : 6 * i] = [-x for x in (*axis, *np.cross(arm, axis))]
                row += 1
    inverse_mass = np.concatenate([[1 / m] * 3 + [12 / m, 12 / m, 6 / m] for m in masses])
    velocity = np.tile([0.0981 * math.sin(tilt), 0, -0.0981 * math.cos(tilt), 0, 0, 0], slabs)
    return system_of_rows(J * np.sqrt(inverse_mass), np.array(group), slabs), J @ velocity


@pytest.mark.parametrize(("slabs", "tilt"), [(10, 0.0), (30, 0.0), (10, 0.3), (10, 0.6)])
@pytest.mark.parametrize("ratio", [1.0, 1e-6, 1e3])
def test_stacks_stand_or_slide(slabs: int, tilt: float, ratio: float) -> None:
    """They stand below the angle of friction and slide as one body above, whatever the ratio of top to bottom.

    Even one that slides, which is degenerate: between slabs friction is at its limit, and nothing slips.
    """
    masses = np.geomspace(1.0, ratio, slabs)
    system, b = stack(slabs, tilt, masses)
    p, residual, _ = solved(system, b, np.full(4 * slabs, 0.5), tolerance=1e-9)
    assert residual <= 1e-9
    gravity = 0.0981 * masses.sum() * math.cos(tilt)
    # Residuals of 4 contacts a slab, each over its yielding of 1/kg or more of the lightest slab.
    assert p[:12:3].sum() == pytest.approx(gravity, rel=1e-5)
    assert -p[1:12:3].sum() == pytest.approx(gravity * min(math.tan(tilt), 0.5), abs=1e-5 * gravity)


def test_a_heavy_top_is_borne_by_light_slabs() -> None:
    """A ratio of 1e6, on ten slabs: the rounding of velocities is all that is left."""
    masses = np.geomspace(1.0, 1e6, 10)
    system, b = stack(10, 0.0, masses)
    p, residual, _ = solved(system, b, np.full(40, 0.5), tolerance=1e-8)
    assert residual <= 1e-8
    assert p[:12:3].sum() == pytest.approx(0.0981 * masses.sum(), rel=1e-6)


# Redundant contacts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_four_legs_share_as_equal_springs(mu: float) -> None:
    """Legs of a table under a load at (x, y): each carries a quarter of it, times 1 ± x ± y."""
    x, y = 0.2, -0.1
    problem = table((x, y), mu)
    p, residual, _ = solved(system_of(problem.W), problem.b, problem.mu)
    assert residual <= TOLERANCE
    load = 0.0981 * 4 / 4
    expected = [load * (1 + x + y), load * (1 + x - y), load * (1 - x + y), load * (1 - x - y)]
    np.testing.assert_allclose(p[::3], expected, atol=1e-8)  # residuals over blocks of about 1/kg


def test_no_leg_pulls() -> None:
    problem = table((0.8, 0.8), 0.0)
    p, residual, _ = solved(system_of(problem.W), problem.b, problem.mu)
    assert residual <= TOLERANCE
    assert p[9] == 0.0
    assert p[::3].sum() == pytest.approx(0.0981 * 4, abs=1e-8)


def test_a_share_does_not_hang_on_the_start() -> None:
    """Begun with the load on two legs, it is on four in the end; to a residual that stops before the second answer."""
    problem = table((0.0, 0.0), 0.5)
    start = np.zeros(12)
    start[[0, 9]] = 0.0981 * 4 / 2 * 1.001
    p, _, _ = solved(system_of(problem.W), problem.b, problem.mu, start=start)
    np.testing.assert_allclose(p[::3], 0.0981, atol=1e-6)


def test_contact_between_fixed_bodies_stays_without_impulse() -> None:
    A = np.zeros((6, 3))
    A[:3] = np.diag(np.sqrt([1.0, 3.5, 3.5]))
    b = np.array([-1.0, 0.1, 0.0, -1.0, 1.0, 0.0])
    p, residual, _ = solved(system_of_rows(A), b, np.full(2, 0.5), start=np.ones(6))
    assert residual <= TOLERANCE
    np.testing.assert_array_equal(p[3:], 0.0)
    np.testing.assert_allclose(p[:3], [1.0, -0.1 / 3.5, 0.0], atol=1e-9)


def test_softness_gives_way() -> None:
    """A soft contact of 1/kg on a body of 1 kg that comes with 1 m/s takes half of it."""
    system = system_of_rows(np.diag([1.0, 1.0, 1.0]))
    system.soft[0] = 1.0
    p, _, _ = solved(system, np.array([-1.0, 0.0, 0.0]), np.zeros(1))
    np.testing.assert_allclose(p, [0.5, 0.0, 0.0], atol=1e-9)


# What cannot be solved ------------------------------------------------------------------------------------------


def test_what_has_no_solution_is_told_by_the_residual() -> None:
    wall = np.zeros((6, 6))
    wall[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]  # a body between walls that come nearer
    p, residual, _ = solved(system_of(wall), np.array([-1.0, 0, 0, -1.0, 0, 0]), np.zeros(2))
    assert residual > 0.1
    assert np.isfinite(p).all()


def test_a_rod_that_leans_against_friction_jams_or_slides() -> None:
    """One freedom along a: W = a aᵀ, sliding back only where tan of the angle exceeds μ."""
    for angle, jams in ((0.3, True), (0.8, False)):
        a = np.array([math.cos(angle), math.sin(angle), 0.0])
        mu = math.tan(0.5)
        p, residual, _ = solved(system_of_rows(a[:, None]), -0.7 * a, np.array([mu]))
        assert residual <= TOLERANCE
        np.testing.assert_allclose(a * (a @ p) - 0.7 * a, 0.0, atol=1e-9)
        assert jams or math.hypot(p[1], p[2]) <= mu * p[0] * (1 + 1e-9)


@pytest.mark.parametrize("where", ["rows", "b", "mu", "p"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_bad_numbers_end_in_an_infinite_residual(where: str, bad: float) -> None:
    problem = random_problem(np.random.default_rng(7), 3, 12, 0.5)
    system, p = system_of(problem.W), np.zeros(9)
    {"rows": system.rows[1], "b": problem.b, "mu": problem.mu, "p": p}[where][1] = bad
    steps, residual = solve_contacts(
        system, problem.b, problem.mu, NO_FLOOR, p, solver_settings(), memory_for(system_of(problem.W)).work
    )
    assert (steps, residual) == (0, math.inf)
    assert not p.any()


def test_no_contact_is_no_problem() -> None:
    nothing = np.zeros(0)
    assert solved(system_of_rows(np.zeros((0, 1))), nothing, nothing)[1:] == (0.0, 0)


def test_same_bits_whatever_was_solved_before() -> None:
    rng = np.random.default_rng(8)
    first, other = random_problem(rng, 5, 12, 0.9), random_problem(rng, 5, 12, 0.9)
    memory, settings = memory_for(system_of(first.W)), solver_settings()
    answers = []
    for problem in (first, other, first):
        p = np.zeros(15)
        solve_contacts(system_of(problem.W), problem.b, problem.mu, NO_FLOOR, p, settings, memory.work)
        answers.append(p)
    np.testing.assert_array_equal(answers[0], answers[2])
