"""Splitting one polygon into triangles by ear clipping, concave ones and collinear corners included.

In: corners (n, 3) of a more or less planar polygon. Out: n - 2 triangles with the orientation of the polygon,
which use every corner, so that neighbours across a straight side with corners on it still fit.

The polygon is seen along its Newell normal (the area vector): the coordinate in which that normal is largest
is dropped, which keeps the other two exactly as they are. Then an ear, a convex corner whose triangle holds
no other corner, is cut off until three corners remain (O'Rourke, Computational Geometry in C, section 1.3:
cutting an ear only changes whether its two neighbours are ears, so the time is quadratic).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.tolerances import EPS, WELD_TOLERANCE

ROUNDING = 8.0 * EPS
"""Relative error of a computed cross product of coordinate differences, with a margin."""


class Pieces(NamedTuple):
    """Triangles (n - 2, 3) of corner indices; ``simple`` is False where the polygon crosses itself."""

    triangles: NDArray[np.int64]
    simple: bool


class _Strictness(IntEnum):
    """What may be cut off; a lower one is tried only when the higher ones find nothing more."""

    ANY = 0  # whatever remains: the polygon is degenerate or crosses itself
    POSITIVE = 1  # an ear, however thin
    SOUND = 2  # an ear that is no sliver at the precision with which files are written


def fan(n: int) -> NDArray[np.int64]:
    """Corner indices (n - 2, 3) of the fan from corner 0 of an n-gon."""
    middle = np.arange(1, n - 1)
    return np.stack((np.zeros_like(middle), middle, middle + 1), axis=1)


def newell_normals(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Twice the area vectors (k, 3) of polygons (k, n, 3): they turn counter-clockwise about them."""
    with np.errstate(all="ignore"):
        relative = points - points[:, :1]
        return np.asarray(np.cross(relative[:, 1:-1], relative[:, 2:]).sum(axis=1))


def fans_are_valid(points: NDArray[np.float64], normals: NDArray[np.float64], *, start: int) -> NDArray[np.bool_]:
    """Whether the fan from corner ``start`` splits each polygon (k, n, 3) into sound triangles.

    It does when every triangle of the fan turns with the polygon, with a height that is no rounding error of
    the file: the triangles then cover each point as often as the polygon winds around it, which is once.
    Convex polygons pass unless corners next to ``start`` are collinear with it, and some concave ones do.
    """
    with np.errstate(all="ignore"):
        rolled = np.roll(points, -start, axis=1)
        to_first, to_second = rolled[:, 1:-1] - rolled[:, :1], rolled[:, 2:] - rolled[:, :1]
        unit = normals / np.linalg.norm(normals, axis=1, keepdims=True)
        areas = np.einsum("kij,kj->ki", np.cross(to_first, to_second), unit)
        sides = [np.square(side).sum(axis=2) for side in (to_first, to_second, to_second - to_first)]
        return np.asarray((areas > WELD_TOLERANCE * np.maximum.reduce(sides)).all(axis=1))


def triangulate_polygon(points: NDArray[np.float64]) -> Pieces:
    """Split a polygon with corners ``points`` (n, 3), n >= 3, that is planar up to small deviations."""
    if len(points) == 3:
        return Pieces(fan(3), True)
    normal = newell_normals(points[None])[0]
    if not (np.isfinite(points).all() and np.isfinite(normal).all() and normal.any()):
        return Pieces(fan(len(points)), False)
    return _EarClipper(_flatten(points, normal)).run()


def _flatten(points: NDArray[np.float64], normal: NDArray[np.float64]) -> NDArray[np.float64]:
    """The polygon seen along the axis nearest to its normal, counter-clockwise, (n, 2)."""
    axis = int(np.argmax(np.abs(normal)))
    first, second = ((1, 2), (2, 0), (0, 1))[axis]
    return points[:, [first, second]] if normal[axis] > 0 else points[:, [second, first]]


