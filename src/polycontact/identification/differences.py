"""Derivatives of residuals by parameters, from differences of runs.

A run is a smooth function of its parameters up to the integrator's choice of steps, a noise of the size of its
tolerance. With noise ε a one-sided difference is best over a step of about 2 √ε, a central one over ∛ε (Gill, Murray
and Wright, Practical Optimization, 1981, section 8.6): errors of order √ε and ε^⅔.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.identification.fit_parameter import ParameterSpace

Array = NDArray[np.float64]
Evaluate = Callable[[list[Array]], list[Array | None]]
"""Residuals at points, None where a run failed."""

NOISE_PER_TOLERANCE = 10.0
"""Noise of a run, as a multiple of its relative tolerance."""

LEAST_NOISE = 1e-12
"""Noise of models that are computed to the last digits."""


@dataclass(frozen=True)
class Steps:
    """Relative steps of differences: ``one_sided`` for the search, ``central`` for the covariance."""

    one_sided: float
    central: float

    @classmethod
    def for_tolerance(cls, rtol: float) -> Steps:
        """Steps for runs with a relative tolerance."""
        noise = max(NOISE_PER_TOLERANCE * rtol, LEAST_NOISE)
        return cls(2.0 * noise**0.5, noise ** (1.0 / 3.0))


@dataclass(frozen=True)
class Jacobian:
    """Derivatives (n, np) of the residuals by the coordinates of a point.

    ``missing``: numbers of parameters without a derivative, as the runs failed; ``bent``: of those whose differences to
    both sides do not agree.
    """

    matrix: Array
    missing: tuple[int, ...] = ()
    bent: tuple[int, ...] = ()


def one_sided(evaluate: Evaluate, space: ParameterSpace, point: Array, residuals: Array, step: float) -> Jacobian:
    """Differences to one side, away from the nearer bound; to the other side where a run failed."""
    steps = _inward(space, point, step * space.sizes(point))
    columns = _columns(evaluate, point, residuals, steps)
    failed = [i for i, column in enumerate(columns) if column is None]
    if failed:
        back = point - 0.5 * steps
        within = (back >= space.lower) & (back <= space.upper)
        again = _columns(evaluate, point, residuals, np.where(within, -0.5, 0.1) * steps, failed)
        for i, column in zip(failed, again, strict=True):
            columns[i] = column
    return _jacobian(columns, len(residuals))


LARGEST_SIDE_DIFFERENCE = 0.5
"""Part of a derivative by which differences to both sides may differ, less what the point's own bend explains."""


def central(evaluate: Evaluate, space: ParameterSpace, point: Array, residuals: Array, step: float) -> Jacobian:
    """Central differences; one-sided ones at a bound, and where a run failed on one side."""
    n, sizes = len(point), step * space.sizes(point)
    ahead = np.minimum(point + sizes, space.upper) - point
    back = point - np.maximum(point - sizes, space.lower)
    moved = [_moved(point, i, ahead[i]) for i in range(n) if ahead[i] > 0.0]
    moved += [_moved(point, i, -back[i]) for i in range(n) if back[i] > 0.0]
    found = iter(evaluate(moved))
    above = [next(found) if ahead[i] > 0.0 else None for i in range(n)]
    below = [next(found) if back[i] > 0.0 else None for i in range(n)]
    columns: list[Array | None] = []
    bent = []
    for i, (high, low) in enumerate(zip(above, below, strict=True)):
        right = None if high is None else (high - residuals) / ahead[i]
        left = None if low is None else (residuals - low) / back[i]
        if right is None or left is None:
            columns.append(left if right is None else right)
            continue
        columns.append((ahead[i] * left + back[i] * right) / (ahead[i] + back[i]))
        if np.linalg.norm(right - left) > LARGEST_SIDE_DIFFERENCE * (np.linalg.norm(right) + np.linalg.norm(left)):
            bent.append(i)
    found_jacobian = _jacobian(columns, len(residuals))
    return Jacobian(found_jacobian.matrix, found_jacobian.missing, tuple(bent))


def _inward(space: ParameterSpace, point: Array, sizes: Array) -> Array:
    """Steps with signs such that they stay within the bounds, shorter where the range is very narrow."""
    sizes = np.minimum(sizes, 0.25 * space.width)
    return np.where(point + sizes <= space.upper, sizes, -sizes)


def _columns(
    evaluate: Evaluate, point: Array, residuals: Array, steps: Array, which: list[int] | None = None
) -> list[Array | None]:
    chosen = list(range(len(point))) if which is None else which
    found = evaluate([_moved(point, i, steps[i]) for i in chosen])
    return [None if each is None else (each - residuals) / steps[i] for i, each in zip(chosen, found, strict=True)]


def _moved(point: Array, i: int, step: float) -> Array:
    moved = point.copy()
    moved[i] += step
    return moved


def _jacobian(columns: list[Array | None], n: int) -> Jacobian:
    missing = tuple(i for i, column in enumerate(columns) if column is None)
    return Jacobian(np.stack([np.zeros(n) if each is None else each for each in columns], axis=1), missing)
