"""Which of four pairs of triangles certainly do not intersect: a quick look before the exact test of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from numba.core import types

from polycontact.kernels.lanes import (
    Lanes,
    Point,
    all_of,
    any_of,
    constant,
    cross_product,
    difference,
    four_rows,
    lane_kernel,
    larger,
    largest_component,
    motion,
    moved,
    product,
    smaller,
    store,
)
from polycontact.tolerances import EPS

_BOUND = 512.0 * EPS
"""A triple product of rounded differences, and the sum of three, is off by less than this times the product of the
largest components of its three factors; see `triangles`."""
_SHORT = 1e-200
"""Squared length below which underflow spoils an axis, in any unit."""
_SMALL = 1e-60
"""Covers that coordinates below DUST count as zero, in metres."""


def _one_side(d: Sequence[Lanes], bound: Lanes) -> Lanes:
    """Whether all of d are certain and of one sign."""
    return (reduce(smaller, d) > bound) | (-bound > reduce(larger, d))


def _certainly_apart(e: Sequence[Point], f: Sequence[Point]) -> Lanes:
    """Whether triangles e and f have no node: no side of one passes through the other.

    Coordinates are taken from the first corner of e. There two of its sides meet, so that their moments vanish and
    most of the nine triple products of a side of e and a side of f cost three multiplications.
    """
    a1, a2 = difference(e[1], e[0]), difference(e[2], e[0])
    c = [difference(x, e[0]) for x in f]
    w = [difference(c[1], c[0]), difference(c[2], c[1]), difference(c[0], c[2])]
    size_e = largest_component([a1, a2])
    size_f = largest_component(w)
    reach = larger(largest_component(c), size_e) + constant(size_e.builder, _SMALL)
    unit = constant(size_e.builder, _BOUND) * reach
    normal_e = cross_product(a1, a2)
    side_f = [product(normal_e, x) for x in c]
    bound_f = unit * size_e * size_e
    normal_f = cross_product(w[2], w[0])
    behind = -product(normal_f, c[0])
    side_e = [behind, behind + product(normal_f, a1), behind + product(normal_f, a2)]
    bound_e = unit * size_f * size_f
    moment = [cross_product(c[j], w[j]) for j in range(3)]
    first = [product(a1, moment[j]) for j in range(3)]
    last = [-product(a2, moment[j]) for j in range(3)]
    middle = [product(normal_e, w[j]) - first[j] - last[j] for j in range(3)]
    hand = (first, middle, last)
    bound = unit * size_e * size_f
    right = [[hand[i][j] > bound for j in range(3)] for i in range(3)]
    left = [[-bound > hand[i][j] for j in range(3)] for i in range(3)]
    misses = []
    for i in range(3):
        k = (i + 1) % 3
        misses.append(_one_side((side_e[i], side_e[k]), bound_e) | (any_of(right[i]) & any_of(left[i])))
        column_right, column_left = [row[i] for row in right], [row[i] for row in left]
        misses.append(_one_side((side_f[i], side_f[k]), bound_f) | (any_of(column_right) & any_of(column_left)))
    return any_of([_one_side(side_e, bound_e), _one_side(side_f, bound_f), all_of(misses)])


def corners_in_lanes(context: Any, builder: Any, kind: Any, corners: Any, triangles: Sequence[Any]) -> list[Point]:
    """Three corners of four triangles from a table of nine columns."""
    x = four_rows(context, builder, kind, corners, 9, triangles)
    return [(x[0], x[1], x[2]), (x[3], x[4], x[5]), (x[6], x[7], x[8])]


@lane_kernel
def triangle_pairs_meet(
    typing_context: Any,
    corners_e: Any,
    t0: Any,
    t1: Any,
    t2: Any,
    t3: Any,
    corners_f: Any,
    s0: Any,
    s1: Any,
    s2: Any,
    s3: Any,
    pose: Any,
) -> Any:
    """Which of the pairs (t0, s0) to (t3, s3) of triangles of E and F may intersect: bits 0 to 3.

    ``triangle_pairs_meet(corners_e, t0, t1, t2, t3, corners_f, s0, s1, s2, s3, pose)``
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        e = corners_in_lanes(context, builder, kinds[0], arguments[0], arguments[1:5])
        f = corners_in_lanes(context, builder, kinds[5], arguments[5], arguments[6:10])
        R, r = motion(context, builder, kinds[10], arguments[10])
        apart = _certainly_apart(e, [moved(R, r, x) for x in f])
        return (~apart).bits()

    n = types.int64
    return n(corners_e, n, n, n, n, corners_f, n, n, n, n, pose), generate


def _gap_along(axis: Point, e: Sequence[Point], f: Sequence[Point], most: Lanes) -> Lanes:
    """Square of the distance of e and f as seen along an axis, or ``most`` if that is larger or the axis too short."""
    of_e = [product(axis, x) for x in e]
    of_f = [product(axis, x) for x in f]
    zero = constant(most.builder, 0.0)
    gap = larger(reduce(smaller, of_f) - reduce(larger, of_e), reduce(smaller, of_e) - reduce(larger, of_f))
    gap = larger(gap, zero)
    length = product(axis, axis)
    square = gap * gap / length
    return ((length > constant(most.builder, _SHORT)) & (square > most)).where(square, most)


def _gap(e: Sequence[Point], f: Sequence[Point]) -> Lanes:
    """A lower bound of the distance of two triangles: seen along their normals, and across their sides."""
    zero = constant(e[0][0].builder, 0.0)
    x = [(zero, zero, zero), difference(e[1], e[0]), difference(e[2], e[0])]
    y = [difference(point, e[0]) for point in f]
    most = zero
    for a in (x, y):
        u, v = difference(a[1], a[0]), difference(a[2], a[0])
        normal = cross_product(u, v)
        for axis in (
            normal,
            cross_product(u, normal),
            cross_product(v, normal),
            cross_product(difference(v, u), normal),
        ):
            most = _gap_along(axis, x, y, most)
    return most.sqrt()


@lane_kernel
def triangle_gaps(
    typing_context: Any,
    corners_e: Any,
    t0: Any,
    t1: Any,
    t2: Any,
    t3: Any,
    corners_f: Any,
    s0: Any,
    s1: Any,
    s2: Any,
    s3: Any,
    pose: Any,
    out: Any,
) -> Any:
    """Lower bounds of the distances of four pairs of triangles of E and F (m) into ``out[:4]``.

    ``triangle_gaps(corners_e, t0, t1, t2, t3, corners_f, s0, s1, s2, s3, pose, out)``
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        e = corners_in_lanes(context, builder, kinds[0], arguments[0], arguments[1:5])
        f = corners_in_lanes(context, builder, kinds[5], arguments[5], arguments[6:10])
        R, r = motion(context, builder, kinds[10], arguments[10])
        gap = _gap(e, [moved(R, r, x) for x in f])
        data = context.make_array(kinds[11])(context, builder, arguments[11]).data
        store(builder, gap, data, 0)
        return context.get_dummy_value()

    n = types.int64
    return types.void(corners_e, n, n, n, n, corners_f, n, n, n, n, pose, out), generate
