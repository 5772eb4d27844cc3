"""The part of a base triangle that lies inside the other body, as triangles to draw.

In: the polylines in which intersection polygons cross the triangle, with the overlap to their left. Out: triangles.
A polyline enters and leaves through the sides. From where one leaves, the border of the part follows the sides of
the triangle, counter-clockwise, to where the next one enters (Weiler and Atherton, 1977). Closed polylines are
islands or holes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.ear_clipping import fan, triangulate_polygon

STRAIGHT = 1e-9
"""A turn below this times another turn of the outline may be rounding: the corner is not called convex."""

Loop = NDArray[np.float64]
"""Corners (n, 3) of a polygon, counter-clockwise seen from outside the body; a hole runs clockwise."""


def inside_parts(
    corners: NDArray[np.float64], polylines: Sequence[Loop], loops: Sequence[Loop]
) -> list[NDArray[np.float64]]:
    """Triangles (k, 3, 3) of each connected part of the triangle ``corners`` (3, 3) inside the other body.

    ``polylines`` begin and end on the sides; ``loops`` are closed and lie inside.
    """
    outlines = _follow(corners, polylines)
    islands = [loop for loop in loops if _signed_area(loop, corners) > 0.0]
    holes = [loop for loop in loops if _signed_area(loop, corners) <= 0.0]
    if holes and not outlines and not islands:
        outlines = [corners]
    outlines += islands
    for hole in holes:
        host = _host(hole, outlines, corners)
        outlines[host] = _bridge(outlines[host], hole)
    return [pieces for pieces in map(_triangles, outlines) if len(pieces)]


def _follow(corners: NDArray[np.float64], polylines: Sequence[Loop]) -> list[Loop]:
    """Outlines made of polylines and of the stretches of the sides between them."""
    if not polylines:
        return []
    ends = np.array([(line[0], line[-1]) for line in polylines])
    enters, leaves = _places_on_sides(ends.reshape(-1, 3), corners).reshape(-1, 2).T.tolist()
    left = set(range(len(polylines)))
    outlines = []
    while left:
        first = k = min(left)
        points: list[NDArray[np.float64]] = []
        while k in left:
            left.discard(k)
            points.extend(polylines[k])
            ahead = [(enters[j] - leaves[k]) % 3.0 for j in range(len(polylines))]
            following = min(left | {first}, key=lambda j: ahead[j])
            points.extend(_corners_between(corners, leaves[k], ahead[following]))
            k = following
        outlines.append(np.array(points))
    return outlines


def _places_on_sides(points: NDArray[np.float64], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where points (n, 3) lie on the border: 0 to 1 on the side from corner 0 to 1, and so on to 3."""
    sides = corners[[1, 2, 0]] - corners
    apart = points[:, None] - corners
    share = np.einsum("nij,ij->ni", apart, sides) / np.einsum("ij,ij->i", sides, sides)
    share = np.minimum(np.maximum(share, 0.0), 1.0)
    off = apart - share[:, :, None] * sides
    side = np.einsum("nij,nij->ni", off, off).argmin(axis=1)
    return np.asarray(side + share[np.arange(len(points)), side])


def _corners_between(corners: NDArray[np.float64], start: float, length: float) -> list[NDArray[np.float64]]:
    """Corners passed on the way of ``length`` (in sides) from ``start``, counter-clockwise."""
    first = int(np.floor(start)) + 1
    return [corners[i % 3] for i in range(first, first + 3) if start < i < start + length]


def _signed_area(loop: Loop, corners: NDArray[np.float64]) -> float:
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    relative = loop - loop[0]
    return float(np.cross(relative[1:-1], relative[2:]).sum(axis=0) @ normal)


def _host(hole: Loop, outlines: Sequence[Loop], corners: NDArray[np.float64]) -> int:
    """The outline around a hole: the one that its first point lies inside of."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
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
    """Whether a plane polygon of three or four sides (n, 3), as most outlines are, turns left at every corner.

    More corners can do so and wind around twice: they are not looked at.
    """
    if len(sides) != 4:
        return len(sides) == 3
    turns = _cross(sides, sides[[1, 2, 3, 0]])
    return bool((turns @ turns[0] > STRAIGHT * (turns[0] @ turns[0])).all())


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cross products of rows; numpy's own is slow for few of them."""
    return np.asarray(a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]])
