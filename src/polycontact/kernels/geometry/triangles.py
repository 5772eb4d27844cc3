"""Intersection of two triangles, decided exactly (section 3.1 of the PCM paper, in place of its test [16]).

A node of the intersection is a pair (edge of one surface, face of the other). It exists where the ends of the
edge lie on different sides of the face and the edge passes its three sides on the same hand. Signs are exact;
an exact zero is decided as if surface F were moved by (ε, ε², ε³), so two triangles have no node or two, and
neighbouring triangles agree on the nodes that they share, in aligned and coplanar poses too.
"""

from __future__ import annotations

from polycontact.kernels.geometry.exact import cross_product_sign, orientation_sign
from polycontact.kernels.geometry.triangle_pair import TrianglePair
from polycontact.kernels.geometry.vectors import Vector, cross, dot, max_abs, row, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints
from polycontact.tolerances import EPS

Ids = tuple[int, int, int, int, int, int]
Triangle = tuple[Vector, Vector, Vector]

_BOUND = 64.0 * EPS
"""A 3×3 determinant of rounded differences is off by less than 48 unit round-offs times the product of the
largest components of its three rows (six products, eight roundings each)."""


@kernel
def exact_side(a: Vector, b: Vector, c: Vector, x: Vector, face_of_f: bool, expansion: Doubles) -> int:
    """Side of face a, b, c on which x lies, +1 outward or -1, never 0."""
    sign = orientation_sign(a, b, c, x, expansion)
    if sign == 0:
        sign = cross_product_sign(a, b, a, c, expansion)
        if face_of_f:
            sign = -sign
    return 1 if sign == 0 else sign


@kernel
def exact_edge_sign(a: Vector, b: Vector, c: Vector, d: Vector, expansion: Doubles) -> int:
    """On which hand edge a→b of E passes edge c→d of F, +1 or -1, never 0."""
    sign = orientation_sign(a, b, c, d, expansion)
    if sign == 0:
        sign = -cross_product_sign(a, b, c, d, expansion)
    return 1 if sign == 0 else sign


@inline_kernel
def edge_sign(a: Vector, b: Vector, c: Vector, d: Vector, expansion: Doubles) -> int:
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
    return exact_edge_sign(a, b, c, d, expansion)


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
def side_sign(
    d: float, bound: float, a: Vector, b: Vector, c: Vector, x: Vector, face_of_f: bool, expansion: Doubles
) -> int:
    """Sign of one determinant, exact where the bound leaves a doubt."""
    if d > bound:
        return 1
    if d < -bound:
        return -1
    return exact_side(a, b, c, x, face_of_f, expansion)


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
def _put(corners: Doubles, k: int, a: Vector) -> None:
    corners[k, 0] = a[0]
    corners[k, 1] = a[1]
    corners[k, 2] = a[2]


@inline_kernel
def planes_separate(e: Triangle, f: Triangle, pair: TrianglePair) -> bool:
    """Whether the plane of one triangle certainly has the other on one side; else all is laid out for the rest."""
    d_f, bound_f = side_values(e[0], e[1], e[2], f[0], f[1], f[2])
    if certainly_one_side(d_f, bound_f):
        return True
    d_e, bound_e = side_values(f[0], f[1], f[2], e[0], e[1], e[2])
    if certainly_one_side(d_e, bound_e):
        return True
    corners = pair.corners
    for k in range(3):
        _put(corners, k, e[k])
        _put(corners, 3 + k, f[k])
    sides = pair.sides
    _put(sides, 0, d_e)
    _put(sides, 1, d_f)
    bounds = pair.bounds
    bounds[0] = bound_e
    bounds[1] = bound_f
    return False


@kernel
def _signs(pair: TrianglePair, which: int, expansion: Doubles) -> int:
    """Sides on which the corners of e (which = 0) or f (1) lie of the other triangle: bit k set where outward."""
    own = 3 * which
    other = 3 - own
    corners = pair.corners
    sides = pair.sides
    bound = pair.bounds[which]
    a = row(corners, other)
    b = row(corners, other + 1)
    c = row(corners, other + 2)
    bits = 0
    for k in range(pair.three):
        if side_sign(sides[which, k], bound, a, b, c, row(corners, own + k), which == 0, expansion) > 0:
            bits |= 1 << k
    return bits


@kernel
def _passes_inside(pair: TrianglePair, which: int, i: int, expansion: Doubles) -> bool:
    """Whether side i of e (which = 0) or f (1) passes all sides of the other triangle on the same hand."""
    x = pair.corners
    j = (i + 1) % 3
    hand = 0
    for k in range(pair.three):
        m = (k + 1) % 3
        if which == 0:
            g = edge_sign(row(x, i), row(x, j), row(x, 3 + k), row(x, 3 + m), expansion)
        else:
            g = edge_sign(row(x, k), row(x, m), row(x, 3 + i), row(x, 3 + j), expansion)
        if g + hand == 0:
            return False
        hand = g
    return True


@inline_kernel
def _moment_product(u: Vector, m: Vector, w: Vector, n: Vector) -> float:
    """On which hand two directed lines pass: directions u, w and moments m, n about a common origin."""
    return dot(u, n) + dot(w, m)


