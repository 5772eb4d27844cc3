"""Corners of polygons, four numbers at once: rows of eight numbers, and four linear functions over them.

A row of a corner: reference coordinates x and y, the value of one more function (`polygons`) and nothing, then the
values of four functions there. What is read together is written together, four numbers at a time: the processor waits
where it is not. A table of functions: their values at the origin, their slopes along x and along y, then the least and
the greatest of the values that were asked for.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from polycontact.kernels.four_at_once import four_at_once
from polycontact.kernels.lanes import Code, Point, larger, product, smaller

N_COLUMNS = 8
"""Of a corner."""
FIRST_VALUE = 4
"""Column of a corner with the first of four values."""
ORIGIN, ALONG_X, ALONG_Y, LEAST, GREATEST, N_FUNCTION_ROWS = range(6)
"""Rows of a table of functions."""
_N_PLANE = 16
"""Numbers of four planes: x, y and z of their normals, and their offsets."""


def _same_point(code: Code, p: Any) -> Point:
    """One point in all four lanes."""
    x, y, z = p
    return (code.same(x), code.same(y), code.same(z))


@four_at_once(result=types.void)
def _functions_over(code: Code, planes: Any, t: Any, origin: Any, along_x: Any, along_y: Any, functions: Any) -> None:
    nx, ny, nz, offset = (code.neighbours(planes, _N_PLANE, t, 4 * k) for k in range(4))
    normals = (nx, ny, nz)
    code.store(functions, ORIGIN, product(normals, _same_point(code, origin)) + offset)
    code.store(functions, ALONG_X, product(normals, _same_point(code, along_x)))
    code.store(functions, ALONG_Y, product(normals, _same_point(code, along_y)))
    code.store(functions, LEAST, code.constant(math.inf))
    code.store(functions, GREATEST, code.constant(-math.inf))


functions_over = _functions_over.chosen
"""``functions_over(planes, t, origin, along_x, along_y, functions)``: how far points origin + x along_x + y along_y lie
over the four planes of row t, as functions of x and y; nothing was asked of them yet."""


@four_at_once(result=types.void)
def _put_values(code: Code, functions: Any, x: Any, y: Any, at: Any, i: Any, k: Any) -> None:
    along_x = code.stored(functions, ALONG_X) * code.same(x)
    values = code.stored(functions, ORIGIN) + along_x + code.stored(functions, ALONG_Y) * code.same(y)
    code.put_neighbours(at, N_COLUMNS, k, 0, code.neighbours(at, N_COLUMNS, i, 0))
    code.put_neighbours(at, N_COLUMNS, k, FIRST_VALUE, values)
    code.store(functions, LEAST, smaller(code.stored(functions, LEAST), values))
    code.store(functions, GREATEST, larger(code.stored(functions, GREATEST), values))


put_values = _put_values.chosen
"""``put_values(functions, x, y, at, i, k)``: write corner i of ``at``, which lies at (x, y), to corner k, with the
values of four functions; note the least and the greatest of these."""


@four_at_once(result=types.void)
def _note_least(code: Code, functions: Any, x: Any, y: Any) -> None:
    along_x = code.stored(functions, ALONG_X) * code.same(x)
    values = code.stored(functions, ORIGIN) + along_x + code.stored(functions, ALONG_Y) * code.same(y)
    code.store(functions, LEAST, smaller(code.stored(functions, LEAST), values))


note_least = _note_least.chosen
"""``note_least(functions, x, y)``: note the least values of four functions, here at (x, y)."""


@four_at_once(result=types.void)
def _put_between(code: Code, at: Any, i: Any, j: Any, share: Any, k: Any) -> None:
    for column in (0, 4):
        here, there = (code.neighbours(at, N_COLUMNS, row, column) for row in (i, j))
        code.put_neighbours(at, N_COLUMNS, k, column, here + code.same(share) * (there - here))


put_between = _put_between.chosen
"""``put_between(at, i, j, share, k)``: write what lies between corners i and j, at a share of the way, to corner k."""


@four_at_once(result=types.void)
def _put_copy(code: Code, at: Any, i: Any, k: Any) -> None:
    for column in (0, 4):
        code.put_neighbours(at, N_COLUMNS, k, column, code.neighbours(at, N_COLUMNS, i, column))


put_copy = _put_copy.chosen
"""``put_copy(at, i, k)``: write corner i to corner k."""

LANE_FUNCTIONS = {
    "functions_over": _functions_over,
    "put_values": _put_values,
    "note_least": _note_least,
    "put_between": _put_between,
    "put_copy": _put_copy,
}
"""With all their twins, for comparison."""
