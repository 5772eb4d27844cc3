"""df/dy as a user gives it, for the implicit integrators: exact, and without evaluations of f."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics

JacobianFunction = Callable[[float, NDArray[np.float64], NDArray[np.float64]], object]
"""jacobian(t, y, out): writes df/dy at t (s) into ``out`` (N, N), which holds zeros, or returns such an array."""


class GivenJacobian:
    """Calls a user's function, counts, and refuses what is no Jacobian."""

    needs_derivative = False

    def __init__(self, function: JacobianFunction, size: int, statistics: IntegratorStatistics) -> None:
        self.size = size
        self._function = function
        self._statistics = statistics
        self._matrix = np.zeros((size, size))

    def write(
        self,
        t: float,
        y: NDArray[np.float64],
        derivative: NDArray[np.float64],
        step: float,
        out: NDArray[np.float64],
    ) -> None:
        """Write df/dy at `t` (s) into `out`; no numbers where `derivative` has none; `step` is of no use."""
        if not np.isfinite(derivative).all():  # a trial state where nothing is right: a shorter step is tried then
            out[:, : self.size] = np.nan
            return
        matrix = self._matrix
        matrix.fill(0.0)
        returned = self._function(t, y, matrix)
        if returned is not None:
            matrix = self._checked(returned, t)
        bad = np.argwhere(~np.isfinite(matrix))
        if len(bad):
            i, j = bad[0].tolist()
            raise SimulationError(
                f"the Jacobian's entry [{i}, {j}] is {matrix[i, j]} at {t:.9g} s; give the finite derivative of state "
                f"{i}'s rate by state {j}, or leave the Jacobian out"
            )
        self._statistics.jacobians += 1
        out[:, : self.size] = matrix

    def _checked(self, returned: object, t: float) -> NDArray[np.float64]:
        expected = (self.size, self.size)
        try:
            matrix = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):
            raise SimulationError(f"the Jacobian is {returned!r} at {t:.9g} s; give an array {expected}") from None
        if matrix.shape != expected:
            raise SimulationError(
                f"the Jacobian has shape {matrix.shape} at {t:.9g} s; give {expected}, one row and one column a state"
            )
        return matrix
