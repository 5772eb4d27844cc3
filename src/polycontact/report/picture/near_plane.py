"""Cutting triangles at the near plane of a camera, so that one that reaches behind it does not wrap around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.report.picture.camera import Projection

NEAREST = 1e-3
"""Distance of the near plane in distances of the target."""


def clip_near(
    corners: NDArray[np.float64], projection: Projection
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Triangles (k, 3, 3) m in front of the near plane, the number of the triangle each is part of (k,), and the
    barycentric coordinates (k, 3, 3) of its corners there."""
    assert projection.camera.distance is not None
    limit = NEAREST * projection.camera.distance
    ahead = (projection.eye - corners) @ projection.camera.axes()[2] - limit
    whole = np.flatnonzero((ahead >= 0).all(axis=1))
    cut = np.flatnonzero((ahead >= 0).any(axis=1) & (ahead < 0).any(axis=1))
    parts, owners, shares = [corners[whole]], [whole], [np.broadcast_to(np.eye(3), (len(whole), 3, 3))]
    for t in cut.tolist():
        places = _cut_one(ahead[t])
        fan = np.array([[places[0], places[i], places[i + 1]] for i in range(1, len(places) - 1)])
        parts.append(fan @ corners[t])
        owners.append(np.full(len(fan), t))
        shares.append(fan)
    return np.concatenate(parts), np.concatenate(owners), np.concatenate(shares)


def _cut_one(ahead: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Corners, as barycentric coordinates, of the part of a triangle where the linear function is not negative."""
    unit = np.eye(3)
    places = []
    for i in range(3):
        j = (i + 1) % 3
        if ahead[i] >= 0:
            places.append(unit[i])
        if (ahead[i] >= 0) != (ahead[j] >= 0):
            share = ahead[i] / (ahead[i] - ahead[j])
            places.append((1 - share) * unit[i] + share * unit[j])
    return places
