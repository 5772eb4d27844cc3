"""A broad phase that tests the boxes of every pair: brute force (S4.30), the quickest where pairs are few."""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.dynamics.broad_phase import boxes_overlap
from polycontact.kernels.dynamics.evaluation_views import PlacedShapes
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.dynamics.system_row import search_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.views import Ints


@kernel
def list_overlapping(placed: PlacedShapes, pairs: Pairs, near: Ints) -> int:
    """Number of pairs whose boxes overlap, listed in ``near`` in ascending order."""
    count = 0
    for i in range(pairs.n_pairs):
        if boxes_overlap(placed, pairs.shape_e[i], pairs.shape_f[i], 0):
            near[count] = i
            count += 1
    return count


@entry_kernel((types.int64,))
def find_by_testing_all(place: int) -> int:
    """Near pairs of the `NearSearch` at an address; their number."""
    search = search_at(place)
    return int(list_overlapping(search.placed, search.pairs, search.near))


TEST_ALL_PAIRS = address_of(find_by_testing_all)
