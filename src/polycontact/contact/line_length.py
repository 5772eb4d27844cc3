"""How long penetration lines are where nobody says: a length of both bodies that knows no axes and no order.

A line from the base finds contacts as deep as it is long. Lines much longer than a body is thick also find its far
side, from flanks that only graze it.
"""

from __future__ import annotations

import math

from polycontact.surfaces.surface import Surface
from polycontact.tolerances import EPS

SHEET_LENGTH_SHARE = 0.25
"""Length of the lines between surfaces that enclose nothing, in roots of the smaller area: of a square, its side."""


def default_length(e: Surface, f: Surface) -> float:
    """`half_thickness` of the thinner body, m; where neither has one, a quarter of the root of the smaller area."""
    thinner = min(half_thickness(e), half_thickness(f))
    if math.isfinite(thinner):
        return thinner
    return SHEET_LENGTH_SHARE * math.sqrt(min(float(e.areas.sum()), float(f.areas.sum())))


def half_thickness(surface: Surface) -> float:
    """Two volumes over the area, m: the thickness of a plate, the radius of a rod, two thirds of the radius of a ball.

    Infinite for an open surface, which has no thickness, and for one that is inside out: there is no end to the matter
    around a room.
    """
    area = float(surface.areas.sum())
    if not surface.is_closed or surface.volume <= EPS * surface.size * area:
        return math.inf
    return 2.0 * surface.volume / area
