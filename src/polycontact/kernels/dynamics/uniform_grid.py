"""A broad phase by a uniform grid of cells, found by a hash (S2.4, in place of an octree).

A shape whose box is not as wide as a cell lies in at most eight of them; in each it meets those that came before.
In: boxes of all shapes, world axes. Out: numbers of the pairs whose boxes overlap.

    (1) a wide shape, such as a floor under many small bodies  -> tested against all others, in the end
    (2) two shapes in one cell                                 -> tested; the pair is listed in one cell only, that of
                                                                  the lower corner of what the two boxes share
    (3) two cells with the same list (hash)                    -> told apart by their full key

Cells are twice as wide as the mean of the boxes that are not wide.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.dynamics.broad_phase import boxes_overlap, find_pair
from polycontact.kernels.dynamics.evaluation_views import PlacedShapes
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.dynamics.system_row import search_at
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import Ints, Longs
from polycontact.tolerances import CELL_IN_WIDTHS, FITS_CELL, WIDE_BOX

_LAST = 2**20 - 1  # cells are numbered from -_LAST to _LAST along each axis; what lies beyond is in the outermost ones
_MOST = 8  # cells of a shape that is not wide


@kernel
def _n_heads(n_shapes: int) -> int:
    """Lists of shapes, a power of two."""
    heads = 16
    while heads < 4 * n_shapes:
        heads *= 2
    return heads


def room_of_grid(n_shapes: int, n_pairs: int) -> int:
    """Numbers that a grid works with: first entry of each list; cell, shape and next of each entry; wide shapes."""
    return _n_heads(n_shapes) + (3 * _MOST + 1) * n_shapes


@inline_kernel
def _width(placed: PlacedShapes, i: int) -> float:
    """Greatest extent of a box, m."""
    low, high = placed.low, placed.high
    return float(max(high[i, 0] - low[i, 0], max(high[i, 1] - low[i, 1], high[i, 2] - low[i, 2])))


@kernel
def _cell_width(placed: PlacedShapes) -> float:
    """Width of a cell, m: of boxes that are not wide, as one floor would make all cells too large."""
    n = placed.n_shapes
    mean = 0.0
    for i in range(n):
        mean += _width(placed, i) / n
    total = 0.0
    count = 0
    for i in range(n):
        width = _width(placed, i)
        if width <= WIDE_BOX * mean:
            total += width
            count += 1
    return CELL_IN_WIDTHS * total / count if total > 0.0 else 1.0


@inline_kernel
def _cell(x: float, width: float) -> int:
    """Number of a cell along an axis, from 0 on."""
    return math.floor(min(max(x / width, -_LAST), _LAST)) + _LAST


@inline_kernel
def _key(x: int, y: int, z: int) -> int:
    """Number of a cell in the whole grid, 21 bits an axis."""
    return (x << 42) | (y << 21) | z


@inline_kernel
def _head(key: int, heads: int) -> int:
    """The list of a cell: the middle bits of a product, mixed from all of its key (Fibonacci hashing)."""
    mixed = (key ^ (key >> 21) * 40503) * 2654435761
    return (mixed >> 16) & (heads - 1)


@kernel
def _meet_in_cell(
    placed: PlacedShapes, pairs: Pairs, i: int, key: int, width: float, memory: Longs, at: int, near: Ints, count: int
) -> int:
    """Shapes of the list from entry ``at`` on that lie in the same cell: pairs found so far."""
    heads, low = _n_heads(placed.n_shapes), placed.low
    entry = at
    while entry > 0:
        place = heads + 3 * (entry - 1)
        j = memory[place + 1]
        if memory[place] == key and boxes_overlap(placed, i, j, 0):
            x = _cell(max(low[i, 0], low[j, 0]), width)
            y = _cell(max(low[i, 1], low[j, 1]), width)
            z = _cell(max(low[i, 2], low[j, 2]), width)
            if _key(x, y, z) == key:
                pair = find_pair(pairs, i, j)
                if pair >= 0:
                    near[count] = pair
                    count += 1
        entry = memory[place + 2]
    return count


@kernel
def _meet_all(placed: PlacedShapes, pairs: Pairs, wide: Longs, n_wide: int, near: Ints, count: int) -> int:
    """Wide shapes with all others; two wide ones once. ``wide`` ascends."""
    for k in range(n_wide):
        i = wide[k]
        passed = 0  # wide shapes below j
        for j in range(placed.n_shapes):
            if passed < n_wide and wide[passed] == j:
                passed += 1
                if j <= i:
                    continue
            if boxes_overlap(placed, i, j, 0):
                pair = find_pair(pairs, i, j)
                if pair >= 0:
                    near[count] = pair
                    count += 1
    return count


@entry_kernel((types.int64,))
def find_by_grid(place: int) -> int:
    """Near pairs of the `NearSearch` at an address; their number."""
    search = search_at(place)
    placed, pairs, near, memory = search.placed, search.pairs, search.near, search.memory
    low, high = placed.low, placed.high
    n = placed.n_shapes
    heads = _n_heads(n)
    for k in range(heads):
        memory[k] = 0
    wide = memory[heads + 3 * _MOST * n :]
    width = _cell_width(placed)
    count = 0
    n_wide = 0
    entries = 0
    for i in range(n):
        if _width(placed, i) > FITS_CELL * width:  # (1)
            wide[n_wide] = i
            n_wide += 1
            continue
        for x in range(_cell(low[i, 0], width), _cell(high[i, 0], width) + 1):
            for y in range(_cell(low[i, 1], width), _cell(high[i, 1], width) + 1):
                for z in range(_cell(low[i, 2], width), _cell(high[i, 2], width) + 1):
                    # (2) Those in the cell so far; then this shape becomes the head of the cell's list.
                    key = _key(x, y, z)
                    head = _head(key, heads)
                    count = _meet_in_cell(placed, pairs, i, key, width, memory, memory[head], near, count)
                    at = heads + 3 * entries
                    entries += 1
                    memory[at] = key
                    memory[at + 1] = i
                    memory[at + 2] = memory[head]
                    memory[head] = entries
    return int(_meet_all(placed, pairs, wide, n_wide, near, count))


SORT_INTO_CELLS = address_of(find_by_grid)
