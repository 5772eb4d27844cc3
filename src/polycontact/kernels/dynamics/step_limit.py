"""How long a step may be so that no body moves through another unnoticed."""

from __future__ import annotations

import math
from typing import Any

from numba.core import types

from polycontact.kernels.dynamics.memory import (
    ACCELERATIONS,
    ASKED,
    N_BODIES,
    N_PAIRS,
    N_SHAPES,
    PAIRS,
    SHAPE_BOXES,
    SHAPE_DATA,
    SHAPE_POSES,
    SHAPE_THICKNESS,
    SHAPES,
)
from polycontact.kernels.frames import apply, load_matrix, load_vector
from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.memory import doubles, index_table, indices, table
from polycontact.kernels.vectors import add, cross, norm, sub

_ROW = types.Array(types.int64, 1, "C")


@entry_kernel((_ROW, types.float64))
def longest_step(s: Any, part: float) -> float:
    """Time (s) in which no pair closes its gap and then moves ``part`` of the thinner shape's thickness.

    Relative speeds are bounded by those of the boxes' centres and both rotations; the accelerations of the bodies'
    origins are taken as constant. After `move` at a state, and `accelerate` at it or near it. ASKED: the pair that
    limits.
    """
    bodies = indices(s, SHAPES, s[N_SHAPES])
    accelerations = table(s, ACCELERATIONS, s[N_BODIES], 6)
    pairs = index_table(s, PAIRS, s[N_PAIRS], 2)
    boxes = table(s, SHAPE_BOXES, s[N_SHAPES], 6)
    placed = table(s, SHAPE_POSES, s[N_SHAPES], 18)
    data = table(s, SHAPE_DATA, s[N_SHAPES], 18)
    thickness = doubles(s, SHAPE_THICKNESS, s[N_SHAPES])
    shortest = math.inf
    for i in range(s[N_PAIRS]):
        e, f = pairs[i, 0], pairs[i, 1]
        gap = 0.0
        for k in range(3):
            gap = max(gap, max(boxes[e, k] - boxes[f, 3 + k], boxes[f, k] - boxes[e, 3 + k]))
        w_e, w_f = load_vector(placed[e], 15), load_vector(placed[f], 15)
        arm_e = apply(load_matrix(placed[e], 0), load_vector(data[e], 12))
        arm_f = apply(load_matrix(placed[f], 0), load_vector(data[f], 12))
        v_e = add(load_vector(placed[e], 12), cross(w_e, arm_e))
        v_f = add(load_vector(placed[f], 12), cross(w_f, arm_f))
        half_e, half_f = norm(load_vector(data[e], 15)), norm(load_vector(data[f], 15))
        speed = norm(sub(v_f, v_e)) + norm(w_e) * half_e + norm(w_f) * half_f
        thin = min(thickness[e], thickness[f])
        if thin == math.inf:
            thin = min(half_e, half_f)
        reach = gap + part * thin
        a_e, a_f = load_vector(accelerations[bodies[e]], 3), load_vector(accelerations[bodies[f]], 3)
        a = norm(sub(a_f, a_e))
        closing = speed + math.sqrt(speed * speed + 2.0 * a * reach)
        if 2.0 * reach < shortest * closing:  # the smaller root of reach = speed t + a t²/2
            shortest = 2.0 * reach / closing
            s[ASKED] = i
    return shortest
