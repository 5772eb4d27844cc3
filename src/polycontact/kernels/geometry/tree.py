r"""Bounding volume tree of a surface (S0.27–S0.29): built once, one triangle a leaf.

The tree is balanced and laid out depth-first, so it needs no pointers: a node that covers n leaves has its left child,
which covers (n + 1) // 2 of them, right behind it, and its right child behind the left subtree.

    node        0                        covers 5 leaves: left child 1 covers 3, right child 0 + 2·3 = 6 covers 2
              /   \
            1       6                    a traversal keeps (node, first leaf, number of leaves) on a stack
          /   \    / \
         2     5  7   8                  n leaves have 2n − 1 nodes
        / \
       3   4

In: barycentres, and boxes of the triangles. Out: the order of the leaves, and boxes of all nodes, fixed and
axis-aligned in the surface's own frame.
"""

from __future__ import annotations

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, Longs

Stack = Ints | Longs


@inline_kernel
def left_count(n: int) -> int:
    """How many of n leaves go to the left child."""
    return (n + 1) // 2


@inline_kernel
def push_root(stack: Stack, n: int) -> int:
    """Begin a traversal of a tree of n leaves: the root alone on a stack of (node, leaf, n); the depth."""
    stack[0, 0] = 0
    stack[0, 1] = 0
    stack[0, 2] = n
    return 1


@inline_kernel
def push_children(stack: Stack, depth: int, node: int, leaf: int, n: int) -> int:
    """Put both children of a node that covers n leaves from ``leaf`` on a stack of (node, leaf, n); the new depth."""
    left = left_count(n)
    stack[depth, 0] = node + 1
    stack[depth, 1] = leaf
    stack[depth, 2] = left
    stack[depth + 1, 0] = node + 2 * left
    stack[depth + 1, 1] = leaf + left
    stack[depth + 1, 2] = n - left
    return depth + 2


@inline_kernel
def box_square(boxes: Doubles, node: int, p: Vector) -> float:
    """Square of the distance of p from the box of a node, m²; 0 inside."""
    x = max(abs(p[0] - boxes[node, 0]) - boxes[node, 3], 0.0)
    y = max(abs(p[1] - boxes[node, 1]) - boxes[node, 4], 0.0)
    z = max(abs(p[2] - boxes[node, 2]) - boxes[node, 5], 0.0)
    return float(x * x + y * y + z * z)


@kernel
def _select(order: Ints, keys: Doubles, axis: int, lo: int, hi: int, k: int) -> None:
    """Reorder ``order[lo:hi]`` so that its first k entries have the smallest keys along an axis (quickselect)."""
    target = lo + k
    hi -= 1
    while lo < hi:
        pivot = keys[order[(lo + hi) // 2], axis]
        i = lo
        j = hi
        while i <= j:
            while keys[order[i], axis] < pivot:
                i += 1
            while keys[order[j], axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if target <= j:
            hi = j
        elif target >= i:
            lo = i
        else:
            return


@kernel
def sort_into_leaves(barycentres: Doubles, order: Ints, stack: Longs) -> None:
    """Order triangles into leaves: halve at the median of the axis of greatest extent, again and again.

    ``barycentres`` (n, 3); ``order`` (n,) int32 in: any permutation, out: triangle of each leaf;
    ``stack`` (64, 2) int64 work space.
    """
    stack[0, 0] = 0
    stack[0, 1] = len(order)
    depth = 1
    while depth > 0:
        depth -= 1
        lo = stack[depth, 0]
        n = stack[depth, 1]
        if n < 2:
            continue
        # The axis along which barycentres reach farthest.
        axis = 0
        widest = -1.0
        for a in range(3):
            least = barycentres[order[lo], a]
            most = least
            for i in range(lo + 1, lo + n):
                value = barycentres[order[i], a]
                least = min(least, value)
                most = max(most, value)
            if most - least > widest:
                widest = most - least
                axis = a
        left = left_count(n)
        _select(order, barycentres, axis, lo, lo + n, left)
        stack[depth, 0] = lo
        stack[depth, 1] = left
        stack[depth + 1, 0] = lo + left
        stack[depth + 1, 1] = n - left
        depth += 2


@kernel
def fit_boxes(lower: Doubles, upper: Doubles, boxes: Doubles, stack: Longs) -> None:
    """Fill ``boxes`` (2n - 1, 6: centre, half-extents) from the boxes of the leaves, ``lower``, ``upper`` (n, 3).

    ``stack`` (64, 2) int64 work space. Nodes are visited in reverse order of layout, children first.
    """
    n_leaves = len(lower)
    # Lay out counts depth-first; the half-extent column holds them until the boxes are filled in.
    stack[0, 0] = 0
    stack[0, 1] = n_leaves
    depth = 1
    leaf = 0
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        n = stack[depth, 1]
        boxes[node, 0] = n
        if n == 1:
            boxes[node, 1] = leaf
            leaf += 1
            continue
        left = left_count(n)
        stack[depth, 0] = node + 2 * left
        stack[depth, 1] = n - left
        stack[depth + 1, 0] = node + 1
        stack[depth + 1, 1] = left
        depth += 2
    # Rows hold lower and upper corners first, so that unions are exact.
    for node in range(2 * n_leaves - 2, -1, -1):
        n = int(boxes[node, 0])
        if n == 1:
            t = int(boxes[node, 1])
            for a in range(3):
                boxes[node, a] = lower[t, a]
                boxes[node, 3 + a] = upper[t, a]
        else:
            right = node + 2 * left_count(n)
            for a in range(3):
                boxes[node, a] = min(boxes[node + 1, a], boxes[right, a])
                boxes[node, 3 + a] = max(boxes[node + 1, 3 + a], boxes[right, 3 + a])
    for node in range(2 * n_leaves - 1):
        for a in range(3):
            low = boxes[node, a]
            high = boxes[node, 3 + a]
            boxes[node, a] = 0.5 * (low + high)
            boxes[node, 3 + a] = 0.5 * (high - low)
