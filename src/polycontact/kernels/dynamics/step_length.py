"""How long a step may be so that no body moves through another unnoticed."""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.dynamics.evaluation_views import PlacedShapes
from polycontact.kernels.dynamics.matrices import Array, load_vector, rotation_of
from polycontact.kernels.dynamics.setup_views import Pairs, Shapes
from polycontact.kernels.dynamics.system_row import ROW, VECTORS, Row, system_at
from polycontact.kernels.geometry.frames import apply
from polycontact.kernels.geometry.vectors import Vector, add, cross, norm, row, sub
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel


@kernel
def _bound_motion(shapes: Shapes, placed: PlacedShapes, acceleration: Array) -> None:
    """Bounds of speed and acceleration of each shape, world."""
    for i in range(shapes.n_shapes):
        placed.speed_bound[i] = norm(_centre_velocity(shapes, placed, i)) + _turning(shapes, placed, i)
        placed.acceleration_bound[i] = norm(load_vector(acceleration[shapes.body[i]], 3))


@inline_kernel
def _centre_velocity(shapes: Shapes, placed: PlacedShapes, i: int) -> Vector:
    """Velocity of the centre of a shape's box."""
    arm = apply(rotation_of(placed.rotation, i), row(shapes.box_centre, i))
    return add(row(placed.velocity, i), cross(row(placed.angular_velocity, i), arm))


@inline_kernel
def _turning(shapes: Shapes, placed: PlacedShapes, i: int) -> float:
    """Bound of the speed by which its rotation moves a shape's points, beside that of its box's centre."""
    return norm(row(placed.angular_velocity, i)) * norm(row(shapes.box_half, i))


@inline_kernel
def _time_to_move(reach: float, speed: float, acceleration: float) -> float:
    """Time to move by ``reach``: the smaller root of reach = speed t + acceleration t²/2."""
    closing = speed + math.sqrt(speed * speed + 2.0 * acceleration * reach)
    return 2.0 * reach / closing if closing > 0.0 else math.inf


@kernel
def _shortest_time(shapes: Shapes, pairs: Pairs, placed: PlacedShapes, acceleration: Array, part: float) -> float:
    """Least time (s) of all pairs in which one could close its gap and move ``part`` of a thickness; infinite for none.

    (1) a bound from both bodies' own speeds leaves out most pairs; (2) the relative motion decides about the others.
    """
    low, high = placed.low, placed.high
    shortest = math.inf
    for i in range(pairs.n_pairs):
        e, f = pairs.shape_e[i], pairs.shape_f[i]
        gap = 0.0
        for k in range(3):
            gap = max(gap, max(low[e, k] - high[f, k], low[f, k] - high[e, k]))
        thin = min(shapes.thickness[e], shapes.thickness[f])
        if thin == math.inf:
            thin = min(norm(row(shapes.box_half, e)), norm(row(shapes.box_half, f)))
        reach = gap + part * thin
        speed = placed.speed_bound[e] + placed.speed_bound[f]
        change = placed.acceleration_bound[e] + placed.acceleration_bound[f]
        if _time_to_move(reach, speed, change) >= shortest:
            continue  # (1): too far apart, whatever their directions
        # (2)
        turning = _turning(shapes, placed, e)
        turning += _turning(shapes, placed, f)
        moving = sub(_centre_velocity(shapes, placed, f), _centre_velocity(shapes, placed, e))
        a_e = load_vector(acceleration[shapes.body[e]], 3)
        a_f = load_vector(acceleration[shapes.body[f]], 3)
        time = _time_to_move(reach, norm(moving) + turning, norm(sub(a_f, a_e)))
        if time < shortest:
            shortest = time
    return shortest


@entry_kernel((ROW, VECTORS, types.float64))
def longest_step(system_row: Row, acceleration: Array, part: float) -> float:
    """Time (s) in which no pair closes its gap and then moves ``part`` of the thinner shape's thickness.

    ``acceleration`` (n_bodies, 6) of the bodies, taken as constant; after `move`. Relative speeds are bounded by those
    of the boxes' centres and both rotations.
    """
    s = system_at(system_row)
    _bound_motion(s.shapes, s.placed, acceleration)
    return _shortest_time(s.shapes, s.pairs, s.placed, acceleration, part)
