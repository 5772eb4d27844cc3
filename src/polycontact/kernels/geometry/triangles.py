"""Intersection of two triangles, decided exactly (decision 0004; section 3.1 of the paper, in place of its test [16]).

Problem: whether two triangles intersect, and in which segment, so that neighbouring triangles never contradict each
other. In: corners in frame E. Out: start and end of the segment, and on which side of which triangle each lies.

            b                 A node of the intersection is a pair (side of one triangle, face of the other). It exists
          / |                 where
         /  |   __ a'_           (1) the ends of the side lie on different sides of the face's plane, and
        /  _x--'     /           (2) the side passes the three sides of the face on the same hand.
       /--' |       /         Two triangles have no node or two: the ends of their segment.
      a     c      b'

    signs: floating point with an error bound  ->  certain: done
                                               ->  else an exact determinant (`exact`)
                                                   ->  exactly zero: as if F were moved by (ε, ε², ε³), ε → 0

So every sign is +1 or −1, never 0, and all triangles at an edge get the same one: they agree on the nodes that they
share, in aligned and coplanar poses too. Nodes are identified by what they are (side, face), not by where they are.
"""

from __future__ import annotations

from polycontact.kernels.geometry.exact import cross_product_sign, orientation_sign
from polycontact.kernels.geometry.triangle_pair import TrianglePair
from polycontact.kernels.geometry.triangle_pairs import NODE_CODES
from polycontact.kernels.geometry.vectors import Vector, cross, dot, max_abs, row, sub
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints
from polycontact.tolerances import DETERMINANT_ERROR

Ids = tuple[int, int, int, int, int, int]
Triangle = tuple[Vector, Vector, Vector]


@apart_kernel
def exact_side(a: Vector, b: Vector, c: Vector, x: Vector, face_of_f: bool, expansion: Doubles) -> int:
    """Side of face a, b, c on which x lies, +1 outward or -1, never 0.

    ``face_of_f``: it is the face that is moved by (ε, ε², ε³), otherwise x. The sign of a tie is that of the first
    component of the face's normal that does not vanish; a face without any (degenerate) gives 1.
    """
    sign = orientation_sign(a, b, c, x, expansion)
    if sign == 0:
        sign = cross_product_sign(a, b, a, c, expansion)
        if face_of_f:
            sign = -sign
    return 1 if sign == 0 else sign


@apart_kernel
def exact_edge_sign(a: Vector, b: Vector, c: Vector, d: Vector, expansion: Doubles) -> int:
    """On which hand edge a→b of E passes edge c→d of F, +1 or -1, never 0; a tie as if F were moved."""
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
    bound = DETERMINANT_ERROR * max_abs(u) * max_abs(w) * max_abs(q)
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
    bound = DETERMINANT_ERROR * max_abs(u) * max_abs(v) * reach
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

    Computed from the end with the lower index (``a_first``: that is a), so that all triangles at the edge get the same
    bits; a parameter that rounding threw off the edge is brought back, ½ where both determinants vanish.
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
def lay_out(e: Triangle, f: Triangle, pair: TrianglePair) -> None:
    """Put down the corners of two triangles for `write_segment`."""
    corners = pair.corners
    for k in range(3):
        _put(corners, k, e[k])
        _put(corners, 3 + k, f[k])


