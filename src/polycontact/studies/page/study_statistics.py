"""What the runs of a study say about its results: means with their sampling error, quantiles, response curves.

The error of a mean is that of independent runs, t s/√n at 95 %. Runs of a Latin hypercube or of Sobol' points fill
space more evenly, so that it is too large for them rather than too small; a full grid is no sample, and has none.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.studies.parameters import StudyParameter

MOST_BINS: Final = 10
"""Points of a response curve over a range."""

FEWEST_IN_BIN: Final = 5
"""Runs that a point of a response curve over a range has at least, where there are as many."""

CONFIDENCE: Final = 0.95

Array = NDArray[np.float64]


class Summary(NamedTuple):
    """A result over all runs that have it: their number, mean, half of its 95 % interval, deviation, quantiles."""

    n: int
    mean: float
    error: float
    deviation: float
    low: float
    median: float
    high: float
    smallest: float
    largest: float


class CurvePoint(NamedTuple):
    """Mean of a result over runs with nearly the same value of a parameter: ``at`` its mean, ``error`` half of 95 %."""

    at: float
    mean: float
    error: float
    n: int


def mean_error(values: Array) -> float:
    """Half the width of the 95 % interval of the mean of independent values; not a number for fewer than two."""
    n = len(values)
    if n < 2:
        return math.nan
    from scipy.stats import t

    return float(t.ppf(0.5 + 0.5 * CONFIDENCE, n - 1) * values.std(ddof=1) / math.sqrt(n))


def summary(values: Array) -> Summary | None:
    """What is to be said of a result; None where no run has it."""
    found = values[np.isfinite(values)]
    if not len(found):
        return None
    low, median, high = np.quantile(found, (0.05, 0.5, 0.95)).tolist()
    deviation = float(found.std(ddof=1)) if len(found) > 1 else math.nan
    edges = (float(found.min()), float(found.max()))
    return Summary(len(found), float(found.mean()), mean_error(found), deviation, low, median, high, *edges)


def response_curve(
    parameter: StudyParameter, levels: Array, results: Array, *, is_spread: bool = True
) -> list[CurvePoint]:
    """Mean of a result over a parameter: one point for each value, or for each of up to ten parts of its range.

    ``is_spread``: runs at different values of the range also differ in what else was varied, so that means over parts
    of it say more than the runs; otherwise each value has a point.
    """
    known = np.isfinite(results)
    levels, results = levels[known], results[known]
    if not len(levels):
        return []
    distinct = np.unique(levels)
    if parameter.values is not None or not is_spread or len(distinct) <= MOST_BINS:
        groups = [levels == level for level in distinct]
    else:
        n = max(1, min(MOST_BINS, len(levels) // FEWEST_IN_BIN))
        order = np.argsort(levels, kind="stable")
        groups = [np.isin(np.arange(len(levels)), part) for part in np.array_split(order, n)]
    return [_point(levels[group], results[group]) for group in groups]


def _point(levels: Array, results: Array) -> CurvePoint:
    return CurvePoint(float(levels.mean()), float(results.mean()), mean_error(results), len(results))


def pareto_front(first: Array, second: Array) -> NDArray[np.int64]:
    """Numbers of the runs that no other run beats in both results, where less is better, sorted by the first."""
    known = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    order = known[np.lexsort((second[known], first[known]))]
    best, front = math.inf, []
    for i in order.tolist():
        if second[i] < best:
            best = float(second[i])
            front.append(i)
    return np.array(front, dtype=np.int64)
