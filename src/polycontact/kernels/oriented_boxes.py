"""Oriented boxes around the nodes of a bounding volume tree, and whether two of them overlap.

Axis-aligned boxes around pieces of a curved surface are as thick as the pieces are wide wherever the surface runs
askew; boxes along the principal axes of the piece are as thin as the piece is flat. Two surfaces that nearly touch
are told apart by far fewer of them.
"""

from __future__ import annotations

import math
from typing import Any

from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.tree import push_children
from polycontact.kernels.vectors import Vector, dot, sub

COLUMNS = 15
"""Centre (3), half-extents (3), three unit axes (9), in the surface's own frame."""

Axes = tuple[Vector, Vector, Vector]
Placed = tuple[Vector, Vector, Axes]
"""Centre, half-extents and axes of a box in frame E."""

PARALLEL = 1e-12
"""Added to the cosines between axes, so that the cross product of two that are nearly parallel decides nothing."""


@kernel
def _principal_axes(c: Any, axes: Any) -> None:
    """Eigenvectors of the symmetric (3, 3) matrix ``c``, which is destroyed, into the rows of ``axes`` (Jacobi)."""
    for i in range(3):
        for j in range(3):
            axes[i, j] = 1.0 if i == j else 0.0
    for _ in range(12):
        off = abs(c[0, 1]) + abs(c[0, 2]) + abs(c[1, 2])
        if off <= 1e-14 * (abs(c[0, 0]) + abs(c[1, 1]) + abs(c[2, 2])):
            break
        for k in range(3):
            i = k // 2
            j = 1 + (k + 1) // 2
            if c[i, j] == 0.0:
                continue
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
def _fit(points: Any, first: int, count: int, box: Any, covariance: Any, axes: Any) -> None:
    """Box along the principal axes of ``points[first:first + count]`` (n, k, 3)."""
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
    centre = mean
    for a in range(3):
        axis = (axes[a, 0], axes[a, 1], axes[a, 2])
        low = math.inf
        high = -math.inf
        for p in range(first, first + count):
            for q in range(k):
                d = dot(
                    axis, (points[p, q, 0] - mean[0], points[p, q, 1] - mean[1], points[p, q, 2] - mean[2])
                )
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
def fit_oriented_boxes(points: Any, boxes: Any, stack: Any, covariance: Any, axes: Any) -> None:
    """Boxes (2n - 1, 15) of a tree whose leaves hold ``points`` (n, k, 3).

    Work space: ``stack`` (64, 3) int64, ``covariance`` and ``axes`` (3, 3).
    """
    stack[0, 0] = 0
    stack[0, 1] = 0
    stack[0, 2] = len(points)
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        n = stack[depth, 2]
        _fit(points, leaf, n, boxes[node], covariance, axes)
        if n > 1:
            depth = push_children(stack, depth, node, leaf, n)


@inline_kernel
def axes_of(boxes: Any, i: int) -> Axes:
    """Axes of box i."""
    return (
        (boxes[i, 6], boxes[i, 7], boxes[i, 8]),
        (boxes[i, 9], boxes[i, 10], boxes[i, 11]),
        (boxes[i, 12], boxes[i, 13], boxes[i, 14]),
    )


@inline_kernel
def reach_along_axes(box: Placed, pad: float) -> Vector:
    """Half-extents of a placed box along the axes of frame E, plus ``pad``."""
    h = box[1]
    b = box[2]
    return (
        abs(b[0][0]) * h[0] + abs(b[1][0]) * h[1] + abs(b[2][0]) * h[2] + pad,
        abs(b[0][1]) * h[0] + abs(b[1][1]) * h[1] + abs(b[2][1]) * h[2] + pad,
        abs(b[0][2]) * h[0] + abs(b[1][2]) * h[1] + abs(b[2][2]) * h[2] + pad,
    )


