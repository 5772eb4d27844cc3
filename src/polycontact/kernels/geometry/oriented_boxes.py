"""Oriented boxes around the nodes of a bounding volume tree, and whether two of them overlap (decision 0005).

Problem: axis-aligned boxes around pieces of a curved surface are as thick as the pieces are wide wherever the surface
runs askew; boxes along the principal axes of the piece are as thin as the piece is flat. Two surfaces that nearly touch
are told apart by far fewer of them.

    fit    In: the points that a node holds. Out: a box along the eigenvectors of their covariance, that is weighted
           least squares axes (all points of equal weight); centre and half-extents from the least and greatest
           projections on each axis. Any axes give a right box; these give a small one.
    test   Separating axes (Gottschalk 1996): two boxes are apart if and only if they are apart seen along one of 15
           axes, the three of each box and the nine cross products of an axis of either. Half-extents are inflated and
           cosines enlarged (``skew``), so that rounding, drift of the rotation and nearly parallel axes never hide an
           overlap. Four pairs of boxes at once (decision 0008).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from polycontact.kernels.four_at_once import four_at_once
from polycontact.kernels.geometry.tree import push_children, push_root
from polycontact.kernels.geometry.vectors import dot
from polycontact.kernels.jit import kernel
from polycontact.kernels.lanes import (
    Code,
    Lanes,
    Point,
    any_of,
    moved,
    point_difference,
    product,
    three_points,
    turned,
)
from polycontact.kernels.views import Doubles, Longs
from polycontact.tolerances import DIAGONAL

COLUMNS = 15
"""Centre (3), half-extents (3), three unit axes (9), in the surface's own frame."""


@kernel
def _principal_axes(c: Doubles, axes: Doubles) -> None:
    """Eigenvectors of the symmetric (3, 3) matrix ``c``, which is destroyed, into the rows of ``axes``.

    Jacobi's method: rotations in the planes (0, 1), (0, 2) and (1, 2) by turns, each of which makes one entry beside
    the diagonal zero. It converges quadratically; 12 rounds are never needed. For equal eigenvalues any axes come out.
    """
    for i in range(3):
        for j in range(3):
            axes[i, j] = 1.0 if i == j else 0.0
    for _ in range(12):
        off = abs(c[0, 1]) + abs(c[0, 2]) + abs(c[1, 2])
        if off <= DIAGONAL * (abs(c[0, 0]) + abs(c[1, 1]) + abs(c[2, 2])):
            break
        for k in range(3):
            i = k // 2
            j = 1 + (k + 1) // 2
            if c[i, j] == 0.0:
                continue
            # t: tangent of the rotation's angle, the smaller of both roots of t² + 2θ t − 1 = 0.
            theta = (c[j, j] - c[i, i]) / (2.0 * c[i, j])
            t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
            cosine = 1.0 / math.sqrt(t * t + 1.0)
            sine = t * cosine
            for m in range(3):
                x = c[m, i]
                y = c[m, j]
                c[m, i] = cosine * x - sine * y
                c[m, j] = sine * x + cosine * y
            for m in range(3):
                x = c[i, m]
                y = c[j, m]
                c[i, m] = cosine * x - sine * y
                c[j, m] = sine * x + cosine * y
                x = axes[i, m]
                y = axes[j, m]
                axes[i, m] = cosine * x - sine * y
                axes[j, m] = sine * x + cosine * y


