"""Which runs a study needs so that their results tell how much each parameter matters.

For indices of Sobol': two independent samples A and B of all parameters, and for each parameter A with that column from
B (Saltelli et al., Computer Physics Communications 181, 2010, 259-270). For a tornado: each parameter at its ends, with
the others at their base.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError

Array = NDArray[np.float64]
Range = tuple[float, float] | tuple[float, float, Literal["linear", "log"]]
"""Least and greatest value of a parameter, equally likely in between; "log": equally likely by its logarithm."""

MOST_RUNS = 10_000_000
"""Runs of a design; more cannot be meant."""

LEAST_ROWS = 8
"""Rows of a sample: fewer tell nothing of their own scatter."""


@dataclass(frozen=True, eq=False)
class SensitivityDesign:
    """Runs for indices of Sobol': ``values`` (runs, np) has the rows of A, of B, and of A with each column from B.

    ``n`` rows of A; there are n (np + 2) runs.
    """

    keys: tuple[str, ...]
    n: int
    values: Array

    def __len__(self) -> int:
        return len(self.values)

    @property
    def rows(self) -> list[dict[str, float]]:
        """Values by key of each run, in order."""
        return [dict(zip(self.keys, row, strict=True)) for row in self.values.tolist()]


@dataclass(frozen=True, eq=False)
class TornadoDesign:
    """Runs for a tornado: ``values`` (1 + 2 np, np), the base first, then each parameter at its lower and upper end."""

    keys: tuple[str, ...]
    values: Array

    def __len__(self) -> int:
        return len(self.values)

    @property
    def rows(self) -> list[dict[str, float]]:
        """Values by key of each run, in order."""
        return [dict(zip(self.keys, row, strict=True)) for row in self.values.tolist()]


def sensitivity_design(parameters: Mapping[str, Range], n: int = 256, seed: int = 0) -> SensitivityDesign:
    """Runs for indices of Sobol' of ``parameters``, by key their range; ``n`` is rounded up to a power of two.

    The two samples are the halves of one scrambled Sobol' sequence with twice as many columns.
    """
    keys, lower, upper, is_log = checked_ranges(parameters)
    shares = paired_samples(n, len(keys), seed)
    return SensitivityDesign(keys, rows_of(n, len(keys)), _scaled(shares, lower, upper, is_log))


def rows_of(n: int, d: int, name: str = "n") -> int:
    """Rows of A for ``n`` that were asked for and ``d`` parameters; an error calls the number ``name``."""
    if isinstance(n, bool) or not isinstance(n, int) or n < LEAST_ROWS:
        raise StudyError(f"{name} = {n!r}; allowed is an integer of at least {LEAST_ROWS}")
    rows: int = 2 ** (n - 1).bit_length()
    if rows * (d + 2) > MOST_RUNS:
        raise StudyError(f"{name} = {n} and {d} parameters need {rows * (d + 2)} runs; allowed are {MOST_RUNS}")
    return rows


def paired_samples(n: int, d: int, seed: int) -> Array:
    """The rows of A, of B, and of A with each column from B, as numbers between 0 and 1, (rows (d + 2), d)."""
    from scipy.stats import qmc

    unit = qmc.Sobol(2 * d, scramble=True, rng=np.random.default_rng(seed)).random(rows_of(n, d))
    a, b = unit[:, :d], unit[:, d:]
    mixed = []
    for i in range(d):
        changed = a.copy()
        changed[:, i] = b[:, i]
        mixed.append(changed)
    return np.concatenate([a, b, *mixed])


def tornado_design(parameters: Mapping[str, Range], base: Mapping[str, float] | None = None) -> TornadoDesign:
    """Runs that change one parameter at a time; ``base``: the others, the middle of the range if left out."""
    keys, lower, upper, is_log = checked_ranges(parameters)
    middle = _scaled(np.full((1, len(keys)), 0.5), lower, upper, is_log)[0]
    for key, value in (base or {}).items():
        if key not in keys:
            raise StudyError(f"base: there is no parameter {key!r}; there are {', '.join(keys)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise StudyError(f"base: {key} is {value!r}; allowed is a finite number")
        middle[keys.index(key)] = value
    return TornadoDesign(keys, one_at_a_time(middle, lower, upper))


def one_at_a_time(base: Array, lower: Array, upper: Array) -> Array:
    """The base, then each entry of it at its lower and at its upper end, (1 + 2 d, d)."""
    values = np.tile(base, (1 + 2 * len(base), 1))
    for i in range(len(base)):
        values[1 + 2 * i, i], values[2 + 2 * i, i] = lower[i], upper[i]
    return values


def checked_ranges(parameters: Mapping[str, Range]) -> tuple[tuple[str, ...], Array, Array, NDArray[np.bool_]]:
    """Keys, lower and upper ends, and which are logarithmic."""
    if not parameters:
        raise StudyError("there are no parameters; give a range for each, such as {'contact.stiffness': (1e6, 1e8)}")
    lower, upper, is_log = [], [], []
    for key, given in parameters.items():
        ends: tuple[Any, ...] = tuple(given)
        scale = ends[2] if len(ends) == 3 else "linear"
        if len(ends) not in (2, 3) or scale not in ("linear", "log"):
            raise StudyError(f'{key}: {given!r}; a range is (lower, upper) or (lower, upper, "log")')
        low, high = ends[0], ends[1]
        for end in (low, high):
            if isinstance(end, bool) or not isinstance(end, int | float) or not math.isfinite(end):
                raise StudyError(f"{key}: {end!r} is no end of a range; allowed is a finite number")
        if not low < high:
            raise StudyError(f"{key}: lower {low:g} is not below upper {high:g}")
        if scale == "log" and low <= 0.0:
            raise StudyError(f"{key}: lower {low:g} with a logarithmic range; give a positive one")
        lower.append(float(low))
        upper.append(float(high))
        is_log.append(scale == "log")
    return tuple(parameters), np.array(lower), np.array(upper), np.array(is_log)


def _scaled(unit: Array, lower: Array, upper: Array, is_log: NDArray[np.bool_]) -> Array:
    """Values from numbers between 0 and 1."""
    safe_low, safe_high = np.where(is_log, lower, 1.0), np.where(is_log, upper, 1.0)
    by_log = np.exp(np.log(safe_low) + unit * np.log(safe_high / safe_low))
    return np.asarray(np.where(is_log, by_log, lower + unit * (upper - lower)))
