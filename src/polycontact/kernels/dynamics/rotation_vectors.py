"""Rotation vectors θ = log R: angle times axis, at most half a turn, and their rates."""

from __future__ import annotations

import math

from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, scale
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import SMALL_ROTATION


@kernel
def rotation_vector(R: Matrix) -> Vector:
    """θ of a rotation matrix, rad, |θ| ≤ π; through the quaternion, its largest component first (Shepperd 1978)."""
    trace = R[0][0] + R[1][1] + R[2][2]
    if trace >= R[0][0] and trace >= R[1][1] and trace >= R[2][2]:
        w, v = 1.0 + trace, (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    elif R[0][0] >= R[1][1] and R[0][0] >= R[2][2]:
        w, v = R[2][1] - R[1][2], (1.0 + 2.0 * R[0][0] - trace, R[0][1] + R[1][0], R[2][0] + R[0][2])
    elif R[1][1] >= R[2][2]:
        w, v = R[0][2] - R[2][0], (R[0][1] + R[1][0], 1.0 + 2.0 * R[1][1] - trace, R[1][2] + R[2][1])
    else:
        w, v = R[1][0] - R[0][1], (R[2][0] + R[0][2], R[1][2] + R[2][1], 1.0 + 2.0 * R[2][2] - trace)
    if w < 0.0:
        w, v = -w, scale(-1.0, v)
    length = norm(v)
    if length == 0.0:
        return (0.0, 0.0, 0.0)
    return scale(2.0 * math.atan2(length, w) / length, v)


@inline_kernel
def _bend(theta: Vector) -> float:
    """(1 - (θ/2) cot(θ/2))/θ², by its series where θ is small."""
    square = dot(theta, theta)
    if square < SMALL_ROTATION:
        return 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
    half = 0.5 * math.sqrt(square)
    return (1.0 - half / math.tan(half)) / square


@kernel
def rate_of_vector(theta: Vector, w: Vector) -> Vector:
    """θ̇ for an angular velocity ω in the frame from which R turns: ω - θ×ω/2 + bend θ×(θ×ω)."""
    turned = cross(theta, w)
    return add(add(w, scale(-0.5, turned)), scale(_bend(theta), cross(theta, turned)))


@kernel
def torque_of_vector(theta: Vector, m: Vector) -> Vector:
    """Torque whose power on ω is that of m on θ̇: the transpose of `rate_of_vector`."""
    turned = cross(theta, m)
    return add(add(m, scale(0.5, turned)), scale(_bend(theta), cross(theta, turned)))
