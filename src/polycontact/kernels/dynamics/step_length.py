"""How long a step may be so that no body moves through another unnoticed."""

from __future__ import annotations

import math
from typing import Any

from numba.core import types

from polycontact.kernels.dynamics.system_slots import (
    ACCELERATIONS,
    ASKED,
    N_BODIES,
    N_PAIRS,
    N_SHAPES,
    PAIRS,
    SHAPE_BOXES,
    SHAPE_DATA,
    SHAPE_POSES,
    SHAPE_SPEEDS,
    SHAPE_THICKNESS,
    SHAPES,
)
from polycontact.kernels.frames import apply, load_matrix, load_vector
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.memory import doubles, index_table, indices, table
from polycontact.kernels.vectors import Vector, add, cross, norm, sub

_ROW = types.Array(types.int64, 1, "C")


@kernel
def _bound_speeds(s: Any) -> None:
    """Bounds of speed and acceleration of each shape, world."""
    n = s[N_SHAPES]
    placed = table(s, SHAPE_POSES, n, 18)
    data = table(s, SHAPE_DATA, n, 18)
    bodies = indices(s, SHAPES, n)
    accelerations = table(s, ACCELERATIONS, s[N_BODIES], 6)
    bounds = table(s, SHAPE_SPEEDS, n, 2)
    for i in range(n):
        w = load_vector(placed[i], 15)
        bounds[i, 0] = norm(_centre_velocity(placed[i], data[i])) + norm(w) * norm(load_vector(data[i], 15))
        bounds[i, 1] = norm(load_vector(accelerations[bodies[i]], 3))


@inline_kernel
def _centre_velocity(placed: Any, data: Any) -> Vector:
    """Velocity of the centre of a shape's box."""
    arm = apply(load_matrix(placed, 0), load_vector(data, 12))
    return add(load_vector(placed, 12), cross(load_vector(placed, 15), arm))


@inline_kernel
def _time_to_move(reach: float, speed: float, acceleration: float) -> float:
    """Time to move by ``reach``: the smaller root of reach = speed t + acceleration t²/2."""
    closing = speed + math.sqrt(speed * speed + 2.0 * acceleration * reach)
    return 2.0 * reach / closing if closing > 0.0 else math.inf


@entry_kernel((_ROW, types.float64))
def longest_step(s: Any, part: float) -> float:
    """Time (s) in which no pair closes its gap and then moves ``part`` of the thinner shape's thickness.

    Relative speeds are bounded by those of the boxes' centres and both rotations; the accelerations of the bodies'
    origins are taken as constant. After `move` at a state, and `accelerate` at it or near it. ASKED: the pair that
    limits.
    """
    _bound_speeds(s)
    bodies = indices(s, SHAPES, s[N_SHAPES])
    accelerations = table(s, ACCELERATIONS, s[N_BODIES], 6)
    pairs = index_table(s, PAIRS, s[N_PAIRS], 2)
    boxes = table(s, SHAPE_BOXES, s[N_SHAPES], 6)
    placed = table(s, SHAPE_POSES, s[N_SHAPES], 18)
    data = table(s, SHAPE_DATA, s[N_SHAPES], 18)
    bounds = table(s, SHAPE_SPEEDS, s[N_SHAPES], 2)
    thickness = doubles(s, SHAPE_THICKNESS, s[N_SHAPES])
    shortest = math.inf
    for i in range(s[N_PAIRS]):
        e, f = pairs[i, 0], pairs[i, 1]
        gap = 0.0
        for k in range(3):
            gap = max(gap, max(boxes[e, k] - boxes[f, 3 + k], boxes[f, k] - boxes[e, 3 + k]))
        thin = min(thickness[e], thickness[f])
        if thin == math.inf:
            thin = min(norm(load_vector(data[e], 15)), norm(load_vector(data[f], 15)))
        reach = gap + part * thin
        # Most pairs are too far apart to matter, whatever their directions.
        if _time_to_move(reach, bounds[e, 0] + bounds[f, 0], bounds[e, 1] + bounds[f, 1]) >= shortest:
            continue
        turning = norm(load_vector(placed[e], 15)) * norm(load_vector(data[e], 15))
        turning += norm(load_vector(placed[f], 15)) * norm(load_vector(data[f], 15))
        moving = sub(_centre_velocity(placed[f], data[f]), _centre_velocity(placed[e], data[e]))
        a_e, a_f = load_vector(accelerations[bodies[e]], 3), load_vector(accelerations[bodies[f]], 3)
        time = _time_to_move(reach, norm(moving) + turning, norm(sub(a_f, a_e)))
        if time < shortest:
            shortest = time
            s[ASKED] = i
    return shortest