@inline_kernel
def aligned_boxes_apart(boxes: Any, i: int, centre: Vector, reach: Vector) -> bool:
    """Whether axis-aligned box i of E is certainly apart from a box with given centre and half-extents."""
    apart = (
        (abs(centre[0] - boxes[i, 0]) > boxes[i, 3] + reach[0])
        | (abs(centre[1] - boxes[i, 1]) > boxes[i, 4] + reach[1])
        | (abs(centre[2] - boxes[i, 2]) > boxes[i, 5] + reach[2])
    )
    return bool(apart)


@inline_kernel
def oriented_boxes_overlap(boxes: Any, i: int, other: Placed, pad: float, skew: float) -> bool:
    """Whether box i of E comes closer than ``pad`` to a box of F placed in frame E: the 15 separating axes.

    ``skew``: uncertainty of the cosines between their axes, at least `PARALLEL`.
    """
    c, h, b = other
    d = sub(c, (boxes[i, 0], boxes[i, 1], boxes[i, 2]))
    a = axes_of(boxes, i)
    g0 = boxes[i, 3] + pad
    g1 = boxes[i, 4] + pad
    g2 = boxes[i, 5] + pad
    t0 = dot(a[0], d)
    t1 = dot(a[1], d)
    t2 = dot(a[2], d)
    m00 = dot(a[0], b[0])
    m01 = dot(a[0], b[1])
    m02 = dot(a[0], b[2])
    m10 = dot(a[1], b[0])
    m11 = dot(a[1], b[1])
    m12 = dot(a[1], b[2])
    m20 = dot(a[2], b[0])
    m21 = dot(a[2], b[1])
    m22 = dot(a[2], b[2])
    n00 = abs(m00) + skew
    n01 = abs(m01) + skew
    n02 = abs(m02) + skew
    n10 = abs(m10) + skew
    n11 = abs(m11) + skew
    n12 = abs(m12) + skew
    n20 = abs(m20) + skew
    n21 = abs(m21) + skew
    n22 = abs(m22) + skew
    # Tests are joined without short circuits: two branches that are hard to predict instead of fifteen.
    apart = (
        (abs(t0) > g0 + n00 * h[0] + n01 * h[1] + n02 * h[2])
        | (abs(t1) > g1 + n10 * h[0] + n11 * h[1] + n12 * h[2])
        | (abs(t2) > g2 + n20 * h[0] + n21 * h[1] + n22 * h[2])
        | (abs(t0 * m00 + t1 * m10 + t2 * m20) > h[0] + n00 * g0 + n10 * g1 + n20 * g2)
        | (abs(t0 * m01 + t1 * m11 + t2 * m21) > h[1] + n01 * g0 + n11 * g1 + n21 * g2)
        | (abs(t0 * m02 + t1 * m12 + t2 * m22) > h[2] + n02 * g0 + n12 * g1 + n22 * g2)
    )
    if apart:
        return False
    apart = (
        (abs(t2 * m10 - t1 * m20) > g1 * n20 + g2 * n10 + h[1] * n02 + h[2] * n01)
        | (abs(t2 * m11 - t1 * m21) > g1 * n21 + g2 * n11 + h[0] * n02 + h[2] * n00)
        | (abs(t2 * m12 - t1 * m22) > g1 * n22 + g2 * n12 + h[0] * n01 + h[1] * n00)
        | (abs(t0 * m20 - t2 * m00) > g0 * n20 + g2 * n00 + h[1] * n12 + h[2] * n11)
        | (abs(t0 * m21 - t2 * m01) > g0 * n21 + g2 * n01 + h[0] * n12 + h[2] * n10)
        | (abs(t0 * m22 - t2 * m02) > g0 * n22 + g2 * n02 + h[0] * n11 + h[1] * n10)
        | (abs(t1 * m00 - t0 * m10) > g0 * n10 + g1 * n00 + h[1] * n22 + h[2] * n21)
        | (abs(t1 * m01 - t0 * m11) > g0 * n11 + g1 * n01 + h[0] * n22 + h[2] * n20)
        | (abs(t1 * m02 - t0 * m12) > g0 * n12 + g1 * n02 + h[0] * n21 + h[1] * n20)
    )
    return not apart
