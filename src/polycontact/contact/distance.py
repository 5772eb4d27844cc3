"""The signed distance of two bodies: what a query of a pairing gives."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class DistanceStatus(enum.Enum):
    """Relation of two bodies: apart, touching, or one penetrating the other."""

    SEPARATED = "separated"
    """They are apart."""
    TOUCHING = "touching"
    """They meet and no point of one lies inside the other: they just touch, or have no inside, as open surfaces."""
    PENETRATING = "penetrating"
    """Points of one lie inside the other."""
    PENETRATING_AT_LEAST = "penetrating at least"
    """The same; very many points are about equally deep, and there may be deeper ones than those looked at."""
    NOT_SETTLED = "not settled"
    """The search ended before the distance was as accurate as the method promises: take it as an estimate."""
    NOT_FOUND = "not found"
    """The search found no distance; all numbers are nan."""


def status_by_sign(distance: float) -> DistanceStatus:
    """How bodies lie whose distance (m) is known."""
    if distance == 0.0:
        return DistanceStatus.TOUCHING
    return DistanceStatus.SEPARATED if distance > 0.0 else DistanceStatus.PENETRATING


@dataclass(frozen=True)
class Distance:
    """The signed distance of bodies E and F, in frame E.

    ``distance`` (m): how far they are apart; where they penetrate, minus how deep. ``point_e``, ``point_f`` (3,) m: the
    points of E and F between which it is measured; ``normal`` (3,): unit vector out of E towards F, so that point_f =
    point_e + distance · normal; ``status``: how they lie.

    For meshes the depth is that of the deepest point of either surface in the other body, its distance from the other's
    surface, to a thousandth. So the signed distance is continuous in the pose, zero where the bodies just touch.
    """

    distance: float
    point_e: NDArray[np.float64]
    point_f: NDArray[np.float64]
    normal: NDArray[np.float64]
    status: DistanceStatus
