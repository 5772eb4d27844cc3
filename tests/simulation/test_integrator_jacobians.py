"""Jacobians by differences: their values, their cost, columns that share an evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from integration_problems import Array, oscillator, robertson, tolerances

from polycontact.simulation.integrators import IntegratorStatistics
from polycontact.simulation.integrators.counting import CountedFunction
from polycontact.simulation.integrators.jacobian import DifferenceJacobian, column_groups
from polycontact.simulation.integrators.problem import check_problem
from scenes import examples


def jacobian_of(f: Callable[[float, Array, Array], None], y: Array, **options: object) -> tuple[Array, int]:
    problem = check_problem(f, 0.0, y, 1.0, tolerances(1e-6), options.get("size"), options.get("sparsity"))  # type: ignore[arg-type]
    statistics = IntegratorStatistics()
    function = CountedFunction(f, statistics)
    jacobian = DifferenceJacobian(problem, function, statistics)
    derivative = np.empty(len(y))
    f(0.0, y, derivative)
    matrix = np.zeros((len(y), len(y)))
    jacobian.write(0.0, y, derivative, 1e-3, matrix)
    assert statistics.jacobian_evaluations == statistics.evaluations
    return matrix, statistics.evaluations


def test_jacobian_by_differences() -> None:
    matrix, evaluations = jacobian_of(robertson, np.array([0.7, 1e-5, 0.3]))
    exact = [[-0.04, 3e3, 0.1], [0.04, -3e3 - 600.0, -0.1], [0.0, 600.0, 0.0]]
    np.testing.assert_allclose(matrix, exact, rtol=1e-3, atol=1e-6)
    assert evaluations == 3


def test_jacobian_of_the_first_components_only() -> None:
    matrix, evaluations = jacobian_of(oscillator, np.array([0.5, 0.0, 9.0, 9.0]), size=2)
    exact = [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(matrix, exact, atol=1e-7)
    assert evaluations == 2


def test_jacobian_with_coloured_columns() -> None:
    size = 30

    def chain(t: float, y: Array, out: Array) -> None:
        out[:] = -2.0 * y
        out[1:] += y[:-1] ** 2
        out[:-1] += np.sin(y[1:])

    y = np.linspace(-1.0, 1.0, size)
    band = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) <= 1
    full, dense_cost = jacobian_of(chain, y)
    coloured, cost = jacobian_of(chain, y, sparsity=band)
    np.testing.assert_allclose(coloured, full, atol=1e-6)
    assert (dense_cost, cost) == (size, 3)


@settings(max_examples=examples(30), deadline=None, derandomize=True)
@given(rows=st.integers(1, 12), columns=st.integers(0, 12), seed=st.integers(0, 10**6))
def test_column_groups_share_no_row(rows: int, columns: int, seed: int) -> None:
    mask = np.random.default_rng(seed).random((rows, columns)) < 0.3
    groups = column_groups(mask, columns)
    assert sorted(np.concatenate([*groups, []]).astype(int).tolist()) == list(range(columns))
    for group in groups:
        assert mask[:, group].sum(axis=1).max(initial=0) <= 1