class _EarClipper:
    """The state of ear clipping: a ring of the corners that remain.

    Invariant: ``blocking`` is True exactly for remaining corners that are not clearly convex. Only those can
    lie in a triangle of a convex corner without a blocking one lying there too.
    """

    def __init__(self, flat: NDArray[np.float64]) -> None:
        n = len(flat)
        self.x, self.y = flat[:, 0].copy(), flat[:, 1].copy()
        self.xs: list[float] = self.x.tolist()
        self.ys: list[float] = self.y.tolist()
        self.before = [n - 1, *range(n - 1)]
        self.after = [*range(1, n), 0]
        self.remaining = n
        self.alive = [True] * n
        self.blocking = np.zeros(n, dtype=bool)
        self.strictness = _Strictness.SOUND
        self.simple = True
        self.triangles: list[tuple[int, int, int]] = []
        for corner in range(n):
            self._update_blocking(corner)

    def run(self) -> Pieces:
        """Cut ears until a triangle remains."""
        for strictness in reversed(_Strictness):
            self.strictness = strictness
            self._cut_ears()
        return Pieces(np.array(self.triangles, dtype=np.int64), self.simple)

    def _cut_ears(self) -> None:
        # Last in, first out, and a corner away from the last cut first: fewer slivers than a fan.
        candidates = [i for i in range(len(self.alive) - 1, -1, -1) if self.alive[i]]
        while candidates and self.remaining > 2:
            tip = candidates.pop()
            if not self.alive[tip] or not self._is_ear(tip):
                continue
            self.simple &= self.strictness > _Strictness.ANY
            left, right = self.before[tip], self.after[tip]
            self._cut(left, tip, right)
            candidates += (left, right, self.after[right])

    def _cut(self, left: int, tip: int, right: int) -> None:
        self.triangles.append((left, tip, right))
        self.after[left], self.before[right] = right, left
        self.alive[tip] = False
        self.blocking[tip] = False
        self.remaining -= 1
        self._update_blocking(left)
        self._update_blocking(right)

    def _is_ear(self, tip: int) -> bool:
        if self.strictness == _Strictness.ANY:
            return True
        left, right = self.before[tip], self.after[tip]
        if not self._turns_left(left, tip, right, self.strictness):
            return False
        return self.remaining == 3 or not self._is_blocked(left, tip, right)

    def _update_blocking(self, corner: int) -> None:
        self.blocking[corner] = not self._turns_left(self.before[corner], corner, self.after[corner], _Strictness.SOUND)

    def _turns_left(self, a: int, b: int, c: int, strictness: _Strictness) -> bool:
        """Whether the corner at ``b`` is convex, beyond rounding or beyond the precision of files."""
        x, y = self.xs, self.ys
        ux, uy, vx, vy = x[b] - x[a], y[b] - y[a], x[c] - x[b], y[c] - y[b]
        area = ux * vy - uy * vx
        if strictness == _Strictness.POSITIVE:
            return area > ROUNDING * (abs(ux * vy) + abs(uy * vx))
        wx, wy = x[c] - x[a], y[c] - y[a]
        return area > WELD_TOLERANCE * max(ux * ux + uy * uy, vx * vx + vy * vy, wx * wx + wy * wy)

    def _is_blocked(self, a: int, b: int, c: int) -> bool:
        """Whether a blocking corner lies in the closed triangle, other than at one of its corners."""
        others = np.flatnonzero(self.blocking)
        x, y = self.x[others], self.y[others]
        inside = np.ones(len(others), dtype=bool)
        for i, j in ((a, b), (b, c), (c, a)):
            xi, yi = self.xs[i], self.ys[i]
            forward, backward = (self.xs[j] - xi) * (y - yi), (self.ys[j] - yi) * (x - xi)
            inside &= forward - backward >= -ROUNDING * (np.abs(forward) + np.abs(backward))
            inside &= (x != xi) | (y != yi)
        return bool(inside.any())
