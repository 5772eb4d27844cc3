"""Polygons in the plane of an element, as loops of corners in rows of a work array, cut along lines.

A row (`corner_rows`): reference coordinates x and y, the values of four linear functions there, and of one more. A cut
interpolates them along with the corners, so that the four are evaluated once. Loops run around what they enclose to the
left; those of holes the other way, and what runs to and fro cancels: integrals over loops add up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from polycontact.kernels.contact.corner_rows import (
    ALONG_X,
    ALONG_Y,
    FIRST_VALUE,
    ORIGIN,
    note_least,
    put_between,
    put_copy,
    put_values,
)
from polycontact.kernels.contact.plane_moments import Linear
from polycontact.kernels.geometry.vectors import as_index
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles

HEIGHT = FIRST_VALUE + 3
SCRATCH = 2
"""Columns: the last of the four values, which is the depth, and the one more."""


_MOST_EDGES = 62
"""Edges of a border that are joined: bits of a word."""


class Polygon(NamedTuple):
    """A loop of corners: its first row and how many."""

    first: int
    n: int


class Sums(NamedTuple):
    """Integrals over polygons in reference coordinates: twice the area, 6 ∫ h, 24 ∫ h x, 24 ∫ h y, 24 ∫ h², h the
    depth; and its greatest value."""

    area: float
    load: float
    load_x: float
    load_y: float
    squares: float
    deepest: float


@inline_kernel
def _place(k: int) -> int:
    """A row that is no negative number, which would be counted from the end."""
    return np.uint64(k)  # type: ignore[return-value]


@inline_kernel
def fill_four(at: Doubles, loop: Polygon, out: int, functions: Doubles) -> None:
    """Copy a loop to rows from ``out`` on with the values of four functions; their least and greatest are noted."""
    for k in range(loop.n):
        i = _place(loop.first + k)
        put_values(functions, at[i, 0], at[i, 1], at, loop.first + k, out + k)


@inline_kernel
def find_least(at: Doubles, polygon: Polygon, functions: Doubles) -> None:
    """Note the least values of four functions over a polygon."""
    for k in range(polygon.first, polygon.first + polygon.n):
        i = _place(k)
        note_least(functions, at[i, 0], at[i, 1])


@inline_kernel
def function_of(functions: Doubles, i: int) -> Linear:
    """Linear function i of a table: its value at the origin and its slopes along x and y."""
    return Linear(functions[ORIGIN, i], functions[ALONG_X, i], functions[ALONG_Y, i])


@inline_kernel
def highest_depth(at: Doubles, polygon: Polygon) -> float:
    """The greatest depth over a polygon; 0 where there is none."""
    highest = 0.0
    for k in range(polygon.first, polygon.first + polygon.n):
        highest = max(highest, at[_place(k), HEIGHT])
    return highest


@inline_kernel
def fill(at: Doubles, polygon: Polygon, linear: Linear) -> tuple[float, float]:
    """Write the values of a function to the last column; the least and the greatest of them."""
    low = math.inf
    high = -math.inf
    for k in range(polygon.first, polygon.first + polygon.n):
        i = _place(k)
        value = linear.origin + linear.x * at[i, 0] + linear.y * at[i, 1]
        at[i, SCRATCH] = value
        low = min(low, value)
        high = max(high, value)
    return low, high


@inline_kernel
def negate(at: Doubles, polygon: Polygon) -> None:
    """Turn the sign of the last column."""
    for k in range(polygon.first, polygon.first + polygon.n):
        at[k, SCRATCH] = -at[k, SCRATCH]


@inline_kernel
def clip(at: Doubles, polygon: Polygon, column: int, out: int) -> Polygon:
    """The part of a polygon where a column is not negative, in rows from ``out`` on (Sutherland and Hodgman).

    None where there is no room for twice as many corners: the cells of an element do not add up then, and samples take
    over.
    """
    if polygon.n == 0 or out + 2 * polygon.n > len(at):
        return Polygon(as_index(out), as_index(0))
    top = out
    last = polygon.first + polygon.n - 1
    before = at[_place(last), _place(column)]
    for k in range(polygon.first, polygon.first + polygon.n):
        value = at[_place(k), _place(column)]
        if (value < 0.0) != (before < 0.0):
            put_between(at, last, k, before / (before - value), top)
            top += 1
        if value >= 0.0:
            put_copy(at, k, top)
            top += 1
        last = k
        before = value
    return Polygon(as_index(out), as_index(top - out))


@inline_kernel
def area_within(at: Doubles, polygon: Polygon) -> float:
    """Area of a polygon, in squares of the reference coordinates."""
    double = 0.0
    o = polygon.first
    for k in range(o + 1, o + polygon.n - 1):
        ax, ay = at[k, 0] - at[o, 0], at[k, 1] - at[o, 1]
        bx, by = at[k + 1, 0] - at[o, 0], at[k + 1, 1] - at[o, 1]
        double += ax * by - ay * bx
    return 0.5 * double


@inline_kernel
def sum_over(at: Doubles, polygon: Polygon, sums: Sums) -> Sums:
    """Add the integrals over a polygon, triangle by triangle from its first corner."""
    area, load, load_x, load_y, squares, deepest = sums
    o = polygon.first
    if polygon.n < 3:
        return sums
    i = _place(o)
    ox, oy, oh = at[i, 0], at[i, 1], at[i, HEIGHT]
    i = _place(o + 1)
    ax, ay, ah = at[i, 0] - ox, at[i, 1] - oy, at[i, HEIGHT]
    own = 0.0
    deepest = max(deepest, max(oh, ah))
    for k in range(o + 2, o + polygon.n):
        i = _place(k)
        bx, by, bh = at[i, 0] - ox, at[i, 1] - oy, at[i, HEIGHT]
        w = ax * by - ay * bx
        h = oh + ah + bh
        area += w
        own += w * h
        load_x += w * ((ax + bx) * h + ax * ah + bx * bh)
        load_y += w * ((ay + by) * h + ay * ah + by * bh)
        squares += w * (h * h + oh * oh + ah * ah + bh * bh)
        deepest = max(deepest, bh)
        ax, ay, ah = bx, by, bh
    return Sums(area, load + own, load_x + 4.0 * own * ox, load_y + 4.0 * own * oy, squares, deepest)


@kernel
def link_border(edges: Doubles, first: int, n: int, at: Doubles, loops: Doubles, most: int) -> int:
    """Join the edges of a border (xa, ya, xb, yb, mark), in any order, to loops of corners from the first row on.

    Ends that meet are the same to the bit. Returns how many loops there are, written as first row and length; 0 where
    there are too many, or no room.
    """
    if n > _MOST_EDGES:
        return 0
    # used: bits of the edges that stand in a loop. From the first that is free, follow ends to starts until it closes.
    used = 0
    n_loops = 0
    placed = 0
    start = 0
    while placed < n:
        while (used >> start) & 1:
            start += 1
        if n_loops == most:
            return 0
        begin = placed
        k = start
        while True:
            used |= 1 << k
            at[placed, 0] = edges[first + k, 0]
            at[placed, 1] = edges[first + k, 1]
            placed += 1
            x, y = edges[first + k, 2], edges[first + k, 3]
            if x == at[begin, 0] and y == at[begin, 1]:
                break
            k = -1
            for j in range(start + 1, n):
                if not (used >> j) & 1 and edges[first + j, 0] == x and edges[first + j, 1] == y:
                    k = j
                    break
            if k < 0:
                return 0
        loops[n_loops, 0] = begin
        loops[n_loops, 1] = placed - begin
        n_loops += 1
    return n_loops
