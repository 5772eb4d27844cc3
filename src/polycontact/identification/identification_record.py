"""An identification as JSON can hold it, and as tables on the terminal."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polycontact.errors import IdentificationError
from polycontact.replacing import write_whole

if TYPE_CHECKING:
    from polycontact.identification.identification_result import FittedCurve, Identification
import numpy as np

if TYPE_CHECKING:
    from polycontact.identification.identification_result import Identification


def identification_record(found: Identification, with_points: bool = True) -> dict[str, Any]:
    """Estimates, matrices, curves and how the search went; numbers that are not finite become null."""
    record = {
        "scenario": found.name,
        "ok": found.ok,
        "status": found.status,
        "message": found.message,
        "estimates": [asdict(each) for each in found.estimates],
        "covariance": found.covariance.tolist(),
        "correlation": found.correlation.tolist(),
        "cost": found.cost,
        "runs": found.runs,
        "failed": found.failed,
        "notes": list(found.notes),
        "history": [asdict(each) for each in found.history],
        "curves": [_curve(each, with_points) for each in found.curves],
    }
    return dict(_finite(record))


def write_record(found: Identification, path: str | os.PathLike[str]) -> None:
    """Write the record to a file."""
    text = json.dumps(identification_record(found), ensure_ascii=False, allow_nan=False, indent=1)
    try:
        write_whole(path, text + "\n")
    except OSError as error:
        raise IdentificationError(f"{path}: cannot be written: {error.strerror}; choose another place") from error


def _curve(curve: FittedCurve, with_points: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "label": curve.label,
        "quantity": curve.quantity,
        "unit": curve.unit,
        "standard_deviation": curve.standard_deviation / curve.factor,
        "standard_deviation_given": curve.deviation_given,
        "n_points": len(curve.time),
    }
    if with_points:
        record["time"] = curve.time.tolist()
        record["measured"] = (curve.measured / curve.factor).tolist()
        record["fitted"] = (curve.fitted / curve.factor).tolist()
    return record


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
