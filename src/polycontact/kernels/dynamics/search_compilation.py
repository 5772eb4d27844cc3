"""Broad phases that users write: functions over the boxes of the shapes, compiled and called as our own are.

def near(boxes, pairs, near, memory): … return n
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.dynamics.system_row import search_at
from polycontact.kernels.jit import uncached_entry, uncached_inline


def compile_search(function: Callable[..., int]) -> int:
    """Address of code that calls a user's function with what is in a `NearSearch`."""
    find: Any = uncached_inline(function)

    def entry(place: int) -> int:
        search = search_at(place)
        return int(find(search.placed, search.pairs, search.near, search.memory))

    return address_of(uncached_entry((types.int64,))(entry))