@kernel
def _fit(points: Doubles, first: int, count: int, box: Doubles, covariance: Doubles, axes: Doubles) -> None:
    """Box (centre, half-extents, axes) along the principal axes of ``points[first:first + count]`` (n, k, 3).

    ``covariance`` and ``axes`` (3, 3): work space. Mean first, then deviations from it, so that no digits are lost far
    from the origin.
    """
    k = points.shape[1]
    total = 1.0 / (count * k)
    mean = (0.0, 0.0, 0.0)
    for p in range(first, first + count):
        for q in range(k):
            mean = (mean[0] + points[p, q, 0], mean[1] + points[p, q, 1], mean[2] + points[p, q, 2])
    mean = (total * mean[0], total * mean[1], total * mean[2])
    xx = xy = xz = yy = yz = zz = 0.0
    for p in range(first, first + count):
        for q in range(k):
            x = points[p, q, 0] - mean[0]
            y = points[p, q, 1] - mean[1]
            z = points[p, q, 2] - mean[2]
            xx += x * x
            xy += x * y
            xz += x * z
            yy += y * y
            yz += y * z
            zz += z * z
    covariance[0, 0] = xx
    covariance[1, 1] = yy
    covariance[2, 2] = zz
    covariance[0, 1] = covariance[1, 0] = xy
    covariance[0, 2] = covariance[2, 0] = xz
    covariance[1, 2] = covariance[2, 1] = yz
    _principal_axes(covariance, axes)
    # The centre is the middle of the extents, not the mean.
    centre = mean
    for a in range(3):
        axis = (axes[a, 0], axes[a, 1], axes[a, 2])
        low = math.inf
        high = -math.inf
        for p in range(first, first + count):
            for q in range(k):
                d = dot(axis, (points[p, q, 0] - mean[0], points[p, q, 1] - mean[1], points[p, q, 2] - mean[2]))
                low = min(low, d)
                high = max(high, d)
        middle = 0.5 * (low + high)
        centre = (centre[0] + middle * axis[0], centre[1] + middle * axis[1], centre[2] + middle * axis[2])
        box[3 + a] = 0.5 * (high - low)
        for b in range(3):
            box[6 + 3 * a + b] = axis[b]
    for a in range(3):
        box[a] = centre[a]


@kernel
def fit_oriented_boxes(points: Doubles, boxes: Doubles, stack: Longs, covariance: Doubles, axes: Doubles) -> None:
    """Boxes (2n - 1, 15) of a tree whose leaves hold ``points`` (n, k, 3).

    Work space: ``stack`` (64, 3) int64, ``covariance`` and ``axes`` (3, 3).
    """
    depth = push_root(stack, len(points))
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        n = stack[depth, 2]
        _fit(points, leaf, n, boxes[node], covariance, axes)
        if n > 1:
            depth = push_children(stack, depth, node, leaf, n)


def _apart(d: Point, a: Sequence[Point], g: Point, b: Sequence[Point], h: Point, skew: Lanes) -> Lanes:
    """Whether boxes are apart on one of the 15 separating axes.

    ``d``: from centre to centre; ``a``, ``g``: axes and half-extents of one; ``b``, ``h``: of the other.
    """
    t = [product(a[i], d) for i in range(3)]
    m = [[product(a[i], b[j]) for j in range(3)] for i in range(3)]
    n = [[abs(m[i][j]) + skew for j in range(3)] for i in range(3)]
    # Three axes of one, three of the other, nine across.
    tests = []
    for i in range(3):
        tests.append(abs(t[i]) > g[i] + n[i][0] * h[0] + n[i][1] * h[1] + n[i][2] * h[2])
    for j in range(3):
        s = t[0] * m[0][j] + t[1] * m[1][j] + t[2] * m[2][j]
        tests.append(abs(s) > h[j] + n[0][j] * g[0] + n[1][j] * g[1] + n[2][j] * g[2])
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            reach = g[i1] * n[i2][j] + g[i2] * n[i1][j] + h[j1] * n[i][j2] + h[j2] * n[i][j1]
            tests.append(abs(t[i2] * m[i1][j] - t[i1] * m[i2][j]) > reach)
    return any_of(tests)


@four_at_once(joined=True)
def _box_pairs_overlap(
    code: Code, e: Any, i: Any, f: Any, j: Any, rotation: Any, position: Any, pad: Any, skew: Any
) -> Any:
    centre_e, (g0, g1, g2), *a = three_points(code.row_pairs(e, COLUMNS, i, (0, 1, 0, 1)))
    centre_f, h, *b = three_points(code.row_pairs(f, COLUMNS, j, (0, 0, 1, 1)))
    R, r = code.motion(rotation, position)
    d = point_difference(moved(R, r, centre_f), centre_e)
    inflation = code.same(pad)
    g = (g0 + inflation, g1 + inflation, g2 + inflation)
    return code.bits(~_apart(d, a, g, [turned(R, axis) for axis in b], h, code.same(skew)))


box_pairs_overlap = _box_pairs_overlap.chosen
"""``box_pairs_overlap(e, (i0, i1), f, (j0, j1), rotation, position, pad, skew)``

Which of boxes i0, i1 of E come closer than ``pad`` to boxes j0, j1 of F; bits 0 to 3 stand for (i0, j0), (i1, j0),
(i0, j1) and (i1, j1). Rotation and position of F in E; ``skew``: uncertainty of the cosines between axes, at least
`PARALLEL`."""

LANE_FUNCTIONS = {"box_pairs_overlap": _box_pairs_overlap}
"""With all its twins, for comparison."""
