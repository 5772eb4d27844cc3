"""The table of the maps of surfaces: a row for each triangle of each mapped shape, in the order of their meshes."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np


class MapQuantity(NamedTuple):
    """A map: its name, unit and meaning; ``adds_up``: whether parts of a run add up, or the greatest counts."""

    name: str
    unit: str
    title: str
    meaning: str
    adds_up: bool = True


MAP_QUANTITIES: Final = (
    MapQuantity("pressure", "Pa", "greatest pressure", "greatest pressure", adds_up=False),
    MapQuantity("contact_time", "s", "contact time", "time in contact, mean over the triangle"),
    MapQuantity(
        "sliding", "m", "sliding distance", "distance over which the other surface slid, mean over the triangle"
    ),
    MapQuantity("friction_energy", "J/m²", "friction energy", "energy lost in friction over area, heat of both bodies"),
    MapQuantity("wear", "m", "wear depth", "depth of the wear, mean over the triangle"),
    MapQuantity("dent", "m", "dent depth", "depth of permanent dents", adds_up=False),
)
"""All maps; the last two are zero where no contact wears and no law leaves dents."""

MAP_ROW: Final = np.dtype([(each.name, "<f8") for each in MAP_QUANTITIES])
"""A row of the table."""

SELDOM: Final = ("wear", "dent")
"""Maps that are shown only where they are not zero."""
