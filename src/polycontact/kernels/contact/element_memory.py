"""Memory of single contact elements between accepted steps: anchors of sticking friction, speeds at first touch.

A law finds what was remembered of an element by its key, writes what should be remembered to the same row of ``trial``,
and sees it again once the step has been accepted. Rejected steps and trial evaluations leave no trace.
"""

from __future__ import annotations

import numpy as np
from numba.core import types

from polycontact.kernels.contact.contact_header import ElementMemory, as_header
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.sorting import sort_rows
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel

_PARTS = 1 << 20
"""Connected parts of one triangle that keys can tell apart."""


@inline_kernel
def element_key(elements: ElementTable, k: int) -> np.int64:
    """Key of element k: base triangle, side and part, which stay while the element lives."""
    face = 2 * np.int64(elements.base_triangle[k]) + elements.side[k]
    return np.int64(face * _PARTS + elements.part[k])


@kernel
def find_remembered(memory: ElementMemory, key: np.int64) -> int:
    """Row of ``memory.values`` with a key, -1 where there is none."""
    keys = memory.keys
    low = 0
    high = memory.n
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < memory.n and keys[low] == key else -1


@kernel
def commit_elements(elements: ElementTable, memory: ElementMemory) -> int:
    """Remember the trial values of the present elements; returns how many need room if there is too little, else 0."""
    n = elements.n
    if n > memory.room:
        return n
    order = memory.order
    for k in range(n):
        order[k, 0] = element_key(elements, k)
        order[k, 1] = k
    sort_rows(order, memory.order_room, n)
    for k in range(n):
        memory.keys[k] = order[k, 0]
        for c in range(memory.width):
            memory.values[k, c] = memory.trial[order[k, 1], c]
    memory.n = n
    return 0


@entry_kernel((types.int64,))
def commit_at(row: int) -> int:
    """`commit_elements` of the evaluation at an address."""
    header = as_header(row)
    return commit_elements(header.elements, header.memory)
