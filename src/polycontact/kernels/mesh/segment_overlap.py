"""Do two segments of a border run along each other? (mesh checking, not contact)

In: pairs of segments whose boxes overlap. Out: for each pair a set of flags, 0 where they do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.geometry.vectors import Vector, dot, norm, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, Longs

ALONG = 16
"""Flag: the two run along each other. Flags 1, 2: the first, the second end of the one lies strictly within
the other; 4, 8: the first, the second end of the other within the one."""


@inline_kernel
def _place(x: Vector, a: Vector, b: Vector, tolerance: float) -> int:
    """Where x lies on segment a–b: 0 off it, 1 at one of its ends, 2 strictly within, all within the
    tolerance."""
    side = sub(b, a)
    length = norm(side)
    offset = sub(x, a)
    s = min(max(dot(offset, side) / length, 0.0), length)
    if norm(sub(offset, scale(s / length, side))) > tolerance:
        return 0
    return 2 if tolerance < s < length - tolerance else 1


@inline_kernel
def _overlap(a: Vector, b: Vector, c: Vector, d: Vector, tolerance: float) -> int:
    """Flags of segments a–b and c–d: they overlap where ends, at two places, lie on the respective other
    one."""
    ends = (a, b, c, d)
    places = (
        _place(a, c, d, tolerance),
        _place(b, c, d, tolerance),
        _place(c, a, b, tolerance),
        _place(d, a, b, tolerance),
    )
    flags = 0
    apart = False
    for i in range(4):
        if places[i] == 2:
            flags += 1 << i
        for j in range(i):
            if places[i] > 0 and places[j] > 0 and norm(sub(ends[i], ends[j])) > 2.0 * tolerance:
                apart = True
    return flags + ALONG if apart else 0


@kernel
def overlap_flags(points: Doubles, ends: Ints | Longs, pairs: Ints, tolerance: float, flags: NDArray[np.int8]) -> None:
    """Fill ``flags`` (k,) int8 for ``pairs`` (k, 2) of segments between ``points`` (n, 3) at ``ends`` (m, 2).

    Segments have a length above zero; ``tolerance`` has the unit of the points.
    """
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        a, b = row(points, ends[i, 0]), row(points, ends[i, 1])
        c, d = row(points, ends[j, 0]), row(points, ends[j, 1])
        flags[k] = _overlap(a, b, c, d, tolerance)
