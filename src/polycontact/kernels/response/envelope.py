"""Systems of equations whose matrix is nearly empty away from the diagonal: I + Aᵀ K A.

Row i of the lower and column i of the upper triangle begin with the first coordinate that a contact with coordinate i
touches: the envelope, within which elimination without exchange of rows stays (George and Liu, Computer Solution of
Large Sparse Positive Definite Systems, 1981). A wall of 100 bricks has 600 coordinates and an envelope of some 70; of a
robot the coordinates of each leg are a block of their own, and those of its trunk border all blocks.
"""

from __future__ import annotations

from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.views import Doubles, View, count, doubles, longs


class Envelope(View):
    """Both triangles of a matrix, then its factors, row by row and column by column within the envelope."""

    size = count("entries of a triangle that fit")
    room = count("rows that fit")
    lower = doubles("size", doc="rows of the lower triangle, without a diagonal")
    upper = doubles("size", doc="columns of the upper triangle, with the diagonal")
    first = longs("room", doc="first column of a row of the lower triangle")
    at = longs("room", doc="where column 0 of a row would stand in the triangle: entry (i, j) is at at[i] + j")


@kernel
def lay_out(system: ContactSystem, envelope: Envelope) -> int:
    """Set the envelope for a system of contacts; the entries of a triangle that it needs."""
    first, at = envelope.first, envelope.at
    for j in range(system.width):
        first[j] = j
    for i in range(system.n):
        lowest = system.width
        for j in range(system.n_columns[i]):
            lowest = min(lowest, system.column[i, j])
        for j in range(system.n_columns[i]):
            column = system.column[i, j]
            first[column] = min(first[column], lowest)
    needed = 0
    for j in range(system.width):
        at[j] = needed - first[j]
        needed += j - first[j] + 1
    return needed


@kernel
def clear(system: ContactSystem, envelope: Envelope) -> None:
    """Make both triangles those of the unit matrix."""
    n = system.width
    used = envelope.at[n - 1] + n if n > 0 else 0
    for k in range(used):
        envelope.lower[k] = 0.0
        envelope.upper[k] = 0.0
    for j in range(n):
        envelope.upper[envelope.at[j] + j] = 1.0


@kernel
def add_contact(system: ContactSystem, i: int, K: Matrix, envelope: Envelope) -> None:
    """Add Aᵀ K A of one contact."""
    rows, k, columns = system.rows, 3 * i, system.column[i]
    for c in range(system.n_columns[i]):
        column = columns[c]
        x, y, z = rows[k, c], rows[k + 1, c], rows[k + 2, c]
        p0 = K[0][0] * x + K[0][1] * y + K[0][2] * z
        p1 = K[1][0] * x + K[1][1] * y + K[1][2] * z
        p2 = K[2][0] * x + K[2][1] * y + K[2][2] * z
        for r in range(system.n_columns[i]):
            row = columns[r]
            value = rows[k, r] * p0 + rows[k + 1, r] * p1 + rows[k + 2, r] * p2
            if row > column:
                envelope.lower[envelope.at[row] + column] += value
            else:
                envelope.upper[envelope.at[column] + row] += value


@kernel
def factorise(n: int, symmetric: bool, envelope: Envelope) -> bool:
    """L U in place, with units on L's diagonal; of a ``symmetric`` matrix the lower triangle is not read.

    False where a pivot is zero or not a number; rows are never exchanged.
    """
    lower, upper, first, at = envelope.lower, envelope.upper, envelope.first, envelope.at
    for i in range(n):
        begin = first[i]
        for j in range(begin, i):
            u, low = upper[at[i] + j], lower[at[i] + j]
            for k in range(max(begin, first[j]), j):
                u -= lower[at[j] + k] * upper[at[i] + k]
            if symmetric:
                low = u
            else:
                for k in range(max(begin, first[j]), j):
                    low -= lower[at[i] + k] * upper[at[j] + k]
            upper[at[i] + j] = u
            lower[at[i] + j] = low / upper[at[j] + j]
        pivot = upper[at[i] + i]
        for k in range(begin, i):
            pivot -= lower[at[i] + k] * upper[at[i] + k]
        upper[at[i] + i] = pivot
        if not abs(pivot) > 0.0:
            return False
    return True


@kernel
def substitute(n: int, envelope: Envelope, x: Doubles) -> None:
    """Solve L U y = x in place."""
    lower, upper, first, at = envelope.lower, envelope.upper, envelope.first, envelope.at
    for i in range(n):
        total = x[i]
        for k in range(first[i], i):
            total -= lower[at[i] + k] * x[k]
        x[i] = total
    for i in range(n - 1, -1, -1):
        x[i] /= upper[at[i] + i]
        for k in range(first[i], i):
            x[k] -= upper[at[i] + k] * x[i]
