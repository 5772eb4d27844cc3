"""df/dy by forward differences, for the implicit integrators.

Only the first n of N components influence f, so a Jacobian costs n evaluations, or fewer where a sparsity mask lets
several columns be perturbed at once (Curtis, Powell and Reid, On the estimation of sparse Jacobian matrices, 1974).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.integrators.counting import CountedFunction
from polycontact.simulation.integrators.given_jacobian import GivenJacobian
from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics
from polycontact.simulation.integrators.problem import InitialValueProblem

RELATIVE_INCREMENT = math.sqrt(float(np.finfo(np.float64).eps))
"""Balances truncation against rounding in f, as in CVODE, IDA and LSODA."""

UNKNOWN_SIZE = 1.0
"""Taken as the typical size of a component that has no finite absolute tolerance."""


def make_jacobian(
    problem: InitialValueProblem, function: CountedFunction, statistics: IntegratorStatistics
) -> DifferenceJacobian | GivenJacobian:
    """What works df/dy out: the user's function, or differences of f."""
    if problem.jacobian is not None:
        return GivenJacobian(problem.jacobian, len(problem.state), statistics)
    return DifferenceJacobian(problem, function, statistics)


class DifferenceJacobian:
    """Works out df/dy, shape (N, n), at a state where f is already known."""

    needs_derivative = True

    def __init__(
        self, problem: InitialValueProblem, function: CountedFunction, statistics: IntegratorStatistics
    ) -> None:
        self.size = problem.jacobian_size
        self._function = function
        self._statistics = statistics
        self._sparsity = problem.sparsity
        self._groups = column_groups(problem.sparsity, self.size)
        atol = problem.atol[: self.size]
        # Where |y| is below atol / rtol, the absolute tolerance takes over: that is the typical size.
        self._typical = np.where(np.isfinite(atol), atol / problem.rtol, UNKNOWN_SIZE)
        self._perturbed = np.empty(len(problem.state))
        self._derivative = np.empty(len(problem.state))

    def write(
        self,
        t: float,
        y: NDArray[np.float64],
        derivative: NDArray[np.float64],
        step: float,
        out: NDArray[np.float64],
    ) -> None:
        """Write df/dy at `t` (s) into the first n columns of `out`, shape (N, n) or wider.

        `derivative` is f(t, y), `step` the step being tried (s). Not a number where f is not.
        """
        if derivative[0] != derivative[0]:  # the attempt fails anyway
            out[:, : self.size] = math.nan
            return
        increments = self._increments(y, derivative, step)
        before = self._statistics.evaluations
        perturbed, changed = self._perturbed, self._derivative
        perturbed[:] = y
        for columns in self._groups:
            perturbed[columns] += increments[columns]
            self._function(t, perturbed, changed)
            changed -= derivative
            if len(columns) == 1:
                np.divide(changed, increments[columns[0]], out=out[:, columns[0]])
            else:
                out[:, columns] = changed[:, None] / increments[columns]
            perturbed[columns] = y[columns]
        if self._sparsity is not None:
            out[:, : self.size] *= self._sparsity
        self._statistics.jacobians += 1
        self._statistics.jacobian_evaluations += self._statistics.evaluations - before

    def _increments(self, y: NDArray[np.float64], derivative: NDArray[np.float64], step: float) -> NDArray[np.float64]:
        """Relative to the largest of |y|, its typical size and its change in a step, and with that change's sign.

        Each is a difference of two floating-point numbers, so that y + increment is exact.
        """
        y, change = y[: self.size], step * derivative[: self.size]
        size = np.maximum(np.maximum(np.abs(y), np.abs(change)), self._typical)
        increments = np.copysign(RELATIVE_INCREMENT * size, change)
        exact: NDArray[np.float64] = (y + increments) - y
        return exact


def column_groups(sparsity: NDArray[np.bool_] | None, size: int) -> list[NDArray[np.intp]]:
    """Columns 0 to size - 1 in groups; no two columns of a group have an entry in the same row.

    Greedy in the order of the columns; without a mask each column is a group of its own.
    """
    if sparsity is None:
        return [np.array([column]) for column in range(size)]
    members: list[list[int]] = []
    rows: list[NDArray[np.bool_]] = []
    for column in range(size):
        entries = sparsity[:, column]
        free = next((k for k, taken in enumerate(rows) if not (taken & entries).any()), None)
        if free is None:
            members.append([column])
            rows.append(entries.copy())
        else:
            members[free].append(column)
            rows[free] |= entries
    return [np.array(group) for group in members]
