"""What each parameter does on its own: results at both ends of its range, with the others at their base."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import StudyError
from polycontact.studies.sensitivity_runs import TornadoDesign

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Tornado:
    """Results at the lower and upper end of each parameter, the one that changes most first; NaN where a run failed.

    ``base``: the result with all at their base; ``lower_values`` and ``upper_values``: the ends, (np,).
    """

    keys: tuple[str, ...]
    base: float
    at_lower: Array
    at_upper: Array
    lower_values: Array
    upper_values: Array

    @property
    def swing(self) -> Array:
        """How far the result moves between the ends of each parameter, (np,)."""
        return np.abs(self.at_upper - self.at_lower)

    def __repr__(self) -> str:
        width = max(map(len, self.keys))
        ends = zip(self.keys, self.at_lower, self.at_upper, strict=True)
        rows = [f"  {key:{width}}  {a:.5g} to {b:.5g}" for key, a, b in ends]
        return "\n".join([f"Tornado about {self.base:.5g}", *rows])

    def to_dict(self) -> dict[str, Any]:
        """The bars as plain values for JSON; null where a run failed."""
        columns = (self.lower_values, self.upper_values, self.at_lower, self.at_upper)
        names = ("lower", "upper", "at_lower", "at_upper")
        rows = [
            {"key": key, **{name: _or_null(column[i]) for name, column in zip(names, columns, strict=True)}}
            for i, key in enumerate(self.keys)
        ]
        return {"base": self.base, "parameters": rows}

    def plot(self, path: str | os.PathLike[str] | None = None, title: str = "") -> Any:
        """A figure of plotly: bars to both sides; ``path``: also written as one HTML file that needs no network."""
        from polycontact.studies.sensitivity_plots import plot_tornado

        return plot_tornado(self, path, title)


def tornado(design: TornadoDesign, outputs: ArrayLike) -> Tornado:
    """The tornado from the ``outputs`` (1 + 2 np,) of the runs of a design, in its order; NaN where a run failed."""
    if not isinstance(design, TornadoDesign):
        raise StudyError(f"{design!r} is no design; give what tornado_design made, and a number for each of its runs")
    try:
        values = np.asarray(outputs, float)
    except (TypeError, ValueError) as error:
        raise StudyError(f"results must be numbers, NaN where a run failed: {error}") from error
    if values.shape != (len(design),):
        raise StudyError(f"results of shape {values.shape}; the design has {len(design)} runs, one number for each")
    values = np.where(np.isfinite(values), values, np.nan)
    if np.isnan(values[0]):
        raise StudyError("the first run, with all parameters at their base, has no result; give another base")
    at_lower, at_upper = values[1::2], values[2::2]
    swing = np.nan_to_num(np.abs(at_upper - at_lower), nan=-1.0)
    order = np.argsort(-swing, kind="stable")
    ends = np.arange(len(design.keys))
    lower, upper = design.values[1 + 2 * ends, ends], design.values[2 + 2 * ends, ends]
    keys = tuple(design.keys[i] for i in order.tolist())
    return Tornado(keys, float(values[0]), at_lower[order], at_upper[order], lower[order], upper[order])


def _or_null(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
