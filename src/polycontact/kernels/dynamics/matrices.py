"""Rotation matrices as tuples of three rows: products, elementary rotations, quaternions (w, x, y, z)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed
from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel

Array = NDArray[np.float64]
"""An array of numbers."""


@inline_kernel
def load_matrix(row: Array, at: int) -> Matrix:
    """Matrix stored at ``row[at:at + 9]``."""
    return (
        (row[at], row[at + 1], row[at + 2]),
        (row[at + 3], row[at + 4], row[at + 5]),
        (row[at + 6], row[at + 7], row[at + 8]),
    )


@inline_kernel
def load_vector(row: Array, at: int) -> Vector:
    """Vector stored at ``row[at:at + 3]``."""
    return (row[at], row[at + 1], row[at + 2])


@inline_kernel
def rotation_of(rotations: Array, i: int) -> Matrix:
    """Matrix in row i of a (n, 9) table."""
    return load_matrix(rotations[i], 0)


@inline_kernel
def store_vector(row: Array, at: int, a: Vector) -> None:
    """Write a vector to ``row[at:at + 3]``."""
    row[at] = a[0]
    row[at + 1] = a[1]
    row[at + 2] = a[2]


@inline_kernel
def add_vector(row: Array, at: int, a: Vector) -> None:
    """Add a vector to ``row[at:at + 3]``."""
    row[at] += a[0]
    row[at + 1] += a[1]
    row[at + 2] += a[2]


@inline_kernel
def store_matrix(row: Array, at: int, m: Matrix) -> None:
    """Write a matrix to ``row[at:at + 9]``."""
    store_vector(row, at, m[0])
    store_vector(row, at + 3, m[1])
    store_vector(row, at + 6, m[2])


@inline_kernel
def product(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product A B of (3, 3) matrices."""
    return (apply_transposed(b, a[0]), apply_transposed(b, a[1]), apply_transposed(b, a[2]))


@inline_kernel
def product_transposed(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product A Bᵀ of (3, 3) matrices."""
    return (apply(b, a[0]), apply(b, a[1]), apply(b, a[2]))


@inline_kernel
def about_x(angle: float) -> Matrix:
    """Rotation about the first axis, rad."""
    c, s = math.cos(angle), math.sin(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


@inline_kernel
def about_y(angle: float) -> Matrix:
    """Rotation about the second axis, rad."""
    c, s = math.cos(angle), math.sin(angle)
    return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))


@inline_kernel
def about_z(angle: float) -> Matrix:
    """Rotation about the third axis, rad."""
    c, s = math.cos(angle), math.sin(angle)
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


@inline_kernel
def from_quaternion(w: float, x: float, y: float, z: float) -> Matrix:
    """Rotation of a quaternion of any length but zero: an integrator's drift of its length changes nothing."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
    )
