"""Which of four pairs of triangles certainly do not intersect, and which do, and where: a quick look before the exact
test of the rest (decision 0008).

Problem: most candidates are apart, and of the others most are clearly not degenerate: exact predicates, one pair at a
time, would cost too much. In: four pairs of triangles and the pose. Out: bits of the pairs that may intersect, and for
those where it is certain which sides hold the two nodes, a code of both.

The nine triple products of a side of e and a side of f say on which hand they pass each other; six determinants on
which side of the other's plane each corner lies. Each is trusted only beyond its error bound:

    (1) a triangle lies certainly on one side of the other's plane           -> apart
    (2) each of the six sides certainly misses the other triangle            -> apart
    (3) of one side it is certain that it starts a segment, of one that it ends it -> code: NODE_CODES · end + start
    (4) else                                                                 -> code 0: the exact test decides

`triangle_gaps` bounds the distance of four pairs from below, for candidates that are kept (`coherence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from numba import types

from polycontact.kernels.four_at_once import four_at_once
from polycontact.kernels.lanes import (
    Code,
    Lanes,
    Point,
    all_of,
    any_of,
    cross_product,
    larger,
    largest_component,
    moved,
    point_difference,
    product,
    smaller,
    three_points,
)
from polycontact.tolerances import DUST_BOUND, SHORT_AXIS, TRIPLE_PRODUCT_ERROR


def _certain_signs(values: Sequence[Lanes], bound: Lanes) -> tuple[list[Lanes], list[Lanes]]:
    """Which of several values are positive for certain, and which are negative."""
    return [value > bound for value in values], [-bound > value for value in values]


def _one_side(positive: Sequence[Lanes], negative: Sequence[Lanes]) -> Lanes:
    """Whether all are certain and of one sign."""
    return all_of(positive) | all_of(negative)


def _find_nodes(e: Sequence[Point], f: Sequence[Point]) -> tuple[Lanes, Lanes]:
    """Whether triangles e and f certainly have no node, as no side of one passes through the other; and the code of
    their two nodes where these are certain (see `triangle_pairs_meet`).

    Coordinates are taken from the first corner of e. There two of its sides meet, so that their moments vanish and
    most of the nine triple products of a side of e and a side of f cost three multiplications.
    """
    # e is (0, a1, a2) and f is c from here on; w: the sides of f as vectors.
    a1, a2 = point_difference(e[1], e[0]), point_difference(e[2], e[0])
    c = [point_difference(x, e[0]) for x in f]
    w = [point_difference(c[1], c[0]), point_difference(c[2], c[1]), point_difference(c[0], c[2])]
    # Error bounds go with the largest components of the three factors of a product.
    size_e = largest_component([a1, a2])
    size_f = largest_component(w)
    reach = larger(largest_component(c), size_e) + size_e.code.constant(DUST_BOUND)
    unit = size_e.code.constant(TRIPLE_PRODUCT_ERROR) * reach
    # On which side of the other's plane the corners lie.
    normal_e = cross_product(a1, a2)
    outside_f, inside_f = _certain_signs([product(normal_e, x) for x in c], unit * size_e * size_e)
    normal_f = cross_product(w[2], w[0])
    behind = -product(normal_f, c[0])
    side_e = [behind, behind + product(normal_f, a1), behind + product(normal_f, a2)]
    outside_e, inside_e = _certain_signs(side_e, unit * size_f * size_f)
    # Triple products of the sides of e (rows: first, middle, last) with those of f, by moments about the first corner.
    moment = [cross_product(c[j], w[j]) for j in range(3)]
    first = [product(a1, moment[j]) for j in range(3)]
    last = [-product(a2, moment[j]) for j in range(3)]
    middle = [product(normal_e, w[j]) - first[j] - last[j] for j in range(3)]
    hands = [_certain_signs(each, unit * size_e * size_f) for each in (first, middle, last)]
    # The sides of e, then those of f: does each miss, start a segment or end one? One that enters F ends it.
    misses, starts, ends = [], [], []
    for i in range(3):
        k = (i + 1) % 3
        right, left = hands[i]
        through = _one_side(right, left)
        misses.append(
            _one_side((outside_e[i], outside_e[k]), (inside_e[i], inside_e[k])) | any_of(right) & any_of(left)
        )
        starts.append(inside_e[i] & outside_e[k] & through)
        ends.append(outside_e[i] & inside_e[k] & through)
    for i in range(3):
        k = (i + 1) % 3
        right, left = ([hands[j][which][i] for j in range(3)] for which in (0, 1))
        through = _one_side(right, left)
        misses.append(
            _one_side((outside_f[i], outside_f[k]), (inside_f[i], inside_f[k])) | any_of(right) & any_of(left)
        )
        starts.append(outside_f[i] & inside_f[k] & through)
        ends.append(inside_f[i] & outside_f[k] & through)
    # (1) or (2)
    apart = any_of([_one_side(outside_e, inside_e), _one_side(outside_f, inside_f), all_of(misses)])
    return apart, _code_of(starts, ends)


def _code_of(starts: Sequence[Lanes], ends: Sequence[Lanes]) -> Lanes:
    """The side of six that starts a segment and the one that ends it, as one number; 0 where either is missing."""
    constant = starts[0].code.constant
    none = constant(0.0)
    numbers = [starts[k].where(constant(1.0 + k), none) for k in range(6)]
    numbers += [ends[k].where(constant(NODE_CODES * (1.0 + k)), none) for k in range(6)]
    return (any_of(starts) & any_of(ends)).where(reduce(add, numbers), none)


NODE_CODES = 8
"""Codes of one node: 0 for none, else one more than the number of the side."""


@four_at_once()
def _triangle_pairs_meet(
    code: Code, corners_e: Any, t: Any, corners_f: Any, s: Any, rotation: Any, position: Any, nodes: Any
) -> Any:
    e, f = three_points(code.rows(corners_e, 9, t)), three_points(code.rows(corners_f, 9, s))
    R, r = code.motion(rotation, position)
    apart, found = _find_nodes(e, [moved(R, r, x) for x in f])
    code.store(nodes, 0, found)
    return code.bits(~apart)


triangle_pairs_meet = _triangle_pairs_meet.chosen
"""``triangle_pairs_meet(corners_e, t, corners_f, s, rotation, position, nodes)``: which of the pairs (t[k], s[k]) of
triangles of E and F, four of each, may intersect: bits 0 to 3. Rotation and position of F in E. Into ``nodes`` (4,)
goes, where this is certain, which side starts the segment in which they intersect, and 8 times which one ends it: 1 to
3 for those of e, 4 to 6 for those of f; else 0."""


def _gap_along(axis: Point, e: Sequence[Point], f: Sequence[Point], most: Lanes) -> Lanes:
    """Square of the distance of e and f as seen along an axis, or ``most`` if that is larger or the axis too short."""
    of_e = [product(axis, x) for x in e]
    of_f = [product(axis, x) for x in f]
    zero = most.code.constant(0.0)
    gap = larger(reduce(smaller, of_f) - reduce(larger, of_e), reduce(smaller, of_e) - reduce(larger, of_f))
    gap = larger(gap, zero)
    length = product(axis, axis)
    square = gap * gap / length
    return ((length > most.code.constant(SHORT_AXIS)) & (square > most)).where(square, most)


def _gap(e: Sequence[Point], f: Sequence[Point]) -> Lanes:
    """A lower bound of the distance of two triangles: seen along their normals, and across their sides."""
    zero = e[0][0].code.constant(0.0)
    x = [(zero, zero, zero), point_difference(e[1], e[0]), point_difference(e[2], e[0])]
    y = [point_difference(point, e[0]) for point in f]
    most = zero
    for a in (x, y):
        u, v = point_difference(a[1], a[0]), point_difference(a[2], a[0])
        normal = cross_product(u, v)
        for axis in (
            normal,
            cross_product(u, normal),
            cross_product(v, normal),
            cross_product(point_difference(v, u), normal),
        ):
            most = _gap_along(axis, x, y, most)
    return most.sqrt()


@four_at_once(result=types.void)
def _triangle_gaps(
    code: Code, corners_e: Any, t: Any, corners_f: Any, s: Any, rotation: Any, position: Any, out: Any
) -> None:
    e, f = three_points(code.rows(corners_e, 9, t)), three_points(code.rows(corners_f, 9, s))
    R, r = code.motion(rotation, position)
    code.store(out, 0, _gap(e, [moved(R, r, x) for x in f]))


triangle_gaps = _triangle_gaps.chosen
"""``triangle_gaps(corners_e, t, corners_f, s, rotation, position, out)``: lower bounds of the distances of four pairs
(t[k], s[k]) of triangles of E and F (m) into ``out`` (4,)."""

LANE_FUNCTIONS = {"triangle_pairs_meet": _triangle_pairs_meet, "triangle_gaps": _triangle_gaps}
"""With all their twins, for comparison."""