@inline_kernel
def find_hands(pair: TrianglePair) -> bool:
    """On which hand each side of e passes each side of f; True where all signs are certain.

    Sides are taken as lines with moments about the first corner of e, so that each of the nine triple products
    costs six multiplications: ((b - a) × (c - a))·(d - a) for side a→b of e and c→d of f.
    """
    x = pair.corners
    hands = pair.hands
    o = row(x, 0)
    a = (sub(row(x, 0), o), sub(row(x, 1), o), sub(row(x, 2), o))
    c = (sub(row(x, 3), o), sub(row(x, 4), o), sub(row(x, 5), o))
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
            hands[i, j] = g
            certain = certain and abs(g) > bound
    return certain


@inline_kernel
def _node(pair: TrianglePair, which: int, i: int, ids: Ids, ends: Doubles, kinds: Ints, at: int, end: int) -> None:
    """Write where side i of e (which = 0) or f (1) meets the other triangle, as start (0) or end (1) of a segment."""
    x = pair.corners
    d = pair.sides
    j = (i + 1) % 3
    first = 3 * which + i
    second = 3 * which + j
    point = crossing_point(row(x, first), row(x, second), d[which, i], d[which, j], ids[first] < ids[second])
    kinds[at, end] = first
    ends[at, 3 * end] = point[0]
    ends[at, 3 * end + 1] = point[1]
    ends[at, 3 * end + 2] = point[2]


@inline_kernel
def _intersect_certainly(pair: TrianglePair, ids: Ids, ends: Doubles, kinds: Ints, at: int) -> int:
    """As `intersect_triangles`, from signs that floating point has made certain."""
    sides = pair.sides
    hands = pair.hands
    found = 0
    for k in range(6):
        which = k // 3
        i = k % 3
        j = (i + 1) % 3
        outside = sides[which, i] > 0.0
        if outside == (sides[which, j] > 0.0):
            continue
        if which == 0:
            h0 = hands[i, 0] > 0.0
            if (hands[i, 1] > 0.0) != h0 or (hands[i, 2] > 0.0) != h0:
                continue
        else:
            h0 = hands[0, i] > 0.0
            if (hands[1, i] > 0.0) != h0 or (hands[2, i] > 0.0) != h0:
                continue
        _node(pair, which, i, ids, ends, kinds, at, 1 if outside == (which == 0) else 0)
        found += 1
        if found == 2:
            return 1
    return 0 if found == 0 else -1


@inline_kernel
def _sides_are_certain(pair: TrianglePair) -> bool:
    """Whether no corner of one triangle comes near the plane of the other."""
    d = pair.sides
    bounds = pair.bounds
    e = min(abs(d[0, 0]), min(abs(d[0, 1]), abs(d[0, 2])))
    f = min(abs(d[1, 0]), min(abs(d[1, 1]), abs(d[1, 2])))
    return bool(e > bounds[0] and f > bounds[1])


@kernel
def _intersect_exactly(pair: TrianglePair, ids: Ids, ends: Doubles, kinds: Ints, at: int, expansion: Doubles) -> int:
    """As `intersect_triangles`, with exact signs wherever floating point leaves a doubt.

    Loops are bounded at run time, so that the compiler keeps one copy of the predicates.
    """
    starts = 0
    stops = 0
    signs = (_signs(pair, 0, expansion), _signs(pair, 1, expansion))
    if signs[0] == 0 or signs[0] == 7 or signs[1] == 0 or signs[1] == 7:
        return 0
    for k in range(2 * pair.three):
        which = k // 3
        i = k % 3
        j = (i + 1) % 3
        outside_i = (signs[which] >> i) & 1
        if outside_i == (signs[which] >> j) & 1 or not _passes_inside(pair, which, i, expansion):
            continue
        # A side of e that enters F ends the segment; a side of f that enters E starts it.
        end = 1 if (outside_i == 1) == (which == 0) else 0
        starts += 1 - end
        stops += end
        _node(pair, which, i, ids, ends, kinds, at, end)
        if starts + stops == 2:
            break
    if starts == 0 and stops == 0:
        return 0
    return 1 if starts == 1 and stops == 1 else -1


@inline_kernel
def intersect_triangles(pair: TrianglePair, ids: Ids, ends: Doubles, kinds: Ints, at: int, expansion: Doubles) -> int:
    """Segment in which two triangles laid out by `planes_separate` intersect: 1 if there is one, else 0.

    The segment is written to row ``at`` of ``ends`` (start, end) and ``kinds`` (0-2: on that side of e; 3-5: on
    a side of f). It runs so that, seen on E from outside, the inside of F lies to the left, eq. (5); the direction
    follows from the exact signs. -1: the signs contradict (a face degenerated by rounding). ``ids``: the six
    vertex indices.
    """
    if _sides_are_certain(pair) and find_hands(pair):
        return _intersect_certainly(pair, ids, ends, kinds, at)
    return _intersect_exactly(pair, ids, ends, kinds, at, expansion)
