"""How well data determine parameters: covariance, intervals and correlations, and what they leave open.

At the least sum of squares S of n residuals with derivatives J the covariance of np parameters is s² (JᵀJ)⁻¹, with
s² = S / (n − np) where the scatter of the residuals tells the noise, and s² = 1 where standard deviations were given
(Seber and Wild, Nonlinear Regression, 1989, section 2.1). Intervals are those of Student's t with n − np degrees of
freedom, or of the normal distribution; of a logarithm where the parameter was sought by its logarithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.identification.fit_parameter import ParameterSpace
from polycontact.identification.measured_curve import MeasuredCurve

Array = NDArray[np.float64]

CONFIDENCE = 0.95
"""Probability of the intervals."""

UNDETERMINED_SPREAD = 0.5
"""Standard deviation of a combination of parameters, as a share of its range, above which the data leave it open."""

SINGULAR_VALUE_FLOOR = 1e-10
"""Singular values below this share of the greatest are made of rounding and of the runs' own errors."""

NAMED_SHARE = 0.3
"""Share of a parameter in a combination from which on it is named."""

HIGH_CORRELATION = 0.99
"""Correlation beyond which two parameters are hardly told apart."""

AT_BOUND = 1e-3
"""Part of its range within which an estimate lies at a bound."""

NEIGHBOUR_CORRELATION = 0.3
"""Correlation of neighbouring residuals from which on they are not independent, where chance does not explain it."""

MISFIT_PROBABILITY = 1e-3
"""Probability below which given standard deviations do not fit the residuals."""


@dataclass(frozen=True)
class Determination:
    """Covariance (np, np) of the coordinates, ``factor``: half the width of an interval in standard deviations.

    ``left_open``: numbers of parameters that the data do not determine.
    """

    covariance: Array
    factor: float
    variance: float
    degrees: int
    left_open: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def deviations(self) -> Array:
        """Standard deviations of the coordinates, (np,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlation(self) -> Array:
        """Correlations of the coordinates, (np, np)."""
        deviations = self.deviations
        return np.asarray(np.clip(self.covariance / np.outer(deviations, deviations), -1.0, 1.0))


def determine(space: ParameterSpace, residuals: Array, jacobian: Array, *, known_deviations: bool) -> Determination:
    """Covariance and what is left open, from residuals (n,) and their derivatives (n, np)."""
    from scipy import stats

    n, n_parameters = jacobian.shape
    degrees = n - n_parameters
    found = float(residuals @ residuals) / degrees
    variance = 1.0 if known_deviations else found
    factor = float(
        stats.norm.ppf(0.5 + 0.5 * CONFIDENCE) if known_deviations else stats.t.ppf(0.5 + 0.5 * CONFIDENCE, degrees)
    )
    _, singular, directions = np.linalg.svd(jacobian * space.width, full_matrices=False)
    floor = max(SINGULAR_VALUE_FLOOR * singular[0], np.finfo(float).tiny ** 0.25)
    spread = np.sqrt(variance) / np.maximum(singular, floor)  # of each combination, in shares of its range
    scaled = directions.T * spread
    covariance = (scaled @ scaled.T) * np.outer(space.width, space.width)
    left_open, notes = _left_open(space, spread, directions)
    if known_deviations:
        notes += _misfit(found, degrees)
    return Determination(covariance, factor, variance, degrees, left_open, tuple(notes))


def _left_open(space: ParameterSpace, spread: Array, directions: Array) -> tuple[tuple[int, ...], list[str]]:
    """Parameters in combinations that vary over their range without the data telling."""
    found: set[int] = set()
    notes = []
    for width, direction in zip(spread, directions, strict=True):
        if width <= UNDETERMINED_SPREAD:
            continue
        part = [i for i in range(len(space)) if abs(direction[i]) >= NAMED_SHARE]
        found |= set(part)
        names = " and ".join(space.keys[i] for i in part)
        if len(part) == 1:
            notes.append(f"the data do not determine {names}: it hardly changes the curves; measure something else too")
        else:
            notes.append(
                f"the data do not determine {names} apart, only a combination of them; fix one, or measure something "
                f"else too"
            )
    return tuple(sorted(found)), notes


def correlated(space: ParameterSpace, determination: Determination) -> list[str]:
    """Pairs of parameters that are hardly told apart."""
    correlation = determination.correlation
    pairs = [(i, j) for i in range(len(space)) for j in range(i) if abs(correlation[i, j]) > HIGH_CORRELATION]
    return [
        f"{space.keys[j]} and {space.keys[i]} have a correlation of {correlation[i, j]:.4f}: one makes up for the other"
        for i, j in pairs
        if not {i, j} <= set(determination.left_open)
    ]


def at_bounds(space: ParameterSpace, point: Array) -> dict[int, str]:
    """Which parameters lie at a bound, "lower" or "upper"."""
    room = AT_BOUND * space.width
    found = dict.fromkeys(np.flatnonzero(point - space.lower < room).tolist(), "lower")
    return found | dict.fromkeys(np.flatnonzero(space.upper - point < room).tolist(), "upper")


def following(curves: Sequence[MeasuredCurve], simulated: Sequence[Array]) -> list[str]:
    """Curves whose residuals follow each other instead of scattering, by their correlation from point to point."""
    notes = []
    for curve, values in zip(curves, simulated, strict=True):
        residuals = values - curve.values
        residuals = residuals - residuals.mean()
        square = float(residuals @ residuals)
        if len(residuals) < 8 or square == 0.0:
            continue
        neighbour = float(residuals[1:] @ residuals[:-1]) / square
        if neighbour > max(NEIGHBOUR_CORRELATION, 3.0 / np.sqrt(len(residuals))):
            notes.append(
                f"{curve.label}: neighbouring residuals have a correlation of {neighbour:.2f}; the model misses "
                f"something, or the noise is not independent, and intervals are too narrow"
            )
    return notes


def _misfit(found: float, degrees: int) -> list[str]:
    """Whether residuals are of the size that given standard deviations say."""
    from scipy import stats

    ratio = float(np.sqrt(found))
    if stats.chi2.sf(found * degrees, degrees) < MISFIT_PROBABILITY:
        return [
            f"residuals are {ratio:.3g} times what the standard deviations say; the model does not describe the data, "
            f"or they are too small"
        ]
    if stats.chi2.cdf(found * degrees, degrees) < MISFIT_PROBABILITY:
        return [f"residuals are only {ratio:.3g} times what the standard deviations say; are these too large?"]
    return []
