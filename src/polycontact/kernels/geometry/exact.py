"""Exact signs of determinants of doubles, where floating point cannot tell (decision 0004).

Problem: the sign of a 3×3 determinant of differences of doubles, exactly. In: four points. Out: -1, 0 or 1.

Sums of products of doubles are kept as expansions: lists of doubles, ordered by magnitude, that do not overlap and
whose sum is the exact value (Shewchuk, Adaptive precision floating-point arithmetic, 1997). Two operations suffice:

    a + b = x + y   x the rounded sum, y its error, both doubles      `two_sum` (Knuth)
    a · b = x + y   x the rounded product, y its error                `two_product` (Dekker, factors split in halves)

The sign of an expansion is that of its largest term. The caller hands in the buffer; nothing is allocated. The proofs
need every operation to be rounded by itself: no product may be fused with a sum here, and no coordinate may be so small
that an error term underflows (`DUST`).
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import EPS

BUFFER_LENGTH = 256
"""Longest expansion needed, with room (the sign of 24 triple products adds 96 terms), and behind it four points."""

_POINTS = 240
"""Where in the buffer the four points stand."""

_SPLITTER = 2.0**27 + 1.0
"""Times this, less the difference: the upper half of the 53 bits of a double."""


def _triple_products() -> NDArray[np.int64]:
    """Terms of -det[a - d, b - d, c - d] = -(abc) + (bcd) - (acd) + (abd): sign, places of three coordinates."""
    rows = []
    for sign, points in ((-1, (0, 1, 2)), (1, (1, 2, 3)), (-1, (0, 2, 3)), (1, (0, 1, 3))):
        for axes in permutations(range(3)):
            parity = np.linalg.det(np.eye(3)[list(axes)])
            rows.append([sign * round(parity), *(3 * point + axis for point, axis in zip(points, axes, strict=True))])
    return np.array(rows)


_TRIPLES = _triple_products()


@inline_kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Rounded sum and its exact error: a + b is their sum exactly."""
    x = a + b
    b_virtual = x - a
    a_virtual = x - b_virtual
    return x, (a - a_virtual) + (b - b_virtual)


@inline_kernel
def two_product(a: float, b: float) -> tuple[float, float]:
    """Rounded product and its exact error (Dekker's split): a·b is their sum exactly, unless it underflows."""
    x = a * b
    c = _SPLITTER * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = _SPLITTER * b
    b_high = c - (c - b)
    b_low = b - b_high
    return x, a_low * b_low - (((x - a_high * b_high) - a_low * b_high) - a_high * b_low)


@kernel
def grow(expansion: NDArray[np.float64], n: int, b: float) -> int:
    """Add the double ``b`` to an expansion of ``n`` terms; returns the new length, zeros dropped."""
    q = b
    m = 0
    for i in range(n):
        q, low = two_sum(q, expansion[i])
        if low != 0.0:
            expansion[m] = low
            m += 1
    if q != 0.0:
        expansion[m] = q
        m += 1
    return m


@kernel
def add_product(expansion: NDArray[np.float64], n: int, a: float, b: float) -> int:
    """Add a·b exactly to an expansion of n terms; returns the new number of terms."""
    high, low = two_product(a, b)
    if low != 0.0:
        n = grow(expansion, n, low)
    if high != 0.0:
        n = grow(expansion, n, high)
    return n


@kernel
def add_triple_product(expansion: NDArray[np.float64], n: int, a: float, b: float, c: float) -> int:
    """Add a·b·c exactly to an expansion of n terms; returns the new number of terms."""
    high, low = two_product(a, b)
    n = add_product(expansion, n, low, c)
    return add_product(expansion, n, high, c)


@inline_kernel
def expansion_sign(expansion: NDArray[np.float64], n: int) -> int:
    """Sign of an expansion: that of its largest term."""
    if n == 0:
        return 0
    return 1 if expansion[n - 1] > 0.0 else -1


