"""Coherence: candidates found with a margin are kept while no point has moved farther than the margin.

Problem: in a simulation one pose follows closely on another, and most of a search would find the same pairs again.
In: the pose, and the candidates of an earlier search with the pose and the margin of that. Out: candidates that hold
now. What is kept changes how much work is done, never the segments: a triangle pair that is left out was farther apart
than both bodies can have moved since.

    (1) the motion since the search stays below its margin -> keep the list; gaps choose who may have met (`detection`)
    (2) it does not                                        -> search anew, with a margin m:
        (a) poses follow each other closely                -> m = ten steps of the motion, within limits
        (b) a corrected pose is expected                   -> m small: an integrator with long steps predicts a pose,
                                                              and asks again right beside it
        (c) poses have nothing to do with each other       -> m = 0: nothing is kept, no gaps are noted
"""

from __future__ import annotations

import numpy as np

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.detection import find_candidates
from polycontact.kernels.contact.evaluation_view import Candidates, Work
from polycontact.kernels.geometry.frames import Matrix, apply, as_matrix, as_vector, difference, transposed
from polycontact.kernels.geometry.sorting import sort_many_rows
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.triangle_pairs import triangle_gaps
from polycontact.kernels.geometry.vectors import Vector, norm, sub
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles
from polycontact.tolerances import (
    GAP_UNITS,
    KEPT_MARGIN_IN_STEPS,
    LEAST_KEPT_MARGIN,
    MARGIN_FOR_CORRECTIONS,
    MARGIN_ROUNDING,
)

_CORRECTIONS_EXPECTED = 8
"""For so many searches in a row corrected poses, case (b), are expected after one of them came."""


@inline_kernel
def _largest_motion(D: Matrix, d: Vector, box: Doubles) -> float:
    """Largest |D·x + d| (m) over the corners x of the root box: a bound for all points in it, as the norm is convex."""
    c = apply(D, (box[0, 0], box[0, 1], box[0, 2]))
    m = (c[0] + d[0], c[1] + d[1], c[2] + d[2])
    largest = 0.0
    for corner in range(8):
        s0 = box[0, 3] if corner & 1 else -box[0, 3]
        s1 = box[0, 4] if corner & 2 else -box[0, 4]
        s2 = box[0, 5] if corner & 4 else -box[0, 5]
        q = apply(D, (s0, s1, s2))
        largest = max(largest, norm((m[0] + q[0], m[1] + q[1], m[2] + q[2])))
    return largest


@kernel
def motion_since_search(e: SurfaceMesh, f: SurfaceMesh, pose: Pose, candidates: Candidates) -> float:
    """How far any point can have moved, relative to the other body, since the candidates were found (m).

    Motion of F seen from E, and of E seen from F, bound the same change of distances: the smaller counts. One is much
    smaller where the turning body is the small one.
    """
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    R0 = as_matrix(candidates.rotation)
    r0 = as_vector(candidates.position)
    seen_from_e = _largest_motion(difference(R, R0), sub(r, r0), f.boxes)
    Rt = transposed(R)
    R0t = transposed(R0)
    shift = sub(apply(R0t, r0), apply(Rt, r))
    seen_from_f = _largest_motion(difference(Rt, R0t), shift, e.boxes)
    return min(seen_from_e, seen_from_f)


@apart_kernel
def _keep_near_pairs(
    e: SurfaceMesh, f: SurfaceMesh, pose: Pose, margin: float, candidates: Candidates, work: Work
) -> None:
    """Drop candidates whose triangles are farther apart than the margin (m), sort the rest and note their gaps.

    Gaps are lower bounds of distances, rounded down to units of the margin over `GAP_UNITS`. Pairs are sorted by their
    triangles, so that the order in which they are looked at does not depend on the search.
    """
    corners_e = e.corners
    corners_f = f.corners
    rotation = pose.rotation
    position = pose.position
    n = candidates.n
    n_f = f.n_triangles
    pairs = candidates.pairs
    gaps = candidates.gaps
    four = work.gaps
    keys = candidates.keys
    unit = margin / GAP_UNITS
    reach = margin * (1.0 + MARGIN_ROUNDING) + 4.0 * pose.pad
    kept = 0
    for k in range(0, n, 4):
        k1 = min(k + 1, n - 1)
        k2 = min(k + 2, n - 1)
        k3 = min(k + 3, n - 1)
        t = (pairs[k, 0], pairs[k1, 0], pairs[k2, 0], pairs[k3, 0])
        s = (pairs[k, 1], pairs[k1, 1], pairs[k2, 1], pairs[k3, 1])
        triangle_gaps(corners_e, t, corners_f, s, rotation, position, four)
        for lane in range(min(4, n - k)):
            # Written always, kept by the count: no branch.
            keys[kept, 0] = np.int64(pairs[k + lane, 0]) * n_f + pairs[k + lane, 1]
            keys[kept, 1] = int(min(four[lane], reach) / unit)
            kept += 1 if four[lane] <= reach else 0
    sort_many_rows(keys, candidates.key_room, work.digits, kept)
    for k in range(kept):
        t_k = keys[k, 0] // n_f
        pairs[k, 0] = t_k
        pairs[k, 1] = keys[k, 0] - t_k * n_f
        gaps[k] = unit * keys[k, 1]
    candidates.n = kept


@inline_kernel
def _margin_after(candidates: Candidates, moved: float, max_margin: float) -> float:
    """Margin (m) with which candidates are found anew where a point has moved by ``moved`` (m) since they were found.

    Cases (a) to (c) of the head of this file.
    """
    # A small motion, or a list that served more than one pose, tells of poses that will be corrected.
    if moved < MARGIN_FOR_CORRECTIONS * max_margin or candidates.age > 1:
        candidates.expected = _CORRECTIONS_EXPECTED
    elif candidates.expected > 0:
        candidates.expected -= 1
    if 2.0 * (moved - candidates.moved) < max_margin:  # (a): the last step was less than half the largest margin
        return min(max(KEPT_MARGIN_IN_STEPS * moved / candidates.age, LEAST_KEPT_MARGIN * max_margin), max_margin)
    # (b), else (c)
    return MARGIN_FOR_CORRECTIONS * max_margin if candidates.expected > 0 else 0.0


@kernel
def update_candidates(
    e: SurfaceMesh,
    f: SurfaceMesh,
    pose: Pose,
    max_margin: float,
    candidates: Candidates,
    work: Work,
    report: ContactReport,
) -> None:
    """Keep the candidates while the pose stays within their margin, else find them anew; ``max_margin`` in m.

    After an overflow the list is no good: the next evaluation searches again.
    """
    margin = 0.0
    if candidates.age > 0:
        moved = motion_since_search(e, f, pose, candidates)
        if moved + 4.0 * pose.pad < candidates.margin:  # (1)
            candidates.age += 1
            candidates.moved = moved
            return
        margin = _margin_after(candidates, moved, max_margin)
    # (2)
    find_candidates(e.oriented_boxes, f.oriented_boxes, pose, margin, candidates, work, report)
    built_rotation = candidates.rotation
    built_position = candidates.position
    for i in range(3):
        for j in range(3):
            built_rotation[i, j] = pose.rotation[i, j]
        built_position[i] = pose.position[i]
    candidates.margin = margin
    candidates.moved = 0.0
    candidates.age = 1
    if report.status & Status.OVERFLOW_CANDIDATES:
        candidates.age = 0
    elif margin > 0.0:
        _keep_near_pairs(e, f, pose, margin, candidates, work)
