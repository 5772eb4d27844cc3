"""Lines from which signs are drawn: arcs, arrows, coils. Segments are (n, 2, 3) m; directions are unit vectors."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rotations import frame_with_z

Vector: TypeAlias = NDArray[np.float64]
Segments: TypeAlias = NDArray[np.float64]

NONE: Final = np.empty((0, 2, 3))

ARC_STEP = math.radians(6.0)
"""Angle between two points of an arc, rad: its corners are not seen."""


def polyline(points: NDArray[np.float64]) -> Segments:
    """Segments from each of the points (n, 3) to the next."""
    return np.stack((points[:-1], points[1:]), axis=1)


def line(start: Vector, end: Vector) -> Segments:
    """One segment, (1, 2, 3), from ``start`` to ``end``."""
    return np.array([[start, end]])


def arc(centre: Vector, axis: Vector, zero: Vector, start: float, end: float, radius: float) -> Segments:
    """Part of a circle about ``axis`` between two angles (rad) from the direction ``zero``, at most a whole turn."""
    end = start + min(max(end - start, -2.0 * math.pi), 2.0 * math.pi)
    angles = np.linspace(start, end, max(2, math.ceil(abs(end - start) / ARC_STEP) + 1))
    return polyline(centre + radius * turned(axis, zero, angles))


def turned(axis: Vector, zero: Vector, angles: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """The direction ``zero`` turned about ``axis``, which it is perpendicular to, by angles (rad)."""
    angle = np.asarray(angles)[..., None]
    return np.asarray(np.cos(angle) * zero + np.sin(angle) * np.cross(axis, zero))


def arrow(foot: Vector, tip: Vector) -> Segments:
    """A line with a head of four strokes."""
    return np.concatenate((line(foot, tip), arrow_head(tip, tip - foot, 0.22 * float(np.linalg.norm(tip - foot)))))


def arrow_head(tip: Vector, along: Vector, size: float) -> Segments:
    """Four segments from ``tip`` backwards, of length about ``size``; none if ``along`` is 0."""
    length = float(np.linalg.norm(along))
    if not length > 0.0:
        return NONE
    x, y, z = frame_with_z(along / length).T
    ends = [tip - size * z + 0.4 * size * side for side in (x, -x, y, -y)]
    return np.array([[tip, end] for end in ends])


def cross_stroke(at: Vector, axis: Vector, size: float) -> Segments:
    """A cross square to an axis: the end of a way."""
    x, y, _ = frame_with_z(axis).T
    return np.array([[at - size * side, at + size * side] for side in (x, y)])


def coil(start: Vector, end: Vector, radius: float, turns: int = 6) -> Segments:
    """A helical spring between two points, with straight ends."""
    way = end - start
    length = float(np.linalg.norm(way))
    if not length > 0.0:
        return NONE
    x, y, z = frame_with_z(way / length).T
    share = np.linspace(0.0, 1.0, 24 * turns + 1)
    angle = (2.0 * math.pi * turns * share)[:, None]
    height = (0.15 + 0.7 * share)[:, None] * length
    points = start + height * z + radius * (np.cos(angle) * x + np.sin(angle) * y)
    return polyline(np.concatenate(([start, start + 0.15 * length * z], points, [start + 0.85 * length * z, end])))


def cone(apex: Vector, axis: Vector, angle: float, size: float) -> Segments:
    """The cone of half ``angle`` (rad) about an axis: its rim and eight lines."""
    x, _, z = frame_with_z(axis).T
    around = turned(z, x, np.linspace(0.0, 2.0 * math.pi, 9)[:-1])
    lines = [[apex, apex + size * (math.cos(angle) * z + math.sin(angle) * side)] for side in around]
    rim = arc(apex + size * math.cos(angle) * z, z, x, 0.0, 2.0 * math.pi, size * math.sin(angle))
    return np.concatenate((np.array(lines), rim))
