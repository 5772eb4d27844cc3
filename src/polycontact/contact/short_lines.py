"""Penetration lines that are too short: triangles deeper in the target than their lines are long get no element."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import Base, PenetrationLines
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing

MOST_POINTS = 200
"""Barycentres of a base that are looked at: spread over those in the target's box."""


def missed_by_lines(pairing: ContactPairing, R: NDArray[np.float64], r: NDArray[np.float64]) -> str:
    """What is said where a base lies deeper in the target than its lines reach, at rotation R and position r (m) of F
    in E; empty where nothing is missed, with other methods, and for open targets, which have no inside."""
    method, e, f = pairing.method, pairing.e, pairing.f
    if not (isinstance(method, PenetrationLines) and isinstance(e, Surface) and isinstance(f, Surface)):
        return ""
    reach = method.line_length(e, f)
    deepest = 0.0
    if pairing.base is not Base.F:
        deepest = _deepest((e.barycentres - r) @ R, f)
    if pairing.base is not Base.E:
        deepest = max(deepest, _deepest(f.barycentres @ R.T + r, e))
    if deepest <= reach:
        return ""
    return (
        f"the base lies {1e3 * deepest:.3g} mm deep in the target, and its lines are {1e3 * reach:.3g} mm long: "
        f"triangles deeper than that are not seen, so that the force is too small, or zero; make max_penetration "
        f"greater than the depth, or take the polygonal method"
    )


def _deepest(points: NDArray[np.float64], target: Surface) -> float:
    """How deep the deepest of some points (n, 3) lies in a closed surface, m; 0 where none does."""
    if not target.is_closed:
        return 0.0
    lower, upper = target.bounds
    within = points[((points > lower) & (points < upper)).all(axis=1)]
    chosen = within[:: max(1, len(within) // MOST_POINTS)]
    return float(max(-target.closest_points(chosen).distances.min(), 0.0)) if len(chosen) else 0.0
