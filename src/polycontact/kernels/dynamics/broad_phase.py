"""Which contact pairs may touch: world boxes of the shapes, and a sweep over them along x (S2.4, S4.30)."""

from __future__ import annotations

from typing import Any

from polycontact.kernels.dynamics.matrices import product, store_matrix, store_vector
from polycontact.kernels.dynamics.system_slots import (
    N_BODIES,
    N_NEAR,
    N_PAIRS,
    N_SHAPES,
    NEAR,
    PAIR_KEYS,
    PAIRS,
    POSES,
    SHAPE_BOXES,
    SHAPE_DATA,
    SHAPE_POSES,
    SHAPES,
    SWEEP,
    VELOCITIES,
)
from polycontact.kernels.frames import apply, load_matrix, load_vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import index_table, indices, stamps, table
from polycontact.kernels.vectors import add, cross

_FEW = 4  # up to this many pairs a shape, testing each pair is quicker than a sweep


@kernel
def place_shapes(s: Any) -> None:
    """Pose, velocity and box of every shape in the world."""
    n = s[N_SHAPES]
    bodies = indices(s, SHAPES, n)
    data = table(s, SHAPE_DATA, n, 18)
    placed = table(s, SHAPE_POSES, n, 18)
    boxes = table(s, SHAPE_BOXES, n, 6)
    poses = table(s, POSES, s[N_BODIES], 12)
    velocities = table(s, VELOCITIES, s[N_BODIES], 6)
    for i in range(n):
        b = bodies[i]
        R_b = load_matrix(poses[b], 0)
        w = load_vector(velocities[b], 0)
        arm = apply(R_b, load_vector(data[i], 9))
        R = product(R_b, load_matrix(data[i], 0))
        r = add(load_vector(poses[b], 9), arm)
        store_matrix(placed[i], 0, R)
        store_vector(placed[i], 9, r)
        store_vector(placed[i], 12, add(load_vector(velocities[b], 3), cross(w, arm)))
        store_vector(placed[i], 15, w)
        middle = add(r, apply(R, load_vector(data[i], 12)))
        half = load_vector(data[i], 15)
        for k in range(3):
            reach = abs(R[k][0]) * half[0] + abs(R[k][1]) * half[1] + abs(R[k][2]) * half[2]
            boxes[i, k] = middle[k] - reach
            boxes[i, 3 + k] = middle[k] + reach


@kernel
def find_near_pairs(s: Any) -> None:
    """List, in ascending order, the pairs whose boxes overlap."""
    s[N_NEAR] = 0
    if s[N_PAIRS] <= _FEW * s[N_SHAPES]:
        _test_each_pair(s)
    else:
        _sweep(s)
        _sort(indices(s, NEAR, s[N_PAIRS]), s[N_NEAR])


@inline_kernel
def _overlap(boxes: Any, i: int, j: int, first: int) -> bool:
    """Whether two boxes overlap along the axes from ``first`` on."""
    apart = False
    for k in range(first, 3):
        apart = apart or boxes[i, k] > boxes[j, 3 + k] or boxes[j, k] > boxes[i, 3 + k]
    return not apart


@kernel
def _test_each_pair(s: Any) -> None:
    n = s[N_PAIRS]
    pairs = index_table(s, PAIRS, n, 2)
    near = indices(s, NEAR, n)
    boxes = table(s, SHAPE_BOXES, s[N_SHAPES], 6)
    count = 0
    for i in range(n):
        if _overlap(boxes, pairs[i, 0], pairs[i, 1], 0):
            near[count] = i
            count += 1
    s[N_NEAR] = count


@kernel
def _sweep(s: Any) -> None:
    """Sweep and prune: shapes in the order of their lower x, which changes little between two calls."""
    n = s[N_SHAPES]
    order = indices(s, SWEEP, n)
    boxes = table(s, SHAPE_BOXES, n, 6)
    near = indices(s, NEAR, s[N_PAIRS])
    for k in range(1, n):  # insertion sort: nearly linear on what is nearly sorted
        shape = order[k]
        low = boxes[shape, 0]
        at = k
        while at > 0 and boxes[order[at - 1], 0] > low:
            order[at] = order[at - 1]
            at -= 1
        order[at] = shape
    count = 0
    for k in range(n):
        i = order[k]
        for m in range(k + 1, n):
            j = order[m]
            if boxes[j, 0] > boxes[i, 3]:
                break
            if _overlap(boxes, i, j, 1):
                pair = _find_pair(s, i, j)
                if pair >= 0:
                    near[count] = pair
                    count += 1
    s[N_NEAR] = count


@kernel
def _find_pair(s: Any, i: int, j: int) -> int:
    """Index of the pair of two shapes, -1 where they are no pair."""
    keys = stamps(s, PAIR_KEYS, s[N_PAIRS])
    key = min(i, j) * s[N_SHAPES] + max(i, j)
    low, high = 0, s[N_PAIRS]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < s[N_PAIRS] and keys[low] == key else -1


@kernel
def _sort(values: Any, n: int) -> None:
    """Sort the first n values; they are few."""
    for k in range(1, n):
        value = values[k]
        at = k
        while at > 0 and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value
