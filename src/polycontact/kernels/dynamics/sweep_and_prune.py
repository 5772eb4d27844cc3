"""A broad phase that sweeps over the boxes along x (S2.4).

In: boxes of all shapes, world axes. Out: numbers of the pairs whose boxes overlap.

    (1) few pairs a shape         -> each pair is tested, which is quicker then
    (2) else shapes are sorted by their lower x, from the order of the last call, which changes little
    (3) each shape is tested with those behind it in that order, up to the first that begins where it has ended
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.dynamics.all_pairs import list_overlapping
from polycontact.kernels.dynamics.broad_phase import boxes_overlap, find_pair
from polycontact.kernels.dynamics.evaluation_views import PlacedShapes
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.dynamics.system_row import search_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.views import Ints, Longs

_FEW = 4  # up to this many pairs a shape, testing each pair is quicker than a sweep


@kernel
def _sort_along_x(placed: PlacedShapes, order: Longs) -> None:
    """Shapes by their lower x, an order that changes little between two calls: insertion sort is nearly linear.

    ``order`` (n + 1,): the shapes of the last sweep, and whether there was one.
    """
    n, low = placed.n_shapes, placed.low
    if order[n] == 0:
        for k in range(n):
            order[k] = k
        order[n] = 1
    for k in range(1, n):
        shape = order[k]
        x = low[shape, 0]
        at = k
        while at > 0 and low[order[at - 1], 0] > x:
            order[at] = order[at - 1]
            at -= 1
        order[at] = shape


@kernel
def _sweep(placed: PlacedShapes, pairs: Pairs, order: Longs, near: Ints) -> int:
    """Number of pairs found, in the order of the sweep."""
    low = placed.low
    n = placed.n_shapes
    count = 0
    for k in range(n):
        i = order[k]
        end = placed.high[i, 0]
        for m in range(k + 1, n):
            j = order[m]
            if low[j, 0] > end:
                break  # so do all that follow
            if boxes_overlap(placed, i, j, 1):
                pair = find_pair(pairs, i, j)
                if pair >= 0:
                    near[count] = pair
                    count += 1
    return count


@entry_kernel((types.int64,))
def find_by_sweep(place: int) -> int:
    """Near pairs of the `NearSearch` at an address; their number. Where pairs are few, each is tested."""
    search = search_at(place)
    placed, pairs, near = search.placed, search.pairs, search.near
    if pairs.n_pairs <= _FEW * pairs.n_shapes:  # (1)
        return int(list_overlapping(placed, pairs, near))
    _sort_along_x(placed, search.memory)
    return int(_sweep(placed, pairs, search.memory, near))


SWEEP_ALONG_X = address_of(find_by_sweep)


def room_of_sweep(n_shapes: int, n_pairs: int) -> int:
    """Numbers that a sweep keeps."""
    return n_shapes + 1
