"""Four lines at once, each against the target triangle that it met in the evaluation before.

Where one pose follows closely on another, nearly all lines meet the same triangle again. The operations are those of
`elements.base_line`, `penetration.line_through`, `penetration.depth_along` and `flanks.weight_at`, in the same order,
so that an element has the same bits whether it was found here or there.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from numba.core import types

from polycontact.kernels.lanes import (
    WIDTH,
    Point,
    constant,
    cross_product,
    difference,
    four_rows,
    lane_kernel,
    motion,
    moved,
    product,
    same,
    smaller,
    store,
    transposed,
    turned,
)
from polycontact.kernels.triangle_pairs import corners_in_lanes

EDGE = 1e-6
"""Barycentric coordinate beyond which rounding cannot make a line miss a triangle, or meet its neighbour too."""

POINT_AT, NORMAL_AT, DEPTH_AT, PLACE_AT = 0, 12, 24, 28
"""Where `lines_from_e` and `lines_from_f` write, each component for four lines: point and direction n_k in frame E (3
each), depth u, barycentric coordinates of corners 0 and 1."""


def _maker(base_is_f: bool) -> Any:
    @lane_kernel
    def lines_again(
        typing_context: Any,
        barycentres: Any,
        normals: Any,
        t0: Any,
        t1: Any,
        t2: Any,
        t3: Any,
        corners: Any,
        target_normals: Any,
        s0: Any,
        s1: Any,
        s2: Any,
        s3: Any,
        pose: Any,
        full: Any,
        out: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds = signature.args
            base, target = arguments[2:6], arguments[8:12]
            c0, c1, c2 = four_rows(context, builder, kinds[0], arguments[0], 3, base)
            n0, n1, n2 = four_rows(context, builder, kinds[1], arguments[1], 3, base)
            x = corners_in_lanes(context, builder, kinds[6], arguments[6], target)
            m0, m1, m2 = four_rows(context, builder, kinds[7], arguments[7], 3, target)
            R, r = motion(context, builder, kinds[12], arguments[12])
            point: Point = (c0, c1, c2)
            normal: Point = (-n0, -n1, -n2)
            if base_is_f:
                point, normal = moved(R, r, point), turned(R, normal)
                c, n = point, normal
            else:
                c, n = turned(transposed(R), difference(point, r)), turned(transposed(R), normal)
            a = [difference(corner, c) for corner in x]
            g = [product(n, cross_product(a[k], a[(k + 1) % 3])) for k in range(3)]
            total = g[0] + g[1] + g[2]
            one, zero = constant(builder, 1.0), constant(builder, 0.0)
            inverse = one / total
            b = [g[1] * inverse, g[2] * inverse, g[0] * inverse]
            q = tuple(b[0] * a[0][k] + b[1] * a[1][k] + b[2] * a[2][k] for k in range(3))
            u = product(n, (q[0], q[1], q[2]))
            least = reduce(smaller, (b[0], b[1], one - b[0] - b[1]))
            cosine = product(n, (m0, m1, m2))
            fits = (total > zero) & (least > constant(builder, EDGE)) & (u > zero)
            # At least, not more: as in weight_at.
            fits = fits & ~(same(builder, arguments[13]) > cosine)
            data = context.make_array(kinds[14])(context, builder, arguments[14]).data
            for at, values in ((POINT_AT, point), (NORMAL_AT, normal), (DEPTH_AT, (u,)), (PLACE_AT, b[:2])):
                for k, value in enumerate(values):
                    store(builder, value, data, at + WIDTH * k)
            return fits.bits()

        i = types.int64
        return i(
            barycentres, normals, i, i, i, i, corners, target_normals, i, i, i, i, pose, types.float64, out
        ), generate

    return lines_again


lines_from_e = _maker(False)
"""``lines_from_e(barycentres, normals, t0, t1, t2, t3, corners, target_normals, s0, s1, s2, s3, pose, full, out)``

Which of the lines of base triangles t0 to t3 of E meet triangles s0 to s3 of F well inside, from within and with full
weight: bits 0 to 3. ``full``: FACET_FULL of the target. Elements go to ``out`` (36,)."""
lines_from_f = _maker(True)
"""The same for base F and target E."""
