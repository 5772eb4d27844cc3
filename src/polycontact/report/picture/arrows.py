"""Forces as arrows: a shaft and a head, as triangles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.report.patches.contact_forces import ContactForce

SIDES = 12
"""Of the shaft and the head."""

HEAD_WIDTH, HEAD_LENGTH = 2.6, 6.0
"""Radius and length of the head in radii of the shaft."""


@dataclass(frozen=True, eq=False)
class Arrow:
    """An arrow from ``point`` to ``tip`` (3,) m, its shaft of radius ``width`` m, with the force it shows, N."""

    point: NDArray[np.float64]
    tip: NDArray[np.float64]
    width: float
    force: float


def scale_arrows(
    forces: tuple[ContactForce, ...], longest: float, width: float, limit: float, least: float = 0.02
) -> tuple[Arrow, ...]:
    """Arrows whose lengths are to ``longest`` (m) as their forces to ``limit`` (N), without very short ones."""
    arrows = []
    for each in forces:
        size = float(np.linalg.norm(each.force))
        if size > least * limit > 0.0:
            tip = each.point + (longest / limit) * each.force
            arrows.append(Arrow(each.point, tip, min(width, longest * size / limit / (1.5 * HEAD_LENGTH)), size))
    return tuple(arrows)


def arrow_mesh(point: NDArray[np.float64], tip: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Triangles (n, 3, 3) m of an arrow, seen from outside."""
    axis = (tip - point) / np.linalg.norm(tip - point)
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    angle = 2 * math.pi * np.arange(SIDES + 1) / SIDES
    ring = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(axis, across)
    neck = tip - HEAD_LENGTH * width * axis
    low, high, wide = point + width * ring, neck + width * ring, neck + HEAD_WIDTH * width * ring
    here, there = slice(None, -1), slice(1, None)

    def points(place: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.broadcast_to(place, (SIDES, 3))

    faces = (
        (low[here], low[there], high[there]),
        (low[here], high[there], high[here]),
        (points(point), low[there], low[here]),
        (points(neck), wide[there], wide[here]),
        (wide[here], wide[there], points(tip)),
    )
    return np.concatenate([np.stack(face, axis=1) for face in faces])
