"""How much of the scatter of a result each parameter makes: first-order and total indices of Sobol'.

With f at the rows of A, B and A with column i from B, f_i, and the variance V of all f_A and f_B (centred):
first order S_i = mean(f_B (f_i - f_A)) / V (Saltelli et al. 2010, Table 2 (b)), what the scatter would lose if
parameter i were known; total T_i = mean((f_A - f_i)²) / (2 V) (Jansen 1999), what would be left if all others were
known. Their sampling error is found by drawing rows again with replacement (Archer, Saltelli and Sobol' 1997).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import StudyError
from polycontact.studies.sensitivity_runs import LEAST_ROWS, SensitivityDesign

Array = NDArray[np.float64]

LEVEL = 0.95
"""Probability of the intervals."""

RESAMPLES = 1000
"""Times that rows are drawn again."""

AT_ONCE = 50
"""Draws that are worked out at once; bounds the memory."""

ROUNDING = 1e-12
"""Scatter of a result, relative to its size, that is rounding only."""


@dataclass(frozen=True, eq=False, repr=False)
class SobolIndices:
    """Indices of each parameter, in the order of ``keys``: ``first`` order and ``total``, (np,).

    ``first_interval`` and ``total_interval`` (np, 2) hold the true indices with about 95 %. ``n`` rows of ``n_planned``
    were used; others had a failed run. ``mean`` and ``variance`` are those of the result.
    """

    keys: tuple[str, ...]
    first: Array
    total: Array
    first_interval: Array
    total_interval: Array
    mean: float
    variance: float
    n: int
    n_planned: int

    @property
    def n_dropped(self) -> int:
        """Rows left out, with all their runs, as one of these had failed."""
        return self.n_planned - self.n

    @property
    def order(self) -> list[int]:
        """Numbers of the parameters, by falling total index."""
        found: list[int] = np.argsort(-self.total, kind="stable").tolist()
        return found

    def __repr__(self) -> str:
        width = max(map(len, self.keys))
        dropped = f", {self.n_dropped} of {self.n_planned} left out as runs had failed" if self.n_dropped else ""
        lines = [f"Sobol' indices from {self.n} rows{dropped}", f"  {'':{width}}  first (95 %)            total (95 %)"]
        for i, key in enumerate(self.keys):
            (a, b), (c, d) = self.first_interval[i], self.total_interval[i]
            lines.append(
                f"  {key:{width}}  {self.first[i]:6.3f} ({a:.3f} to {b:.3f})  {self.total[i]:6.3f} ({c:.3f} to {d:.3f})"
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All indices and their intervals as plain values for JSON."""
        return {
            "mean": self.mean,
            "variance": self.variance,
            "rows": self.n,
            "rows_left_out": self.n_dropped,
            "indices": [
                {
                    "key": key,
                    "first": float(self.first[i]),
                    "first_interval": self.first_interval[i].tolist(),
                    "total": float(self.total[i]),
                    "total_interval": self.total_interval[i].tolist(),
                }
                for i, key in enumerate(self.keys)
            ],
        }

    def plot(self, path: str | os.PathLike[str] | None = None, title: str = "") -> Any:
        """A figure of plotly: bars with whiskers; ``path``: also written as one HTML file that needs no network."""
        from polycontact.studies.sensitivity_plots import plot_indices

        return plot_indices(self, path, title)


def sobol_indices(design: SensitivityDesign, outputs: ArrayLike, *, seed: int = 0) -> SobolIndices:
    """Indices from the ``outputs`` (runs,) of the runs of a design, in its order; NaN where a run failed.

    Where a run failed, its row is left out of A, of B and of all mixed samples alike, so that the others stay paired.
    """
    if not isinstance(design, SensitivityDesign):
        raise StudyError(
            f"{design!r} is no design; give what sensitivity_design made, and a number for each of its runs"
        )
    d, n = len(design.keys), design.n
    values = _checked(outputs, n * (d + 2))
    blocks = values.reshape(d + 2, n)
    good = np.isfinite(blocks).all(axis=0)
    if good.sum() < LEAST_ROWS:
        raise StudyError(
            f"{int(good.sum())} of {n} rows of the design have results of all their {d + 2} runs; at least "
            f"{LEAST_ROWS} are needed: look at why runs failed, or take a larger n"
        )
    blocks = blocks[:, good]
    mean, variance = float(blocks[:2].mean()), float(blocks[:2].var())
    if variance <= (ROUNDING * max(abs(mean), np.abs(blocks).max())) ** 2:
        raise StudyError(f"the result is {mean:g} in all runs; what does not vary has no sensitivities")
    first, total = _indices(blocks - mean, np.ones(blocks.shape[1]))
    drawn = _drawn_again(blocks - mean, seed)
    ends = 0.5 + 0.5 * LEVEL * np.array([-1.0, 1.0])
    first_interval, total_interval = (np.quantile(each, ends, axis=0).T for each in drawn)
    return SobolIndices(design.keys, first, total, first_interval, total_interval, mean, variance, int(good.sum()), n)


def _indices(blocks: Array, counts: NDArray[Any]) -> tuple[Array, Array]:
    """First-order and total indices (…, np) from centred results, blocks (np + 2, n); row j counts ``counts[…, j]``."""
    a, b, mixed = blocks[0], blocks[1], blocks[2:]
    shares = counts / blocks.shape[1]
    variance = shares @ (0.5 * (a**2 + b**2)) - (shares @ (0.5 * (a + b))) ** 2
    first = shares @ (b * (mixed - a)).T
    total = shares @ (0.5 * (a - mixed) ** 2).T
    return first / variance[..., None], total / variance[..., None]


def _drawn_again(blocks: Array, seed: int) -> tuple[Array, Array]:
    """Indices (resamples, np) of rows that are drawn again with replacement."""
    rng, n = np.random.default_rng(seed), blocks.shape[1]
    pieces = [
        _indices(blocks, rng.multinomial(n, np.full(n, 1.0 / n), size=AT_ONCE)) for _ in range(RESAMPLES // AT_ONCE)
    ]
    return np.concatenate([first for first, _ in pieces]), np.concatenate([total for _, total in pieces])


def _checked(outputs: ArrayLike, n_runs: int) -> Array:
    try:
        values = np.asarray(outputs, float)
    except (TypeError, ValueError) as error:
        raise StudyError(f"results must be numbers, NaN where a run failed: {error}") from error
    if values.shape != (n_runs,):
        raise StudyError(f"results of shape {values.shape}; the design has {n_runs} runs, one number for each")
    return values
