"""Sorting of (key, value) rows in place, with a work buffer: nothing is allocated.

Both sorts are stable. Rows that are in order already, as they mostly are from pose to pose, cost one pass.

    few rows    runs of 12 by insertion, then merged by pairs, from one buffer to the other and back
    many rows   radix sort, by ten bits of the key after the other, from the lowest on: linear time
"""

from __future__ import annotations

from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Ints, Longs

_RUN = 12
"""Rows of a run that is sorted by insertion."""
_FEW = 256
"""With fewer rows merging is quicker than counting digits."""
DIGITS = 1024
"""Length of the counts that `sort_many_rows` needs."""


@inline_kernel
def _is_ordered(rows: Longs, n: int) -> bool:
    """Whether keys ascend already; without a branch in the loop."""
    disorder = 0
    for i in range(1, n):
        disorder += rows[i - 1, 0] > rows[i, 0]
    return disorder == 0


@kernel
def sort_rows(rows: Longs, work: Longs, n: int) -> None:
    """Sort ``rows[:n]`` (n, 2) int64 by the first column, stably; ``work`` is of the same shape."""
    if _is_ordered(rows, n):
        return
    # Runs by insertion.
    for start in range(0, n, _RUN):
        stop = min(start + _RUN, n)
        for i in range(start + 1, stop):
            key = rows[i, 0]
            value = rows[i, 1]
            j = i
            while j > start and rows[j - 1, 0] > key:
                rows[j, 0] = rows[j - 1, 0]
                rows[j, 1] = rows[j - 1, 1]
                j -= 1
            rows[j, 0] = key
            rows[j, 1] = value
    # Pairs of runs are merged; buffers change places each time.
    width = _RUN
    source = rows
    target = work
    swapped = False
    while width < n:
        for start in range(0, n, 2 * width):
            _merge(source, target, start, min(start + width, n), min(start + 2 * width, n))
        source, target = target, source
        swapped = not swapped
        width *= 2
    if swapped:
        for i in range(n):
            rows[i, 0] = work[i, 0]
            rows[i, 1] = work[i, 1]


@kernel
def _merge(source: Longs, target: Longs, start: int, middle: int, stop: int) -> None:
    """Merge two sorted runs, up to the middle and from there on, into the target; of equals the first comes first."""
    i = start
    j = middle
    for k in range(start, stop):
        if i < middle and (j >= stop or source[i, 0] <= source[j, 0]):
            target[k, 0] = source[i, 0]
            target[k, 1] = source[i, 1]
            i += 1
        else:
            target[k, 0] = source[j, 0]
            target[k, 1] = source[j, 1]
            j += 1


@kernel
def sort_many_rows(rows: Longs, work: Longs, counts: Ints, n: int) -> None:
    """As `sort_rows`, in linear time: by ten bits of the key after the other; keys are not negative.

    ``counts`` (DIGITS,) int32 work space.
    """
    if n < _FEW:
        sort_rows(rows, work, n)
        return
    if _is_ordered(rows, n):
        return
    largest = 0
    for i in range(n):
        largest = max(largest, rows[i, 0])
    source = rows
    target = work
    swapped = False
    shift = 0
    while largest >> shift > 0:
        for d in range(DIGITS):
            counts[d] = 0
        for i in range(n):
            counts[(source[i, 0] >> shift) % DIGITS] += 1
        # Counts of the digits become where rows with each digit begin.
        at = 0
        for d in range(DIGITS):
            count = counts[d]
            counts[d] = at
            at += count
        for i in range(n):
            d = (source[i, 0] >> shift) % DIGITS
            k = counts[d]
            counts[d] = k + 1
            target[k, 0] = source[i, 0]
            target[k, 1] = source[i, 1]
        source, target = target, source
        swapped = not swapped
        shift += 10
    if swapped:
        for i in range(n):
            rows[i, 0] = work[i, 0]
            rows[i, 1] = work[i, 1]


@inline_kernel
def first_not_below(keys: Longs, n: int, key: int) -> int:
    """Where the first of n keys, which ascend, stands that is not below a key; n where there is none."""
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@inline_kernel
def find_key(keys: Longs, n: int, key: int) -> int:
    """Where a key stands among the first n, which ascend; -1 where it does not."""
    at = first_not_below(keys, n, key)
    return at if at < n and keys[at] == key else -1
