"""Outlines of contact elements as triangles to draw: a polygon, maybe with holes, cut into triangles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.ear_clipping import fan, triangulate_polygon

STRAIGHT = 1e-9
"""A turn below this times another turn of the outline may be rounding: the corner is not called convex."""

Loop = NDArray[np.float64]
"""Corners (n, 3) of a polygon, counter-clockwise seen from outside the body; a hole runs clockwise."""


def fill(loops: Sequence[Loop], normal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Triangles (k, 3, 3) of the part of a plane that ``loops`` bound; ``normal``: of the plane, outward."""
    if len(loops) == 1:
        return _triangles(loops[0])
    outlines = [loop for loop in loops if _signed_area(loop, normal) > 0.0]
    for hole in (loop for loop in loops if _signed_area(loop, normal) <= 0.0):
        if outlines:
            host = _host(hole, outlines, normal)
            outlines[host] = _bridge(outlines[host], hole)
    return np.concatenate([np.empty((0, 3, 3)), *map(_triangles, outlines)])


def _signed_area(loop: Loop, normal: NDArray[np.float64]) -> float:
    relative = loop - loop[0]
    return float(np.cross(relative[1:-1], relative[2:]).sum(axis=0) @ normal)


def _host(hole: Loop, outlines: Sequence[Loop], normal: NDArray[np.float64]) -> int:
    """The outline around a hole: the one that its first point lies inside of."""
    kept = [i for i in range(3) if i != int(np.argmax(np.abs(normal)))]
    x, y = hole[0][kept]
    for number, outline in enumerate(outlines):
        a, b = outline[:, kept], np.roll(outline, -1, axis=0)[:, kept]
        crosses = (a[:, 1] > y) != (b[:, 1] > y)
        rise = np.where(b[:, 1] != a[:, 1], b[:, 1] - a[:, 1], 1.0)
        if np.count_nonzero(crosses & (x < a[:, 0] + (y - a[:, 1]) / rise * (b[:, 0] - a[:, 0]))) % 2:
            return number
    return 0


def _bridge(outline: Loop, hole: Loop) -> Loop:
    """One polygon of an outline and a hole in it, joined between their nearest points."""
    distance = np.linalg.norm(outline[:, None] - hole[None], axis=2)
    i, j = np.unravel_index(int(np.argmin(distance)), distance.shape)
    around = np.roll(hole, -int(j), axis=0)
    return np.concatenate((outline[: i + 1], around, around[:1], outline[i:]))


def _triangles(outline: Loop) -> NDArray[np.float64]:
    """An outline as triangles (k, 3, 3); corners that coincide are one."""
    sides = outline - outline[np.arange(len(outline)) - 1]
    apart = sides.any(axis=1)
    points, sides = outline[apart], sides[apart]
    if len(points) < 3:
        return np.empty((0, 3, 3))
    return points[fan(len(points)) if _is_convex(sides) else triangulate_polygon(points).triangles]


def _is_convex(sides: NDArray[np.float64]) -> bool:
    """Whether a plane polygon with these sides (n, 3) turns left at every corner, and around once in all."""
    if len(sides) == 3:
        return True
    after = np.concatenate((sides[1:], sides[:1]))
    turns = _cross(sides, after)
    left = turns @ turns[0]
    if not (left > STRAIGHT * (turns[0] @ turns[0])).all():
        return False
    if len(sides) == 4:  # too few to wind around twice
        return True
    ahead = np.einsum("ij,ij->i", sides, after)
    return bool(np.arctan2(left / np.sqrt(left[0]), ahead).sum() < 3.0 * np.pi)


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cross products of rows; numpy's own is slow for few of them."""
    return np.asarray(a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]])