@inline_kernel
def planes_separate(e: Triangle, f: Triangle, pair: TrianglePair) -> bool:
    """Whether the plane of one triangle certainly has the other on one side; else all is laid out for the rest."""
    d_f, bound_f = side_values(e[0], e[1], e[2], f[0], f[1], f[2])
    if certainly_one_side(d_f, bound_f):
        return True
    d_e, bound_e = side_values(f[0], f[1], f[2], e[0], e[1], e[2])
    if certainly_one_side(d_e, bound_e):
        return True
    lay_out(e, f, pair)
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
    """Whether side i of e (which = 0) or f (1) passes all sides of the other triangle on the same hand: (2)."""
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
def _node(
    pair: TrianglePair,
    which: int,
    i: int,
    d_i: float,
    d_j: float,
    ids: Ids,
    ends: Doubles,
    kinds: Ints,
    at: int,
    end: int,
) -> None:
    """Write where side i of e (which = 0) or f (1) meets the other triangle, as start (0) or end (1) of a segment.

    ``d_i``, ``d_j``: determinants of its ends against that triangle.
    """
    x = pair.corners
    first = 3 * which + i
    second = 3 * which + (i + 1) % 3
    point = crossing_point(row(x, first), row(x, second), d_i, d_j, ids[first] < ids[second])
    kinds[at, end] = first
    ends[at, 3 * end] = point[0]
    ends[at, 3 * end + 1] = point[1]
    ends[at, 3 * end + 2] = point[2]


@inline_kernel
def _certain_node(pair: TrianglePair, side: int, ids: Ids, ends: Doubles, kinds: Ints, at: int, end: int) -> None:
    """Write where a side (0-2: of e, 3-5: of f) meets the other triangle; its determinants are those of `side_values`,
    to the bit."""
    x = pair.corners
    which = side // 3
    i = side % 3
    other = 3 - 3 * which
    a = row(x, other)
    normal = cross(sub(row(x, other + 1), a), sub(row(x, other + 2), a))
    d_i = dot(normal, sub(row(x, side), a))
    d_j = dot(normal, sub(row(x, 3 * which + (i + 1) % 3), a))
    _node(pair, which, i, d_i, d_j, ids, ends, kinds, at, end)


@inline_kernel
def write_segment(pair: TrianglePair, nodes: int, ids: Ids, ends: Doubles, kinds: Ints, at: int) -> None:
    """Write the segment of two triangles that certainly intersect, in nodes given by their code
    (`triangle_pairs.triangle_pairs_meet`), as `intersect_triangles` does."""
    _certain_node(pair, nodes % NODE_CODES - 1, ids, ends, kinds, at, 0)
    _certain_node(pair, nodes // NODE_CODES - 1, ids, ends, kinds, at, 1)


@kernel
def intersect_triangles(pair: TrianglePair, ids: Ids, ends: Doubles, kinds: Ints, at: int, expansion: Doubles) -> int:
    """Segment in which two triangles laid out by `planes_separate` intersect: 1 if there is one, else 0, or -1.

    The segment is written to row ``at`` of ``ends`` (start, end) and ``kinds`` (0-2: on that side of e; 3-5: on
    a side of f). It runs so that, seen on E from outside, the inside of F lies to the left, eq. (5); the direction
    follows from the exact signs. -1: the signs contradict (a face degenerated by rounding). ``ids``: the six
    vertex indices. Loops are bounded at run time, so that the compiler keeps one copy of the predicates.
    """
    d = pair.sides
    starts = 0
    stops = 0
    signs = (_signs(pair, 0, expansion), _signs(pair, 1, expansion))
    if signs[0] == 0 or signs[0] == 7 or signs[1] == 0 or signs[1] == 7:
        return 0
    for k in range(2 * pair.three):  # the three sides of e, then those of f
        which = k // 3
        i = k % 3
        j = (i + 1) % 3
        outside_i = (signs[which] >> i) & 1
        # (1) both ends on one side of the face, or (2) the side passes beside it: no node.
        if outside_i == (signs[which] >> j) & 1 or not _passes_inside(pair, which, i, expansion):
            continue
        # A side of e that enters F ends the segment; a side of f that enters E starts it.
        end = 1 if (outside_i == 1) == (which == 0) else 0
        starts += 1 - end
        stops += end
        _node(pair, which, i, d[which, i], d[which, j], ids, ends, kinds, at, end)
        if starts + stops == 2:
            break
    if starts == 0 and stops == 0:
        return 0
    return 1 if starts == 1 and stops == 1 else -1
