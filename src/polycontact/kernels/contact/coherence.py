"""Coherence: candidates found with a margin are kept while no point has moved farther than the margin.

In a simulation one pose follows closely on another, and most of the search would find the same pairs again. What is
kept changes how much work is done, never the segments.
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
from polycontact.tolerances import GAP_UNITS, MARGIN_ROUNDING

_STEPS = 10.0
"""Margin of kept candidates in steps of the motion: a longer list takes longer to find and to look through, a shorter
one is found anew more often."""
_LEAST = 0.2
"""Least margin while poses follow each other closely, in the largest."""
_CORRECTED = 0.02
"""Margin where only a pose that hardly differs is expected to use the list, in the largest: an integrator that takes
long steps predicts where the bodies are, and asks again where it finds that they are."""
_EXPECTED = 8
"""For so many searches in a row such poses are expected after one of them came."""


@inline_kernel
def _largest_motion(D: Matrix, d: Vector, box: Doubles) -> float:
    """Largest |D·x + d| over the corners x of a box: a bound for all points in it, as the norm is convex."""
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
    """How far any point can have moved, relative to the other body, since the candidates were found (m)."""
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
    """Drop candidates whose triangles are farther apart than the margin, sort the rest and note their gaps."""
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
    """Margin with which candidates are found anew where a point has moved by ``moved`` since they were found, m.

    It follows the motion: ten steps' worth while poses follow each other closely, little where they only come in pairs,
    none at all for unrelated poses.
    """
    if moved < _CORRECTED * max_margin or candidates.age > 1:
        candidates.expected = _EXPECTED
    elif candidates.expected > 0:
        candidates.expected -= 1
    if 2.0 * (moved - candidates.moved) < max_margin:
        return min(max(_STEPS * moved / candidates.age, _LEAST * max_margin), max_margin)
    return _CORRECTED * max_margin if candidates.expected > 0 else 0.0


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
    """Keep the candidates while the pose stays within their margin, else find them anew.

    The margin changes only how much work is done, never the segments.
    """
    margin = 0.0
    if candidates.age > 0:
        moved = motion_since_search(e, f, pose, candidates)
        if moved + 4.0 * pose.pad < candidates.margin:
            candidates.age += 1
            candidates.moved = moved
            return
        margin = _margin_after(candidates, moved, max_margin)
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
