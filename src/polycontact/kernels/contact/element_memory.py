"""Memory of single contact elements between accepted steps: anchors of sticking friction, speeds at first touch.

Problem: elements come and go and change rows, integrators try steps and reject them; what a law remembers of an element
must follow it, and only accepted steps may leave a trace.

    recall:   values (by key)  ->  trial (by row of the table), before a law is called
    the law:  reads trial, writes there what is to be remembered
    commit:   trial            ->  values, once the step has been accepted

A key is made of base triangle, side and connected part. Keys ascend in the memory, so that they are found by bisection.

What an element has left behind is forgotten with it, unless its law keeps it (``keeps``): a dent stays where it is, on
its triangle, when the contact moves on. Such a law has in column 0 what tells whether anything is left, and in the last
column the time (s) of the last accepted step with that element.
"""

from __future__ import annotations

import numpy as np
from numba import types

from polycontact.kernels.contact.contact_header import ElementMemory, as_header
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.sorting import find_key, first_not_below, sort_rows
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import Longs

_PARTS = 1 << 20
"""Connected parts of one triangle that keys can tell apart."""


@inline_kernel
def element_key(elements: ElementTable, k: int) -> int:
    """Key of element k: base triangle, side and part, which stay while the element lives."""
    face = 2 * np.int64(elements.base_triangle[k]) + elements.side[k]
    return int(face * _PARTS + elements.part[k])


@inline_kernel
def same_triangle(key: int, other: int) -> bool:
    """Whether two keys are of parts of the same triangle and side."""
    return key // _PARTS == other // _PARTS


@kernel
def find_sibling(memory: ElementMemory, key: int) -> int:
    """Row of ``memory.values`` of any part of the same triangle and side, -1 where there is none."""
    first = key - key % _PARTS
    at = first_not_below(memory.keys, memory.n, first)
    return at if at < memory.n and memory.keys[at] < first + _PARTS else -1


@kernel
def find_remembered(memory: ElementMemory, key: int) -> int:
    """Row of ``memory.values`` with a key, -1 where there is none."""
    return find_key(memory.keys, memory.n, key)


@kernel
def recall_elements(elements: ElementTable, memory: ElementMemory) -> None:
    """Bring what is remembered of the present elements to their rows; zeros for those that are new."""
    for k in range(elements.n):
        found = find_remembered(memory, element_key(elements, k))
        memory.known[k] = 0 if found < 0 else 1
        for c in range(memory.width):
            memory.trial[k, c] = 0.0 if found < 0 else memory.values[found, c]


@kernel
def _leave(memory: ElementMemory, order: Longs, n: int, time: float) -> int:
    """Move up the rows that stay though all elements of their triangles have left, in their order; how many.

    ``order``: keys of the n present elements, ascending; ``time`` (s) now.
    """
    left = 0
    j = 0
    for i in range(memory.n):
        key = memory.keys[i]
        while j < n and order[j, 0] < key and not same_triangle(order[j, 0], key):
            j += 1
        is_present = j < n and same_triangle(order[j, 0], key)
        if is_present or memory.values[i, 0] == 0.0 or time - memory.values[i, memory.width - 1] > memory.keeps:
            continue
        memory.keys[left] = key
        for c in range(memory.width):
            memory.values[left, c] = memory.values[i, c]
        left += 1
    return left


@kernel
def _merge_in(elements: ElementTable, memory: ElementMemory, left: int) -> None:
    """Put the present elements between the first ``left`` rows, from the last row on: no row is lost on the way."""
    order = memory.order
    i = left - 1
    j = elements.n - 1
    for k in range(left + elements.n - 1, -1, -1):
        if j < 0:
            break  # the others stand where they are to be
        if i >= 0 and memory.keys[i] > order[j, 0]:
            memory.keys[k] = memory.keys[i]
            for c in range(memory.width):
                memory.values[k, c] = memory.values[i, c]
            i -= 1
        else:
            memory.keys[k] = order[j, 0]
            for c in range(memory.width):
                memory.values[k, c] = memory.trial[order[j, 1], c]
            j -= 1
    memory.n = left + elements.n


@kernel
def commit_elements(elements: ElementTable, memory: ElementMemory, time: float) -> None:
    """Remember the trial values of the present elements at a time (s), and of others what their law keeps.

    There is room for all (`commit_at`).
    """
    n = elements.n
    order = memory.order
    for k in range(n):
        order[k, 0] = element_key(elements, k)
        order[k, 1] = k
    sort_rows(order, memory.order_room, n)
    if memory.keeps > 0.0:
        _merge_in(elements, memory, _leave(memory, order, n, time))
        return
    for k in range(n):
        memory.keys[k] = order[k, 0]
        for c in range(memory.width):
            memory.values[k, c] = memory.trial[order[k, 1], c]
    memory.n = n


@inline_kernel
def remembered_at_most(elements: ElementTable, memory: ElementMemory) -> int:
    """How many elements a law may remember once the present ones are committed; 0 of one without a memory."""
    if memory.width == 0:
        return 0
    return elements.n + (memory.n if memory.keeps > 0.0 else 0)


@inline_kernel
def _missing_room(elements: ElementTable, memory: ElementMemory) -> int:
    """Elements for which there must be room before they are remembered; 0 where there is."""
    needed = remembered_at_most(elements, memory)
    return needed if needed > memory.room else 0


@entry_kernel((types.int64,))
def commit_at(row: int) -> int:
    """The evaluation at an address belongs to an accepted step: take over what its laws want remembered.

    Returns 0, or for how many elements there must be room: then nothing has happened yet.
    """
    header = as_header(row)
    normal, tangential = header.laws.normal.memory, header.laws.tangential.memory
    needed = max(_missing_room(header.elements, normal), _missing_room(header.elements, tangential))
    if needed > 0:
        return needed
    if normal.width > 0:
        commit_elements(header.elements, normal, header.report.time)
    if tangential.width > 0:
        commit_elements(header.elements, tangential, header.report.time)
    return 0


@kernel
def _copy_memory(memory: ElementMemory, to: ElementMemory) -> None:
    """Let ``to``, which has room for them, remember the elements that ``memory`` does."""
    to.n = memory.n
    for i in range(memory.n):
        to.keys[i] = memory.keys[i]
        for c in range(memory.width):
            to.values[i, c] = memory.values[i, c]


@kernel
def hand_over_elements(row: int, to: int) -> None:
    """Let the evaluation at address ``to`` remember the elements that the one at ``row`` does, of the same pair."""
    laws, others = as_header(row).laws, as_header(to).laws
    if laws.normal.memory.width > 0:
        _copy_memory(laws.normal.memory, others.normal.memory)
    if laws.tangential.memory.width > 0:
        _copy_memory(laws.tangential.memory, others.tangential.memory)


@kernel
def forget_elements(row: int) -> None:
    """Let the laws of the evaluation at an address, if there is one, remember no elements but those that they keep."""
    if row != 0:
        laws = as_header(row).laws
        if laws.normal.memory.keeps == 0.0:
            laws.normal.memory.n = 0
        if laws.tangential.memory.keeps == 0.0:
            laws.tangential.memory.n = 0