@inline_kernel
def _difference_is_exact(a: Vector, b: Vector) -> bool:
    """Whether a - b has no rounding error in any component."""
    _, ex = two_sum(a[0], -b[0])
    _, ey = two_sum(a[1], -b[1])
    _, ez = two_sum(a[2], -b[2])
    return ex == 0.0 and ey == 0.0 and ez == 0.0


@inline_kernel
def _put(buffer: NDArray[np.float64], k: int, a: Vector) -> None:
    """Keep point k behind the expansion."""
    for i in range(3):
        buffer[_POINTS + 3 * k + i] = a[i]


@kernel
def orientation_sign(a: Vector, b: Vector, c: Vector, d: Vector, buffer: NDArray[np.float64]) -> int:
    """Exact sign of ((b - a) × (c - a))·(d - a): on which side of the plane a, b, c the point d lies.

    It is minus the determinant of a - d, b - d, c - d. Where these differences are exact (aligned parts on a
    common grid) six triple products tell, else the 24 of the four points themselves. The products are summed in a
    loop over a table so that the compiled code stays small.
    """
    for i in range(3):
        if a[i] == d[i] and b[i] == d[i] and c[i] == d[i]:
            return 0  # in a plane along the axes, as aligned parts are
    # A determinant has six triple products, its expansion in four points four times as many.
    terms = 24
    if _difference_is_exact(a, d) and _difference_is_exact(b, d) and _difference_is_exact(c, d):
        terms = 6
        a = (a[0] - d[0], a[1] - d[1], a[2] - d[2])
        b = (b[0] - d[0], b[1] - d[1], b[2] - d[2])
        c = (c[0] - d[0], c[1] - d[1], c[2] - d[2])
    _put(buffer, 0, a)
    _put(buffer, 1, b)
    _put(buffer, 2, c)
    _put(buffer, 3, d)
    n = 0
    for k in range(terms):
        x = _TRIPLES[k, 0] * buffer[_POINTS + _TRIPLES[k, 1]]
        n = add_triple_product(buffer, n, x, buffer[_POINTS + _TRIPLES[k, 2]], buffer[_POINTS + _TRIPLES[k, 3]])
    return expansion_sign(buffer, n)


@kernel
def cross_product_sign(p: Vector, q: Vector, r: Vector, s: Vector, buffer: NDArray[np.float64]) -> int:
    """Sign of the first component of (q - p) × (s - r) that is not exactly zero; 0 if all are.

    It is the sign of ((q - p) × (s - r))·(ε, ε², ε³) for a vanishing ε: what
    decides where a determinant is exactly zero. For each component: (1) zero, as both products are; (2) clear by
    floating point; (3) the exact sum of eight products.
    """
    _put(buffer, 0, p)
    _put(buffer, 1, q)
    _put(buffer, 2, r)
    _put(buffer, 3, s)
    for axis in range(3):
        i = (axis + 1) % 3
        j = (axis + 2) % 3
        left = (q[i] - p[i]) * (s[j] - r[j])
        right = (q[j] - p[j]) * (s[i] - r[i])
        size = abs(left) + abs(right)
        if size == 0.0:
            continue  # (1) a difference that rounds to zero is zero
        if abs(left - right) > 8.0 * EPS * size:
            return 1 if left > right else -1  # (2)
        n = 0  # (3)
        for k in range(4):
            # (q - p)_i (s - r)_j - (q - p)_j (s - r)_i, term by term
            first = k // 2
            second = 2 + k % 2
            sign = 1.0 if (first == 1) == (second == 3) else -1.0
            n = add_product(buffer, n, sign * buffer[_POINTS + 3 * first + i], buffer[_POINTS + 3 * second + j])
            n = add_product(buffer, n, -sign * buffer[_POINTS + 3 * first + j], buffer[_POINTS + 3 * second + i])
        sign_n = expansion_sign(buffer, n)
        if sign_n != 0:
            return sign_n
    return 0
