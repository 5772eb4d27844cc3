"""Complementary pivoting against enumeration, an interior-point method, and problems without a solution."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from polycontact.kernels.response.codes import LcpStatus
from polycontact.kernels.response.lemke import solve_lcp
from polycontact.kernels.response.response_views import Pivoting
from tests.kernels.response.problems import clarabel_low_rank

Array = NDArray[np.float64]


def memory(m: int) -> Pivoting:
    pivoting = Pivoting()
    pivoting.reserve(room=m, columns=2 * m + 2)
    return pivoting


def solved(M: Array, q: Array, limit: int = 1000) -> tuple[int, Array]:
    z = np.full(len(q), 7.0)
    status = solve_lcp(M, q, z, limit, memory(len(q)))
    return status, z


def solutions_by_enumeration(M: Array, q: Array) -> list[Array]:
    """Solutions with a regular basis, of all choices of which of w and z are zero."""
    m = len(q)
    found = []
    for choice in itertools.product((False, True), repeat=m):
        basic = np.array(choice)
        z = np.zeros(m)
        if basic.any():
            block = M[np.ix_(basic, basic)]
            if abs(np.linalg.det(block)) < 1e-12:
                continue
            z[basic] = np.linalg.solve(block, -q[basic])
        if z.min() >= -1e-12 and (M @ z + q).min() >= -1e-12:
            found.append(z)
    return found


def test_regular_problems_have_the_one_solution_of_enumeration() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        m = int(rng.integers(1, 7))
        skew = rng.normal(size=(m, m))
        root = rng.normal(size=(m, m))
        M = root @ root.T + 0.1 * np.eye(m) + skew - skew.T  # positive definite, not symmetric
        q = rng.normal(size=m)
        status, z = solved(M, q)
        assert status == LcpStatus.SOLVED
        (expected,) = solutions_by_enumeration(M, q)
        np.testing.assert_allclose(z, expected, atol=1e-9)


def test_singular_problems_agree_with_quadratic_programmes() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        root, g = rng.normal(size=(12, 5)), rng.normal(size=5)
        M, q = root @ root.T, root @ g
        status, z = solved(M, q)
        assert status == LcpStatus.SOLVED
        w = M @ z + q
        assert z.min() >= 0.0
        assert w.min() >= -1e-9
        assert abs(z @ w) <= 1e-9
        np.testing.assert_allclose(w, root @ (clarabel_low_rank(root, g) + g), atol=1e-6)


def test_no_pivot_where_zero_solves_it() -> None:
    status, z = solved(np.eye(3), np.array([0.0, 1.0, 2.0]), limit=0)
    assert status == LcpStatus.SOLVED
    assert not z.any()


@pytest.mark.parametrize(
    ("M", "q"),
    [([[0.0]], [-1.0]), ([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]), ([[-1.0]], [-1.0])],
)
def test_problems_without_a_solution_end_in_a_ray(M: list[list[float]], q: list[float]) -> None:
    status, z = solved(np.array(M), np.array(q))
    assert status == LcpStatus.RAY
    assert not z.any()


@pytest.mark.parametrize("m", [4, 8, 12])
def test_degenerate_problems_do_not_cycle(m: int) -> None:
    """Many equal rows and right-hand sides: every ratio is a tie."""
    rng = np.random.default_rng(m)
    for _ in range(20):
        root = rng.integers(-1, 2, size=(m, 3)).astype(float)
        M = root @ root.T
        q = M @ -rng.integers(0, 2, size=m).astype(float)
        status, z = solved(M, q)
        assert status == LcpStatus.SOLVED
        w = M @ z + q
        assert min(z.min(), w.min()) >= -1e-9
        assert abs(z @ w) <= 1e-9


def test_the_matrix_of_murty_is_solved_or_cut_off() -> None:
    """Murty's matrix (1978) makes some pivoting rules exponential; the limit holds whatever the rule."""
    m = 10
    M = np.eye(m) + 2.0 * np.tril(np.ones((m, m)), -1)
    q = -np.ones(m)
    status, z = solved(M, q, limit=5000)
    assert status == LcpStatus.SOLVED
    np.testing.assert_allclose(z, [1.0] + [0.0] * (m - 1), atol=1e-9)
    assert solved(M, q, limit=1)[0] == LcpStatus.LIMIT


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_bad_numbers_are_told(bad: float) -> None:
    assert solved(np.diag([1.0, bad]), -np.ones(2))[0] == LcpStatus.BAD_NUMBERS
    assert solved(np.eye(2), np.array([-1.0, bad]))[0] == LcpStatus.BAD_NUMBERS


def test_too_little_memory_is_told() -> None:
    assert solve_lcp(np.eye(3), -np.ones(3), np.zeros(3), 10, memory(2)) == LcpStatus.LIMIT
