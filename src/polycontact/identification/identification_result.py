"""What an identification gives: estimates with intervals, fitted curves, and what deserves a second look."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError
from polycontact.identification.search_log import HistoryEntry

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A parameter that was found: ``value`` with its 95 % interval from ``low`` to ``high``, in the unit of its key.

    ``standard_error`` in the same unit, NaN where the search was stopped. ``at_bound``: "lower", "upper" or "".
    ``determined``: whether the data determine it.
    """

    key: str
    unit: str
    value: float
    standard_error: float
    low: float
    high: float
    scale: str
    at_bound: str
    determined: bool

    def __repr__(self) -> str:
        return f"Estimate({self.key!r}: {self.text()})"

    def text(self) -> str:
        """Value and interval in few digits, with the unit."""
        unit = f" {self.unit}" if self.unit else ""
        if not np.isfinite(self.standard_error):
            return f"{self.value:.5g}{unit}, no interval"
        if not self.determined:
            return f"{self.value:.5g}{unit}, not determined"
        return f"{self.value:.5g}{unit}, 95 % {self.low:.5g} to {self.high:.5g}"


@dataclass(frozen=True, eq=False, repr=False)
class FittedCurve:
    """A measured curve and the run with the estimates, SI units; ``unit`` and ``factor``: as it was measured."""

    label: str
    quantity: str
    unit: str
    factor: float
    time: Array
    measured: Array
    fitted: Array
    standard_deviation: float
    deviation_given: bool

    @property
    def residuals(self) -> Array:
        """Fitted minus measured, (n,)."""
        return self.fitted - self.measured

    def __repr__(self) -> str:
        rms = float(np.sqrt(np.mean(self.residuals**2))) / self.factor
        return f"FittedCurve({self.label!r}, {len(self.time)} points, residuals {rms:.3g} {self.unit})"


@dataclass(frozen=True, eq=False, repr=False)
class Identification:
    """Parameters identified from measured curves.

    - ``status``: "converged", "not converged", or "stopped" by Ctrl-C or by max_runs, with a ``message``.
    - ``covariance`` (np, np) of the values, in the units of their keys; ``correlation`` (np, np) in the scales in which
      they were sought. Rows are in the order of ``estimates``.
    - ``cost``: half the sum of squared residuals in standard deviations; ``history``: how it fell.
    - ``runs``, of which ``failed`` had no result; ``notes``: what deserves a second look.
    - ``scenario``: the scenario with the estimates; None where a function was fitted.
    """

    estimates: tuple[Estimate, ...]
    covariance: Array
    correlation: Array
    curves: tuple[FittedCurve, ...]
    cost: float
    history: tuple[HistoryEntry, ...]
    status: str
    message: str
    runs: int
    failed: int
    notes: tuple[str, ...]
    scenario: Scenario | None
    name: str

    @property
    def ok(self) -> bool:
        """Whether the search converged and all parameters are determined by the data, none at a bound."""
        return self.status == "converged" and all(each.determined and not each.at_bound for each in self.estimates)

    @property
    def values(self) -> dict[str, float]:
        """The estimates by key, in the unit of the key."""
        return {each.key: each.value for each in self.estimates}

    def __getitem__(self, key: str) -> Estimate:
        for each in self.estimates:
            if each.key == key:
                return each
        raise IdentificationError(f"there is no parameter {key!r}; there are {', '.join(self.values)}")

    def __repr__(self) -> str:
        width = max(len(each.key) for each in self.estimates)
        failed = f", {self.failed} failed" if self.failed else ""
        lines = [f"Identification of {self.name}: {self.status}, {self.runs} runs{failed}"]
        lines += [f"  {each.key:<{width}}  {each.text()}" for each in self.estimates]
        for curve in self.curves:
            rms = float(np.sqrt(np.mean(curve.residuals**2))) / curve.factor
            lines.append(f"  residuals of {curve.label}: {rms:.3g} {curve.unit} in {len(curve.time)} points")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(each.key)}</td><td>{each.value:.5g}</td>"
            f"<td>{each.low:.5g}</td><td>{each.high:.5g}</td><td style='text-align:left'>{escape(each.unit)}</td></tr>"
            for each in self.estimates
        )
        notes = "".join(f"<p>Note: {escape(note)}</p>" for note in self.notes)
        head = "<tr><th>parameter</th><th>estimate</th><th>95 % from</th><th>to</th><th>unit</th></tr>"
        return f"<p>{escape(self.name)}: {self.status}, {self.runs} runs</p><table>{head}{rows}</table>{notes}"

    def to_dict(self, *, curves: bool = True) -> dict[str, Any]:
        """The result as plain values for JSON; with the points of the curves unless ``curves`` is false."""
        from polycontact.identification.identification_record import identification_record

        return identification_record(self, curves)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` to a file."""
        from polycontact.identification.identification_record import write_record

        write_record(self, path)

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Write a page that needs no network: estimates, measured and fitted curves, residuals, how the search went."""
        from polycontact.identification.identification_page import write_identification

        write_identification(path, self)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """A figure of plotly: measured and fitted curves over their residuals.

        ``path``: also written as one HTML file that needs no network.
        """
        from polycontact.identification.fit_plot import plot_fit

        return plot_fit(self, path)
