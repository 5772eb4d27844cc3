"""Residuals of all curves as one vector, each divided by its standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError
from polycontact.identification.measured_curve import MeasuredCurve

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Residuals:
    """How far simulated ``curves`` are from measured ones; ``deviations`` (nc,) are in SI units.

    A residual is w (simulated − measured) / σ with the weight w and the standard deviation σ of its curve.
    """

    curves: tuple[MeasuredCurve, ...]
    deviations: tuple[float, ...]

    def __call__(self, simulated: Sequence[Array]) -> Array:
        """Residuals (n,) of all curves, one after another; curves of another number or shape raise an error."""
        if len(simulated) != len(self.curves):
            raise IdentificationError(f"{len(simulated)} curves were simulated, {len(self.curves)} are measured")
        parts = []
        for curve, deviation, values in zip(self.curves, self.deviations, simulated, strict=True):
            if values.shape != curve.values.shape:
                raise IdentificationError(
                    f"{curve.label}: {curve.values.shape} values are measured, {values.shape} simulated; return one "
                    f"number for each time of the curve"
                )
            parts.append((values - curve.values) * (curve.weight / deviation))
        return np.concatenate(parts)


def first_deviations(curves: Sequence[MeasuredCurve]) -> tuple[float, ...]:
    """Standard deviations as given; else, to begin with, the scatter of the curve about its mean."""
    return tuple(each.standard_deviation or _spread(each.values) for each in curves)


def estimated_deviations(
    curves: Sequence[MeasuredCurve], simulated: Sequence[Array], n_parameters: int
) -> tuple[float, ...]:
    """Standard deviations as given; else the root mean square of the residuals, freed of what the fit took from it."""
    n = sum(len(each) for each in curves)
    share = max(1.0 - n_parameters / n, 1.0 / n)
    return tuple(
        curve.standard_deviation
        or max(float(np.sqrt(np.mean((values - curve.values) ** 2) / share)), 1e-12 * _spread(curve.values))
        for curve, values in zip(curves, simulated, strict=True)
    )


def _spread(values: Array) -> float:
    spread = float(np.std(values))
    return spread if spread > 0.0 else max(float(np.abs(values).max()), 1.0)
