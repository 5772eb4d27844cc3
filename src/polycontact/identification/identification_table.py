"""An identification on the terminal: estimates with intervals, residuals, and what deserves a second look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from polycontact.identification.identification_result import Identification


def print_identification(screen: Any, found: Identification) -> None:
    """Print tables on a console of rich."""
    from rich.table import Table

    failed = f", {found.failed} failed" if found.failed else ""
    screen.print(f"{found.name}: {found.status}, {found.runs} runs{failed}")
    estimates = Table("parameter", title="estimates with 95 % intervals", title_justify="left")
    for title in ("estimate", "from", "to"):
        estimates.add_column(title, justify="right")
    estimates.add_column("unit")
    for each in found.estimates:
        ends = (f"{end:.5g}" if np.isfinite(end) and each.determined else "–" for end in (each.low, each.high))
        estimates.add_row(each.key, f"{each.value:.5g}", *ends, each.unit)
    screen.print(estimates)
    curves = Table("curve", title="residuals", title_justify="left")
    for title in ("points", "root mean square", "standard deviation"):
        curves.add_column(title, justify="right")
    curves.add_column("unit")
    for curve in found.curves:
        rms = float(np.sqrt(np.mean(curve.residuals**2))) / curve.factor
        given = f"{curve.standard_deviation / curve.factor:.3g}" if curve.deviation_given else "by the residuals"
        curves.add_row(curve.label, str(len(curve.time)), f"{rms:.3g}", given, curve.unit)
    screen.print(curves)
    for note in found.notes:
        screen.print(f"note: {note}", soft_wrap=True)
