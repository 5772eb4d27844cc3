"""Memory of single contact elements between accepted steps: anchors of sticking friction, speeds at first touch.

Problem: elements come and go and change rows, integrators try steps and reject them; what a law remembers of an element
must follow it, and only accepted steps may leave a trace.

    recall:   values (by key)  ->  trial (by row of the table), before a law is called
    the law:  reads trial, writes there what is to be remembered
    commit:   trial            ->  values, once the step has been accepted

A key is made of base triangle, side and connected part. Keys ascend in the memory, so that they are found by bisection.
"""

from __future__ import annotations

import numpy as np
from numba import types

from polycontact.kernels.contact.contact_header import ElementMemory, as_header
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.sorting import find_key, first_not_below, sort_rows
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel

_PARTS = 1 << 20
"""Connected parts of one triangle that keys can tell apart."""


@inline_kernel
def element_key(elements: ElementTable, k: int) -> int:
    """Key of element k: base triangle, side and part, which stay while the element lives."""
    face = 2 * np.int64(elements.base_triangle[k]) + elements.side[k]
    return int(face * _PARTS + elements.part[k])


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
def commit_elements(elements: ElementTable, memory: ElementMemory) -> None:
    """Remember the trial values of the present elements, and nothing of others."""
    n = elements.n
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


@entry_kernel((types.int64,))
def commit_at(row: int) -> None:
    """The evaluation at an address belongs to an accepted step: take over what its laws want remembered."""
    header = as_header(row)
    normal, tangential = header.laws.normal.memory, header.laws.tangential.memory
    if normal.width > 0:
        commit_elements(header.elements, normal)
    if tangential.width > 0:
        commit_elements(header.elements, tangential)


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
    """Let the laws of the evaluation at an address, if there is one, remember no elements."""
    if row != 0:
        laws = as_header(row).laws
        laws.normal.memory.n = 0
        laws.tangential.memory.n = 0
