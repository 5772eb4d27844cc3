"""Where the search for common normals starts: pairs of samples that nearly have one.

Problem: two surfaces given by formulas may have several common normals; Newton's method finds the one near its start.
A search that starts at the last pose's solution could stay with a wrong one; here every evaluation looks at the whole
of both surfaces, coarsely, and so gives the same whatever was evaluated before (S4.23).

In: samples (points and normals) of both surfaces, the pose. Out: for each sample the partner on the other surface with
the least mismatch, and the closest pair.

        n_e        The mismatch of a pair counts, each in units of what samples cannot tell:
         |             how far the line between both points is off both normals,
    E ---x---          how far the normals are from opposite,
         :  n_f        and, weighted, how long the line is: the shortest come first, as the contact is among them.
    F ---x---
         |         Starts are then taken from the least mismatch on; each uses up the samples around it.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.geometry.frames import apply, apply_transposed, as_matrix, as_vector
from polycontact.kernels.geometry.vectors import Vector, add, dot, row, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.smooth.smooth_evaluation import Partners, StartSearch
from polycontact.kernels.smooth.surface_views import SmoothSurface
from polycontact.kernels.views import Doubles
from polycontact.tolerances import ANOTHER_PLACE, NORMAL_LENGTH_WEIGHT, NORMAL_WEIGHT, SAMPLE_ANGLE, START_FACING


@inline_kernel
def _is_near(point: Vector, box: Doubles, margin: float) -> bool:
    """Whether a point lies in a box that is enlarged by a margin (m)."""
    inside = True
    for a in range(3):
        inside = inside and point[a] >= box[0, a] - margin and point[a] <= box[1, a] + margin
    return inside


@kernel
def pair_samples(e: SmoothSurface, f: SmoothSurface, pose: Pose, everywhere: bool, search: StartSearch) -> None:
    """For each sample of either surface that of the other with which it nearly has a common normal, rather a short one.

    (1) pairs whose normals do not face each other are left out; (2) the mismatch of the others, see the head of this
    file; (3) the closest pair, and the best partner of each of the two samples, are kept. Unless ``everywhere``, only
    pairs count where the bodies can overlap: a point in which one is pressed into the other lies inside both boxes,
    where both bodies are closed.
    """
    _gather_near(e, f, pose, everywhere, search)
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    points = search.points
    normals = search.normals
    of_e = search.of_e
    of_f = search.of_f
    for k in range(f.n):
        of_f.mismatch[k] = math.inf
    search.closest_e = -1
    search.closest = math.inf
    long = 0.25 * min(e.size, f.size)
    for i in range(e.n):
        of_e.mismatch[i] = math.inf
        p = row(e.points, i)
        if not everywhere and f.is_closed == 1 and not _is_near(apply_transposed(R, sub(p, r)), f.box, e.cover):
            continue
        n = row(e.normals, i)
        for k in range(search.n_near):
            n_f = row(normals, k)
            facing = dot(n, n_f)
            if facing < START_FACING:  # (1)
                apart = sub(row(points, k), p)
                square = dot(apart, apart)
                # (2) Squared distances of the line from both normals, over what samples leave unsure; normals; length.
                along_e = dot(apart, n)
                along_f = dot(apart, n_f)
                aside = 2.0 * square - along_e * along_e - along_f * along_f
                unsure = e.cover + f.cover + SAMPLE_ANGLE * math.sqrt(square)
                mismatch = aside / (unsure * unsure) + (1.0 + facing) / (SAMPLE_ANGLE * SAMPLE_ANGLE)
                mismatch += NORMAL_LENGTH_WEIGHT * abs(along_e) / (long + abs(along_e))
                # (3)
                j = search.near[k]
                if square < search.closest:
                    search.closest = square
                    search.closest_e = i
                    search.closest_f = j
                if mismatch < of_e.mismatch[i]:
                    of_e.mismatch[i] = mismatch
                    of_e.partner[i] = j
                if mismatch < of_f.mismatch[j]:
                    of_f.mismatch[j] = mismatch
                    of_f.partner[j] = i
    search.n = 0


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
def next_start(surface: SmoothSurface, partners: Partners) -> int:
    """The sample of least mismatch that is left, which with its surroundings is then used up; -1: none is left.

    Near are samples whose points, over the size, and whose normals differ by little.
    """
    mismatch = partners.mismatch
    best = -1
    for i in range(surface.n):
        if mismatch[i] < math.inf and (best < 0 or mismatch[i] < mismatch[best]):
            best = i
    if best >= 0:
        p = row(surface.points, best)
        n = row(surface.normals, best)
        for i in range(surface.n):
            dp = sub(row(surface.points, i), p)
            dn = sub(row(surface.normals, i), n)
            if dot(dp, dp) / (surface.size * surface.size) + NORMAL_WEIGHT**2 * dot(dn, dn) < ANOTHER_PLACE:
                mismatch[i] = math.inf
    return best
