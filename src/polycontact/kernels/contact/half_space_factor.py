"""A symmetric matrix as UᵀU, and the solution of its equations (Cholesky), by rows so that sums run along memory."""

from __future__ import annotations

import math

from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles


@inline_kernel
def _take_off_row(u: Doubles, n: int, k: int, i: int) -> None:
    """Take the product of row k off row i, from its diagonal on."""
    f = u[k * n + i]
    of_k = u[k * n : (k + 1) * n]
    of_i = u[i * n : (i + 1) * n]
    for j in range(i, n):
        of_i[j] -= f * of_k[j]


@inline_kernel
def _scale_row(u: Doubles, n: int, k: int) -> bool:
    """Divide row k by the root of its diagonal; False where that is not positive."""
    pivot = u[k * n + k]
    if not pivot > 0.0:
        return False
    inverse = 1.0 / math.sqrt(pivot)
    of_k = u[k * n : (k + 1) * n]
    for j in range(k, n):
        of_k[j] *= inverse
    return True


@kernel
def factorise(u: Doubles, n: int) -> bool:
    """The upper half of a matrix, n rows of n numbers, becomes U; False where it is not positive definite."""
    k = 0
    # Four rows at once, so that the rows below are read and written a quarter as often.
    while k + 4 <= n:
        for a in range(4):
            if not _scale_row(u, n, k + a):
                return False
            for b in range(a + 1, 4):
                _take_off_row(u, n, k + a, k + b)
        row_0 = u[k * n : (k + 1) * n]
        row_1 = u[(k + 1) * n : (k + 2) * n]
        row_2 = u[(k + 2) * n : (k + 3) * n]
        row_3 = u[(k + 3) * n : (k + 4) * n]
        for i in range(k + 4, n):
            f_0, f_1, f_2, f_3 = row_0[i], row_1[i], row_2[i], row_3[i]
            of_i = u[i * n : (i + 1) * n]
            for j in range(i, n):
                of_i[j] -= f_0 * row_0[j] + f_1 * row_1[j] + f_2 * row_2[j] + f_3 * row_3[j]
        k += 4
    while k < n:
        if not _scale_row(u, n, k):
            return False
        for i in range(k + 1, n):
            _take_off_row(u, n, k, i)
        k += 1
    return True


@kernel
def solve_with_factor(u: Doubles, n: int, x: Doubles) -> None:
    """The solution of UᵀU x = b in place of the right-hand side b, which ``x`` (n,) holds."""
    for k in range(n):
        of_k = u[k * n : (k + 1) * n]
        x[k] /= of_k[k]
        f = x[k]
        for j in range(k + 1, n):
            x[j] -= f * of_k[j]
    for m in range(n):
        k = n - 1 - m
        of_k = u[k * n : (k + 1) * n]
        # Four sums side by side: one after the other each would wait for the one before.
        s_0, s_1, s_2, s_3 = x[k], 0.0, 0.0, 0.0
        j = k + 1
        while j + 4 <= n:
            s_0 -= of_k[j] * x[j]
            s_1 -= of_k[j + 1] * x[j + 1]
            s_2 -= of_k[j + 2] * x[j + 2]
            s_3 -= of_k[j + 3] * x[j + 3]
            j += 4
        while j < n:
            s_0 -= of_k[j] * x[j]
            j += 1
        x[k] = ((s_0 + s_1) + (s_2 + s_3)) / of_k[k]
