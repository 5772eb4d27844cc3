"""Joint motions that take a tool along a path, through inverse kinematics at points of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody.motion_functions import SplineMotion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.inverse_solution import PoseSearch


def follow_path(
    system: MultibodySystem,
    body: str,
    times: ArrayLike,
    positions: ArrayLike,
    *,
    rotation: ArrayLike | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
) -> dict[str, SplineMotion]:
    """Motions of joints, by name, that take ``point`` (m) of a body through ``positions`` (n, 3) m at ``times`` (n,) s.

    ``rotation`` (3, 3): how the body stays turned; free where left out. Each pose is sought from the one before, so
    that the path does not jump to another elbow. Between the points the joints go on splines, at rest at both ends.
    """
    t, places = np.asarray(times, dtype=np.float64), np.asarray(positions, dtype=np.float64)
    if t.ndim != 1 or places.shape != (len(t), 3):
        raise MultibodyError(
            f"path of {body!r}: times {t.shape} and positions {places.shape} must be (n,) in s and (n, 3) in m"
        )
    search = PoseSearch(system, body, point=point)
    rows: list[dict[str, NDArray[np.float64]]] = []
    for place in places:
        rows.append(search.find(place, rotation, rows[-1] if rows else None))
    several = [name for name, q in rows[0].items() if len(q) != 1]
    if several:
        raise MultibodyError(
            f"path of {body!r}: joint {several[0]!r} has {len(rows[0][several[0]])} coordinates; a path is for joints "
            f"with one"
        )
    return {name: SplineMotion(t, np.array([float(row[name][0]) for row in rows])) for name in rows[0]}
