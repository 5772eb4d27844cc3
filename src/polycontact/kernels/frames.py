"""Moving points and directions between the frames of E and F.

The pose is a rotation and a position of F in E, kept as tuples of floats so that the compiler holds them in registers.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.jit import inline_kernel
from polycontact.kernels.memory import DUST
from polycontact.kernels.vectors import Vector, dot, row

Matrix = tuple[Vector, Vector, Vector]


@inline_kernel
def load_matrix(pose: Any, at: int) -> Matrix:
    """Rotation stored at ``pose[at:at + 9]``."""
    return (
        (pose[at], pose[at + 1], pose[at + 2]),
        (pose[at + 3], pose[at + 4], pose[at + 5]),
        (pose[at + 6], pose[at + 7], pose[at + 8]),
    )


@inline_kernel
def load_vector(pose: Any, at: int) -> Vector:
    """Vector stored at ``pose[at:at + 3]``."""
    return (pose[at], pose[at + 1], pose[at + 2])


@inline_kernel
def apply(R: Matrix, a: Vector) -> Vector:
    """R·a."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


@inline_kernel
def apply_transposed(R: Matrix, a: Vector) -> Vector:
    """Rᵀ·a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


@inline_kernel
def without_dust(x: float) -> float:
    """A coordinate too small for exact products (their error terms would underflow) is zero."""
    return x if abs(x) > DUST else 0.0


@inline_kernel
def moved_corner(corners: Any, t: int, k: int, R: Matrix, r: Vector) -> Vector:
    """Corner k of triangle t of F in frame E: the same bits as `place` gives."""
    moved = apply(R, (corners[t, 3 * k], corners[t, 3 * k + 1], corners[t, 3 * k + 2]))
    return (without_dust(moved[0] + r[0]), without_dust(moved[1] + r[1]), without_dust(moved[2] + r[2]))


@inline_kernel
def place(own: Any, x: Any, fresh: Any, v: int, stamp: int, R: Matrix, r: Vector) -> Vector:
    """Vertex v of F in frame E, computed once per evaluation."""
    if fresh[v] != stamp:
        fresh[v] = stamp
        moved = apply(R, row(own, v))
        x[v, 0] = without_dust(moved[0] + r[0])
        x[v, 1] = without_dust(moved[1] + r[1])
        x[v, 2] = without_dust(moved[2] + r[2])
    return (x[v, 0], x[v, 1], x[v, 2])
