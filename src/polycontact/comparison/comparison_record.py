"""A comparison as plain data: numbers of tables, for JSON and for other programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.bounds import Expected

if TYPE_CHECKING:
    from polycontact.comparison.compare import Comparison, PairComparison
    from polycontact.comparison.measuring import Row


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """All numbers; SI units, in frame E at the origin of shape F. Numbers that do not exist are None."""
    return {
        "ok": comparison.ok,
        "name": comparison.name,
        "pairs": [_pair_record(pair) for pair in comparison.pairs],
        "apart": [
            {"name": each.name, "distance": None if each.distance is None else _number(each.distance.distance)}
            for each in comparison.apart
        ],
        "left_out": list(comparison.left_out),
    }


def _pair_record(pair: PairComparison) -> dict[str, Any]:
    scale = pair.scale
    return {
        "name": pair.name,
        "reference": {"force": _numbers(scale.force), "depth": scale.depth, "is": scale.reference_words},
        "areal_stiffness": {"value": scale.c, "is": scale.c_words},
        "point_stiffness": {"value": scale.k, "is": scale.k_words},
        "rows": [_row_record(pair, row) for row in pair.rows],
        "misfits": [{"method": each.label, "forms": each.forms, "reason": each.reason} for each in pair.misfits],
        "laws": [
            {
                "law": each.label,
                "method": each.on,
                "parameter": each.parameter,
                "force": _number(each.force),
                "stiffness": _number(each.stiffness),
                "reason": each.reason,
            }
            for each in pair.laws
        ],
    }


def _row_record(pair: PairComparison, row: Row) -> dict[str, Any]:
    expected = row.expected
    bounds = (
        {"exact": expected.exact, "low": expected.low, "high": expected.high, "why": expected.why}
        if isinstance(expected, Expected)
        else None
    )
    return {
        "method": row.label,
        "forms": row.trial.forms,
        "force": _numbers(row.force),
        "torque": _numbers(row.torque),
        "normal_force": _number(pair.normal_force(row)),
        "difference": _number(row.difference(pair.reference)),
        "area": _number(row.area),
        "depth": _number(row.depth),
        "normal": _numbers(row.normal),
        "centre": _numbers(row.centre),
        "elements": row.elements,
        "status": row.status,
        "time": _number(row.time),
        "expected": bounds,
        "within": pair.is_within(row),
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [_number(float(value)) for value in values]
