"""Four lines at once, each against the target triangle that it met in the evaluation before (decision 0008).

Problem: where one pose follows closely on another, nearly all lines meet the same triangle again; finding that out must
cost little, and the element must have the same bits as if it had been found by a walk or by the tree.

In: four base triangles and their last target triangles. Out: bits of those lines that meet them again, and points,
normals, depths and places of all four. A line counts only if

    (1) it leaves through the triangle, at a positive depth,
    (2) well inside: near a side rounding could give it to either of two triangles, and
    (3) with full weight: the facet is surely no flank, so that no normal has to be interpolated.

All others take the usual way. The operations are those of `base_lines.base_line`, `penetration.line_through`,
`penetration.depth_along` and `flanks.weight_at`, in the same order: a change of either has to be made in both.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from polycontact.kernels.four_at_once import FourAtOnce, four_at_once
from polycontact.kernels.lanes import (
    Code,
    Point,
    cross_product,
    moved,
    point_difference,
    product,
    smaller,
    three_points,
    transposed_rows,
    turned,
)
from polycontact.tolerances import WELL_INSIDE

POINT_AT, NORMAL_AT, DEPTH_AT, PLACE_AT = 0, 3, 6, 7
"""Rows of what `lines_from_e` and `lines_from_f` write, one column a line: point and direction n_k in frame E (3 each),
depth u, barycentric coordinates of corners 0 and 1."""


def _maker(base_is_f: bool) -> FourAtOnce:
    """The function for a base that is F, or E: where F has to be moved by the pose differs."""

    @four_at_once()
    def lines_again(
        code: Code,
        barycentres: Any,
        normals: Any,
        t: Any,
        corners: Any,
        target_normals: Any,
        s: Any,
        rotation: Any,
        position: Any,
        full: Any,
        out: Any,
    ) -> Any:
        point = three_points(code.rows(barycentres, 3, t))[0]
        n0, n1, n2 = code.rows(normals, 3, t)
        x = three_points(code.rows(corners, 9, s))
        target_normal = three_points(code.rows(target_normals, 3, s))[0]
        R, r = code.motion(rotation, position)
        # base_line: point and n_k in frame E (point, normal) and in the target's own frame (c, n).
        normal: Point = (-n0, -n1, -n2)
        if base_is_f:
            point, normal = moved(R, r, point), turned(R, normal)
            c, n = point, normal
        else:
            back = transposed_rows(R)
            c, n = turned(back, point_difference(point, r)), turned(back, normal)
        # line_through, depth_along
        a = [point_difference(corner, c) for corner in x]
        g = [product(n, cross_product(a[k], a[(k + 1) % 3])) for k in range(3)]
        total = g[0] + g[1] + g[2]
        one, zero = code.constant(1.0), code.constant(0.0)
        inverse = one / total
        b = [g[1] * inverse, g[2] * inverse, g[0] * inverse]
        q = tuple(b[0] * a[0][k] + b[1] * a[1][k] + b[2] * a[2][k] for k in range(3))
        u = product(n, (q[0], q[1], q[2]))
        # The three conditions at the head of this file.
        least = reduce(smaller, (b[0], b[1], one - b[0] - b[1]))
        cosine = product(n, target_normal)
        fits = (total > zero) & (least > code.constant(WELL_INSIDE)) & (u > zero)
        # At least, not more: as in weight_at.
        fits = fits & ~(code.same(full) > cosine)
        for first, values in ((POINT_AT, point), (NORMAL_AT, normal), (DEPTH_AT, (u,)), (PLACE_AT, tuple(b[:2]))):
            for k, value in enumerate(values):
                code.store(out, first + k, value)
        return code.bits(fits)

    return lines_again


_lines_from_e, _lines_from_f = _maker(False), _maker(True)

lines_from_e = _lines_from_e.chosen
"""``lines_from_e(barycentres, normals, t, corners, target_normals, s, rotation, position, full, out)``

Which of the lines of base triangles t (four) of E meet triangles s (four) of F well inside, from within and with full
weight: bits 0 to 3. ``full``: facet_full of the target. Elements go to the columns of ``out`` (9, 4)."""
lines_from_f = _lines_from_f.chosen
"""The same for base F and target E."""

LANE_FUNCTIONS = {"lines_from_e": _lines_from_e, "lines_from_f": _lines_from_f}
"""With all their twins, for comparison."""
