"""The search for the least sum of squared residuals: points spread over the ranges, then the best of them refined.

Refined by the trust region method of scipy for bounded least squares (Branch, Coleman and Li 1999), with derivatives
from differences of runs. A run that fails has a large residual, so the search turns away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.identification.differences import Jacobian, Steps, central, one_sided
from polycontact.identification.fit_parameter import ParameterSpace
from polycontact.identification.residuals import Residuals
from polycontact.identification.search_log import SearchLog
from polycontact.identification.trial_pool import TrialPool

Array = NDArray[np.float64]

FAILED_RESIDUAL_FACTOR = 1e3
"""Residuals of a run that failed, as a multiple of the greatest of the best run so far: worse than anything near."""

COST_TOLERANCE = 1e-6
"""Relative gain in cost at which a refinement ends: with n points the estimate is then within √(n · 1e-6) standard
errors of the least cost."""

ENDINGS = {
    0: "the search went on and on; better start values may help",
    1: "the derivative of the cost is zero",
    2: "the cost does not fall any more",
    3: "steps are below the tolerance",
    4: "steps are below the tolerance, and the cost does not fall any more",
}
"""How a refinement ended, by its status."""

USUAL_ITERATIONS = 8
"""Iterations of a refinement that are expected for the time left."""


@dataclass(frozen=True)
class Refined:
    """Where a refinement ended: ``cost``, and whether it ``converged`` or why not."""

    point: Array
    cost: float
    converged: bool
    message: str


class Search:
    """Evaluates residuals of points by trials; what was evaluated last is remembered."""

    def __init__(
        self, pool: TrialPool, space: ParameterSpace, residuals: Residuals, log: SearchLog, steps: Steps
    ) -> None:
        self.space = space
        self.residuals = residuals
        self.log = log
        self._pool = pool
        self._steps = steps
        self._seen: dict[bytes, Array | None] = {}
        self.without_derivative: set[int] = set()

    def evaluate(self, points: Sequence[Array]) -> list[Array | None]:
        """Residuals (n,) at points, None where a run failed."""
        self.log.allow(len(points))
        before = self.log.runs
        found: list[Array | None] = []
        with closing(self._pool.outcomes([self.space.named(point) for point in points])) as outcomes:
            for run, (point, outcome) in enumerate(zip(points, outcomes, strict=True), before + 1):
                residuals = None if outcome.curves is None else self.residuals(outcome.curves)
                if residuals is not None and outcome.curves is not None:
                    self.log.compare(point, half_square(residuals), outcome.curves, run)
                self._seen[point.tobytes()] = residuals
                found.append(residuals)
        return found

    def abandon(self) -> None:
        """End the trials that are still running; their results are lost."""
        self._pool.abandon()

    def weigh(self, residuals: Residuals) -> None:
        """Other standard deviations from now on; what was seen before cannot be compared any more."""
        self.residuals = residuals
        self._seen.clear()
        self.log.forget_costs()

    def best_of(self, points: Array, n: int) -> list[Array]:
        """The ``n`` of the points with the least costs, best first; points whose runs failed are left out."""
        found = [(half_square(each), i) for i, each in enumerate(self.evaluate(list(points))) if each is not None]
        return [points[i] for _, i in sorted(found)[:n]]

    def refine(self, start: Array, tolerance: float) -> Refined:
        """Follow the residuals downhill from ``start`` until steps or gains are below ``tolerance``."""
        from scipy.optimize import least_squares

        inside = 1e-9 * self.space.width
        result = least_squares(
            self._residuals,
            np.clip(start, self.space.lower + inside, self.space.upper - inside),
            jac=self._derivatives,
            bounds=(self.space.lower, self.space.upper),
            x_scale="jac",
            xtol=tolerance,
            ftol=COST_TOLERANCE,
            gtol=1e-14,
            max_nfev=50,
        )
        return Refined(result.x, float(result.cost), result.status > 0, ENDINGS.get(result.status, result.message))

    def jacobian(self, point: Array) -> tuple[Array, Jacobian]:
        """Residuals and central differences at a point."""
        residuals = self._known(point)
        return residuals, central(self.evaluate, self.space, point, residuals, self._steps.central)

    def expect(self, n_refined: int) -> int:
        """Runs that refinements and intervals are expected to take."""
        return n_refined * USUAL_ITERATIONS * (len(self.space) + 1) + 2 * len(self.space)

    def _residuals(self, point: Array) -> Array:
        return self._known(point)

    def _known(self, point: Array) -> Array:
        key = np.asarray(point).tobytes()
        if key not in self._seen:
            self._seen.clear()
            self.evaluate([np.array(point)])
        found = self._seen[key]
        if found is not None:
            return found
        worst = np.abs(self.residuals(self.log.best_curves)).max() if self.log.best_curves else 1.0
        return np.full(sum(len(each) for each in self.residuals.curves), FAILED_RESIDUAL_FACTOR * max(worst, 1.0))

    def _derivatives(self, point: Array) -> Array:
        base = self._known(point)
        found = one_sided(self.evaluate, self.space, np.array(point), base, self._steps.one_sided)
        self.without_derivative |= set(found.missing)
        return found.matrix


def half_square(residuals: Array) -> float:
    """The cost: half the sum of squares."""
    return 0.5 * float(residuals @ residuals)


def spread_points(space: ParameterSpace, n: int, seed: int) -> NDArray[np.float64]:
    """Points (n, np) in the coordinates of the ``space``; the same for the same ``seed``."""
    from scipy.stats import qmc

    sequence = qmc.Sobol(len(space), scramble=True, rng=np.random.default_rng(seed))
    unit = sequence.random_base2(max(0, int(np.ceil(np.log2(max(n, 1))))))[:n]
    return np.asarray(space.lower + unit * space.width)
