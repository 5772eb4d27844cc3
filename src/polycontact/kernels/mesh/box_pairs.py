"""Pairs of leaves of one tree whose boxes overlap: a mesh against itself.

In: the boxes of a tree as `polycontact.kernels.geometry.tree.fit_boxes` lays them out. Out: pairs of what its leaves
hold, each pair once. The traversal stops when the caller's buffer is full and goes on where it stopped.

    (1) a node against itself     -> its left child, its right child, and left against right; a leaf: nothing
    (2) boxes that do not overlap -> nothing
    (3) two leaves                -> a pair
    (4) else the node with more leaves is split
"""

from __future__ import annotations

from polycontact.kernels.geometry.tree import left_count
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, Longs

STACK_LENGTH = 256
"""Entries of the traversal stack. A step replaces one entry by at most three and each step descends, so
that a balanced tree of 2³¹ leaves needs fewer than 2 · 62 + 1."""


@inline_kernel
def boxes_overlap(boxes: Doubles, a: int, b: int) -> bool:
    """Boxes a and b (rows of centre, half-extents) have a common point; touching counts."""
    return bool(
        abs(boxes[a, 0] - boxes[b, 0]) <= boxes[a, 3] + boxes[b, 3]
        and abs(boxes[a, 1] - boxes[b, 1]) <= boxes[a, 4] + boxes[b, 4]
        and abs(boxes[a, 2] - boxes[b, 2]) <= boxes[a, 5] + boxes[b, 5]
    )


@inline_kernel
def _push(stack: Longs, depth: int, a: int, n_a: int, leaf_a: int, b: int, n_b: int, leaf_b: int) -> int:
    """Put a pair of subtrees (node, number of leaves, first leaf) on the stack; returns the new depth."""
    stack[depth, 0] = a
    stack[depth, 1] = n_a
    stack[depth, 2] = leaf_a
    stack[depth, 3] = b
    stack[depth, 4] = n_b
    stack[depth, 5] = leaf_b
    return depth + 1


@kernel
def start_self_pairs(stack: Longs, n_leaves: int) -> int:
    """Stack of a traversal that has not begun: the whole tree against itself; returns its depth."""
    return _push(stack, 0, 0, n_leaves, 0, 0, n_leaves, 0)


@kernel
def next_self_pairs(boxes: Doubles, order: Ints, stack: Longs, depth: int, pairs: Ints) -> tuple[int, int]:
    """Fill ``pairs`` (k, 2) int32 with the next overlapping leaves; returns how many, and the stack's
    depth.

    ``boxes`` (2n - 1, 6), ``order`` (n,): what each leaf holds, ``stack`` (STACK_LENGTH, 6) int64. The
    traversal has ended when the depth is 0. Leaves are not paired with themselves.
    """
    count = 0
    while depth > 0 and count < len(pairs):
        depth -= 1
        a, n_a, leaf_a = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        b, n_b, leaf_b = stack[depth, 3], stack[depth, 4], stack[depth, 5]
        if a == b:  # (1)
            if n_a > 1:
                n = left_count(n_a)
                left, right, leaf = a + 1, a + 2 * n, leaf_a + n
                depth = _push(stack, depth, left, n, leaf_a, right, n_a - n, leaf)
                depth = _push(stack, depth, right, n_a - n, leaf, right, n_a - n, leaf)
                depth = _push(stack, depth, left, n, leaf_a, left, n, leaf_a)
            continue
        if not boxes_overlap(boxes, a, b):
            continue  # (2)
        if n_a == 1 and n_b == 1:  # (3)
            pairs[count, 0] = order[leaf_a]
            pairs[count, 1] = order[leaf_b]
            count += 1
        elif n_a >= n_b:  # (4)
            n = left_count(n_a)
            depth = _push(stack, depth, a + 2 * n, n_a - n, leaf_a + n, b, n_b, leaf_b)
            depth = _push(stack, depth, a + 1, n, leaf_a, b, n_b, leaf_b)
        else:
            n = left_count(n_b)
            depth = _push(stack, depth, a, n_a, leaf_a, b + 2 * n, n_b - n, leaf_b + n)
            depth = _push(stack, depth, a, n_a, leaf_a, b + 1, n, leaf_b)
    return count, depth
