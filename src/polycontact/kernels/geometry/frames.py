"""Moving points and directions between the frames of E and F.

The pose is a rotation and a position of F in E, kept as tuples of floats so that the compiler holds them in registers.
"""

from __future__ import annotations

from polycontact.kernels.geometry.vectors import Vector, dot, sub
from polycontact.kernels.jit import inline_kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import DUST

Matrix = tuple[Vector, Vector, Vector]


@inline_kernel
def as_matrix(R: Doubles) -> Matrix:
    """A (3, 3) array in registers."""
    return ((R[0, 0], R[0, 1], R[0, 2]), (R[1, 0], R[1, 1], R[1, 2]), (R[2, 0], R[2, 1], R[2, 2]))


@inline_kernel
def as_vector(a: Doubles) -> Vector:
    """A (3,) array in registers."""
    return (a[0], a[1], a[2])


@inline_kernel
def transposed(A: Matrix) -> Matrix:
    """Transposed (3, 3) matrix Aᵀ."""
    return ((A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2]))


@inline_kernel
def difference(A: Matrix, B: Matrix) -> Matrix:
    """Difference A - B of (3, 3) matrices."""
    return (sub(A[0], B[0]), sub(A[1], B[1]), sub(A[2], B[2]))


@inline_kernel
def apply(R: Matrix, a: Vector) -> Vector:
    """R·a: the vector a of the rotated frame in the axes of the other."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


@inline_kernel
def apply_transposed(R: Matrix, a: Vector) -> Vector:
    """Rᵀ·a: the inverse of `apply` for a rotation."""
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
def moved_corner(corners: Doubles, t: int, k: int, R: Matrix, r: Vector) -> Vector:
    """Corner k of triangle t of F in frame E: the same bits as `sides.vertex_in_e` gives."""
    moved = apply(R, (corners[t, 3 * k], corners[t, 3 * k + 1], corners[t, 3 * k + 2]))
    return (without_dust(moved[0] + r[0]), without_dust(moved[1] + r[1]), without_dust(moved[2] + r[2]))
