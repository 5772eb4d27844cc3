"""3-vectors as tuples of floats: the compiler keeps them in registers."""

from __future__ import annotations

import math

import numpy as np

from polycontact.kernels.jit import inline_kernel
from polycontact.kernels.views import Doubles

Vector = tuple[float, float, float]


@inline_kernel
def row(array: Doubles, i: int) -> Vector:
    """Row ``i`` of an (n, 3) array."""
    return (array[i, 0], array[i, 1], array[i, 2])


@inline_kernel
def triangle(corners: Doubles, t: int) -> tuple[Vector, Vector, Vector]:
    """Corners of triangle t from a (n, 9) table."""
    return (
        (corners[t, 0], corners[t, 1], corners[t, 2]),
        (corners[t, 3], corners[t, 4], corners[t, 5]),
        (corners[t, 6], corners[t, 7], corners[t, 8]),
    )


@inline_kernel
def add(a: Vector, b: Vector) -> Vector:
    """Sum a + b of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline_kernel
def sub(a: Vector, b: Vector) -> Vector:
    """Difference a - b of two vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline_kernel
def scale(s: float, a: Vector) -> Vector:
    """Multiple s·a of a vector."""
    return (s * a[0], s * a[1], s * a[2])


@inline_kernel
def dot(a: Vector, b: Vector) -> float:
    """Scalar product a·b of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline_kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product a × b of two vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline_kernel
def norm(a: Vector) -> float:
    """Euclidean length of a vector; components above about 1e154 overflow."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline_kernel
def max_abs(a: Vector) -> float:
    """Largest absolute component of a."""
    return max(abs(a[0]), max(abs(a[1]), abs(a[2])))


@inline_kernel
def as_index(i: int) -> int:
    """A whole number of 64 bits: hits must all be of one type, also those made of entries of smaller ones."""
    return np.int64(i)  # type: ignore[return-value]


@inline_kernel
def tangent_to(n: Vector) -> Vector:
    """A unit vector perpendicular to a unit vector."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    other = (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    t = cross(other, n)
    return scale(1.0 / norm(t), t)
