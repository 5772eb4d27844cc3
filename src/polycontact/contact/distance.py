"""What a query for the distance of two bodies returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Distance:
    """Signed distance of two bodies at a pose, in frame E.

    ``distance`` (m), negative where they overlap: minus the shortest way out; ``point_e``, ``point_f`` (m): the points
    of E and F that are nearest to each other, or deepest in each other; ``normal``: unit, on E's surface, out of E
    towards F; ``status``: "ok", or what is uncertain.
    """

    distance: float
    point_e: NDArray[np.float64]
    point_f: NDArray[np.float64]
    normal: NDArray[np.float64]
    status: str
