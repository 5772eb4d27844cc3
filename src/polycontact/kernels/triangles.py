"""Intersection of two triangles, decided exactly (section 3.1 of the PCM paper, in place of its test [16]).

A node of the intersection is a pair (edge of one surface, face of the other). It exists where the ends of the
edge lie on different sides of the face and the edge passes its three sides on the same hand. Signs are exact;
an exact zero is decided as if surface F were moved by (ε, ε², ε³), so two triangles have no node or two, and
neighbouring triangles agree on the nodes that they share, in aligned and coplanar poses too.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.exact import cross_product_sign, orientation_sign
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.vectors import Vector, cross, dot, max_abs, row, sub

_EPS = 2.0**-53
_BOUND = 64.0 * _EPS
"""A 3×3 determinant of rounded differences is off by less than 48 unit round-offs times the product of the
largest components of its three rows (six products, eight roundings each)."""


@kernel
def exact_side(a: Vector, b: Vector, c: Vector, x: Vector, face_of_f: bool, buffer: Any) -> int:
    """Side of face a, b, c on which x lies, +1 outward or -1, never 0."""
    sign = orientation_sign(a, b, c, x, buffer)
    if sign == 0:
        sign = cross_product_sign(a, b, a, c, buffer)
        if face_of_f:
            sign = -sign
    return 1 if sign == 0 else sign


@kernel
def exact_edge_sign(a: Vector, b: Vector, c: Vector, d: Vector, buffer: Any) -> int:
    """On which hand edge a→b of E passes edge c→d of F, +1 or -1, never 0."""
    sign = orientation_sign(a, b, c, d, buffer)
    if sign == 0:
        sign = -cross_product_sign(a, b, c, d, buffer)
    return 1 if sign == 0 else sign


@inline_kernel
def edge_sign(a: Vector, b: Vector, c: Vector, d: Vector, buffer: Any) -> int:
    """As `exact_edge_sign`, by floating point where that is certain."""
    u = sub(b, a)
    w = sub(d, c)
    q = sub(c, a)
    value = dot(q, cross(w, u))
    bound = _BOUND * max_abs(u) * max_abs(w) * max_abs(q)
    if value > bound:
        return 1
    if value < -bound:
        return -1
    return exact_edge_sign(a, b, c, d, buffer)


@inline_kernel
def side_values(a: Vector, b: Vector, c: Vector, x0: Vector, x1: Vector, x2: Vector) -> tuple[Vector, float]:
    """Determinants of x0, x1, x2 against face a, b, c (distance times twice the area) and their error bound."""
    u = sub(b, a)
    v = sub(c, a)
    normal = cross(u, v)
    w0 = sub(x0, a)
    w1 = sub(x1, a)
    w2 = sub(x2, a)
    reach = max(max_abs(w0), max(max_abs(w1), max_abs(w2)))
    bound = _BOUND * max_abs(u) * max_abs(v) * reach
    return (dot(normal, w0), dot(normal, w1), dot(normal, w2)), bound


@inline_kernel
def certainly_one_side(d: Vector, bound: float) -> bool:
    """All three determinants are certain and of one sign."""
    return (d[0] > bound and d[1] > bound and d[2] > bound) or (d[0] < -bound and d[1] < -bound and d[2] < -bound)


@inline_kernel
def side_sign(d: float, bound: float, a: Vector, b: Vector, c: Vector, x: Vector, face_of_f: bool, buffer: Any) -> int:
    """Sign of one determinant, exact where the bound leaves a doubt."""
    if d > bound:
        return 1
    if d < -bound:
        return -1
    return exact_side(a, b, c, x, face_of_f, buffer)


@inline_kernel
def crossing_point(a: Vector, b: Vector, d_a: float, d_b: float, a_first: bool) -> Vector:
    """Where edge a–b meets a face at which its ends have determinants d_a, d_b.

    Computed from the end with the lower index, so that all triangles at the edge get the same bits; a
    parameter that rounding threw off the edge is brought back, ½ where both determinants vanish.
    """
    if not a_first:
        a, b = b, a
        d_a, d_b = d_b, d_a
    span = d_a - d_b
    t = 0.5
    if span != 0.0:
        t = min(max(d_a / span, 0.0), 1.0)
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))


@inline_kernel
def _put(corners: Any, k: int, a: Vector) -> None:
    corners[k, 0] = a[0]
    corners[k, 1] = a[1]
    corners[k, 2] = a[2]


@inline_kernel
def planes_separate(e: Any, f: Any, work: Any) -> bool:
    """Whether the plane of one triangle certainly has the other on one side; else all is laid out for the rest.

    ``work`` (12, 3): corners of e and f, determinants of e's corners against f and of f's against e, error bounds,
    and room for `hands`.
    """
    d_f, bound_f = side_values(e[0], e[1], e[2], f[0], f[1], f[2])
    if certainly_one_side(d_f, bound_f):
        return True
    d_e, bound_e = side_values(f[0], f[1], f[2], e[0], e[1], e[2])
    if certainly_one_side(d_e, bound_e):
        return True
    for k in range(3):
        _put(work, k, e[k])
        _put(work, 3 + k, f[k])
    _put(work, 6, d_e)
    _put(work, 7, d_f)
    work[8, 0] = bound_e
    work[8, 1] = bound_f
    return False


@kernel
def _signs(work: Any, which: int, three: int, buffer: Any) -> int:
    """Sides on which the corners of e (which = 0) or f (1) lie of the other triangle: bit k set where outward."""
    own = 3 * which
    other = 3 - own
    a = row(work, other)
    b = row(work, other + 1)
    c = row(work, other + 2)
    bits = 0
    for k in range(three):
        if side_sign(work[6 + which, k], work[8, which], a, b, c, row(work, own + k), which == 0, buffer) > 0:
            bits |= 1 << k
    return bits


@kernel
def _passes_inside(work: Any, which: int, i: int, three: int, buffer: Any) -> bool:
    """Whether side i of e (which = 0) or f (1) passes all sides of the other triangle on the same hand."""
    j = (i + 1) % 3
    hand = 0
    for k in range(three):
        m = (k + 1) % 3
        if which == 0:
            g = edge_sign(row(work, i), row(work, j), row(work, 3 + k), row(work, 3 + m), buffer)
        else:
            g = edge_sign(row(work, k), row(work, m), row(work, 3 + i), row(work, 3 + j), buffer)
        if g + hand == 0:
            return False
        hand = g
    return True


@inline_kernel
def _moment_product(u: Vector, m: Vector, w: Vector, n: Vector) -> float:
    """On which hand two directed lines pass: directions u, w and moments m, n about a common origin."""
    return dot(u, n) + dot(w, m)


@inline_kernel
def hands(work: Any, hand: Any) -> bool:
    """On which hand each side of e passes each side of f, into ``hand`` (3, 3); True where all signs are certain.

    Sides are taken as lines with moments about the first corner of e, so that each of the nine triple products
    costs six multiplications: ((b - a) × (c - a))·(d - a) for side a→b of e and c→d of f.
    """
    o = row(work, 0)
    a = (sub(row(work, 0), o), sub(row(work, 1), o), sub(row(work, 2), o))
    c = (sub(row(work, 3), o), sub(row(work, 4), o), sub(row(work, 5), o))
    u = (a[1], sub(a[2], a[1]), sub(a[0], a[2]))
    w = (sub(c[1], c[0]), sub(c[2], c[1]), sub(c[0], c[2]))
    m = (cross(a[0], u[0]), cross(a[1], u[1]), cross(a[2], u[2]))
    n = (cross(c[0], w[0]), cross(c[1], w[1]), cross(c[2], w[2]))
    reach = max(max_abs(c[0]), max(max_abs(c[1]), max_abs(c[2])))
    size = max(max_abs(a[1]), max_abs(a[2]))
    reach = max(reach, size)
    bound = 4.0 * _BOUND * reach * reach * (size + size)
    certain = True
    for i in range(3):
        for j in range(3):
            g = _moment_product(u[i], m[i], w[j], n[j])
            hand[i, j] = g
            certain = certain and abs(g) > bound
    return certain


@inline_kernel
def intersect_certainly(work: Any, hand: Any, ids: Any, ends: Any, kinds: Any, row_k: int) -> int:
    """As `intersect_triangles`, from signs that floating point has made certain."""
    found = 0
    for k in range(6):
        which = k // 3
        i = k % 3
        j = (i + 1) % 3
        outside = work[6 + which, i] > 0.0
        if outside == (work[6 + which, j] > 0.0):
            continue
        if which == 0:
            h0 = hand[i, 0] > 0.0
            if (hand[i, 1] > 0.0) != h0 or (hand[i, 2] > 0.0) != h0:
                continue
        else:
            h0 = hand[0, i] > 0.0
            if (hand[1, i] > 0.0) != h0 or (hand[2, i] > 0.0) != h0:
                continue
        at = 3 * which
        point = crossing_point(
            row(work, at + i),
            row(work, at + j),
            work[6 + which, i],
            work[6 + which, j],
            ids[at + i] < ids[at + j],
        )
        end = 1 if outside == (which == 0) else 0
        kinds[row_k, end] = k
        ends[row_k, 3 * end] = point[0]
        ends[row_k, 3 * end + 1] = point[1]
        ends[row_k, 3 * end + 2] = point[2]
        found += 1
        if found == 2:
            return 1
    return 0 if found == 0 else -1


@inline_kernel
def sides_are_certain(work: Any) -> bool:
    """Whether no corner of one triangle comes near the plane of the other."""
    e = min(abs(work[6, 0]), min(abs(work[6, 1]), abs(work[6, 2])))
    f = min(abs(work[7, 0]), min(abs(work[7, 1]), abs(work[7, 2])))
    return bool(e > work[8, 0] and f > work[8, 1])


@kernel
def _intersect_exactly(work: Any, ids: Any, ends: Any, kinds: Any, row_k: int, buffer: Any) -> int:
    """As `intersect_triangles`, with exact signs wherever floating point leaves a doubt.

    Loops are bounded at run time, so that the compiler keeps one copy of the predicates.
    """
    three = len(work) // 4
    starts = 0
    stops = 0
    signs = (_signs(work, 0, three, buffer), _signs(work, 1, three, buffer))
    if signs[0] == 0 or signs[0] == 7 or signs[1] == 0 or signs[1] == 7:
        return 0
    for k in range(2 * three):
        which = k // 3
        i = k % 3
        j = (i + 1) % 3
        outside_i = (signs[which] >> i) & 1
        if outside_i == (signs[which] >> j) & 1 or not _passes_inside(work, which, i, three, buffer):
            continue
        at = 3 * which
        point = crossing_point(
            row(work, at + i),
            row(work, at + j),
            work[6 + which, i],
            work[6 + which, j],
            ids[at + i] < ids[at + j],
        )
        # A side of e that enters F ends the segment; a side of f that enters E starts it.
        end = 1 if (outside_i == 1) == (which == 0) else 0
        starts += 1 - end
        stops += end
        kinds[row_k, end] = k
        ends[row_k, 3 * end] = point[0]
        ends[row_k, 3 * end + 1] = point[1]
        ends[row_k, 3 * end + 2] = point[2]
        if starts + stops == 2:
            break
    if starts == 0 and stops == 0:
        return 0
    return 1 if starts == 1 and stops == 1 else -1


@inline_kernel
def intersect_triangles(work: Any, hand: Any, ids: Any, ends: Any, kinds: Any, row_k: int, buffer: Any) -> int:
    """Segment in which two triangles laid out by `planes_separate` intersect: 1 if there is one, else 0.

    The segment is written to row ``row_k`` of ``ends`` (start, end) and ``kinds`` (0-2: on that side of e; 3-5: on
    a side of f). It runs so that, seen on E from outside, the inside of F lies to the left, eq. (5); the direction
    follows from the exact signs. -1: the signs contradict (a face degenerated by rounding). ``ids``: the six
    vertex indices.
    """
    if sides_are_certain(work) and hands(work, hand):
        return intersect_certainly(work, hand, ids, ends, kinds, row_k)
    return _intersect_exactly(work, ids, ends, kinds, row_k, buffer)
