"""Linear complementarity problems by Lemke's complementary pivoting.

Cottle, Pang and Stone, The Linear Complementarity Problem, 1992: algorithm 4.4.5, with the lexicographic choice of the
leaving row of section 4.9, which cannot cycle. For positive semidefinite M it finds a solution wherever there is one.

In: M (m, m) and q (m). Out: z ≥ 0 with w = M z + q ≥ 0 and zᵀw = 0. The tableau has a row for each basic variable, and
columns w, z, z₀ (an artificial variable), right-hand side:

    (1) q ≥ 0                 -> z = 0
    (2) z₀ enters, and the row with the most negative q leaves: all right-hand sides are then ≥ 0
    (3) the complement of what left enters next; the row that blocks it first leaves; and so on, until
        (a) z₀ leaves         -> solved
        (b) no row blocks     -> a ray: for semidefinite M there is no solution
        (c) too many pivots   -> LIMIT
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import LcpStatus
from polycontact.kernels.response.response_views import Pivoting
from polycontact.kernels.views import Doubles, Longs
from polycontact.tolerances import PIVOT_ROUNDING


@kernel
def solve_lcp(M: Doubles, q: Doubles, z: Doubles, limit: int, pivoting: Pivoting) -> int:
    """Find z ≥ 0 with w = M z + q ≥ 0 and zᵀw = 0; a status of `LcpStatus`, and z is zero unless it is SOLVED.

    M may be larger than the problem, whose size is that of q. At most ``limit`` pivots are made, in the memory of
    ``pivoting``; their number is left in ``pivoting.n_pivots``.
    """
    m = q.shape[0]
    z[:m] = 0.0
    pivoting.n_pivots = 0
    if m > pivoting.room:
        return LcpStatus.LIMIT
    T, basis = pivoting.tableau, pivoting.basis
    if not _fill(M, q, T, basis):
        return LcpStatus.BAD_NUMBERS
    row = _most_negative(T, m)
    if row < 0:
        return LcpStatus.SOLVED  # (1)
    artificial = 2 * m
    entering = artificial  # (2)
    for pivot in range(limit):
        if pivot > 0:  # (3)
            row = _leaving_row(T, basis, m, entering)
            if row < 0:
                return LcpStatus.RAY  # (b)
        leaving = basis[row]
        _pivot(T, m, row, entering)
        basis[row] = entering
        pivoting.n_pivots = pivot + 1
        if leaving == artificial:  # (a)
            _read(T, basis, m, z)
            return LcpStatus.SOLVED
        entering = leaving + m if leaving < m else leaving - m
    return LcpStatus.LIMIT


@kernel
def _fill(M: Doubles, q: Doubles, T: Doubles, basis: Longs) -> bool:
    """Rows w - M z - z₀ = q with w basic; false where a number is not finite."""
    m = q.shape[0]
    total = 0.0
    for i in range(m):
        for j in range(m):
            T[i, j] = 0.0
            T[i, m + j] = -M[i, j]
            total += abs(M[i, j])
        T[i, i] = 1.0
        T[i, 2 * m] = -1.0
        T[i, 2 * m + 1] = q[i]
        total += abs(q[i])
        basis[i] = i
    return math.isfinite(total)


@kernel
def _most_negative(T: Doubles, m: int) -> int:
    """Row of the most negative right-hand side, lexicographically the last of equal ones; -1 where none is negative."""
    found, lowest = -1, 0.0
    for i in range(m):
        if T[i, 2 * m + 1] < 0.0 and T[i, 2 * m + 1] <= lowest:
            found, lowest = i, T[i, 2 * m + 1]
    return found


@kernel
def _leaving_row(T: Doubles, basis: Longs, m: int, entering: int) -> int:
    """Row that blocks the entering variable first: least in the lexicographic order of (q, B⁻¹)/pivot; -1 if none."""
    largest = 0.0
    for i in range(m):
        largest = max(largest, abs(T[i, entering]))
    least = PIVOT_ROUNDING * largest
    found = -1
    for i in range(m):
        if T[i, entering] > least and (found < 0 or _comes_before(T, m, i, found, entering)):
            found = i
    if found < 0:
        return -1
    for i in range(m):  # where the artificial variable may leave too, the problem is solved
        if basis[i] == 2 * m and T[i, entering] > least:
            ours, theirs = T[i, 2 * m + 1] / T[i, entering], T[found, 2 * m + 1] / T[found, entering]
            if ours <= theirs + PIVOT_ROUNDING * (abs(theirs) + abs(ours)):
                return i
    return found


@kernel
def _comes_before(T: Doubles, m: int, i: int, other: int, entering: int) -> bool:
    """Whether row i blocks before another, in lexicographic order; ratios that differ by rounding are equal."""
    a, b = 1.0 / T[i, entering], 1.0 / T[other, entering]
    for k in range(m + 1):
        column = 2 * m + 1 if k == 0 else k - 1
        ours, theirs = T[i, column] * a, T[other, column] * b
        if abs(ours - theirs) > PIVOT_ROUNDING * (abs(ours) + abs(theirs)):
            return bool(ours < theirs)
    return False


@kernel
def _pivot(T: Doubles, m: int, row: int, entering: int) -> None:
    """Make the entering variable basic in a row."""
    factor = 1.0 / T[row, entering]
    for j in range(2 * m + 2):
        T[row, j] *= factor
    T[row, entering] = 1.0
    for i in range(m):
        share = T[i, entering]
        if i != row and share != 0.0:
            for j in range(2 * m + 2):
                T[i, j] -= share * T[row, j]
            T[i, entering] = 0.0


@kernel
def _read(T: Doubles, basis: Longs, m: int, z: Doubles) -> None:
    """Values of the basic variables among z; rounding below zero is zero."""
    for i in range(m):
        if m <= basis[i] < 2 * m:
            z[basis[i] - m] = max(T[i, 2 * m + 1], 0.0)
