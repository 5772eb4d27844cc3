"""Where the search for common normals starts: pairs of samples that nearly have one.

A search that starts at the last pose's solution could stay with a wrong one; here every evaluation looks at the whole
of both surfaces, coarsely, and so gives the same whatever was evaluated before (S4.23).
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.geometry.frames import apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.smooth.smooth_evaluation import MOST_STARTS, StartSearch
from polycontact.kernels.smooth.surface_views import SmoothSurface
from polycontact.kernels.views import Doubles

_FACING = -0.8
"""Largest cosine between the normals of two samples that may become a start: 37°, more than twice their spacing."""

NORMAL_WEIGHT = 0.15
"""What a difference of unit normals counts beside one of points over the size, where distances of samples matter."""

_ANOTHER_PLACE = 0.15**2
"""Squared distance, in that measure, from which on samples are starts of their own: a few times their spacing."""


@inline_kernel
def _is_near(point: Vector, box: Doubles, margin: float) -> bool:
    """Whether a point lies in a box that is enlarged by a margin (m)."""
    for a in range(3):
        if not (point[a] >= box[0, a] - margin and point[a] <= box[1, a] + margin):
            return False
    return True


@kernel
def find_starts(e: SmoothSurface, f: SmoothSurface, pose: Pose, s: float, everywhere: bool, search: StartSearch) -> None:
    """The best pairs of samples, at most `MOST_STARTS`, far enough from each other.

    Unless ``everywhere``, only those where the bodies can overlap: a point in which one is pressed into the other lies
    inside both boxes, where both bodies are closed.
    """
    _gather_near(e, f, pose, everywhere, search)
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    points = search.points
    normals = search.normals
    for i in range(e.n):
        search.mismatch[i] = math.inf
        p = row(e.points, i)
        if not everywhere and f.is_closed == 1 and not _is_near(apply_transposed(R, sub(p, r)), f.box, e.cover):
            continue
        n = row(e.normals, i)
        best = math.inf
        for k in range(search.n_near):
            n_f = row(normals, k)
            facing = dot(n, n_f)
            if facing < _FACING:
                apart = sub(row(points, k), p)
                square = dot(apart, apart)
                along_e = dot(apart, n)
                along_f = dot(apart, n_f)
                aside = 2.0 * square - along_e * along_e - along_f * along_f
                mismatch = aside / (s * s + square) + 1.0 + facing
                if mismatch < best:
                    best = mismatch
                    search.partner[i] = search.near[k]
        search.mismatch[i] = best
    _pick_starts(e, search)


@kernel
def _gather_near(e: SmoothSurface, f: SmoothSurface, pose: Pose, everywhere: bool, search: StartSearch) -> None:
    """Samples of F that are looked at, in frame E."""
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    n = 0
    for k in range(f.n):
        p = add(apply(R, row(f.points, k)), r)
        if everywhere or e.is_closed == 0 or _is_near(p, e.box, f.cover):
            normal = apply(R, row(f.normals, k))
            for a in range(3):
                search.points[n, a] = p[a]
                search.normals[n, a] = normal[a]
            search.near[n] = k
            n += 1
    search.n_near = n


@kernel
def _pick_starts(e: SmoothSurface, search: StartSearch) -> None:
    """The best sample, the best one elsewhere, and so on."""
    mismatch = search.mismatch
    search.n = 0
    while search.n < MOST_STARTS:
        best = -1
        for i in range(e.n):
            if mismatch[i] < math.inf and (best < 0 or mismatch[i] < mismatch[best]):
                best = i
        if best < 0:
            return
        search.starts[search.n] = best
        search.n += 1
        p = row(e.points, best)
        n = row(e.normals, best)
        for i in range(e.n):
            dp = sub(row(e.points, i), p)
            dn = sub(row(e.normals, i), n)
            if dot(dp, dp) / (e.size * e.size) + NORMAL_WEIGHT**2 * dot(dn, dn) < _ANOTHER_PLACE:
                mismatch[i] = math.inf
