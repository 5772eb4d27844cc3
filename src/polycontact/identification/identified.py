"""What is made of a search: estimates with their intervals, fitted curves, and notes on what deserves a second look."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationWarning, level_of_the_caller
from polycontact.identification.determination import Determination, at_bounds, correlated, determine, following
from polycontact.identification.differences import Jacobian
from polycontact.identification.fit_parameter import ParameterSpace
from polycontact.identification.identification_result import Estimate, FittedCurve, Identification
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.residuals import estimated_deviations
from polycontact.identification.search import Refined, Search
from polycontact.identification.trial_pool import Trial
from polycontact.scenario.changed_values import with_values
from polycontact.scenario.parsing import Scenario

Array = NDArray[np.float64]

SAME_POINT = 0.02
"""Part of the ranges within which two refinements have ended at the same point."""

SAME_COST = 1.05
"""Costs within this factor are as good as each other."""


class SearchOutcome:
    """How a search went, filled as it goes on so that Ctrl-C leaves what there is."""

    def __init__(self) -> None:
        self.status = "stopped"
        self.message = ""
        self.refined: list[Refined] = []
        self.residuals: Array | None = None
        self.jacobian: Jacobian | None = None


def build_result(
    subject: Scenario | Trial, space: ParameterSpace, units: Sequence[str], search: Search, outcome: SearchOutcome
) -> Identification:
    """Estimates with intervals, fitted curves and notes, from where a search has ended; warns where it is not well."""
    log, curves = search.log, search.residuals.curves
    point = log.best_point
    if point is None:
        raise KeyboardInterrupt("stopped before any run gave a result; nothing was identified")
    known = all(each.standard_deviation is not None for each in curves)
    found = None
    notes = [*_notes_of_search(search, outcome), *doubtful_units(curves, log.first_curves)]
    if outcome.residuals is not None and outcome.jacobian is not None:
        found = determine(space, outcome.residuals, outcome.jacobian.matrix, known_deviations=known)
        notes += [*found.notes, *correlated(space, found), *_notes_of_jacobian(space, outcome.jacobian)]
        notes += following(curves, log.best_curves)
    bounds = at_bounds(space, point)
    notes += [
        f"{space.keys[i]} lies at its {side} bound; widen the range, or doubt the model" for i, side in bounds.items()
    ]
    open_ones = () if found is None else (*found.left_open, *(outcome.jacobian.missing if outcome.jacobian else ()))
    estimates = _estimates(space, units, point, found, bounds, open_ones)
    deviations = estimated_deviations(curves, log.best_curves, len(space))
    nothing = np.full((len(space), len(space)), np.nan)
    slopes = space.slopes(point)
    result = Identification(
        estimates,
        nothing if found is None else found.covariance * np.outer(slopes, slopes),
        nothing if found is None else found.correlation,
        tuple(
            FittedCurve(
                c.label, c.quantity, c.unit, c.factor, c.time, c.values, values, sigma, bool(c.standard_deviation)
            )
            for c, values, sigma in zip(curves, log.best_curves, deviations, strict=True)
        ),
        log.best_cost,
        tuple(log.history),
        outcome.status,
        outcome.message,
        log.runs,
        log.failed,
        tuple(notes),
        with_values(subject, space.named(point)) if isinstance(subject, Scenario) else None,
        subject.name if isinstance(subject, Scenario) else getattr(subject, "__name__", "a function"),
    )
    if not result.ok and outcome.status != "stopped":
        told = "; ".join(notes) or outcome.message
        warnings.warn(f"{result.name}: {told}", IdentificationWarning, stacklevel=level_of_the_caller())
    return result


SUSPECT_UNIT_RATIO = 100.0
"""Ratio of measured and simulated sizes from which on a unit may be wrong: mm for m, or N for kN, is 1000, and start
values may make up for a tenth of it."""


def doubtful_units(curves: Sequence[MeasuredCurve], simulated: Sequence[Array]) -> list[str]:
    """What to say of curves that are far larger or smaller than those of a run."""
    told = []
    for curve, values in zip(curves, simulated, strict=False):
        sizes = float(np.abs(curve.values).max()), float(np.abs(values).max(initial=0.0))
        ratio = max(sizes) / min(sizes) if min(sizes) > 0.0 else 1.0
        if ratio > SUSPECT_UNIT_RATIO:
            told.append(
                f"{curve.label}: measured up to {sizes[0]:.3g}, at the start simulated {sizes[1]:.3g} (SI units), "
                f"a factor of {ratio:.3g}; is its unit {curve.unit!r} right? If not, give the right one: the estimates "
                f"make up for it; if it is, begin with better start values"
            )
    return told


def _estimates(
    space: ParameterSpace,
    units: Sequence[str],
    point: Array,
    found: Determination | None,
    bounds: dict[int, str],
    left_open: Sequence[int],
) -> tuple[Estimate, ...]:
    values, slopes = space.values(point), space.slopes(point)
    deviations = np.full(len(space), np.nan) if found is None else found.deviations
    half = np.zeros(len(space)) if found is None else found.factor * deviations
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.where(space.is_log, values * np.exp(-half), values - slopes * half)
        high = np.where(space.is_log, values * np.exp(half), values + slopes * half)
    if found is None:
        low = high = np.full(len(space), np.nan)
    return tuple(
        Estimate(
            key,
            units[i],
            float(values[i]),
            float(slopes[i] * deviations[i]),
            float(low[i]),
            float(high[i]),
            space.parameters[i].scale,
            bounds.get(i, ""),
            found is not None and i not in left_open,
        )
        for i, key in enumerate(space.keys)
    )


def _notes_of_search(search: Search, outcome: SearchOutcome) -> list[str]:
    log, space = search.log, search.space
    notes = []
    if outcome.status == "not converged":
        notes.append(f"the search did not converge: {outcome.message}")
    if log.failed:
        notes.append(f"{log.failed} of {log.runs} runs failed, the first: {log.reasons[0]}")
    if len(outcome.refined) > 1:
        best = min(outcome.refined, key=lambda each: each.cost)
        apart = [
            each
            for each in outcome.refined
            if each.cost <= SAME_COST * best.cost and np.abs((each.point - best.point) / space.width).max() > SAME_POINT
        ]
        for each in apart:
            told = ", ".join(f"{key} = {value:.4g}" for key, value in space.named(each.point).items())
            notes.append(f"another point fits as well: {told}; the data do not tell which is right")
    return notes


def _notes_of_jacobian(space: ParameterSpace, jacobian: Jacobian) -> list[str]:
    notes = [f"{space.keys[i]}: runs beside the estimate failed, so it has no interval" for i in jacobian.missing]
    return notes + [
        f"{space.keys[i]}: the curves change otherwise to one side than to the other; its interval is rough"
        for i in jacobian.bent
    ]
